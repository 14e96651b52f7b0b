// A rule as it stands in the form: what may be picked, and from what is picked to the words that
// the hub takes, with what is missing or does not fit beside its field. Says nothing wider than
// what was picked. Pure.
import type { RequestKind, RuleEffect } from '../../../preload/contract/closed-lists.ts';
import { DOMAIN_NAME } from '../../../preload/contract/formats.ts';
import type { AgentDto, PeerDto } from '../../../preload/contract/dto.ts';
import type { OperationInput } from '../../../preload/contract/operations.ts';
import { ALWAYS_LIFE_MS } from '../../../preload/contract/limits.ts';
import type { RuleField, RuleTrialDto } from '../../../preload/contract/rules.ts';
import { areaName } from '../../../preload/contract/strings/shared-words.ts';
import { midnightAfter } from '../../app/rule-words.ts';
import { words } from '../../app/words.ts';

const { making } = words;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What a domain may hold, as the hub reads one. */
const DOMAIN_MAX_CHARACTERS = 64;

/** Nothing picked: any, or, where an allowing rule must name one, still to be chosen. */
export const ANY = '';
/** Only requests that name none. */
export const NONE = 'none';
/** To be written in a field of its own. */
export const OTHER = 'other';
const NAMED = 'named:';

export type End = 'tonight' | 'week' | 'month' | 'day' | 'never';
export type Said = OperationInput<'rules.create'>;
export type Flaws = Partial<Record<RuleField, string>>;
type Option<Value extends string = string> = readonly [Value, string];

/** The fields as they stand. */
export interface Fields {
  readonly effect: RuleEffect;
  readonly peer: string;
  /** ANY, OTHER, or `named:` and a name. */
  readonly asker: string;
  readonly askerName: string;
  readonly kind: RequestKind | 'any';
  readonly agent: string;
  /** ANY, NONE, OTHER, or `named:` and a domain. */
  readonly area: string;
  readonly areaName: string;
  readonly topic: string;
  readonly end: End;
  /** "2026-12-03" */
  readonly day: string;
}

export const EMPTY: Fields = {
  effect: 'allow',
  peer: ANY,
  asker: ANY,
  askerName: '',
  kind: 'delegate',
  agent: ANY,
  area: ANY,
  areaName: '',
  topic: '',
  end: 'month',
  day: '',
};

/**
 * Another effect brings its own end: an allowing rule has one, any other stays until it is removed.
 */
export function withEffect(fields: Fields, effect: RuleEffect): Fields {
  if ((fields.effect === 'allow') === (effect === 'allow')) return { ...fields, effect };
  return effect === 'allow'
    ? { ...fields, effect, kind: 'delegate', end: 'month' }
    : { ...fields, effect, kind: 'any', end: 'never' };
}

export function peerOptions(
  peers: readonly PeerDto[],
  agents: readonly AgentDto[],
  effect: RuleEffect,
): readonly Option[] {
  return [
    [ANY, effect === 'allow' ? making.choose : making.anybody],
    ...peers.filter((peer) => peer.trust === 'paired').map((peer): Option => [peer.id, peer.name]),
    ...agents.map((agent): Option => [`local/${agent.name}`, making.agentHere(agent.display_name)]),
  ];
}

/** Only names that people read as they are; any other is written letter by letter. */
const PLAIN_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/;

/** @param any what picking none of them means */
export function askerOptions(
  peer: PeerDto | undefined,
  any: string = making.anyAsker,
): readonly Option[] {
  const said = peer?.capabilities?.untrusted;
  // Beside agents it is the name of the hub; alone it is that of the one agent there.
  const agents = (said?.agents ?? []).map(
    ({ name, display_name }) => [name, display_name] as const,
  );
  const named = new Map(
    agents.length > 0 ? agents : [[said?.agent_name ?? '', said?.agent_name ?? '']],
  );
  const plain = [...named]
    .filter(([name]) => PLAIN_NAME.test(name))
    .sort(([, one], [, other]) => (one < other ? -1 : 1));
  return [
    [ANY, any],
    ...plain.map(([name, shown]): Option => [`${NAMED}${name}`, shown]),
    [OTHER, making.otherAsker],
  ];
}

/** A hub asks in the name of its agents; an agent of this computer in its own. */
export const hasAsker = ({ peer }: Fields): boolean => !peer.startsWith('local/');

export function agentOptions(agents: readonly AgentDto[], effect: RuleEffect): readonly Option[] {
  return [
    [ANY, effect === 'allow' ? making.choose : making.anyAgent],
    ...agents.map((agent): Option => [agent.name, agent.display_name]),
  ];
}

/** The areas of the agent, or of all while none is picked. */
export function areaOptions(
  agents: readonly AgentDto[],
  { agent, effect }: Fields,
): readonly Option[] {
  const of = agents.filter(({ name }) => agent === ANY || name === agent);
  const areas = [
    ...new Set(of.flatMap(({ domains }) => domains.map(({ domain }) => domain))),
  ].sort();
  return [
    [ANY, effect === 'allow' ? making.choose : making.anyArea],
    [NONE, making.noArea],
    ...areas.map((area): Option => [`${NAMED}${area}`, areaName(area)]),
    [OTHER, making.otherArea],
  ];
}

export function endOptions(effect: RuleEffect, now: number): readonly Option<End>[] {
  const { tonight, week, month, day, never } = making.end;
  return [
    ...(effect === 'allow' ? [] : [['never', never] as const]),
    ...(midnightAfter(now) - now > HOUR_MS ? [['tonight', tonight] as const] : []),
    ['week', week],
    ['month', month],
    ['day', day],
  ];
}

/** What the hub is told; null while something is missing or does not fit. */
export function readFields(
  fields: Fields,
  now: number,
): { readonly said: Said | null; readonly flaws: Flaws } {
  const { effect } = fields;
  const must = effect === 'allow';
  const askingAgent = hasAsker(fields) ? named(fields.asker, fields.askerName) : null;
  const area = fields.area === NONE ? '' : named(fields.area, fields.areaName.trim());
  const topic = fields.topic.trim() === '' ? null : fields.topic.trim();
  const until = untilOf(fields, now);
  const flaws: Flaws = {
    ...(must && fields.peer === ANY ? { peer: making.missing.peer } : {}),
    ...(askingAgent === '' ? { asking_agent: making.missing.asking_agent } : {}),
    ...(must && fields.agent === ANY ? { agent: making.missing.agent } : {}),
    ...(must && area === null
      ? { domain: making.missing.domain }
      : area !== null && fields.area !== NONE && !isDomain(area)
        ? { domain: making.notAnArea }
        : {}),
    ...(topic !== null && !isDomain(topic) ? { topic: making.notATopic } : {}),
    ...(until === undefined ? { until: making.missing.until } : {}),
  };
  if (until === undefined || Object.keys(flaws).length > 0) return { said: null, flaws };
  const said = {
    effect,
    peer: fields.peer === ANY ? null : fields.peer,
    asking_agent: askingAgent,
    kind: fields.kind === 'any' ? null : fields.kind,
    agent: fields.agent === ANY ? null : fields.agent,
    domain: area,
    topic,
    until,
  };
  return { said, flaws };
}

/** The requests that would be decided otherwise, and how many of each kind. */
export function changesOf(trials: readonly RuleTrialDto[]) {
  const changed = trials.filter((trial) => trial.without !== trial.with);
  const to = (decision: RuleTrialDto['with']) =>
    changed.filter((trial) => trial.with === decision).length;
  return { changed, counts: { deliver: to('deliver'), ask: to('ask'), decline: to('decline') } };
}

/** What was picked or written; null: any. */
export function named(picked: string, written: string): string | null {
  if (picked === ANY) return null;
  return picked === OTHER ? written : picked.slice(NAMED.length);
}

function isDomain(text: string): boolean {
  return text.length <= DOMAIN_MAX_CHARACTERS && DOMAIN_NAME.test(text);
}

/** undefined: the day is missing or over. How far it may lie ahead the hub says. */
function untilOf({ end, day }: Fields, now: number): number | null | undefined {
  if (end === 'never') return null;
  if (end === 'tonight') return midnightAfter(now);
  if (end === 'week') return now + 7 * DAY_MS;
  if (end === 'month') return now + ALWAYS_LIFE_MS;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day)
    ? midnightAfter(new Date(`${day}T12:00`).getTime())
    : Number.NaN;
  return Number.isFinite(at) && at > now ? at : undefined;
}
