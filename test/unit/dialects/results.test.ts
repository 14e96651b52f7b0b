// What the languages make of a result: of the first draft of AXON an error only where it failed as
// one, and of each all that stands in the data.
import { expect, test } from 'vitest';
import { ACP_DRAFT } from '../../../main/dialects/acp-draft.ts';
import { CRUNCH } from '../../../main/dialects/crunch.ts';
import { ELIZA } from '../../../main/dialects/eliza.ts';
import { FIPA } from '../../../main/dialects/fipa.ts';

const RESULT = {
  kind: 'result',
  id: 'a0f2b7c9-0000-4000-8000-000000000001',
  at: 1_800_000_000_000,
  from: 'doer',
  to: 'asker',
  conversation: 'c-1',
  answers: null,
} as const;

test('a result that worked is one, whatever other members it has', () => {
  const payload = { status: 'completed', outcome: 'Done', retryable: false };
  expect(ACP_DRAFT.write({ ...RESULT, payload })).toMatchObject({ kind: 'result', payload });
});

test('an answer to a term that JavaScript knows as well is named like any other', () => {
  const message = { ontology: 'elizaos:ontology:code/constructor' };
  const answers = { message, id: null, at: RESULT.at };
  const payload = { status: 'completed', outcome: 'Done' };
  expect(ELIZA.write({ ...RESULT, answers, payload })).toMatchObject({
    ontology: 'elizaos:ontology:code/constructor_result',
  });
});

test('a failure that says whether to try again is an error', () => {
  const payload = { status: 'failed', code: 'internal', error: 'Out of ink', retryable: true };
  expect(ACP_DRAFT.write({ ...RESULT, payload })).toMatchObject({
    kind: 'error',
    payload: { code: 'internal', message: 'Out of ink', retryable: true },
  });
});

test.each([
  [ELIZA, 'completed', { details: 'see below', findings: [1] }],
  [CRUNCH, 'completed', { outputs: 1, notes: 2 }],
  [CRUNCH, 'completed', { outputs: 1, status: 'half' }],
  [FIPA, 'failed', { act: 'propose', offer: { euros: 5 }, notes: 2 }],
])('%# nothing of the data of a result is dropped', (dialect, status, data) => {
  const payload = { status, code: status === 'failed' ? 'rejected' : null, outcome: 'So', data };
  const { act: _, ...members } = { act: null, ...data };
  const written = JSON.stringify(dialect.write({ ...RESULT, payload }));
  for (const [name, value] of Object.entries(members))
    expect(written).toContain(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
});

test.each([
  [ELIZA, { performative: 'INFORM_RESULT', payload: { result_details: 'Soup' } }],
  [CRUNCH, { payload: { result: { outputs: 'Soup' } } }],
])('%# what the language has a member for stands there alone', (dialect, told) => {
  const data = dialect === ELIZA ? { details: 'Soup' } : { outputs: 'Soup', findings: [] };
  const payload = { status: 'completed', outcome: 'So', data };
  expect(dialect.write({ ...RESULT, payload })).toMatchObject(told);
});
