// What one commit has to tell the pages: in its order, and after whatever else came of it in that turn, so that no page stands before the agent
// that waits for its work.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { EventStream } from '../../../main/api/http/event-streams.ts';
import { followPageEvents } from '../../../main/api/http/page-events.ts';
import { EventBus } from '../../../main/services/event-bus.ts';

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
  return { happened, publish, stream };
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
