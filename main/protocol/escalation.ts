// An escalation: a delegation that asks a person to choose (PROTOCOL.md, Kinds and payloads). Reads
// the options strictly, because a choice is made by their ids and a person goes by their labels.
// Decides nothing, and never picks an option.
import { isJsonObject } from '../lib/json-object.ts';
import { err, type Result } from '../lib/result.ts';
import { Fields } from './fields.ts';
import * as limits from './limits.ts';

export const ESCALATE = 'escalate';
/** A delegation by which an agent passes on what it was asked: a person is always asked. */
export const HAND_OFF = 'handoff';
/** An answer that offers something else instead of doing what was asked. */
export const PROPOSE = 'propose';
/** A delegation by which the asker accepts such an offer: a person is always asked. */
export const ACCEPT_PROPOSAL = 'accept-proposal';

interface EscalationOption {
  readonly id: string;
  /** Outside text, as `pros` and `cons`. */
  readonly label: string;
  readonly pros: readonly string[];
  readonly cons: readonly string[];
}

export interface Escalation {
  readonly options: readonly EscalationOption[];
  /** The id of the option that the sender recommends; unchecked. */
  readonly recommendation: string | null;
}

/** How long texts may be. */
interface EscalationBounds {
  readonly label: number;
  readonly point: number;
}

const ON_THE_WIRE: EscalationBounds = {
  label: limits.OPTION_LABEL_MAX_CHARACTERS,
  point: limits.OPTION_POINT_MAX_CHARACTERS,
};
const OPTION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * What is to be chosen from; null when nobody is asked to choose. Problems go to `fields`, missing
 * options too: read as work it would go to an agent, which no escalation may.
 */
export function readEscalation(
  fields: Fields,
  bounds: EscalationBounds = ON_THE_WIRE,
): Escalation | null {
  if (fields.raw('act') !== ESCALATE) return null;
  let position = 0;
  const options = fields.list('options', limits.OPTIONS_MAX, (entry) =>
    readOption(entry, ++position, bounds),
  );
  if (options.length < limits.OPTIONS_MIN)
    fields.refuse('options', `must hold at least ${limits.OPTIONS_MIN} options`, null);
  if (hasDouble(options.map(({ id }) => id)))
    fields.refuse('options', 'must not hold the same id twice', null);
  if (hasDouble(options.map(({ label }) => asRead(label))))
    fields.refuse('options', 'must not hold the same label twice', null);
  if (!fields.flag('report_back', true))
    fields.refuse('report_back', 'must be true where somebody is asked to choose', null);
  const recommendation = fields.optionalText('recommendation');
  if (recommendation !== null && !options.some(({ id }) => id === recommendation)) {
    fields.refuse('recommendation', 'must be the id of one of the options, or absent', null);
  }
  return { options, recommendation };
}

function readOption(
  entry: unknown,
  position: number,
  bounds: EscalationBounds,
): Result<EscalationOption, string> {
  if (!isJsonObject(entry)) return err('must be a list of JSON objects');
  const fields = new Fields(entry);
  const id = fields.optionalText('id') ?? String(position);
  if (!OPTION_ID.test(id))
    fields.refuse('id', 'must be up to 64 letters, digits, ".", "_" and "-"', null);
  const points = (name: string) =>
    fields.texts(name, limits.OPTION_POINTS_MAX, { maxCharacters: bounds.point });
  const read = fields.finish({
    id,
    label: fields.text(fields.has('label') ? 'label' : 'option', 'Saturday 09:12, direct', {
      maxCharacters: bounds.label,
    }),
    pros: points('pros'),
    cons: points('cons'),
  });
  return read.ok ? read : err(`holds an option that does not fit: ${read.error}`);
}

/**
 * What a person tells labels apart by: a page shows any white space as one space, and none at the
 * ends.
 */
function asRead(label: string): string {
  return label.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function hasDouble(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length;
}
