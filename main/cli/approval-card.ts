// A request as it is shown at a terminal before anybody decides: the exact words behind a margin,
// and after them, next to where a decision is typed, what this hub itself says. Shows the stored
// words whole; decides nothing.
import type { HeldDto } from '../../preload/contract/attention.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { riskWordsOf } from '../../preload/contract/strings/now.ts';
import { reachOf } from '../../preload/contract/strings/reach.ts';
import { plural } from '../../preload/contract/strings/shared-words.ts';
import { ifNothingOf, reasonOf, whoDecidesOf } from '../../preload/contract/strings/story.ts';
import { localTime } from './local-time.ts';
import { ownLine, quoted } from './quoted-text.ts';
import { decisionLine } from './story-lines.ts';
import { beginningOf } from './terminal.ts';

const { attention: text } = ENGLISH;

/** More may have left the window, and the end of it would be all that is seen. */
const LINES_SEEN_AT_ONCE = 12;
const LINES = { one: '{n} line', other: '{n} lines' };

/** @param command how a line to be typed begins here */
export function cardLines(approval: ApprovalDto, command: string): readonly string[] {
  const theirs = [
    ...quoted(approval.text),
    ...optionLines(approval.choice),
    ...fieldLines(approval),
    ...(approval.reason === null
      ? []
      : ['', 'Their reason, unchecked:', ...quoted(approval.reason)]),
    ...whyLines(approval),
    ...askerLines(approval),
  ];
  const isWaiting = approval.story.verdict.outcome === 'waiting';
  const isLong = theirs.length > LINES_SEEN_AT_ONCE;
  const own = [
    ...remoteLines(approval),
    askedOf(approval),
    ...turnsLine(approval),
    ...runnerLine(approval),
    ...deadlineLine(approval),
    approval.choice === null
      ? `Class ${approval.risk_class}: ${riskWordsOf(approval)} ${leavesLine(approval)}`
      : 'Nothing runs. What you choose leaves this computer with your name.',
    ...(approval.held === null ? [] : [heldLine(approval.held)]),
    ...(isWaiting
      ? [
          `Waits until ${localTime(approval.expires_at)}.`,
          `${ENGLISH.now.facts.ifNothing}: ${ifNothingOf(approval.story)}`,
        ]
      : [decisionLine(approval.story)]),
    ...(approval.keep_open_until === null
      ? []
      : [text.keepableUntil(localTime(approval.deadline_at))]),
    `Request ${approval.id}`,
    `Digest ${approval.digest}`,
  ];
  return [
    ...ownLine(
      `A request of ${plural(theirs.length, LINES)}; what others wrote stands behind a mark:`,
    ),
    '',
    ...theirs,
    '',
    ...(isLong
      ? [
          ...ownLine(`That was all of it, ${plural(theirs.length, LINES)}. It begins:`),
          ...quoted(beginningOf(approval.text)),
          '',
        ]
      : []),
    ...own.flatMap((line) => (line === '' ? [''] : ownLine(line))),
    // A line to be typed is never broken.
    ...(approval.choice !== null && isWaiting
      ? [`To choose: ${command} answer ${approval.id} --choose OPTION`]
      : []),
  ];
}

/** Why it was declined or cancelled, where somebody said. */
function whyLines({ story }: ApprovalDto): readonly string[] {
  const why = reasonOf(story);
  return why === null ? [] : ['', 'Why it was not done:', ...quoted(why)];
}

/** Who wants what of whom. */
function askedOf({
  remote_question: asked,
  peer_name: hub,
  to_name: runs,
  kind,
  verified,
  choice,
  permission,
  from_name: asks,
}: ApprovalDto): string {
  if (permission) return `${asks ?? hub} asks whether it may do by itself what stands above.`;
  const verb = kind === 'query' ? 'answer' : 'do';
  if (asked) return `${hub} asks whether its ${runs} may ${verb} what stands above.`;
  const who = `${hub}${verified ? '' : ' (not verified)'}`;
  return choice === null
    ? `${who} wants ${runs} to ${verb} what stands above.`
    : `${who} wants you to choose.`;
}

function turnsLine({
  turns,
  peer_name,
  to_name,
  peer_id,
  from_name,
}: ApprovalDto): readonly string[] {
  if (turns === null) return [];
  const who = peer_id === null ? (from_name ?? peer_name) : peer_name;
  return [ENGLISH.now.backAndForth(who, to_name, turns)];
}

/** Whether its agent is there to get it. */
function runnerLine({ runner, to_name: name }: ApprovalDto): readonly string[] {
  return runner === null ? [] : [`${name}: ${reachOf(runner, localTime)}`];
}

/** Names that nobody here gave: the hub that asked the one that asks, and the agent. */
function askerLines({
  remote_question: asked,
  from_name: agent,
  peer_name: hub,
}: ApprovalDto): readonly string[] {
  const { askedBy, program, person } = ENGLISH.remoteApproval.asked;
  const first = asked === null ? null : asked.by_person ? person(hub) : (asked.asker ?? program);
  const names = [first, agent].filter((name) => name !== null);
  const head = asked === null ? 'Asking agent' : askedBy;
  return names.length === 0
    ? []
    : ['', `${head}, unchecked:`, ...names.flatMap((name) => quoted(name))];
}

/** How long it may take, as people tell the time. */
function deadlineLine({ fields, deadline_at: at }: ApprovalDto): readonly string[] {
  return fields.some(isDeadline) ? [`Its deadline: ${localTime(at)}.`] : [];
}

const isDeadline = ([path, value]: ApprovalDto['fields'][number]): boolean =>
  path === 'deadline_ms' && /^[0-9]{1,8}$/.test(value);

function fieldLines({
  fields: sent,
  from_agent: from,
  to_agent: to,
}: ApprovalDto): readonly string[] {
  // Who asks, who would do it and until when is said. All else that is approved stands here.
  const named: Readonly<Record<string, string | null>> = { 'route.from': from, 'route.to': to };
  const fields = sent.filter(
    (field) =>
      !isDeadline(field) && (!Object.hasOwn(named, field[0]) || named[field[0]] !== field[1]),
  );
  if (fields.length === 0) return [];
  return [
    '',
    'With it:',
    ...fields.flatMap(([path, value]) => [...quoted(path, 'name'), ...quoted(value)]),
  ];
}

/**
 * The options of an escalation, none before another but by their place. Their ids are of plain
 * letters.
 */
function optionLines(choice: ApprovalDto['choice']): readonly string[] {
  if (choice === null) return [];
  const points = (head: string, said: readonly string[]) =>
    said.length === 0 ? [] : [`  ${head}:`, ...said.flatMap((point) => quoted(point))];
  return choice.options.flatMap(({ id, label, pros, cons }) => [
    '',
    ...ownLine(`[${id}]${id === choice.recommended ? ' (recommended by them, unchecked)' : ''}`),
    ...quoted(label),
    ...points('For it, they say', pros),
    ...points('Against it, they say', cons),
  ]);
}

function leavesLine(approval: ApprovalDto): string {
  const { goes_to: host } = approval;
  const answer = answerLine(approval);
  return host === undefined ? answer : `${ENGLISH.now.facts.goesTo(host)} ${answer}`;
}

function answerLine({ remote_question: asked, leaves, permission }: ApprovalDto): string {
  if (asked)
    return `Nothing runs here: what leaves this computer is ${ENGLISH.remoteApproval.asked.leaves}.`;
  if (permission) return 'This hub runs nothing of it; only your answer goes out.';
  return leaves === 'result' ? 'The result leaves this computer.' : 'Nothing leaves this computer.';
}

/** Who decides: another hub's people, or the person here about what another hub does. */
function remoteLines({
  decided_by_hubs: hubs,
  remote_question: asked,
  story,
}: ApprovalDto): readonly string[] {
  const { asked: there, waiting } = ENGLISH.remoteApproval;
  if (asked) return [`${there.digest}: ${asked.digest}`, ''];
  if (!hubs) return [];
  const whose = whoDecidesOf(story);
  return [
    ...(whose === null ? [] : [`${whose} ${waiting.here}`]),
    ...hubs.map(({ name, state }) => waiting[state](name)),
    '',
  ];
}

function heldLine({ why, until }: HeldDto): string {
  return `${text.held(until === null ? null : localTime(until))}. ${text.heldWhy[why]}`;
}
