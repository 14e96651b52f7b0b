// What a flaw in the audit is called and means, as a sentence for the person who looks after the hub. Pure.
import type { AuditFlawDto, AuditFlawKind } from '../../../preload/contract/audit.ts';
import type { OutsideRows } from '../../ports/audit.ts';
import { countOf, type AddedRows } from './added-rows.ts';
import { ADDED_SAID_MAX } from './limits.ts';

type Sentence = (seq: number, signedSeq: number) => string;

const SENTENCES: Readonly<Record<Exclude<AuditFlawKind, 'row_added'>, Sentence>> = {
  row_changed: (seq) => `Row ${seq} was changed after it was written, or another row was put in its place. Do not trust what it says.`,
  row_missing: (seq) => missingRows(seq, seq),
  end_missing: (seq) =>
    `The record was longer: row ${seq} and what came after it were removed. What happened last before that is no longer on record.`,
  chain_remade: (seq, signedSeq) =>
    seq === signedSeq + 1
      ? `Row ${seq} is not the one that this hub wrote: it was changed, or another one put in its place, and the chain made anew to fit.`
      : `Among the rows ${signedSeq + 1} to ${seq} something was changed and the chain made anew to fit: they are not the rows that this hub wrote.`,
  seal_changed: (seq) =>
    `The signature over the rows up to ${seq} is not one that this hub made: it was changed, or made with another key.`,
  seal_missing: (seq) => `A signature before the one over the rows up to ${seq} was removed.`,
  older_copy: (seq) =>
    `${seq === 0 ? 'This record holds no row' : `This record ends with row ${seq}`}, and this hub has made more signatures than it holds: an older copy, or another record, was put back, or its end was cut off together with the signatures.`,
};

/** @param signedSeq the last row that a good seal covers; needed for `chain_remade` only */
export function flawOf(kind: Exclude<AuditFlawKind, 'row_added'>, seq: number, signedSeq = 0): AuditFlawDto {
  return { kind, seq, sentence: SENTENCES[kind](seq, signedSeq), meant: false };
}

/** @param isVouched whether anything says of the row behind them that it is the one that stood there */
export function gapFlaw(seq: number, toSeq: number, isVouched: boolean): AuditFlawDto {
  const unvouched = isVouched ? '' : ` Without ${seq === toSeq ? 'it' : 'them'}, what row ${toSeq + 1} says cannot be vouched for.`;
  return { ...flawOf('row_missing', seq), sentence: `${missingRows(seq, toSeq)}${unvouched}` };
}

function missingRows(seq: number, toSeq: number): string {
  const [which, were] = seq === toSeq ? [`Row ${seq} is`, 'it was'] : [`Rows ${seq} to ${toSeq} are`, 'they were'];
  return `${which} missing: ${were} removed, or moved to another place. What happened then is no longer on record.`;
}

/** Rows and signatures under numbers that no hub gives, as one flaw. */
export function outsideFlaw({ rows, seals, numbers }: OutsideRows): AuditFlawDto {
  const named = numbers.slice(0, ADDED_SAID_MAX);
  if (rows > named.length) named.push(`${rows - named.length} more`);
  const said = [
    ...(rows === 0 ? [] : [`${rows === 1 ? 'row' : 'rows'} ${listOf(named)}`]),
    ...(seals === 0 ? [] : [seals === 1 ? 'a signature' : `${seals} signatures`]),
  ].join(' and ');
  const [were, them, they] = rows + seals === 1 ? ['was', 'it', 'it says'] : ['were', 'them', 'they say'];
  return {
    kind: 'row_added',
    seq: 0,
    sentence: `Under ${rows + seals === 1 ? 'a number that this hub never gives stands' : 'numbers that this hub never gives stand'} ${said} that ${were} not written by it, which counts up from 1: another program put ${them} there. Do not trust what ${they}.`,
    meant: false,
  };
}

/** All of them as one flaw; undefined: there are none. */
export function addedFlaw(added: AddedRows): AuditFlawDto | undefined {
  const [first] = added.ranges;
  if (first === undefined) return undefined;
  const [which, were, them, they] = countOf(added) === 1 ? ['Row', 'was', 'it', 'it says'] : ['Rows', 'were', 'them', 'they say'];
  return {
    kind: 'row_added',
    seq: first.from,
    sentence: `${which} ${numbersOf(added)} ${were} not written by this hub: another program put ${them} there while the hub ran, and the chain fits all the same. Do not trust what ${they}.`,
    meant: false,
  };
}

/** "2 to 3, 7 and 11", "2, 4 and 250 more". */
function numbersOf({ ranges, more }: AddedRows): string {
  const said = ranges.slice(0, ADDED_SAID_MAX);
  const beside = countOf({ ranges: ranges.slice(ADDED_SAID_MAX), more });
  const named = said.map(({ from, to }) => (from === to ? String(from) : `${from} to ${to}`));
  if (beside > 0) named.push(`${beside} more`);
  return listOf(named);
}

function listOf(named: readonly string[]): string {
  return named.length === 1 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}
