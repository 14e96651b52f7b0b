// What the hub says of a request, in its own words: from the kind, the owner's names and the
// owner's classes, never from the sender's text.
import { DOMAIN_NAME } from '../../../preload/contract/formats.ts';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import type { RuleDto } from '../../../preload/contract/rules.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import { isTaskWhereLooks } from '../../../preload/contract/strings/now.ts';
import {
  decisionOf,
  shownOf,
  sinceOf,
  stopAskedOf,
  surfaceOf,
  toldOf,
} from '../../../preload/contract/strings/story.ts';
import { areaName } from '../../../preload/contract/strings/shared-words.ts';
import { exactTime } from '../../app/format.ts';
import { words } from '../../app/words.ts';

const { now } = words;

/** The heading's id: where the focus goes. */
export const headingId = (approvalId: string): string => `approval-${approvalId}`;

/** How many wait. @param lostAt since when it is not known whether they still do; null: it is */
export function waitingTitle(
  cards: readonly { readonly pending: boolean; readonly isElsewhere: boolean }[],
  lostAt: string | null,
): string {
  const pending = cards.filter((card) => card.pending);
  const ours = pending.filter((card) => !card.isElsewhere).length;
  if (ours > 0) return lostAt === null ? now.needYou(ours) : now.neededYou(ours, lostAt);
  return pending.length > 0 ? now.needAdult(pending.length) : now.empty.title;
}

/** The area in words; undefined when none was named or what was named is no area. */
export function areaOf({ domain }: Pick<ApprovalDto, 'domain'>): string | undefined {
  return domain !== null && DOMAIN_NAME.test(domain) ? areaName(domain) : undefined;
}

/**
 * What stands before the asking agent's own name: "Dad, with", "with", "an agent on this computer".
 */
export function withWhom({ peer_id, person, from_name }: ApprovalDto): string {
  if (peer_id === null) return now.agentHere;
  if (from_name === null) return person ?? '';
  return person === null ? now.withAgentOnly : now.withAgent(person);
}

/** What stands before the verb: whom it wants to do it, an agent of this computer or the person. */
export function wantsOf({
  permission,
  choice,
  to_name,
  remote_question: asked,
  peer_name,
}: Pick<
  ApprovalDto,
  'choice' | 'to_name' | 'remote_question' | 'peer_name' | 'permission'
>): string {
  if (permission) return now.permission.wants;
  if (asked) return words.remoteApproval.asked.wants(peer_name, to_name);
  return choice === null ? now.wants(to_name) : now.answers.choice.wants;
}

/** The same, said whole for whoever does not see it. */
export function wantsFullOf(approval: ApprovalDto): string {
  const { choice, to_name, remote_question: asked, peer_name, permission } = approval;
  if (permission) return now.permission.wantsFull(approval.from_name ?? peer_name);
  if (asked) return words.remoteApproval.asked.wantsFull(peer_name, to_name);
  return choice === null
    ? now.wantsFull(peer_name, to_name)
    : now.answers.choice.wantsFull(peer_name);
}

/** That the two have gone back and forth so often; null: that is not why it asks. */
export function turnsOf({
  turns,
  peer_id,
  peer_name,
  from_name,
  to_name,
}: ApprovalDto): string | null {
  if (turns === null) return null;
  // Of another hub only its name here is anybody's own word.
  const who = peer_id === null ? (from_name ?? peer_name) : peer_name;
  return now.backAndForth(who, to_name, turns);
}

/** Where it would run. */
export function runsOf(approval: ApprovalDto): string {
  const { to_name, remote_question: asked, peer_name, from_name, permission } = approval;
  if (permission) return now.permission.runs(from_name ?? peer_name);
  return asked ? words.remoteApproval.asked.runs(to_name, peer_name) : now.facts.runsHere(to_name);
}

export function verbOf(approval: ApprovalDto): string {
  if (approval.choice !== null) return now.answers.choice.verb(approval.choice.options.length);
  if (approval.permission)
    return approval.risk_class === 'R2' ? now.permission.reads : now.permission.does;
  const area = areaOf(approval);
  if (approval.kind === 'query') return area === undefined ? now.answerAnywhere : now.answer(area);
  return area === undefined ? now.doTaskAnywhere : now.doTask(area);
}

export function whyOf(approval: ApprovalDto): string {
  if (approval.remote_question) return words.remoteApproval.asked.whose(approval.peer_name);
  if (approval.decided_by_hubs !== null && approval.risk_reason === 'default_class') {
    const names = approval.decided_by_hubs.map(({ name }) => name);
    return words.remoteApproval.waiting.unsaid(areaOf(approval) ?? approval.to_name, names);
  }
  const isMarked =
    approval.risk_reason === 'domain_class' || approval.risk_reason === 'agent_class';
  if (isTaskWhereLooks(approval) && isMarked)
    return now.looksOnly(
      approval.risk_reason === 'agent_class'
        ? approval.to_name
        : (areaOf(approval) ?? approval.to_name),
    );
  const why = now.riskWhy[approval.risk_reason](
    approval.to_name,
    areaOf(approval) ?? approval.to_name,
  );
  const isAskedHere = approval.risk_class === 'R3' && approval.decided_by_hubs === null;
  return isAskedHere ? `${why} ${now.everyTime}` : why;
}

export function leavesOf(approval: ApprovalDto): string {
  if (approval.remote_question) return words.remoteApproval.asked.leaves;
  if (approval.choice !== null) return now.answers.choice.goes(approval.peer_name);
  if (approval.permission) return now.permission.leaves;
  const { goes_to: host } = approval;
  const answer = answerLeaves(approval);
  return host === undefined ? answer : `${now.facts.goesTo(host)} ${answer}`;
}

function answerLeaves(approval: ApprovalDto): string {
  const { facts } = now;
  const works =
    approval.kind === 'delegate' && (approval.risk_class === 'R2' || approval.risk_class === 'R3');
  if (approval.leaves === 'nothing')
    return works ? facts.leavesWork(approval.to_name) : facts.leavesNothing;
  return works
    ? facts.leavesResultAndWork(approval.to_name, approval.peer_name)
    : facts.leavesResult(approval.peer_name);
}

/**
 * The fields that stand under the text: all but those the card says elsewhere, word for word or as
 * a sentence of its own. A field of a known name with a value that is not what the card says stays.
 */
export function fieldsOf(approval: ApprovalDto): ApprovalDto['fields'] {
  const saidElsewhere: Readonly<Record<string, (value: string) => boolean>> = {
    domain: (value) => areaOf(approval) !== undefined && value === approval.domain,
    reason: (value) => value === approval.reason,
    priority: (value) => value === (approval.urgent ? 'urgent' : 'normal'),
    report_back: (value) => value === String(approval.report_back),
    deadline_ms: (value) => /^[0-9]{1,8}$/.test(value),
    'conversation.id': (value) => value === approval.conversation_id,
    'conversation.parent': (value) => value === 'null',
    // By the names that people read; the exact ones stand under "Exact identifiers".
    'route.from': (value) => value === approval.from_agent,
    'route.to': (value) => value === approval.to_agent,
  };
  const quotedElsewhere = optionFields(approval.choice);
  return approval.fields.filter(
    ([path, value]) =>
      quotedElsewhere.get(path) !== value &&
      !(Object.hasOwn(saidElsewhere, path) && saidElsewhere[path]?.(value) === true),
  );
}

/**
 * What the quoted options say, by the path of its field: all else that an option holds stays a
 * field.
 */
function optionFields(choice: ApprovalDto['choice']): ReadonlyMap<string, string> {
  if (choice === null) return new Map();
  const points = (path: string, texts: readonly string[]) =>
    texts.length === 0
      ? [[path, '[]'] as const]
      : texts.map((text, place) => [`${path}[${place}]`, text] as const);
  return new Map([
    ['act', 'escalate'],
    ['recommendation', choice.recommended ?? 'null'],
    ...choice.options.flatMap(({ id, label, pros, cons }, index) => {
      const path = `options[${index}]`;
      return [
        [`${path}.id`, id] as const,
        [`${path}.label`, label] as const,
        [`${path}.option`, label] as const,
        ...points(`${path}.pros`, pros),
        ...points(`${path}.cons`, cons),
      ];
    }),
  ]);
}

export function flagsOf(approval: ApprovalDto, changed: boolean): readonly string[] {
  return [
    ...(changed ? [now.flags.changed] : []),
    ...(approval.urgent ? [now.flags.urgent] : []),
    ...(approval.first_time === null ? [] : [now.flags[approval.first_time]]),
  ];
}

export interface Outcome {
  readonly look: 'let' | 'answer' | 'back' | 'late';
  readonly title: string;
  readonly detail: string;
}

/** Whether a rule was made with the decision, and stands. */
export function isRemembered(
  { id }: Pick<ApprovalDto, 'id'>,
  rules: readonly Pick<RuleDto, 'approval_id'>[],
): boolean {
  return rules.some(({ approval_id }) => approval_id === id);
}

const LOOKS: Readonly<Record<StoryDto['verdict']['outcome'], Outcome['look']>> = {
  none: 'late',
  waiting: 'late',
  allowed: 'let',
  passed: 'let',
  answered: 'answer',
  chosen: 'answer',
  declined: 'back',
  expired: 'late',
  withdrawn: 'late',
};

/**
 * What became of a request, as its story has it.
 * @param isSecond this page pressed, and somebody else had been first
 */
export function outcomeOf(
  { story, decided_at, expires_at }: Pick<ApprovalDto, 'story' | 'decided_at' | 'expires_at'>,
  isSecond = false,
): Outcome {
  const [time, surface] = [exactTime(decided_at ?? expires_at), surfaceOf(story)];
  const said = [
    surface === null ? `${time}.` : `${time}, ${surface}.`,
    sinceOf(story),
    stopAskedOf(story, exactTime),
    shownOf(story),
    toldOf(story, exactTime),
    isSecond ? now.decided.second : null,
  ];
  return {
    look: LOOKS[story.verdict.outcome],
    title: decisionOf(story),
    detail: said.filter((part) => part !== null).join(' '),
  };
}
