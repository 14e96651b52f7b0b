// What the first draft of AXON makes of a result: an error only where it failed as one.
import { expect, test } from 'vitest';
import { ACP_DRAFT } from '../../../main/dialects/acp-draft.ts';

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

test('a failure that says whether to try again is an error', () => {
  const payload = { status: 'failed', code: 'internal', error: 'Out of ink', retryable: true };
  expect(ACP_DRAFT.write({ ...RESULT, payload })).toMatchObject({
    kind: 'error',
    payload: { code: 'internal', message: 'Out of ink', retryable: true },
  });
});
