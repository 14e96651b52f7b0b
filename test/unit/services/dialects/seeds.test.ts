// Every example of the documents that this system comes from goes from an agent of one hub to one of
// another, and comes out equal. The agents have names of ours, and each message has an id of its own;
// an answer names the request that it answers. Nothing else of an example is changed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIALECTS, type DialectName } from '../../../support/seed-messages.ts';
import { dialectNamed } from '../../../../main/dialects/index.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';
import { seedMessages } from '../../../support/seed-messages.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
const signal = new AbortController().signal;
const asks = (name: DialectName): string => `eddy-${name}`;
const does = (name: DialectName): string => `jules-${name}`;

beforeAll(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
  for (const dialect of DIALECTS) {
    await dad.work.agents.create(asks(dialect), { dialect }, 'R2', OWNER);
    await mum.work.agents.create(
      does(dialect),
      {
        dialect,
        // The document in Rust names whom it asks by what they can do.
        capabilities: dialect === 'fipa-acl' ? ['data-analysis', 'image-processing'] : [],
        topics: dialect === 'claude-crunch' ? ['crunch'] : [],
      },
      'R2',
      OWNER,
    );
  }
  await dad.knows(mum);
  await mum.knows(dad);
});
afterAll(() => closeTwoHubs({ clock, dad, mum }));

/** The example from one agent to the other, in answer to a message of this id. */
function addressed(
  name: DialectName,
  example: JsonObject,
  [from, to]: readonly [string, string],
  number: number,
  answered: string | null,
): JsonObject {
  const reply = (member: string) => (answered === null ? {} : { [member]: answered });
  switch (name) {
    case 'claude-crunch':
      return {
        ...example,
        id: `MSG-1705234567890-${number}`,
        from,
        to: example['type'] === 'BROADCAST' ? '*' : to,
        ...reply('correlation_id'),
      };
    case 'fipa-acl':
      return {
        ...example,
        sender: from,
        ...('reply_with' in example ? { reply_with: `r-${number}` } : {}),
        ...reply('in_reply_to'),
      };
    case 'elizaos':
      return {
        ...example,
        message_id: `m-${number}`,
        sender: { agent_id: from },
        receiver: { agent_id: to },
        ...reply('in_reply_to'),
      };
    case 'acp-draft':
      return { ...example, id: `d-${number}`, to, ...reply('ref') };
  }
}

/** Something to answer, in each dialect. */
const REQUESTS: Readonly<Record<DialectName, JsonObject>> = {
  'claude-crunch': { type: 'REQUEST', payload: { action: 'validate' } },
  'fipa-acl': {
    performative: 'REQUEST',
    capability: 'data-analysis',
    content: 'Please',
    reply_with: 'r',
  },
  elizaos: {
    mcp_version: '0.1.0',
    performative: 'TASK_REQUEST',
    payload: { task_description: 'Please' },
  },
  'acp-draft': { kind: 'delegate', payload: { task: 'Please' } },
};

async function sent(name: DialectName, message: JsonObject): Promise<unknown> {
  const [posted] = await Promise.allSettled([
    dad.work.nativeMessages.post(asks(name), message, signal),
    // A person allows what waits; nobody answers the questions within this test.
    clock.settle().then(async () => {
      for (const card of mum.work.approvals.pending())
        if (card.choice === null) await mum.decide(card, 'allow');
      await clock.settle();
    }),
  ]);
  if (posted.status === 'rejected') throw posted.reason;
  return posted.value;
}

const HUB_TALK = ['hello', 'ping', 'pong', 'capabilities'];
const carried = seedMessages()
  .filter(({ message }) => !HUB_TALK.includes(String(message['kind'])))
  .map((example, number) => ({ ...example, number }));
const kindOf = (name: DialectName, message: JsonObject) => {
  const read = dialectNamed(name)?.read(message);
  return read?.ok ? read.value : undefined;
};

test.each(carried)('$title', async ({ dialect: name, message: example, number }) => {
  const there = [asks(name), does(name)] as const;
  const back = [does(name), asks(name)] as const;
  const meant = kindOf(name, example);
  switch (meant?.kind) {
    case 'accept':
    case 'result': {
      const request = addressed(name, REQUESTS[name], there, 1_000 + number, null);
      await sent(name, request);
      await mum.claim(does(name));
      const [id = ''] = kindOf(name, request)?.ids ?? [];
      const message = addressed(name, example, back, number, id);
      await mum.work.nativeMessages.post(does(name), message, signal);
      await clock.settle();
      expect((await dad.claim(asks(name))).untrusted.native).toEqual(message);
      return;
    }
    case 'delegate':
    case 'notify': {
      const message = addressed(name, example, there, number, null);
      await sent(name, message);
      if (meant.payload['act'] === 'escalate') {
        expect(mum.card.text).toBe(meant.payload['task']);
        await mum.decide(mum.card, 'decline');
        await clock.settle();
        await dad.claim(asks(name));
      } else expect((await mum.claim(does(name))).untrusted.native).toEqual(message);
      return;
    }
    default:
      expect(['query', 'accept', 'cancel', 'discover']).toContain(meant?.kind);
  }
});
