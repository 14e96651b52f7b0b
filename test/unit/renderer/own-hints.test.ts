import { expect, test } from 'vitest';
import { withOwnHint } from '../../../renderer/app/own-hints.ts';
import { problemOf } from '../../fakes/fake-hub-api.ts';

const PAIR = 'A person can pair the two hubs: press Add beside it, or run "axon pair".';
const LOGIN = 'Get a new link with "axon login".';
const hinted = (hint: string) => ({ ...problemOf('bad_request', 'It did not work.'), hint });

test('a command in a hint begins with the words that work there, whatever stands in them', () => {
  expect(withOwnHint(hinted(LOGIN), 'npx axon').hint).toBe('Get a new link with "npx axon login".');
  expect(withOwnHint(hinted(`${LOGIN} ${PAIR}`), 'axon --home $&').hint).toBe(
    'Get a new link with "axon --home $& login". A person can pair the two hubs: press Add beside it, or run "axon --home $& pair".',
  );
});

test('without a command the other way stays, and a hint that has none says nothing', () => {
  expect(withOwnHint(hinted(PAIR), null).hint).toBe(
    'A person can pair the two hubs: press Add beside it.',
  );
  expect(withOwnHint(hinted(LOGIN), null)).toEqual(problemOf('bad_request', 'It did not work.'));
  expect(
    withOwnHint(hinted('Set one with "axon login" at a terminal, or in Settings.'), null).hint,
  ).toBeUndefined();
});

test('a hint without a command, and a problem without a hint, stay as they are', () => {
  expect(withOwnHint(hinted('Choose "axon" or another name.'), null).hint).toBe(
    'Choose "axon" or another name.',
  );
  expect(withOwnHint(problemOf('bad_request', 'No.'), 'npx axon')).toEqual(
    problemOf('bad_request', 'No.'),
  );
});
