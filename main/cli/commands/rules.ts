// rules: the household's standing decisions at a terminal, for the person in charge only: see,
// make, pause, take away, give back, and try what would happen to a request. Each rule is a
// sentence, as on the page.
import { Argument, InvalidArgumentError, Option } from 'commander';
import {
  REQUEST_KINDS,
  RULE_EFFECTS,
  type RequestKind,
} from '../../../preload/contract/closed-lists.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import type {
  RuleDraftDto,
  RuleDto,
  RulePreviewDto,
  RuleTestDto,
} from '../../../preload/contract/rules.ts';
import type { HubClient } from '../hub-client.ts';
import { localTime, typedTime } from '../local-time.ts';
import { withId } from '../ids.ts';
import { domainName } from '../option-values.ts';
import { handleHere, handleThere } from '../agent-handle.ts';
import { quoted } from '../quoted-text.ts';
import type { AxonCommand } from '../axon-command.ts';
import { goesOn, beginningOf } from '../terminal.ts';
import { refusal } from '../refusal.ts';

interface ScopeOptions {
  readonly hub?: string;
  readonly agent?: string;
  /** false: none. */
  readonly domain?: string | false;
  readonly asking?: string;
  readonly topic?: string;
}
interface AddOptions extends ScopeOptions {
  readonly kind?: RequestKind;
  readonly until?: number;
  readonly forever?: boolean;
  readonly dryRun?: boolean;
}

const { rules: text, making } = ENGLISH;
/** The most that one call lists. */
const PAGE = 200;

export function addRuleCommands(program: AxonCommand): void {
  const rules = program
    .command('rules')
    .description('what is allowed or declined without asking (the person in charge only)');
  rules
    .command('list', { isDefault: true })
    .description('the rules in force and those that are paused')
    .option('--ended', 'those that are over instead, the newest first')
    .doesAsOwner(async (owner, { session }, options: { ended?: boolean }) => {
      const page =
        options.ended === true
          ? await owner.call('rules.list', { state: 'ended' })
          : await allCurrent(owner);
      const none = options.ended === true ? 'No rule is over.' : `${text.emptyTitle}.`;
      session.tellList(page, none, () => [...page.items.flatMap(ruleLines), ...goesOn(page)]);
    });
  withScope(rules.command('add').description('make a rule; what is left out means any'))
    .addArgument(
      new Argument('<effect>', 'a rule that allows names --hub, --agent and --domain').choices(
        RULE_EFFECTS,
      ),
    )
    .addOption(new Option('--kind <kind>', 'only tasks, or only questions').choices(REQUEST_KINDS))
    .option(
      '--until <time>',
      `when it ends, by the clock of this computer, within a year, such as ${exampleTime()}; without it, one that allows ends after 30 days`,
      readTime,
    )
    .option('--forever', 'it has no end')
    .option(
      '--dry-run',
      'make none: say the rule, and what it would have done to the last requests',
    )
    .doesAsOwner(async (owner, { terminal }, effect: RuleDto['effect'], options: AddOptions) => {
      const until =
        options.forever === true
          ? { until: null }
          : options.until === undefined
            ? {}
            : { until: options.until };
      const said = {
        effect,
        kind: options.kind ?? null,
        ...(await scopeOf(owner, options)),
        ...until,
      };
      if (options.dryRun === true) {
        const preview = await owner.call('rules.preview', said);
        terminal.result(preview, () => previewLines(preview));
        return;
      }
      const made = await owner.call('rules.create', said);
      terminal.result(made, () => ruleLines(made));
    });
  addChanges(rules);
  withScope(
    rules
      .command('test')
      .description('what would happen to such a request, and why; nothing is sent'),
  )
    .addArgument(
      new Argument('<kind>', '"delegate" for a task, "query" for a question').choices(
        REQUEST_KINDS,
      ),
    )
    .doesAsOwner(async (owner, { terminal }, kind: RequestKind, options: ScopeOptions) => {
      const scope = await scopeOf(owner, options);
      const tested = await owner.call('rules.test', { ...scope, kind, peer: readHub(scope.peer) });
      terminal.result(tested, () => testLines(tested));
    });
}

/** Every rule there is, over all pages: a hub keeps some hundreds at most. */
async function allCurrent(owner: HubClient) {
  const items: RuleDto[] = [];
  let next: string | null = null;
  do {
    const page: Items<RuleDto> = await owner.call('rules.list', {
      state: 'current',
      limit: PAGE,
      ...(next === null ? {} : { cursor: next }),
    });
    items.push(...page.items);
    ({ next } = page);
  } while (next !== null);
  return { items, next };
}

function addChanges(rules: AxonCommand): void {
  const changes: readonly (readonly [
    name: string,
    description: string,
    change: (owner: HubClient, id: string) => Promise<RuleDto>,
  ])[] = [
    [
      'pause',
      'pause a rule: what it covers asks again',
      (owner, id) => owner.call('rules.update', { id, suspended: true }),
    ],
    [
      'resume',
      'resume a paused rule',
      (owner, id) => owner.call('rules.update', { id, suspended: false }),
    ],
    [
      'remove',
      'remove a rule; "restore" brings it back within five minutes',
      (owner, id) => owner.call('rules.remove', { id }),
    ],
    [
      'restore',
      'bring back a rule that was removed a moment ago',
      (owner, id) => owner.call('rules.restore', { id }),
    ],
  ];
  for (const [name, description, change] of changes) {
    rules
      .command(name)
      .description(description)
      .argument('<id>', 'the rule')
      .doesAsOwner(async (owner, { terminal }, id: string) => {
        const rule = await withId('rule', id, (named) => change(owner, named));
        terminal.result(rule, () => ruleLines(rule));
      });
  }
}

function withScope(command: AxonCommand): AxonCommand {
  return command
    .option(
      '--hub <hub>',
      'the hub that asks, by its name or id, or "local/NAME" for an agent of this hub',
    )
    .option('--agent <name>', 'the agent of this hub that would do it')
    .option('--domain <domain>', 'the area, and all below it', domainName)
    .option('--no-domain', 'only requests that name no area')
    .option('--asking <name>', "the other hub's agent in whose name is asked")
    .option('--topic <topic>', 'one topic within the area');
}

/** Agents by their handles, whichever of their names was typed. */
async function scopeOf(owner: HubClient, { hub, agent, domain, asking, topic }: ScopeOptions) {
  const peer =
    hub?.startsWith(LOCAL) === true
      ? LOCAL + (await handleOfAsker(owner, hub.slice(LOCAL.length)))
      : (hub ?? null);
  return {
    peer,
    agent: agent === undefined ? null : await handleHere(owner, agent),
    domain: domain === false ? '' : (domain ?? null),
    asking_agent:
      asking === undefined || hub === undefined || peer !== hub
        ? (asking ?? null)
        : await handleThere(owner, hub, asking),
    topic: topic ?? null,
  };
}

const LOCAL = 'local/';
/** A person of this computer asks under no agent's name. */
const handleOfAsker = (owner: HubClient, typed: string): string | Promise<string> =>
  typed.startsWith('@') ? typed : handleHere(owner, typed);

function readHub(hub: string | null): string {
  if (hub !== null) return hub;
  throw refusal('bad_request', 'Say who would ask: --hub NAME, or --hub local/AGENT.');
}

/** A day, a time of this computer's zone, or one that names its own zone. */
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?))?$/;
const EXAMPLE_AHEAD_MS = 7 * 86_400_000;

/** ms since 1970. A time without a zone, and a day, are those of this computer. */
function readTime(words: string): number {
  const [, day, time] = TIME.exec(words) ?? [];
  // A day alone would be midnight in Greenwich.
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time ?? '00:00'}`);
  if (Number.isFinite(at)) return at;
  throw new InvalidArgumentError(
    `It must be a time such as ${exampleTime()}, by the clock of this computer.`,
  );
}

/** A week from now, so that the hub takes it. */
function exampleTime(): string {
  return typedTime(Date.now() + EXAMPLE_AHEAD_MS);
}

function previewLines({ rule, trials }: RulePreviewDto): readonly string[] {
  const changed = trials.filter((tried) => tried.without !== tried.with);
  const count = (decision: RuleTestDto['decision']) =>
    changed.filter((tried) => tried.with === decision).length;
  return [
    sentenceOf(rule),
    `  ${endOf(rule)}`,
    trials.length === 0
      ? making.none
      : making.tried(trials.length, {
          deliver: count('deliver'),
          ask: count('ask'),
          decline: count('decline'),
        }),
    ...changed.flatMap((tried) => [
      `- ${localTime(tried.received_at)}  ${making.would[tried.with]}:`,
      ...quoted(beginningOf(tried.text)),
    ]),
  ];
}

function endOf({ ends_at: at }: RuleDraftDto): string {
  return at === null ? text.noEnd : text.until(localTime(at));
}

function ruleLines(rule: RuleDto): readonly string[] {
  const end = endOf(rule);
  const used =
    rule.last_used_at === null ? text.notUsed : text.used(rule.uses, localTime(rule.last_used_at));
  const state =
    rule.ended_why !== null
      ? ` ${text.endedWhy[rule.ended_why]}`
      : rule.suspended
        ? ` ${text.paused}.`
        : '';
  return [sentenceOf(rule), `  ${end} ${used}${state}`, `  ${rule.id}`];
}

function sentenceOf(rule: RuleDraftDto): string {
  const own =
    rule.asking_local === '@owner'
      ? text.ownerHere
      : text.onThisComputer(rule.asking_local_name ?? '');
  const hub = rule.peer_name ?? (rule.asking_local === null ? text.anybody : own);
  const who =
    rule.asking_agent === null
      ? hub
      : rule.asking_agent === ''
        ? `${hub}${text.namingNobody}`
        : `"${rule.asking_agent_name}" ${text.on} ${hub}`;
  const topic = rule.topic === null ? '' : `${text.onlyTopic} "${rule.topic}"`;
  const conversation =
    rule.conversation_title === null ? '' : `${text.onlyConversation} "${rule.conversation_title}"`;
  return `${who} ${text.may[rule.effect]} ${text.what(rule.kind, rule.agent_name, rule.domain)}${topic}${conversation}.`;
}

function testLines(tested: RuleTestDto): readonly string[] {
  const { tester } = text;
  const rest =
    tested.ground !== 'default'
      ? ''
      : ` ${tested.decision === 'deliver' ? tester.defaultDeliver : tester.defaultAsk}`;
  return [
    tester.verdictOf(tested),
    `${tester.ground[tested.ground]}${rest}`,
    `It would be for ${tested.agent_name}, class ${tested.risk_class}.`,
    ...tested.considered.flatMap(({ rule, miss }) => [
      `- ${sentenceOf(rule)}`,
      `  ${miss === null ? tester.thisMatches : tester.thisMisses(tester.miss[miss])}`,
    ]),
  ];
}
