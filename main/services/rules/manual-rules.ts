// Makes a rule from a person's input: exactly what was asked, never more. Each error names its
// parameter. A rule that could allow nothing is refused, so that nobody relies on it. Pure.
import type { OperationParams } from '../../../preload/contract/operations.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { ALWAYS_LIFE_MS } from '../../../preload/contract/limits.ts';
import type { RuleField } from '../../../preload/contract/rules.ts';
import { higherRisk, riskOf } from '../../core/risk.ts';
import { isBareCapability, longestDomain, matchesDomain } from '../../core/routing.ts';
import { NO_AREA, riskMaxOfReach } from '../../core/rules.ts';
import { type AppError, inputError } from '../../lib/app-error.ts';
import type { AgentRow } from '../../ports/store.ts';
import { isLocal } from '../tasks/parties.ts';
import { UNTIL_MAX_MS } from './limits.ts';
import type { RuleDraft } from '../../ports/rules.ts';
import type { PartyKey } from '../../ports/transport.ts';

type Said = OperationParams<'rules.create'>;

/** What the names in it mean on this hub, and the time. */
export interface Named {
  readonly peer: PartyKey | null;
  /** As it is now; undefined: the rule names none. */
  readonly agent: AgentRow | undefined;
  readonly nowMs: number;
  /** Whether an adult's hub decides about what is of this class. */
  readonly isForAdults: (riskClass: RiskClass) => boolean;
}

/** @throws AppError bad_request, whose `field` says which parameter it is about */
export function draftOf(said: Said, { peer, agent, nowMs, isForAdults }: Named): RuleDraft {
  const { effect, domain, kind, asking_agent: askingAgent, topic } = said;
  if (peer !== null && isLocal(peer) && askingAgent !== null) {
    throw unfit(
      'asking_agent',
      'An agent of this hub asks in its own name: say nothing of an agent there.',
    );
  }
  const about = {
    peer,
    agent: said.agent,
    domain,
    kind,
    askingAgent,
    topic,
    conversation: null,
    madeOn: 'rules',
    approvalId: null,
  } as const;
  const expiresAt = endOf(said, nowMs);
  if (effect !== 'allow')
    return { ...about, effect, reach: 'always', riskMax: null, expiresAt, idleMs: null };
  if (peer === null) throw incomplete('peer');
  if (agent === undefined) throw incomplete('agent');
  if (domain === null) throw incomplete('domain');
  if (domain === NO_AREA || isBareCapability(agent, domain))
    checkAllowsWithoutArea(agent, isForAdults);
  else checkAllowsSomething(agent, domain, topic, isForAdults);
  return {
    ...about,
    effect,
    reach: 'always',
    riskMax: riskMaxOfReach('always', about),
    expiresAt,
    idleMs: null,
  };
}

function endOf({ effect, until }: Said, nowMs: number): number | null {
  if (until === undefined) return effect === 'allow' ? nowMs + ALWAYS_LIFE_MS : null;
  if (until === null && effect === 'allow')
    throw unfit('until', 'A rule that allows has an end, within a year.');
  if (until === null || (until > nowMs && until <= nowMs + UNTIL_MAX_MS)) return until;
  throw unfit('until', 'Choose an end within the next year.');
}

/**
 * By today's classes: no rule opens what is dangerous or what an adult's hub decides, and what
 * others see is allowed for one topic at most.
 */
function checkAllowsSomething(
  agent: AgentRow,
  area: string,
  topic: string | null,
  isForAdults: Named['isForAdults'],
): void {
  const { displayName: name, domains } = agent;
  const covered = [
    ...(longestDomain(domains, area) === undefined ? [] : [area]),
    ...domains.map(({ domain }) => domain).filter((domain) => matchesDomain(area, domain)),
  ];
  const [first, ...others] = covered.map((domain) => riskOf(agent, domain).riskClass);
  if (first === undefined) {
    const has =
      domains.length === 0
        ? 'it has none yet'
        : `it has ${domains.map(({ domain }) => domain).join(', ')}`;
    throw unfit(
      'domain',
      `${name} has no area "${area}", so this rule would never let anything in; ${has}.`,
      {
        hint: 'Name one of its areas, or give it this one under "Agents" first.',
      },
    );
  }
  const least = others.reduce(lowerRisk, first);
  if (isForAdults(least)) {
    throw unfit(
      'domain',
      `An adult’s hub decides about what ${name} does in "${area}", so no rule here can allow it.`,
      {
        hint: 'Who decides is changed in Settings or with "axon remote-approval set", with the owner passphrase.',
      },
    );
  }
  if (least === 'R3') {
    throw unfit(
      'domain',
      `What ${name} does in "${area}" is dangerous or unknown, so it asks every time: no rule can allow it.`,
    );
  }
  if (least === 'R2' && topic === null) {
    throw unfit(
      'topic',
      `Others see what ${name} does in "${area}", or it is hard to undo: a rule lets it in for one named topic only.`,
      {
        hint: 'Name the topic, or say under "Agents" that this area is less risky.',
      },
    );
  }
}

/** What names no area may be about the most dangerous one of the agent. */
function checkAllowsWithoutArea(agent: AgentRow, isForAdults: Named['isForAdults']): void {
  const { riskClass } = riskOf(agent, null);
  if (isForAdults(riskClass)) {
    throw unfit(
      'domain',
      `An adult’s hub decides about what ${agent.displayName} is asked without an area, so no rule here can allow it.`,
      {
        hint: 'Who decides is changed in Settings or with "axon remote-approval set", with the owner passphrase.',
      },
    );
  }
  if (higherRisk(riskClass, 'R1') === 'R1') return;
  throw unfit(
    'domain',
    `A request that names no area may be about the riskiest thing that ${agent.displayName} does, so no rule can allow it.`,
    {
      hint: 'Name one of its areas, or say under "Agents" that all of it can be undone.',
    },
  );
}

function lowerRisk(one: RiskClass, other: RiskClass): RiskClass {
  return higherRisk(one, other) === one ? other : one;
}

function incomplete(field: RuleField): AppError {
  return unfit(
    field,
    'A rule that allows names the hub that asks, the agent that does it, and the area.',
  );
}

function unfit(
  field: RuleField,
  sentence: string,
  more: { readonly hint?: string } = {},
): AppError {
  return inputError('bad_request', sentence, { data: { field }, ...more });
}
