// Every example of the documents that this system comes from goes from an agent of one hub to one of
// another over real QUIC, and comes out equal. The agents have names of ours, and each message has an
// id of its own; an answer names the request that it answers. Nothing else of an example is changed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dialectNamed } from '../../main/dialects/index.ts';
import { objectOf } from '../../main/dialects/members.ts';
import type { JsonObject } from '../../main/lib/json-object.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { atDoor, OWNER, WITHIN_MS } from '../support/raw-peer.ts';
import { DIALECTS, seedMessages, type DialectName } from '../support/seed-messages.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

let dad: TestHub;
let mum: TestHub;
const tokens = new Map<string, string>();
const asks = (name: DialectName): string => `eddy-${name}`;
const does = (name: DialectName): string => `jules-${name}`;

beforeAll(async () => {
  const start = () => TestHub.start({ peerRateFactor: 1_000, requestsPerSecond: 10_000 });
  [dad, mum] = [await start(), await start()];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  for (const dialect of DIALECTS) {
    // The document in Rust names whom it asks by what they can do.
    const capabilities = dialect === 'fipa-acl' ? ['data-analysis', 'image-processing'] : [];
    const topics = dialect === 'claude-crunch' ? ['crunch'] : [];
    await join(dad, asks(dialect), { dialect });
    await join(mum, does(dialect), { dialect, capabilities, topics });
  }
  await until('what Mum offers', WITHIN_MS, async () => {
    const to = { capability: 'data-analysis' };
    return (await atDoor(dad, tokenOf(asks('fipa-acl')), '/v1/route', { to }))['chosen'];
  });
}, 120_000);
afterAll(async () => {
  await dad.stop();
  await mum.stop();
});

async function join(hub: TestHub, name: string, profile: object): Promise<void> {
  const token = await hub.agent(name);
  tokens.set(name, token);
  await atDoor(hub, token, `/v1/agents/${name}`, profile, 'PATCH');
}

function tokenOf(agent: string): string {
  return tokens.get(agent) ?? '';
}

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
        ...(example['type'] === 'BROADCAST'
          ? { to: '*', payload: { ...objectOf(example['payload']), affects: [to] } }
          : { to }),
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
      return { ...example, id: `d-${number}`, from, to, ...reply('ref') };
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

/** Something that answers a question, where a dialect has questions. */
const ANSWERS: Readonly<Record<DialectName, JsonObject>> = {
  'claude-crunch': {},
  'fipa-acl': { performative: 'INFORM', content: 'Yes' },
  elizaos: {
    mcp_version: '0.1.0',
    performative: 'INFORM_RESULT',
    payload: { task_status: 'success', result_summary: 'Yes' },
  },
  'acp-draft': { kind: 'response', payload: { summary: 'Yes', data: { home: [] } } },
};

function post(hub: TestHub, agent: string, message: JsonObject): Promise<JsonObject> {
  return atDoor(hub, tokenOf(agent), '/v1/messages', message);
}

/** A person allows what waits, once it is there. */
async function allow(): Promise<void> {
  const { approvals } = mum.node.services.work;
  const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
  const { id, revision, digest } = card;
  await approvals.decide({ id, revision, digest, decision: 'allow' }, OWNER);
}

/** What the hub of those who decide keeps of a conversation. */
function kept(conversation: string): readonly unknown[] {
  const { text } = mum.node.services.work.conversationExport.piece(
    conversation,
    'jsonl',
    undefined,
    null,
  );
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

/** The next item of an agent in its own language. */
async function next(hub: TestHub, agent: string): Promise<unknown> {
  const token = tokenOf(agent);
  const claimed = await atDoor(hub, token, '/v1/inbox/claim', { max: 1, wait_ms: WITHIN_MS });
  const [item] = claimed['items'] as readonly { delivery_id: string; untrusted: JsonObject }[];
  if (item === undefined) throw new Error(`nothing came for ${agent}`);
  await atDoor(hub, token, `/v1/inbox/${item.delivery_id}/ack`, {});
  return item.untrusted['native'];
}

/** Sends something to be answered; what it is called by whoever answers. */
async function asked(name: DialectName, number: number): Promise<string> {
  const request = addressed(name, REQUESTS[name], [asks(name), does(name)], 1_000 + number, null);
  expect(await post(dad, asks(name), request)).toMatchObject({ http: 200 });
  await allow();
  expect(await next(mum, does(name))).toEqual(request);
  return kindOf(name, request)?.ids[0] ?? '';
}

/** An offer in answer to a request; what it is called. */
async function offered(name: DialectName, number: number): Promise<string> {
  const offer = {
    performative: 'PROPOSE',
    content: 'For 5 euros?',
    in_reply_to: await asked(name, number),
    reply_with: `offer-${number}`,
  };
  expect(await post(mum, does(name), offer)).toMatchObject({ http: 200 });
  expect(await next(dad, asks(name))).toEqual(offer);
  return offer.reply_with;
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
      const message = addressed(name, example, back, number, await asked(name, number));
      if (meant.kind === 'result' && meant.payload['code'] === 'cancelled') {
        // Nobody has asked for a stop.
        expect(await post(mum, does(name), message)).toMatchObject({ http: 409 });
        return;
      }
      expect(await post(mum, does(name), message)).toMatchObject({ http: 200 });
      expect(await next(dad, asks(name))).toEqual(message);
      return;
    }
    case 'query': {
      const conversation = `c-${number}`;
      const message = {
        ...addressed(name, example, there, number, null),
        ...(name === 'fipa-acl' ? { conversation_id: conversation } : {}),
      };
      const answered = post(dad, asks(name), message);
      await allow();
      expect(await next(mum, does(name))).toEqual(message);
      // Without an id of the question, an answer names its conversation.
      const [id = null] = kindOf(name, message)?.ids ?? [];
      const answer = {
        ...addressed(name, ANSWERS[name], back, number, id),
        ...(id === null ? { conversation_id: conversation } : {}),
      };
      expect(await post(mum, does(name), answer)).toMatchObject({ http: 200 });
      expect(await answered).toMatchObject({ http: 200, untrusted: { native: answer } });
      return;
    }
    case 'delegate':
    case 'notify': {
      const follows = example['performative'] === 'ACCEPT_PROPOSAL';
      const offer = follows ? await offered(name, number) : null;
      const message = addressed(name, example, there, number, offer);
      expect(await post(dad, asks(name), message)).toMatchObject({ http: 200 });
      if (meant.payload['act'] === 'escalate') {
        const { approvals } = mum.node.services.work;
        const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
        expect(card.text).toBe(meant.payload['task']);
        expect(kept(card.conversation_id)).toMatchObject([{ payload: { origin: { message } } }]);
        const { id, revision, digest } = card;
        await approvals.decide({ id, revision, digest, decision: 'decline' }, OWNER);
        await next(dad, asks(name));
        // The agent that it names is told of what is asked, and of what came of it.
        expect(await next(mum, does(name))).toEqual(message);
        expect(JSON.stringify(await next(mum, does(name)))).toContain('declined');
        return;
      }
      if (meant.kind === 'delegate') await allow();
      expect(await next(mum, does(name))).toEqual(message);
      return;
    }
    case 'cancel': {
      const message = addressed(name, example, there, number, await asked(name, number));
      expect(await post(dad, asks(name), message)).toMatchObject({ http: 200 });
      expect(await next(mum, does(name))).toEqual(message);
      return;
    }
    default: {
      expect(meant?.kind).toBe('discover');
      const message = addressed(name, example, there, number, null);
      expect(await post(dad, asks(name), message)).toMatchObject({
        http: 200,
        untrusted: { native: expect.any(Object) },
      });
    }
  }
});
