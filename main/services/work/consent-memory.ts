// What agents of this hub did in the adults' sight and nobody does any more: the memory from which nothing comes back out of their sight. Kept
// in the store's meta, bounded, for as long as adults decide. Never forgets what it cannot read, and never judges (PROTOCOL.md, Consent).
import * as v from 'valibot';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { higherRisk } from '../../core/risk.ts';
import type { Reads, Tables } from '../../ports/store.ts';
import { REMEMBERED_AREAS_META } from './consent-guard.ts';
import { CONSENT_AREAS_MAX } from './limits.ts';

/** Stands for all there could be: they were more than are kept, or cannot be read. */
export const EVERYTHING = 'everything';

const riskClass = v.picklist(['R0', 'R1', 'R2', 'R3']);
/** Pairs, since an area or a capability may have a name that means something to an object, such as "constructor". */
const classes = v.optional(v.union([v.literal(EVERYTHING), v.array(v.tuple([v.string(), riskClass]))]), []);
const stored = v.strictObject({ areas: classes, capabilities: classes, rest: v.optional(v.nullable(riskClass), null) });

/** The highest class of each. */
export type Classes = ReadonlyMap<string, RiskClass> | typeof EVERYTHING;

export interface Remembered {
  /** Areas that an agent had. */
  readonly areas: Classes;
  /** Capabilities for which something was asked of an agent. */
  readonly capabilities: Classes;
  /** What the default agent got; null where none was taken away. */
  readonly rest: RiskClass | null;
}

const UNREADABLE: Remembered = { areas: EVERYTHING, capabilities: EVERYTHING, rest: 'R3' };

export function readRemembered(reads: Pick<Reads, 'getMeta'>): Remembered {
  const text = reads.getMeta(REMEMBERED_AREAS_META);
  if (text === undefined || text === '') return { areas: new Map(), capabilities: new Map(), rest: null };
  try {
    const { areas, capabilities, rest } = v.parse(stored, JSON.parse(text));
    return { areas: mapOf(areas), capabilities: mapOf(capabilities), rest };
  } catch {
    return UNREADABLE;
  }
}

/** Inside a commit. */
export function writeRemembered(tables: Pick<Tables, 'getMeta' | 'setMeta'>, { areas, capabilities, rest }: Remembered): void {
  const listOf = (known: Classes) => (known === EVERYTHING ? known : classesIn(known));
  const text = JSON.stringify({ areas: listOf(areas), capabilities: listOf(capabilities), rest });
  if (text !== tables.getMeta(REMEMBERED_AREAS_META)) tables.setMeta(REMEMBERED_AREAS_META, text);
}

/** Those classes and more of them, none lower than it was. */
export function withMore(known: Classes, more: Iterable<readonly [name: string, riskClass: RiskClass]>): Classes {
  if (known === EVERYTHING) return known;
  const next = new Map(known);
  for (const [name, given] of more) next.set(name, higherRisk(given, next.get(name) ?? given));
  return next.size > CONSENT_AREAS_MAX ? EVERYTHING : next;
}

/** Those that are known one by one. */
export function classesIn(known: Classes): readonly (readonly [name: string, riskClass: RiskClass])[] {
  return known === EVERYTHING ? [] : [...known];
}

function mapOf(list: typeof EVERYTHING | readonly [string, RiskClass][]): Classes {
  return list === EVERYTHING ? list : new Map(list);
}
