// A message of a dialect beside the AXON fields that it stands for: whatever else it holds, it is
// carried whole; and fields that say something else than it does are found out.
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import type { Dialect } from '../../../main/dialects/dialect.ts';
import { DIALECTS, dialectNamed, dialectOf } from '../../../main/dialects/index.ts';
import { checkOrigin, originOf, readOrigin } from '../../../main/dialects/origin.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { parseStrictJson } from '../../../main/lib/strict-json.ts';
import { ENVELOPE_JSON_LIMITS } from '../../../main/protocol/limits.ts';
import { rounds } from '../../support/counts.ts';
import { anything, MESSAGES, text } from '../../support/dialect-messages.ts';
import { DIALECTS as NAMES } from '../../support/seed-messages.ts';

const RUNS = rounds('messages of each dialect, carried beside their fields', {
  short: 400,
  long: 100_000,
});
const FORGED = rounds('forged messages of each dialect', { short: 250, long: 2_500 });

/** What crosses the wire for it, as the other hub parses it. */
function carried(dialect: Dialect, written: JsonObject) {
  const read = dialect.read(written);
  if (!read.ok) throw new Error(read.error);
  const { payload: members, from } = read.value;
  const origin = originOf({ dialect, message: written });
  const payload = { ...members, route: { from }, origin };
  const kind = read.value.kind === 'accept' ? 'notify' : read.value.kind;
  const parsed = parseStrictJson(JSON.stringify(payload), ENVELOPE_JSON_LIMITS);
  // What no hub would take is no message.
  fc.pre(parsed.ok);
  return { kind, payload: parsed.value as JsonObject };
}

test('there are four, in any order', () => {
  expect(DIALECTS.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
});

describe.each(NAMES)('%s', { timeout: 900_000 }, (name) => {
  const dialect = dialectNamed(name) as Dialect; // the test above
  test('every message comes out as it was written', () => {
    fc.assert(
      fc.property(MESSAGES[name], (written) => {
        const { kind, payload } = carried(dialect, written);
        expect(checkOrigin(kind, payload)).toEqual({ ok: true });
        expect(readOrigin(payload)?.message).toEqual(written);
        expect(dialectOf(written)?.name).toBe(name);
      }),
      { numRuns: RUNS },
    );
  });

  test('fields that say something else are found out', () => {
    const lies = ['task', 'question', 'context', 'data', 'outcome', 'status', 'priority', 'act'];
    const lie = fc.tuple(fc.constantFrom(...lies), fc.oneof(text, anything));
    fc.assert(
      fc.property(MESSAGES[name], lie, (written, [member, said]) => {
        const { kind, payload } = carried(dialect, written);
        const forged = { ...payload, [member]: said };
        fc.pre(JSON.stringify(forged[member] ?? null) !== JSON.stringify(payload[member] ?? null));
        fc.pre(!(member === 'priority' && (said === 'normal' || said === null)));
        expect(checkOrigin(kind, forged)).toEqual({
          ok: false,
          error: `"${member}" is not what "origin" says`,
        });
      }),
      { numRuns: FORGED },
    );
  });
});

test('an origin that is no message, or of another kind, is found out', () => {
  const message = { performative: 'INFORM', content: 'Done', in_reply_to: 'r-1' };
  const of = (origin: JsonObject) => checkOrigin('delegate', { task: 'Done', origin });
  expect(of({ dialect: 'fipa-acl', message })).toMatchObject({ ok: false });
  expect(of({ dialect: 'fipa-acl', message: { performative: 'SING' } })).toMatchObject({
    ok: false,
  });
  expect(of({ dialect: 'klingon', message })).toEqual({ ok: true });
});
