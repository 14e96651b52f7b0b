// What a flaw in the audit is called and means, as a sentence for the person who looks after the hub. Pure.
import type { AuditFlawDto, AuditFlawKind } from '../../../preload/contract/audit.ts';

type Sentence = (seq: number, signedSeq: number) => string;

const SENTENCES: Readonly<Record<AuditFlawKind, Sentence>> = {
  row_changed: (seq) =>
    `Row ${seq} was changed after it was written, or another row was put in its place. Do not trust what it says; the rows before it are as they were written.`,
  row_added: (seq) =>
    `Row ${seq} was not written by this hub: another program put it there while the hub ran, and the chain fits all the same. Do not trust what it says.`,
  row_missing: (seq) => `Row ${seq} is missing: it was removed, or moved to another place. What happened then is no longer on record.`,
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
export function flawOf(kind: AuditFlawKind, seq: number, signedSeq = 0): AuditFlawDto {
  return { kind, seq, sentence: SENTENCES[kind](seq, signedSeq) };
}
