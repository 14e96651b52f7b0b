// GET /v1/inbox/stream: an agent's inbox as events. Each item is delivered under a lease, exactly
// as by a claim, with its durable seq as the event's id. A reader that returns with Last-Event-ID
// first gets what was leased after that id and never acknowledged, as a new attempt. Then comes
// what waits, then `caught-up`. Never delivers more than the reader takes, nor anything of another
// agent.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { follow, type InboxReader } from '../../services/inbox/channel.ts';
import { streamData } from './event-streams.ts';
import type { EventStream } from './event-streams.ts';
import { STREAM_BATCH_MAX, STREAM_LEASED_MAX } from './limits.ts';

export function followInbox(
  stream: EventStream,
  inbox: InboxReader,
  agent: string,
  lastSeq: number | undefined,
): void {
  const over = new AbortController();
  let isCaughtUp = false;
  const take = (items: readonly DeliveryDto[]): void => {
    for (const item of items)
      stream.send({ event: 'delivery', id: item.seq, data: streamData(item) });
  };
  const caughtUp = (): void => {
    if (!isCaughtUp) stream.send({ event: 'caught-up', data: '{}' });
    isCaughtUp = true;
  };
  stream.onEnd(() => over.abort());
  const sink = { take, caughtUp, ready: () => (stream.isBehind ? stream.drained() : undefined) };
  const following = { agent, batchMax: STREAM_BATCH_MAX, leasedMax: STREAM_LEASED_MAX };
  const resumed =
    lastSeq === undefined ? Promise.resolve() : inbox.giveBack(agent, lastSeq, STREAM_LEASED_MAX);
  // The store did not give: the reader comes back and finds everything where it was.
  resumed.then(() => follow(inbox, following, sink, over.signal)).catch(() => stream.end());
}
