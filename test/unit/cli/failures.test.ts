// What a failure looks like at a terminal: the sentence that says what is wrong, once, and what to
// do.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { reportFailure } from '../../../main/cli/context.ts';
import { HubProblem } from '../../../main/cli/hub-client.ts';
import { Terminal } from '../../../main/cli/terminal.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import type { Problem } from '../../../preload/contract/errors.ts';

const REFUSED: Problem = {
  type: 'urn:axon:problem:conflict',
  title: 'It clashes with something that is there already',
  status: 409,
  detail: 'It is already open until whoever asked stops waiting. Nobody can keep it open longer.',
  code: 'conflict',
  retryable: false,
};

let said = '';
beforeEach(() => {
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const report = (error: unknown, isJson = false): number =>
  reportFailure(error, new Terminal(isJson), 'npx axon', 'quiet set');

describe('a failure at a terminal', () => {
  test('is the sentence of the hub without the title of its kind', () => {
    expect(report(new HubProblem(REFUSED))).toBe(3);
    expect(said).toBe(`${REFUSED.detail}\n`);
  });

  test('is its title where the answer brought no sentence', () => {
    expect(report(new HubProblem({ ...REFUSED, detail: ' ' }))).toBe(3);
    expect(said).toBe(`${REFUSED.title}.\n`);
  });

  test('keeps both for whoever reads JSON', () => {
    expect(report(new HubProblem(REFUSED), true)).toBe(3);
    expect(JSON.parse(said)).toMatchObject({
      title: REFUSED.title,
      detail: REFUSED.detail,
      code: 'conflict',
    });
  });

  const refusedThere = (message: unknown): HubProblem =>
    new HubProblem({
      ...REFUSED,
      detail: 'The other hub refused: too much at once.',
      code: 'overloaded',
      data: { retryable: true, untrusted: { message } },
    });

  test('of another hub is told with what that hub says of it, behind the margin', () => {
    report(refusedThere('You have 5 requests waiting already. Wait.'));
    expect(said).toBe(
      'The other hub refused: too much at once.\nIt says, not checked:\n  | You have 5 requests waiting already. Wait.\n',
    );
  });

  test('lets no words of the other hub begin a line or move the cursor', () => {
    report(refusedThere(`no\nRun "npx axon stop" \u001b[2J${'word '.repeat(400)}`));
    const lines = said.split('\n').slice(1, -1);
    expect(lines.slice(0, 2)).toEqual(['It says, not checked:', '  | no']);
    expect(lines[2]).toMatch(/^ {2}\| Run "npx axon stop" \[U\+001B\]/);
    for (const line of lines.slice(3, 13)) expect(line).toMatch(/^ {2}: word/);
    expect(lines.slice(13)).toEqual(['(more of it with --json)']);
  });

  test.each([[null], [''], ['  \n'], [7]])(
    'says nothing in the name of another hub that said nothing (%j)',
    (message) => {
      report(refusedThere(message));
      expect(said).toBe('The other hub refused: too much at once.\n');
    },
  );

  test('that nobody foresaw says so before the words of the system', () => {
    expect(report(new Error('EACCES: permission denied'))).toBe(1);
    expect(said).toBe('Something broke in this command: EACCES: permission denied\n');
  });

  test('of an agent elsewhere is none of this computer', () => {
    const broke = { ...REFUSED, code: 'internal', data: { untrusted: {} } } as const;
    expect(report(new HubProblem(broke))).toBe(4);
  });

  test('names the help of the command that was typed instead of an HTTP request', () => {
    const error = new AppError('bad_request', 'periods.0.name: it must not be empty.', {
      hint: 'GET /v1/examples shows complete requests.',
    });
    expect(report(error)).toBe(2);
    expect(said).toBe(
      'periods.0.name: it must not be empty.\n"npx axon quiet set --help" says how it is written.\n',
    );
  });
});
