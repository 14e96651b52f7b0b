import { expect, test } from 'vitest';
import type { Problem } from '../../../preload/contract/errors.ts';
import { problemWords } from '../../../renderer/app/problem-words.ts';

const problem = (over: Partial<Problem>): Problem => ({
  type: 'urn:axon:problem:bad_request',
  title: 'The request does not fit',
  status: 400,
  detail: 'That is not the address of a hub.',
  code: 'bad_request',
  retryable: false,
  ...over,
});

test('a problem is told with what to try, as whole sentences and without its technical title', () => {
  expect(problemWords(problem({ hint: 'write a host name: "attic.example:7100"' }))).toBe(
    'That is not the address of a hub. Write a host name: "attic.example:7100".',
  );
});

test('a hint for those who write programs is not shown to a person', () => {
  expect(
    problemWords(
      problem({ detail: 'name: too long', hint: 'GET /v1/examples shows complete requests.' }),
    ),
  ).toBe('Name: too long.');
});

test('nor is one that names a route further on', () => {
  const hint = 'Send "Authorization: Bearer <token>". A new agent gets one from POST /v1/agents.';
  expect(problemWords(problem({ detail: 'This login link was used already', hint }))).toBe(
    'This login link was used already.',
  );
});

test('where waiting helps it says how long, never less than a second', () => {
  expect(problemWords(problem({ detail: 'Too many at once', retry_after_ms: 8_200 }))).toBe(
    'Too many at once. Try again in 8 seconds.',
  );
  expect(problemWords(problem({ detail: 'Too many at once', retry_after_ms: 12 }))).toBe(
    'Too many at once. Try again in 1 second.',
  );
});

test('a problem without a word says at least that', () => {
  expect(problemWords(problem({ detail: ' ' }))).toBe(
    'It did not work, and the hub did not say why.',
  );
});
