// GET /v1/events: the numbered events a page needs after its snapshot, from the number it names. If
// the hub no longer has what the page missed, or was restarted, a `gap` event says so and the
// events continue from the present.
import type { UiEvent } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import type { EventBus } from '../../services/base/event-bus.ts';
import { streamData } from './event-streams.ts';
import type { EventStream } from './event-streams.ts';

/** One event goes to every page as the same text: it is written once. */
const written = new WeakMap<UiEvent, string>();

/** Reads `from`: a whole number, or absent for "from now on". Throws `bad_request`. */
export function readFromSeq(value: unknown, lastEventId: string | undefined): number | undefined {
  const given = lastEventId ?? value;
  if (given === undefined) return undefined;
  const seq = typeof given === 'string' && /^[0-9]{1,16}$/.test(given) ? Number(given) : undefined;
  if (seq === undefined || !Number.isSafeInteger(seq)) {
    throw new AppError(
      'bad_request',
      'The number to go on from must be a whole number that this hub gave.',
      { failedBy: 'input' },
    );
  }
  return seq;
}

/**
 * Sends what came after `fromSeq`, then whatever comes. Nothing can be missed between: it is one
 * turn.
 */
export function followPageEvents(
  stream: EventStream,
  events: EventBus,
  fromSeq: number | undefined,
): void {
  const missed = events.since(fromSeq ?? events.seq);
  if (missed === undefined) {
    stream.send({ event: 'gap', data: streamData({ seq: events.seq }) });
  } else {
    for (const event of missed) stream.send({ id: event.seq, data: textOf(event) });
  }
  let waiting: UiEvent[] = [];
  const sendWaiting = (): void => {
    const some = waiting;
    waiting = [];
    stream.sendAll(some.map((event) => ({ id: event.seq, data: textOf(event) })));
  };
  // All that one commit has to tell goes in one write, and after the answer and the agents' items
  // that came of it.
  const take = (event: UiEvent): void => {
    if (waiting.push(event) === 1) process.nextTick(sendWaiting);
  };
  stream.onEnd(events.subscribe(take));
}

function textOf(event: UiEvent): string {
  const known = written.get(event);
  if (known !== undefined) return known;
  const text = streamData(event);
  written.set(event, text);
  return text;
}
