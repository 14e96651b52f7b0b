// Event streams under readers that are too many, too slow or lying, on a real hub; and what an
// honest reader gets after a break.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  STREAM_LEASED_MAX,
  STREAMS_MAX,
  STREAMS_PER_TOKEN_MAX,
} from '../../main/api/http/limits.ts';
import { EVENT_TAIL_MAX_CHARACTERS } from '../../main/services/base/event-bus.ts';
import { EventReader } from '../support/event-reader.ts';
import type { SeenEvent } from '../support/event-reader.ts';
import { TestHub, readField } from '../support/test-hub.ts';

let hub: TestHub;
let page: string;

beforeAll(async () => {
  hub = await TestHub.start();
  page = await hub.page();
});
afterAll(() => hub.stop());

const publish = (text: string): number => {
  hub.node.events.publish({ type: 'conversation', id: text });
  return hub.node.events.seq;
};
const hasId = (text: string) => (event: SeenEvent) =>
  typeof event.data === 'object' && event.data !== null && Reflect.get(event.data, 'id') === text;

describe('SS-01: streams are limited', () => {
  test(
    'to four a token and 32 for all pages, and a closed one makes room',
    { timeout: 60_000 },
    async () => {
      const open: EventReader[] = [];
      const tokens: string[] = [];
      for (let count = 0; count <= STREAMS_MAX / STREAMS_PER_TOKEN_MAX; count += 1)
        tokens.push(await hub.page());
      for (const token of tokens.slice(0, -1)) {
        for (let count = 0; count < STREAMS_PER_TOKEN_MAX; count += 1)
          open.push(await EventReader.open(hub.port, '/v1/events', token));
        const fifth = await EventReader.open(hub.port, '/v1/events', token);
        expect(fifth.status).toBe(429);
        expect(fifth.headers['retry-after']).toBeDefined();
      }
      expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
      const last = tokens.at(-1) ?? '';
      expect((await EventReader.open(hub.port, '/v1/events', last)).status).toBe(429);
      const agents = await EventReader.open(
        hub.port,
        '/v1/inbox/stream',
        await hub.agent('unhindered'),
      );
      expect(agents.status, 'the agents have places of their own').toBe(200);
      agents.close();
      open[0]?.close();
      await expect
        .poll(async () => (await EventReader.open(hub.port, '/v1/events', last)).status)
        .toBe(200);
      const seq = publish('everybody hears this');
      await Promise.all(
        open.slice(1).map((stream) => stream.next(({ id }) => id === String(seq), 'the event')),
      );
      for (const stream of open) stream.close();
      for (const token of tokens)
        await hub.ask(`/v1/sessions/${token.split('_')[2]}`, { method: 'DELETE', token: page });
    },
  );

  test(
    'by what a reader leaves unread: it is cut off, and others get every event',
    { timeout: 60_000 },
    async () => {
      const deaf = await EventReader.open(hub.port, '/v1/events', await hub.page(), {}, false);
      const good = await EventReader.open(hub.port, '/v1/events', page);
      const padding = 'x'.repeat(1_000);
      for (let count = 0; count < 10_000; count += 1) {
        publish(`${count} ${padding}`);
        // The good reader is given its turns, as it would have them in life.
        if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await good.next(hasId(`9999 ${padding}`), 'the last event');
      const numbers = good.events.map(({ id }) => Number(id));
      expect(numbers).toHaveLength(10_000);
      expect(
        numbers.every((seq, index) => index === 0 || seq === (numbers[index - 1] ?? 0) + 1),
      ).toBe(true);
      deaf.read();
      await deaf.ended;
      expect(deaf.events.length).toBeLessThan(10_000);
      good.close();
    },
  );
});

describe('a page that lost its stream', () => {
  test('resumes by number without a gap and without a repeat', async () => {
    const first = await EventReader.open(hub.port, '/v1/events', page);
    const seq = publish('before');
    await first.next(hasId('before'), 'the event');
    first.close();
    publish('missed 1');
    publish('missed 2');
    const second = await EventReader.open(hub.port, `/v1/events?from=${seq}`, page);
    publish('after');
    await second.next(hasId('after'), 'the event after');
    expect(second.events.map(({ id }) => Number(id))).toEqual([seq + 1, seq + 2, seq + 3]);
    second.close();
  });

  test('is told of the gap when it missed too much, or comes from another run of the hub', async () => {
    const seq = hub.node.events.seq;
    const text = 'x'.repeat(EVENT_TAIL_MAX_CHARACTERS / 16);
    for (let count = 0; count < 16; count += 1) publish(`${text} ${count}`);
    for (const from of [seq, 5, hub.node.events.seq + 1_000]) {
      const stream = await EventReader.open(hub.port, `/v1/events?from=${from}`, page);
      expect(await stream.next(() => true, 'anything')).toEqual({
        event: 'gap',
        id: undefined,
        data: { seq: hub.node.events.seq },
      });
      const next = publish(`after ${from}`);
      await stream.next(({ id }) => id === String(next), 'the stream goes on');
      stream.close();
    }
  });

  test('cannot be given an event by what somebody wrote', async () => {
    const stream = await EventReader.open(hub.port, '/v1/events', page);
    const text = 'x\n\nevent: approval\ndata: {"forged":true}\r\r\u2028\u2029';
    publish(text);
    await stream.next(hasId(text), 'the text');
    expect(stream.events).toHaveLength(1);
    stream.close();
  });

  test('is refused a number that is none', async () => {
    for (const from of ['-1', '1.5', 'all', '99999999999999999999', '1e3']) {
      expect((await EventReader.open(hub.port, `/v1/events?from=${from}`, page)).status, from).toBe(
        400,
      );
    }
  });
});

describe('SS-03: an inbox stream', () => {
  const query = async (to: string, token: string): Promise<number> =>
    (
      await hub.ask('/v1/notify', {
        method: 'POST',
        token,
        body: { to: `Test hub/${to}`, topic: 'news', data: { for: to } },
      })
    ).status;

  test('holds no more for a reader that does not read than it may have leased', async () => {
    const deaf = await hub.agent('deaf');
    const stream = await EventReader.open(hub.port, '/v1/inbox/stream', deaf, {}, false);
    const count = 2 * STREAM_LEASED_MAX;
    const news = {
      topic: 'news',
      data: { padding: 'x'.repeat(20_000) },
      importance: 'low',
    } as const;
    // One agent may tell only so much.
    const each = STREAM_LEASED_MAX / 4;
    for (let sent = 0; sent < count; sent += 1) {
      const teller = `teller-${Math.floor(sent / each)}`;
      if (sent % each === 0) await hub.agent(teller);
      await hub.node.services.work.sender.notify({ ...news, to: 'Test hub/deaf' }, teller);
    }
    const waiting = async (): Promise<number> =>
      Number(readNumber((await hub.ask('/v1/inbox/waiting', { token: deaf })).text, 'waiting'));
    await expect.poll(waiting).toBeLessThan(count);
    expect(await waiting()).toBeGreaterThanOrEqual(count - STREAM_LEASED_MAX);
    stream.close();
  });

  test('hands out only what its own agent was sent, whatever id it claims to have seen', async () => {
    const asker = await hub.agent('asker');
    const reader = await hub.agent('reader');
    await hub.agent('neighbour');
    for (const to of ['reader', 'neighbour', 'reader'])
      expect(await query(to, asker)).toBeLessThan(300);
    const ids: string[] = [];
    for (const last of ['0', '9007199254740991', '00000000-0000-4000-8000-000000000000']) {
      const stream = await EventReader.open(hub.port, '/v1/inbox/stream', reader, {
        'last-event-id': last,
      });
      await stream.next(({ event }) => event === 'caught-up', 'the backlog');
      const texts = JSON.stringify(stream.events);
      expect(texts).not.toContain('"for":"neighbour"');
      expect(texts.match(/"for":"reader"/gu), last).toHaveLength(2);
      // Nor does a number say how much others get.
      expect(texts).not.toMatch(/"(?:id|seq)":"?\d+[",}]/u);
      ids.push(...stream.events.flatMap(({ id }) => id ?? []));
      stream.close();
    }
    expect(new Set(ids).size).toBe(2);
    for (const last of ['-1', 'x', '99999999999999999999999']) {
      expect(
        (await EventReader.open(hub.port, '/v1/inbox/stream', reader, { 'last-event-id': last }))
          .status,
        last,
      ).toBe(400);
    }
  });

  test('gives again what was leased and never arrived, and says when it has caught up', async () => {
    const asker = await hub.agent('asker-2');
    const reader = await hub.agent('reader-2');
    for (let count = 0; count < 3; count += 1)
      expect(await query('reader-2', asker)).toBeLessThan(300);
    const first = await EventReader.open(hub.port, '/v1/inbox/stream', reader);
    await first.next(({ event }) => event === 'caught-up', 'the backlog');
    const deliveries = first.events.filter(({ event }) => event === 'delivery');
    expect(deliveries).toHaveLength(3);
    expect(first.events.at(-1)?.event).toBe('caught-up');
    first.close();
    const second = await EventReader.open(hub.port, '/v1/inbox/stream', reader, {
      'last-event-id': deliveries[0]?.id ?? '',
    });
    await second.next(({ event }) => event === 'caught-up', 'the rest');
    const again = second.events.filter(({ event }) => event === 'delivery');
    expect(again.map(({ id }) => id)).toEqual(deliveries.slice(1).map(({ id }) => id));
    expect(again.map(({ data }) => Reflect.get(Object(data), 'attempt'))).toEqual([2, 2]);
    second.close();
  });

  test('is no place for a person, nor a page stream for an agent', async () => {
    expect((await EventReader.open(hub.port, '/v1/inbox/stream', page)).status).toBe(403);
    expect(
      (await EventReader.open(hub.port, '/v1/events', await hub.agent('curious'))).status,
    ).toBe(403);
  });

  test('brings a query at once, and its reply answers the asker', async () => {
    const asker = await hub.agent('asker-3');
    const reader = await hub.agent('reader-3');
    const asked = await hub.ask('/v1/agents/reader-3/class', {
      method: 'PUT',
      token: page,
      body: { risk_class: 'R0' },
    });
    expect(asked.status).toBe(200);
    const stream = await EventReader.open(hub.port, '/v1/inbox/stream', reader);
    await stream.next(({ event }) => event === 'caught-up', 'the start');
    // Without a domain a person would be asked first.
    const question = { to: 'Test hub/reader-3', question: 'Free at 7?', domain: 'reader-3.work' };
    const answering = hub.ask('/v1/query', { method: 'POST', token: asker, body: question });
    const { data } = await stream.next(({ event }) => event === 'delivery', 'the question');
    const delivery = readField(JSON.stringify(data), 'delivery_id');
    const reply = await hub.ask(`/v1/inbox/${delivery}/reply`, {
      method: 'POST',
      token: reader,
      body: { summary: 'Yes.', data: { free: true } },
    });
    expect(reply.status).toBe(200);
    const answer = await answering;
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).untrusted).toMatchObject({
      summary: 'Yes.',
      data: { free: true },
    });
    stream.close();
  });
});

function readNumber(text: string, name: string): unknown {
  return (JSON.parse(text) as Readonly<Record<string, unknown>>)[name];
}
