// GET /v1/inbox/stream: an agent's inbox as events. Each item is delivered under a lease, exactly
// as by a claim, with its own id as the event's id, where it outlives the hub. A reader that comes
// back with Last-Event-ID first gets what was leased after that item and never acknowledged, as a
// new attempt; all of it where that item is gone, or the id is a number of an older hub. Then comes
// what waits, then `caught-up`. Never delivers more than the reader takes, nor anything of another
// agent.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import { follow } from '../../services/inbox/channel.ts';
import type { Inbox } from '../../services/inbox/inbox.ts';
import { streamData } from './event-streams.ts';
import type { EventStream } from './event-streams.ts';
import { STREAM_BATCH_MAX, STREAM_LEASED_MAX } from './limits.ts';

const DELIVERY_OR_NUMBER = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{1,16})$/;

/** @throws AppError bad_request */
export function readLastItem(lastEventId: string | undefined): string | undefined {
  if (lastEventId === undefined || DELIVERY_OR_NUMBER.test(lastEventId)) return lastEventId;
  throw new AppError('bad_request', 'Last-Event-ID must be the id of an event of this stream.', {
    failedBy: 'input',
  });
}

export function followInbox(
  stream: EventStream,
  inbox: Inbox,
  agent: string,
  lastId: string | undefined,
): void {
  const over = new AbortController();
  let isCaughtUp = false;
  const take = (items: readonly DeliveryDto[]): void => {
    for (const item of items) {
      const id = item.delivery_id;
      const event = { event: 'delivery', data: streamData(item) };
      stream.send(inbox.isKept(id) ? { ...event, id } : event);
    }
  };
  const caughtUp = (): void => {
    if (!isCaughtUp) stream.send({ event: 'caught-up', data: '{}' });
    isCaughtUp = true;
  };
  stream.onEnd(() => over.abort());
  const sink = { take, caughtUp, ready: () => (stream.isBehind ? stream.drained() : undefined) };
  const following = { agent, batchMax: STREAM_BATCH_MAX, leasedMax: STREAM_LEASED_MAX };
  const resumed =
    lastId === undefined ? Promise.resolve() : inbox.giveBack(agent, lastId, STREAM_LEASED_MAX);
  // The store did not give: the reader comes back and finds everything where it was.
  resumed.then(() => follow(inbox, following, sink, over.signal)).catch(() => stream.end());
}
