// The words about the record of who did what. English.
import { auditActions } from './audit-actions.ts';
import { locale } from './everywhere.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);
const numbers = new Intl.NumberFormat(locale);
const lists = new Intl.ListFormat(locale);
const rowsOf = (count: number) => plural(count, { one: '{n} row', other: '{n} rows' });

/** By where it was done; one this list does not know is shown by its name. */
const surfaces: Readonly<Record<string, string>> = {
  window: 'in the window',
  browser: 'in a browser',
  command_line: 'at a terminal',
  clock: 'by the clock',
  rule: 'by a rule',
  peer: 'by another hub',
  agent: 'by an agent here',
  hub: 'by this hub',
};

/** Up to so many places, those that were meant are said in words, too; each that nobody has meant is, whatever their number. */
const FLAWS_SAID_MAX = 8;

const putBack =
  'Until you say that this record is meant, no rule acts, everything is asked, and agents are given nothing that waited already and send nothing to other hubs: what waited may be done already, and hubs you removed and rules you took away since then may be back.';

export const audit = {
  /** Who did something, where the people at this hub did. */
  person: 'a person here',
  title: 'The record',
  detail: 'Who decided and did what on this hub, row by row. Nothing in it is ever changed or removed.',
  check: 'Check that nothing was changed',
  checkDetail: 'Looks at every row and every signature. The hub goes on meanwhile.',
  checkNow: 'Check it',
  checkStop: 'Stop checking',
  checking: (done: number, rows: number) => `Checked ${numbers.format(done)} of ${rowsOf(rows)}…`,
  progress: (done: number, rows: number) => `Checked ${numbers.format(done)} of ${rowsOf(rows)}.`,
  whole: (rows: number) => `The record is whole: ${rowsOf(rows)}, none changed, none removed, all in their order.`,
  signed: (signedSeq: number, rows: number) =>
    signedSeq === 0
      ? 'None of it is signed yet.'
      : signedSeq >= rows
        ? 'All of it is signed.'
        : `It is signed up to row ${numbers.format(signedSeq)}; the newest wait for the next signature.`,
  unsignedEnd: (rows: number, fromSeq: number, from: string | null, ends: number) =>
    `When the hub ended, ${rowsOf(rows)} from row ${numbers.format(fromSeq)} on${from === null ? '' : `, the first of ${from},`} ${rows === 1 ? 'was' : 'were'} not signed yet: whether any was changed or removed before the next start cannot be shown.${ends > 1 ? ` That happened ${ends} times in all; the record says when.` : ''}`,
  broken: 'The record is not whole.',
  /** What does not fit, a sentence each: first all that nobody has meant, which is why the record is in doubt. */
  flaws: (flaws: readonly { readonly sentence: string; readonly meant: boolean }[]): readonly string[] => {
    const unmeant = flaws.filter(({ meant }) => !meant).map(({ sentence }) => sentence);
    const meant = flaws.filter((flaw) => flaw.meant).map(({ sentence }) => `${sentence} You have said that it is meant.`);
    const said = [...unmeant, ...meant.slice(0, Math.max(0, FLAWS_SAID_MAX - unmeant.length))];
    const beside = flaws.length - said.length;
    return beside === 0
      ? said
      : [
          ...said,
          `${numbers.format(beside)} more ${beside === 1 ? 'place does not fit; you have said that it is' : 'places do not fit; you have said that they are'} meant.`,
        ];
  },
  brokenAdvice: 'Keep a copy of the data folder as it is, and find out who could write there.',
  notCounted: 'Whether this is the newest record could not be asked: the key vault was locked, or keeps no count yet.',
  cancelled: (done: number, rows: number) => `The check was stopped after ${numbers.format(done)} of ${rowsOf(rows)}; those are whole.`,
  failed: (problem: string) => `The record could not be checked. ${problem}`,
  stopped: 'The hub does not run: its record is checked where it stands, and nothing is changed.',
  export: 'Take it along',
  exportDetail: 'As a file, with every row. JSON can be checked elsewhere; CSV opens in a spreadsheet.',
  exportJson: 'JSON',
  exportCsv: 'CSV',
  exporting: 'Reading it…',
  exported: (file: string) => `The record stands in ${file}.`,
  exportStopped: 'Stopped: no file was made.',
  exportedName: (format: string) => `The file is yours: axon-record.${format}.`,
  newest: 'The newest rows',
  none: 'Nothing is on record yet.',
  /** Above rows where no time stands that could be shown. */
  noTime: 'Without a time',
  /** Of a row that says nothing of it. */
  noAction: 'What was done does not stand here.',
  older: 'Show older ones',
  actions: auditActions,
  who: { you: 'You', hub: 'This hub', program: 'A program on this computer', goneHub: 'A hub that is not known any more' },
  what: {
    goneHub: 'a hub that is not known any more',
    request: 'a request',
    requestOf: (hub: string) => `a request from ${hub}`,
    session: 'a session',
    /** How much was removed, behind what it says. */
    removed: (requests: number, messages: number, notices: number) =>
      `: ${lists.format([
        plural(requests, { one: '{n} request', other: '{n} requests' }),
        plural(messages, { one: '{n} message', other: '{n} messages' }),
        plural(notices, { one: '{n} notice', other: '{n} notices' }),
      ])}`,
    allSigned: 'all that it had written was signed',
    unsigned: (rows: number, fromSeq: number) =>
      `${rowsOf(rows)} from row ${numbers.format(fromSeq)} on ${rows === 1 ? 'was' : 'were'} not signed yet`,
    /** What a row about a doubt names, behind what it says. @param added from and to @param more rows beside those @param flaws rows */
    inDoubt: (added: readonly (readonly [number, number])[], more: number, flaws: readonly number[]) => {
      const ranges = added.map(([from, to]) => (from === to ? numbers.format(from) : `${numbers.format(from)} to ${numbers.format(to)}`));
      const isOne = more === 0 && added.length === 1 && added[0]?.[0] === added[0]?.[1];
      if (more > 0) ranges.push(`${numbers.format(more)} more`);
      const rows = flaws.filter((seq) => seq > 0);
      const places = lists.format(rows.map((seq) => numbers.format(seq)));
      const said = [
        ...(added.length === 0 ? [] : [`another program added ${isOne ? 'row' : 'rows'} ${lists.format(ranges)}`]),
        ...(flaws.length === rows.length ? [] : ['a signature is missing, or something stands under a number that this hub never gives']),
        ...(rows.length === 0 ? [] : [`something does not fit at ${rows.length === 1 ? 'row' : 'rows'} ${places}`]),
      ];
      return said.length === 0 ? '' : `: ${said.join('; ')}`;
    },
  },
  logins: (count: number) => plural(count, { one: 'You logged in or out once.', other: 'You logged in or out {n} times.' }),
  rowOf: (seq: number, actor: string, object: string) => `Row ${seq}, by ${actor}, of ${object}`,
  /** Beside a row, so that one which is spoken of by its number is found. */
  numbered: (seq: number) => `Row ${numbers.format(seq)}`,
  where: (surface: string) => surfaces[surface] ?? surface,
  open: 'Open it',
  confirm: 'This record is meant',
  /** @param names what the row names, behind what it says */
  meaning: (seq: number, names: string) => `You say that the record is meant as row ${numbers.format(seq)} tells of it${names}.`,
  doubted: (seq: number, names: string) => `Row ${numbers.format(seq)} tells of it${names}.`,
  confirmed: 'Confirmed and on record. Rules act again.',
  doubt: {
    older_copy: { title: 'An older record was put back.', detail: putBack },
    other_database: { title: 'Another record was put in the place of this hub’s.', detail: putBack },
    counter_lost: { title: 'The count that shows whether this is the newest record is gone.', detail: putBack },
    broken: {
      title: 'Rows of the record were changed, removed or added by another program.',
      detail:
        'Check it to see which. The same where it could not be read to its end. Until you say that this record is meant, no rule acts, everything is asked and nothing is signed: whoever could change the record could change rules and hubs, too.',
    },
  },
  doubtOpen: 'Look at it',
} as const;
