// A request at a terminal: nothing that somebody else wrote may look like a line of the hub,
// however it is written and however wide the window is.
import { afterEach, describe, expect, test } from 'vitest';
import { cardLines } from '../../../main/cli/approval-card.ts';
import { listLines } from '../../../main/cli/commands/approvals.ts';
import { localTime } from '../../../main/cli/local-time.ts';
import { forLine } from '../../../main/cli/escape.ts';
import { quoted } from '../../../main/cli/quoted-text.ts';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { decisionOf } from '../../../preload/contract/strings/story.ts';
import { ASKED } from '../../fakes/remote-approval-cards.ts';
import { approvalOf, DECIDED } from '../../fakes/household.ts';
import { story } from '../../fakes/stories.ts';

const MARKED = /^ {2}[|:=] /;
/** What the hub says on every card, and would be worth forging. */
const FORGED = 'Class R0: Only looks. Nothing leaves this computer.';
const ROOMS = [24, 40, 80, 133];
/**
 * Ways to come to the beginning of a line: breaks, and filling a line of each room with letters of
 * every width.
 */
const WAYS: readonly (readonly [string, (room: number) => string])[] = [
  ['a line feed', () => `ok\n${FORGED}`],
  ['a carriage return', () => `ok\r${FORGED}`],
  ['other breaks', () => `ok\u2028${FORGED}\u2029${FORGED}\u0085${FORGED}\v${FORGED}\f${FORGED}`],
  ['sixty empty lines', () => `${'\n'.repeat(60)}${FORGED}\n\n  | Turn the light off`],
  ['blanks to the end of the line', (room) => `${' '.repeat(room)}${FORGED}`],
  ['blanks to the end behind the margin', (room) => `${' '.repeat(room - 4)}${FORGED}`],
  ['tabs', () => `${'\t'.repeat(30)}${FORGED}`],
  ['wide letters', (room) => `${'台'.repeat(room)}${FORGED}`],
  [
    'letters that some terminals draw as one and others as two',
    (room) => `${'\u0915\u094d\u0937'.repeat(room)}${FORGED}`,
  ],
  ['pictures with a colour of skin', (room) => `${'\u{1f44b}\u{1f3fd}'.repeat(room)}${FORGED}`],
  ['letters of full width', (room) => `${'\uff21'.repeat(room)}${FORGED}`],
  ['decomposed syllables', (room) => `${'\u1112\u1161\u11ab'.repeat(room)}${FORGED}`],
  [
    'one letter wider than the window',
    (room) => `${'\u1100'.repeat(room)}${FORGED}\n${`\u0915\u094d`.repeat(room)}${FORGED}`,
  ],
  ['an escape sequence', () => `\u001b[2J\u001b[H${FORGED}`],
];

const columnsOfThis = process.stdout.columns;
afterEach(() => {
  process.stdout.columns = columnsOfThis;
});

/** Columns at the terminal that draws the most of them. */
function columnsAtMost(line: string): number {
  const columnsOf = (character: string) =>
    character === '\t' ? 8 : /[\p{ASCII}\p{Mark}]/u.test(character) ? 1 : 2;
  return [...line].reduce((columns, character) => columns + columnsOf(character), 0);
}

function hostile(said: string): readonly ApprovalDto[] {
  const option = { id: 'a', label: said, pros: [said], cons: [said] };
  const words = { text: said, fields: [[said, said]], reason: said } as const;
  return [
    approvalOf('hostile', { ...words, from_agent: said }),
    {
      ...ASKED,
      ...words,
      from_agent: said,
      remote_question: {
        ...(ASKED.remote_question ?? { digest: '', message_id: '', by_person: false }),
        asker: said,
      },
    },
    approvalOf('choice', {
      ...words,
      choice: { options: [option, { ...option, id: 'b' }], recommended: 'b' },
    }),
  ];
}

test('a line to be typed stands whole on a line of its own, and no field is left out', () => {
  process.stdout.columns = 40;
  const option = { id: 'a', label: 'Tea', pros: [], cons: [] };
  const choice = { options: [option, { ...option, id: 'b' }], recommended: 'b' };
  const command = 'npx axon --home /a/long/path/to/the/data/folder';
  const shown = approvalOf('choice', { choice });
  expect(cardLines(shown, command)).toContain(
    `To choose: ${command} answer ${shown.id} --choose OPTION`,
  );
  const quiet = approvalOf('quiet', { report_back: false, fields: [['report_back', 'false']] });
  expect(cardLines(quiet, command).join('\n')).toContain('report_back');
});

test('how long it may take is told as a time, and what is no such number stays a field', () => {
  const deadlineAt = Date.UTC(2026, 0, 5, 18, 0);
  const linesOf = (value: string): string =>
    cardLines(
      approvalOf('late', { deadline_at: deadlineAt, fields: [['deadline_ms', value]] }),
      'axon',
    ).join('\n');
  expect(linesOf('600000')).toContain(`\nIts deadline: ${localTime(deadlineAt)}.\n`);
  expect(linesOf('600000')).not.toMatch(/deadline_ms|600000|With it/);
  expect(linesOf('600000 please')).toContain('  = deadline_ms\n  | 600000 please');
});

test('a task where only looking is expected is called no look, and what becomes of it is said', () => {
  const lines = cardLines(approvalOf('looks', { kind: 'delegate', risk_class: 'R0' }), 'axon');
  const said = lines.join(' ');
  expect(said).toContain('Class R0: A task, not just a look.');
  expect(said).toContain('If you do nothing: It is not done.');
});

test('why it was declined or cancelled stands with the words of others', () => {
  const told = { verdict: 'allowed', endedBy: 'agent', endedKind: 'cancelled' } as const;
  const reason = 'It was cancelled: "changed my mind"';
  const of = story({ ...told, state: 'cancelled', reason });
  expect(cardLines({ ...approvalOf('why'), state: 'cancelled', story: of }, 'axon')).toContain(
    `  | ${reason}`,
  );
});

describe.each(WAYS)('words that try to begin a line by %s', (_name, way) => {
  test.each(ROOMS)('stand behind the margin in a window of %d columns, whole', (room) => {
    process.stdout.columns = room;
    const said = way(room);
    for (const approval of hostile(said)) {
      const lines = cardLines(approval, 'axon');
      expect(lines.filter((line) => line.includes('\n'))).toEqual([]);
      // Nothing of theirs stands in the line that is typed, and broken it could not be pasted.
      const wrapped = lines.filter((line) => !line.startsWith('To choose: axon answer '));
      expect(wrapped.filter((line) => columnsAtMost(line) > room)).toEqual([]);
      const own = lines.filter(
        (line) => line.startsWith('Class R') || line.startsWith('Nothing runs'),
      );
      expect(own).toHaveLength(1);
      expect(lines.filter((line) => line.startsWith('Class R0: Only looks'))).toEqual([]);
      const theirs = lines.filter((line) => MARKED.test(line)).map((line) => line.slice(4));
      const times = approval.choice === null ? 5 : 10;
      expect(theirs.join('').split('Nothing leaves').length - 1).toBeGreaterThanOrEqual(
        room < 40 ? 0 : times,
      );
      expect(
        theirs.join('').replaceAll(' ', '').split('ClassR0:Onlylooks.').length - 1,
      ).toBeGreaterThanOrEqual(times);
    }
  });
});

test('what the hub says stands together behind their words, next to where a decision is typed', () => {
  const card = approvalOf('dinner', {
    text: 'Say dinner is at 7\nPlease',
    fields: [['topic', 'dinner']],
    reason: 'All are hungry',
    from_agent: 'planner',
  });
  const lines = cardLines(card, 'axon');
  expect(lines.slice(1, 10)).toEqual([
    '',
    '  | Say dinner is at 7',
    '  | Please',
    '',
    'With it:',
    '  = topic',
    '  | dinner',
    '',
    'Their reason, unchecked:',
  ]);
  expect(lines.slice(10, 16)).toEqual([
    '  | All are hungry',
    '',
    'Asking agent, unchecked:',
    '  | Planner',
    '',
    expect.stringMatching(/ wants .* to do what stands above\.$/) as string,
  ]);
  expect(lines[0]).toBe('A request of 12 lines; what others wrote stands behind a mark:');
  expect(lines.slice(-2)).toEqual([`Request ${card.id}`, `Digest ${card.digest}`]);
});

test('how a long one begins is said again after it, where the window shows no more than its end', () => {
  const fields = [['zz', `${'\n'.repeat(60)}Turn the light off`]] as const;
  const lines = cardLines(approvalOf('long', { text: 'Unlock the front door', fields }), 'axon');
  const end = lines.slice(-18);
  expect(end).toContain('  | Turn the light off');
  expect(end.slice(end.indexOf('That was all of it, 68 lines. It begins:') + 1, -7)).toEqual([
    '  | Unlock the front door',
    '',
    expect.stringMatching(/wants .* to do what stands above\.$/) as string,
  ]);
  const short = cardLines(
    approvalOf('short', { text: 'Unlock the front door', fields: [], reason: null }),
    'axon',
  );
  expect(short.join(' ')).not.toContain('That was all of it');
});

test('a line is broken at a blank, no letter is lost, and where it goes on is told from a line of theirs', () => {
  process.stdout.columns = 40;
  const words = 'Bring in the washing before it rains, and close the window of the attic';
  const lines = quoted(words);
  expect(lines).toEqual([
    '  | Bring in the washing before it ',
    '  : rains, and close the window of the ',
    '  : attic',
  ]);
  expect(lines.map((line) => line.slice(4)).join('')).toBe(words);
  const long = `${'x'.repeat(50)}\t${'台'.repeat(50)}`;
  expect(
    quoted(long)
      .map((line) => line.slice(4))
      .join(''),
  ).toBe(long);
  expect(quoted('')).toEqual(['  | ']);
});

test('a picture of several letters is not torn at the end of a line, and one that no line holds stays behind the margin', () => {
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
  for (const columns of [30, 31, 32, 33]) {
    process.stdout.columns = columns;
    const lines = quoted(`See ${family.repeat(9)}\u2764\ufe0f${'x'.repeat(40)}`);
    expect(lines.map((line) => line.slice(4)).join('')).toBe(
      `See ${family.repeat(9)}\u2764\ufe0f${'x'.repeat(40)}`,
    );
    expect(lines.map((line) => forLine(line))).toEqual(lines);
  }
  process.stdout.columns = 24;
  const endless = quoted(`\u{1f468}${'\u200d\u{1f468}'.repeat(30)}${'x'.repeat(100)}`).map((line) =>
    forLine(line),
  );
  expect(endless.filter((line) => columnsAtMost(line) > 24)).toEqual([]);
});

test('a terminal that does not say how wide it is counts as one of 80 columns, and a very narrow one as one of 24', () => {
  const longest = (columns: number): number => {
    process.stdout.columns = columns;
    return Math.max(...quoted('x'.repeat(500)).map((line) => line.length));
  };
  expect([0, 5, 120].map(longest)).toEqual([80, 24, 120]);
});

test('a list says of each request who decided, or whom it waits for, as its story does', () => {
  const mums = { id: 'm', name: 'Mum’s PC', person: 'Mum', state: 'asked' } as const;
  const waiting = [
    approvalOf('now'),
    approvalOf('later', { held: { why: 'quiet_hours', until: null } }),
    approvalOf('elsewhere', { decided_by_hubs: [mums] }),
    approvalOf('nowhere', { decided_by_hubs: [] }),
  ];
  for (const items of [waiting, DECIDED]) {
    const lines = listLines(items, items === DECIDED).filter((line) => line.includes('  R'));
    expect(lines).toHaveLength(items.length);
    for (const [at, { story, state }] of items.entries()) {
      expect(lines[at]).toContain(`  ${decisionOf(story)}  `);
      expect(lines[at]).not.toContain(`  ${state}  `);
    }
  }
});
