// What others wrote into their messages neither breaks the log of an agent nor decides in it.
import { expect, test } from 'vitest';
import type { OwnMessageDto } from '../../../preload/contract/conversation-dto.ts';
import {
  crunchCheckpoint,
  crunchKnowledge,
  crunchLog,
  saidIn,
} from '../../../main/cli/crunch-log.ts';

const given = (
  kind: 'notify' | 'result',
  task_id: string | null,
  native: object,
): OwnMessageDto => ({
  at: 2,
  kind,
  sent: false,
  task_id,
  state: task_id === null ? null : 'completed',
  native: null,
  untrusted: { native, origin: { peer_name: 'Mum', peer_id: 'ed25519.1', from_agent: null } },
});
const NO_TEXT = { toString: 1, valueOf: 1 };

test('a choice or a confidence that is no text is no reason to fail', () => {
  const vote = { type: 'VOTE', payload: { conflict_id: 'c', position: { choice: NO_TEXT } } };
  const answer = { type: 'RESPONSE', payload: { findings: [{ confidence: NO_TEXT }] } };
  const said = saidIn([given('notify', null, vote), given('result', 'T-2', answer)], null);
  expect(crunchLog(said, null)).toMatchObject({
    conflicts: [{ standing: { [JSON.stringify(NO_TEXT)]: 1 } }],
  });
  expect(crunchKnowledge(said, null)).toMatchObject({ findings: [] });
});

test('an answer to one request is no decision about another, whatever it says it answers', () => {
  const native = { id: 'M-1', type: 'ESCALATE', from: 'me', payload: { reason: 'Release?' } };
  const asked: OwnMessageDto = {
    at: 1,
    kind: 'delegate',
    sent: true,
    task_id: 'T-1',
    state: 'awaiting_approval',
    native,
    untrusted: null,
  };
  const answer = (task: string): OwnMessageDto =>
    given('result', task, {
      id: task,
      type: 'RESPONSE',
      correlation_id: 'M-1',
      payload: { result: { outputs: { decision: { decided_by: 'Mum', option: 'Release' } } } },
    });
  const decisions = (task: string): unknown =>
    crunchKnowledge(saidIn([asked, answer(task)], null), null)['decisions'];
  expect(decisions('T-2')).toEqual([]);
  expect(decisions('T-1')).toMatchObject([{ message: 'M-1', decided_by: 'Mum' }]);
});

test('a vote counts for who sent it, though another hub gives the name of an agent here', () => {
  const cast = (from: string, choice: string) => ({
    id: 'V-1',
    type: 'VOTE',
    from,
    payload: { conflict_id: 'c', position: { choice } },
  });
  const own: OwnMessageDto = {
    at: 1,
    kind: 'notify',
    sent: true,
    task_id: null,
    state: null,
    native: cast('me', 'yes'),
    untrusted: null,
  };
  const said = saidIn([own, given('notify', null, cast('me', 'no'))], null);
  expect(crunchLog(said, null)).toMatchObject({
    messages: [{ from: 'me' }, { from: 'Mum' }],
    conflicts: [{ agents: ['me', 'Mum'], standing: { yes: 1, no: 1 }, resolved_by: null }],
  });
});

test('a conflict is resolved by whoever said so, by name', () => {
  const vote = { id: 'V-1', type: 'VOTE', from: 'a', payload: { conflict_id: 'c', position: {} } };
  const data = { conflict_id: 'c', resolution: 'yes' };
  const told = { id: 'B-1', type: 'BROADCAST', from: 'boss', payload: { content: { data } } };
  const said = saidIn([given('notify', null, vote), given('notify', null, told)], null);
  expect(crunchLog(said, null)).toMatchObject({
    conflicts: [{ status: 'resolved', resolution: 'yes', resolved_by: 'Mum' }],
  });
});

test('what a person or a hub answered is no figure of an agent', () => {
  const answer = { id: 'R-1', type: 'RESPONSE', from: 'Mum', payload: { status: 'FAILED' } };
  expect(crunchKnowledge(saidIn([given('result', 'T-1', answer)], null), null)).toMatchObject({
    agents: [],
  });
});

test('a request that was refused for now and sent again is one, and stands as it does by then', () => {
  const native = { id: 'M-1', type: 'REQUEST', from: 'me', payload: { action: 'implement' } };
  const sent = (at: number, state: 'failed' | 'running'): OwnMessageDto => ({
    at,
    kind: 'delegate',
    sent: true,
    task_id: `T-${at}`,
    state,
    native,
    untrusted: null,
  });
  const said = saidIn([sent(3, 'running'), sent(1, 'failed')], null);
  expect(crunchLog(said, null)).toMatchObject({
    messages: [{ id: 'M-1' }],
    pending: ['M-1'],
    ended_otherwise: [],
  });
  expect(crunchCheckpoint(said, null)).toMatchObject({ pending: [native] });
});
