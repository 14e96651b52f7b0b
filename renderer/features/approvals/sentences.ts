// What the hub says of a request, in its own words: from the kind, the owner's names and the
// owner's classes, never from the sender's text.
import { DOMAIN_NAME } from '../../../preload/contract/formats.ts';
import type { AgentDto, ApprovalDto } from '../../../preload/contract/dto.ts';
import type { RuleDto } from '../../../preload/contract/rules.ts';
import { surfaceWords } from '../../../preload/contract/strings/now.ts';
import { areaName, timeOfDay, exactTime } from '../../app/format.ts';
import { words } from '../../app/words.ts';

const { now } = words;

/** The heading's id: where the focus goes. */
export const headingId = (approvalId: string): string => `approval-${approvalId}`;

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
  choice,
  to_name,
  remote_question: asked,
  peer_name,
}: Pick<ApprovalDto, 'choice' | 'to_name' | 'remote_question' | 'peer_name'>): string {
  if (asked) return words.remoteApproval.asked.wants(peer_name, to_name);
  return choice === null ? now.wants(to_name) : now.answers.choice.wants;
}

/** The same, said whole for whoever does not see it. */
export function wantsFullOf(approval: ApprovalDto): string {
  const { choice, to_name, remote_question: asked, peer_name } = approval;
  if (asked) return words.remoteApproval.asked.wantsFull(peer_name, to_name);
  return choice === null
    ? now.wantsFull(peer_name, to_name)
    : now.answers.choice.wantsFull(peer_name);
}

/** Where it would run. */
export function runsOf({ to_name, remote_question: asked, peer_name }: ApprovalDto): string {
  return asked ? words.remoteApproval.asked.runs(to_name, peer_name) : now.facts.runsHere(to_name);
}

/** What happens if nobody answers. */
export function ifNothingOf({
  choice,
  remote_question: asked,
  decided_by_hubs,
  peer_name,
}: ApprovalDto): string {
  if (asked) return words.remoteApproval.asked.ifNothing(peer_name);
  if (decided_by_hubs !== null) {
    const { ifNothing, ifNothingLeft } = words.remoteApproval.waiting;
    return decided_by_hubs.length === 0
      ? ifNothingLeft(peer_name)
      : ifNothing(decided_by_hubs.map(({ name }) => name));
  }
  return choice === null ? now.facts.notDone(peer_name) : now.answers.choice.notChosen(peer_name);
}

export function verbOf(approval: ApprovalDto): string {
  if (approval.choice !== null) return now.answers.choice.verb(approval.choice.options.length);
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

/** Whether the agent that a request is for is connected, as far as the hub can tell. */
export function isAgentThere(
  { to_agent }: Pick<ApprovalDto, 'to_agent'>,
  agents: readonly AgentDto[],
): boolean {
  return agents.some(({ name, presence }) => presence === 'online' && name === to_agent);
}

/**
 * Whether a rule was made with the decision, which stands: then what was allowed was not allowed
 * once.
 */
export function isRemembered(
  { id }: Pick<ApprovalDto, 'id'>,
  rules: readonly Pick<RuleDto, 'approval_id'>[],
): boolean {
  return rules.some(({ approval_id }) => approval_id === id);
}

/** How far a task that was allowed has come. @param isThere its agent is connected */
export function progressOf(
  { task_state, to_name }: Pick<ApprovalDto, 'task_state' | 'to_name'>,
  isThere: boolean,
): string {
  const { progress } = now.decided;
  const waits = isThere ? progress.waits(to_name) : progress.waitsAway(to_name);
  const told: Readonly<Record<string, string>> = {
    awaiting_approval: waits,
    held: waits,
    approved: waits,
    queued: waits,
    claimed: progress.claimed(to_name),
    running: progress.running(to_name),
    completed: progress.completed(to_name),
    partial: progress.partial(to_name),
    failed: progress.failed,
    expired: progress.expired,
    cancelled: progress.cancelled,
  };
  return Object.hasOwn(told, task_state) ? (told[task_state] ?? '') : '';
}

/** Where a person's answer to another hub's question goes; empty where a rule gave it. */
function answerOf({ rule_id, peer_name }: ApprovalDto): string {
  return rule_id === null ? words.remoteApproval.asked.goes(peer_name) : '';
}

/** How far what was allowed has come: here, or the answer on its way to the hub that asked. */
export function sinceThen(approval: ApprovalDto, isThere: boolean): string {
  return approval.remote_question === null ? progressOf(approval, isThere) : answerOf(approval);
}

/** Who decided, as the owner reads it: the hub's word for an owner without a name is "you". */
const deciderWords = (by: string | null): string | null => (by === 'owner' ? words.common.you : by);

/**
 * What became of a request. `here`: this page pressed, and was first. `second`: this page pressed,
 * and somebody else had been first.
 * @param isThere the agent it is for is connected @param remembered as isRemembered tells
 */
export function outcomeOf(
  approval: ApprovalDto,
  pressed: 'here' | 'second' | 'elsewhere',
  isThere: boolean,
  remembered: boolean,
): Outcome {
  const { decided } = now;
  const at = exactTime(approval.decided_at ?? approval.expires_at);
  const where = pressed === 'here' ? words.common.here : surfaceWords(approval.surface);
  const late = pressed === 'second' ? ` ${decided.second}` : '';
  switch (approval.state) {
    case 'approved':
      return {
        look: 'let',
        title: allowedTitle(approval, where, remembered),
        detail: `${at}. ${sinceThen(approval, isThere)}${late}`,
      };
    case 'answered': {
      const told = hasChosen(approval) ? now.answers.choice.told : now.answers.told;
      return {
        look: 'answer',
        title: answeredTitle(approval, where),
        detail: told(at, approval.peer_name) + late,
      };
    }
    case 'declined':
      return {
        look: 'back',
        title: declinedTitle(approval, where),
        detail: declinedDetail(approval, at) + late,
      };
    case 'cancelled':
      return {
        look: 'late',
        title: cancelledTitle(approval),
        detail: `${cancelledDetail(approval)}${late}`.trim(),
      };
    default:
      return {
        look: 'late',
        title: decided.expired(timeOfDay(approval.expires_at)),
        detail: (approval.remote_question ? '' : decided.expiredDetail(approval.peer_name)) + late,
      };
  }
}

/** A person chose one of the options that were offered. */
const hasChosen = ({ own_answer }: ApprovalDto): boolean =>
  own_answer !== null && own_answer.choice !== null;

function allowedTitle(
  { rule_id, decided_by, surface }: ApprovalDto,
  where: string,
  remembered: boolean,
): string {
  const { decided } = now;
  const by = deciderWords(decided_by);
  if (rule_id !== null) return words.rules.byRuleLet;
  if (by === null) return (remembered ? decided.allowedOnNoName : decided.allowedNoName)(where);
  // An adult's hub decided; the name says which one.
  if (surface === 'peer') return decided.allowedByAdult(by);
  return (remembered ? decided.allowedOn : decided.allowed)(by, where);
}

function answeredTitle(approval: ApprovalDto, where: string): string {
  const { answered, answeredNoName, choice } = now.answers;
  const by = deciderWords(approval.decided_by);
  if (hasChosen(approval)) return by === null ? choice.choseNoName(where) : choice.chose(by, where);
  return by === null ? answeredNoName(where) : answered(by, where);
}

function declinedTitle({ rule_id, decided_by, surface }: ApprovalDto, where: string): string {
  const { decided } = now;
  const by = deciderWords(decided_by);
  if (rule_id !== null) return words.rules.byRuleBack;
  if (by === null) return decided.declinedNoName(where);
  return surface === 'peer' ? decided.declinedByAdult(by) : decided.declined(by, where);
}

function declinedDetail(approval: ApprovalDto, at: string): string {
  const { decline_reason, peer_name, remote_question } = approval;
  const reason =
    decline_reason === null || decline_reason === ''
      ? ''
      : ` ${now.decided.withReason(decline_reason)}`;
  return (
    (remote_question ? `${at}. ${answerOf(approval)}` : now.decided.askerTold(at, peer_name)) +
    reason
  );
}

function cancelledTitle({ surface, remote_question, peer_name }: ApprovalDto): string {
  if (surface === 'hub') return now.decided.endedHere;
  return remote_question
    ? words.remoteApproval.asked.taken(peer_name)
    : now.decided.cancelled(peer_name);
}

function cancelledDetail({ decline_reason, remote_question }: ApprovalDto): string {
  const why = decline_reason === null || decline_reason === '' ? '' : `${decline_reason} `;
  // It may have been done by the word of another adult.
  return remote_question ? why : why + now.decided.cancelledDetail;
}
