// A further dialect is one value in the list: with a toy one there, agents of two hubs speak it to
// each other, and to an agent of another dialect.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Dialect } from '../../../../main/dialects/dialect.ts';
import { DIALECTS } from '../../../../main/dialects/index.ts';
import { objectOf, textOf } from '../../../../main/dialects/members.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

const SHOUT: Dialect = {
  name: 'shout',
  detect: ({ shout }) => typeof shout === 'string',
  read: ({ shout, to, about }) => ({
    ok: true,
    value: {
      ...(about === undefined
        ? { kind: 'delegate', payload: { task: String(shout) } }
        : { kind: 'result', payload: { status: 'completed', outcome: String(shout) } }),
      from: null,
      to: textOf(to),
      capability: null,
      ids: [String(shout)],
      replyTo: textOf(about),
      conversation: null,
      until: null,
    },
  }),
  complete: (said) => said,
  write: ({ payload, answers }) => ({
    shout: String(payload['task'] ?? payload['outcome']).toUpperCase(),
    ...(answers === null ? {} : { about: answers.message?.['shout'] ?? answers.id }),
  }),
};

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeAll(async () => {
  (DIALECTS as Dialect[]).push(SHOUT); // as its line in the list would
  ({ clock, dad, mum } = await openPairedHubs());
  await dad.work.agents.create('herald', { dialect: 'shout' }, 'R2', OWNER);
  await mum.work.agents.create('crier', { dialect: 'shout' }, 'R2', OWNER);
  await mum.work.agents.create('jules', { dialect: 'elizaos' }, 'R2', OWNER);
  await dad.knows(mum);
  await mum.knows(dad);
});
afterAll(async () => {
  (DIALECTS as Dialect[]).pop(); // the files after this one know of none
  await closeTwoHubs({ clock, dad, mum });
});

async function post(hub: WorkHub, agent: string, message: JsonObject): Promise<void> {
  await hub.work.nativeMessages.post(agent, message, new AbortController().signal);
  await clock.settle();
}

test('goes as it was written to an agent of the same one, and its answer comes back so', async () => {
  const asked = { shout: 'DINNER', to: 'crier', loud: true };
  await post(dad, 'herald', asked);
  await mum.decide(mum.card, 'allow');
  await clock.settle();
  expect((await mum.claim('crier')).untrusted.native).toEqual(asked);
  const answer = { shout: 'COMING', about: 'DINNER', loud: 2 };
  await post(mum, 'crier', answer);
  expect((await dad.claim('herald')).untrusted.native).toEqual(answer);
});

test('is understood by an agent of another one, and its answer by the one that asked', async () => {
  await post(dad, 'herald', { shout: 'Lay the table', to: 'jules' });
  await mum.decide(mum.card, 'allow');
  await clock.settle();
  const { native } = (await mum.claim('jules')).untrusted;
  expect(native).toMatchObject({
    performative: 'TASK_REQUEST',
    payload: { task_description: 'Lay the table' },
  });
  await post(mum, 'jules', {
    mcp_version: '0.1.0',
    message_id: 'm-2',
    performative: 'INFORM_RESULT',
    in_reply_to: objectOf(native)['message_id'],
    payload: { task_status: 'success', result_summary: 'It is laid' },
  });
  expect((await dad.claim('herald')).untrusted.native).toEqual({
    shout: 'IT IS LAID',
    about: 'Lay the table',
  });
});

test('no agent can speak one that is not in the list', async () => {
  await expect(
    dad.work.agents.create('worf', { dialect: 'klingon' }, 'R2', OWNER),
  ).rejects.toMatchObject({
    code: 'bad_request',
    message: 'This hub knows no dialect "klingon".',
    hint: 'It knows axon, elizaos, claude-crunch, acp-draft, fipa-acl, shout.',
  });
});
