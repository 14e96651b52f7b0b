// The title of a refusal says no more than what happened: only what was declined is "Declined".
import { expect, test } from 'vitest';
import { problemOf } from '../../../main/api/problem.ts';
import { readError } from '../../../main/protocol/error-payload.ts';

const REFUSED = { code: 'rejected', message: 'x' };
const STOPPED = { outcome: 'passed', by: 'nobody', at: 1, stopped: { person: null, at: 1 } };
const BY_PERSON = { outcome: 'declined', by: 'person', at: 1 };

test.each([
  [{ decision: STOPPED }, 'Stopped', 'A person there stopped it.'],
  [{ ended_by: 'hub' }, 'Not taken', 'The other hub did not take it.'],
  [{ decision: BY_PERSON }, 'Declined', 'A person there declined it.'],
  [{}, 'Declined', 'The other hub declined it.'],
  [{ code: 'overloaded' }, 'Too much at once', 'The other hub answered: too much at once.'],
])('of %j is "%s"', (said, title, detail) => {
  expect(problemOf(readError({ ...REFUSED, ...said }))).toMatchObject({ title, detail });
});
