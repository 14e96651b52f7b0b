// What one commit has to tell the pages: in its order, and after whatever else came of it in that
// turn, so that no page stands before the agent that waits for its work.
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { EventStream } from '../../../main/api/http/event-streams.ts';
import { STREAM_BACKLOG_MAX_BYTES } from '../../../main/api/http/limits.ts';
import { followPageEvents } from '../../../main/api/http/page-events.ts';
import { EventBus } from '../../../main/services/base/event-bus.ts';
import { until } from '../../support/until.ts';

const WAIT_LIMIT_MS = 10_000;

function follow() {
  const events = new EventBus();
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const happened: string[] = [];
  response.write = (text: string) => {
    happened.push(/"id":"(\w+)"/.exec(text)?.[1] ?? text);
    return true;
  };
  const stream = new EventStream('token', response);
  followPageEvents(stream, events, undefined);
  const publish = (id: string) => events.publish({ type: 'conversation', id });
  return { happened, publish, response, stream };
}
const turnIsOver = () => new Promise((resolve) => setImmediate(resolve));

test('goes after all that waited for the same commit', async () => {
  const { happened, publish } = follow();
  const committed = Promise.resolve();
  void committed.then(() => (publish('first'), publish('second')));
  void committed
    .then(() => undefined)
    .then(() => undefined)
    .then(() => happened.push('handed to the agent'));
  await turnIsOver();
  expect(happened).toEqual(['handed to the agent', 'first', 'second']);
});

test('of a later turn comes by itself, and nothing comes to a page that has gone', async () => {
  const { happened, publish, stream } = follow();
  publish('first');
  await turnIsOver();
  publish('second');
  await turnIsOver();
  publish('third');
  stream.end();
  await turnIsOver();
  expect(happened).toEqual(['first', 'second']);
});

/** The pages' door over a real line. */
async function openLine(
  events: EventBus,
): Promise<{ client: Socket; text: () => string; end: () => void }> {
  const server = createServer((_request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    followPageEvents(new EventStream('token', response), events, undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = connect(address.port, '127.0.0.1');
  let raw = '';
  client.setEncoding('latin1').on('data', (text) => (raw += text));
  client.write('GET / HTTP/1.1\r\nhost: hub\r\n\r\n');
  await until('the stream is open', WAIT_LIMIT_MS, () => raw.includes('\r\n\r\n') || undefined);
  return {
    client,
    text: () => raw.slice(raw.indexOf('\r\n\r\n') + 4),
    end: () => {
      client.destroy();
      server.close();
    },
  };
}

test('of one commit goes over the line as one write, and what a later one tells as another', async () => {
  const events = new EventBus();
  const line = await openLine(events);
  try {
    for (const id of ['first', 'second', 'third']) events.publish({ type: 'conversation', id });
    await until(
      'one commit is told',
      WAIT_LIMIT_MS,
      () => line.text().includes('"id":"third"') || undefined,
    );
    events.publish({ type: 'conversation', id: 'fourth' });
    await until(
      'the next is told',
      WAIT_LIMIT_MS,
      () => line.text().includes('"id":"fourth"') || undefined,
    );
    // Each write is a chunk of the answer: its length, then it.
    const writes = line
      .text()
      .split(/^[0-9a-f]+\r\n/m)
      .filter((text) => text !== '');
    expect(writes.map((text) => [...text.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id))).toEqual([
      ['first', 'second', 'third'],
      ['fourth'],
    ]);
  } finally {
    line.end();
  }
});

test('of one commit cuts no page that reads, however much it is', async () => {
  const events = new EventBus();
  const line = await openLine(events);
  try {
    const long = 'x'.repeat(STREAM_BACKLOG_MAX_BYTES / 2);
    for (let index = 0; index < 8; index++)
      events.publish({ type: 'conversation', id: `${long}${index}end` });
    const isOver = () => line.client.destroyed || line.text().includes('7end') || undefined;
    await until('all of it is told, or the line is cut', WAIT_LIMIT_MS, isOver);
    expect([...line.text().matchAll(/x([0-9])end/g)].map(([, index]) => index)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
    ]);
    expect(line.client.destroyed).toBe(false);
  } finally {
    line.end();
  }
});

test('cuts a page that does not read before it is told more', async () => {
  const { response, publish, stream } = follow();
  Object.defineProperty(response, 'writableLength', {
    configurable: true,
    value: STREAM_BACKLOG_MAX_BYTES,
  });
  publish('first');
  await turnIsOver();
  expect(stream.ended).toBe(false);
  Object.defineProperty(response, 'writableLength', { value: STREAM_BACKLOG_MAX_BYTES + 1 });
  publish('second');
  await turnIsOver();
  expect(stream.ended).toBe(true);
});
