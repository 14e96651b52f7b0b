// The words about the audit log, and about a hub that was restored from an older copy. English.
import type { AcknowledgedFindingDto, TamperFindingDto, TamperKind } from '../audit.ts';
import { auditActions } from './audit-actions.ts';
import { locale } from './shared-words.ts';
import { lister, numberer, pluralizer } from './plural.ts';

const plural = pluralizer(locale);
const numbers = numberer(locale);
const lists = lister(locale);
const rowsOf = (count: number) => plural(count, { one: '{n} row', other: '{n} rows' });
const rowsFrom = (row: number, upTo: number) =>
  row === upTo ? `row ${numbers(row)}` : `rows ${numbers(row)} to ${numbers(upTo)}`;

const kept = {
  hubs: { zero: 'no hub', one: '{n} hub', other: '{n} hubs' },
  agents: { zero: 'no agent', one: '{n} agent', other: '{n} agents' },
};

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

const findings: Readonly<Record<TamperKind, (row: number, upTo: number) => string>> = {
  changed: (row) =>
    `Row ${numbers(row)} was changed after it was written, or another row was put in its place.`,
  missing: (row) => `Row ${numbers(row)} is missing: it was removed, or moved to another place.`,
  rechained: (row, upTo) =>
    `Something from row ${numbers(row)} on was changed and the chain computed anew: the signature does not fit ${rowsFrom(row, upTo)}.`,
  signature: (row) => `The signature that covers row ${numbers(row)} was changed or removed.`,
  older_copy: (row) =>
    `The log ends with row ${numbers(row)} and this hub has signed more than it holds: it is an older copy.`,
  unreadable: () => 'The log could not be read to its end.',
};

export const audit = {
  /** Who did something, where the people at this hub did. */
  person: 'a person here',
  title: 'Audit log',
  detail:
    'Who decided and did what on this hub, row by row. Nothing in it is ever changed or removed.',
  check: 'Check that nothing was changed',
  checkDetail: 'Checks every row and every signature. The hub keeps running.',
  checkNow: 'Check now',
  checkStop: 'Stop checking',
  checking: (done: number, rows: number) => `Checked ${numbers(done)} of ${rowsOf(rows)}…`,
  progress: (done: number, rows: number) => `Checked ${numbers(done)} of ${rowsOf(rows)}.`,
  whole: (rows: number) => `Nothing was changed: ${rowsOf(rows)}, all in order.`,
  signed: (signedSeq: number, rows: number) =>
    signedSeq === 0
      ? 'None of it is signed yet.'
      : signedSeq >= rows
        ? 'All of it is signed.'
        : `It is signed up to row ${numbers(signedSeq)}; the newest wait for the next signature.`,
  /** The first row that does not fit, and how much follows it. */
  finding: ({ kind, row, up_to, following }: TamperFindingDto) =>
    following === 0
      ? findings[kind](row, up_to)
      : `${findings[kind](row, up_to)} ${rowsOf(following)} after it cannot be vouched for either.`,
  acknowledgedFinding: ({ row, acknowledged_row }: AcknowledgedFindingDto, at: string | null) =>
    `Row ${numbers(row)} did not fit. You acknowledged that${at === null ? '' : ` on ${at}`} (row ${numbers(acknowledged_row)}); the rows between are not checked.`,
  broken: 'The audit log was changed.',
  brokenAdvice: 'Keep a copy of the data folder as it is, and find out who could write there.',
  notCounted:
    'Whether this is the newest copy could not be asked: the key vault was locked, or keeps no counter yet.',
  cancelled: (done: number, rows: number) =>
    `The check was stopped after ${numbers(done)} of ${rowsOf(rows)}; those fit.`,
  failed: (problem: string) => `The audit log could not be checked. ${problem}`,
  stopped: 'The hub isn’t running. The audit log on disk is checked, and nothing is changed.',
  export: 'Save a copy',
  exportDetail:
    'As a file, with every row. JSON can be checked elsewhere; CSV opens in a spreadsheet.',
  exportJson: 'JSON',
  exportCsv: 'CSV',
  exporting: 'Reading it…',
  exportedName: (format: string) => `Saved as axon-audit-log.${format}.`,
  newest: 'The newest rows',
  none: 'Nothing was written yet.',
  /** Above rows where no time stands that could be shown. */
  noTime: 'Without a time',
  /** Of a row that says nothing of it. */
  noAction: 'It doesn’t say what was done.',
  older: 'Show older ones',
  threadSpoken: (seq: number) => `Conversation, at the request of row ${numbers(seq)}`,
  actions: auditActions,
  who: {
    you: 'You',
    hub: 'This hub',
    program: 'A program on this computer',
    goneHub: 'A hub that isn’t known any more',
  },
  what: {
    goneHub: 'a hub that isn’t known any more',
    request: 'a request',
    requestOf: (hub: string) => `a request from ${hub}`,
    session: 'a session',
    /** How much was removed, behind what it says. */
    removed: (requests: number, messages: number, notices: number) =>
      `: ${lists([
        plural(requests, { one: '{n} request', other: '{n} requests' }),
        plural(messages, { one: '{n} message', other: '{n} messages' }),
        plural(notices, { one: '{n} notice', other: '{n} notices' }),
      ])}`,
    allSigned: 'all that it had written was signed',
    unsigned: (rows: number, fromSeq: number) =>
      `${rowsOf(rows)} from row ${numbers(fromSeq)} on ${rows === 1 ? 'was' : 'were'} not signed yet`,
    row: (row: number) => `row ${numbers(row)}`,
  },
  ownSessions: (count: number) =>
    plural(count, { one: 'You ended a session.', other: 'You ended {n} sessions.' }),
  rowOf: (seq: number, actor: string, object: string) => `Row ${seq}, by ${actor}, of ${object}`,
  /** Beside a row, so that one which is spoken of by its number is found. */
  numbered: (seq: number) => `Row ${numbers(seq)}`,
  where: (surface: string) => surfaces[surface] ?? surface,
  open: 'Open it',
  tampered: {
    title: 'The audit log was changed by another program.',
    detail:
      'Until you acknowledge that, no rule acts, everything is asked and nothing is signed: whoever could change the log could change rules and hubs, too.',
    open: 'Look at it',
    acknowledge: 'I have seen it',
  },
  acknowledged: 'Acknowledged and recorded. Rules work again.',
  /** The one page of a hub that was restored from an older copy. */
  restored: {
    pageTitle: 'Restored from a backup',
    title: 'This hub was restored from an older copy.',
    detail:
      'What this hub keeps is older than this computer remembers, or belongs to another hub. Until you confirm that this is the right copy, the hub is locked: it talks to no other hub and no agent. If it isn’t, stop the hub and put the right data folder back.',
    back: 'Hubs and agents that you removed since the copy was made are back in it. Choose those that you still have. The others can do nothing any more: pair or connect them again if you miss them.',
    hubs: 'Hubs in this copy',
    agents: 'Agents in this copy',
    rules:
      'Rules that you removed are back, too, and what you added since is missing. Go through them as soon as the hub is open.',
    ends: 'Requests that were waiting in the copy end now, because they may have been done already. Whoever asked is told. What other hubs sent before now and send again is refused for the same reason.',
    confirm: 'Use this copy',
    /** How much of it stays, so that nobody presses without having looked at the list. */
    confirmKeeping: (hubs: number, agents: number) =>
      `Use this copy and keep ${plural(hubs, kept.hubs)} and ${plural(agents, kept.agents)}`,
    confirmed: 'Confirmed and recorded. The hub is open again.',
    terminal: 'Use this copy? Type "yes" to confirm:',
    kept: 'Nothing was confirmed. The hub stays locked.',
  },
} as const;
