// What the bus keeps for readers that lost their stream is bounded by its size, however large each
// event is.
import { expect, test } from 'vitest';
import { EVENT_TAIL_MAX_CHARACTERS, EventBus } from '../../../../main/services/base/event-bus.ts';

const publish = (events: EventBus, id: string): void =>
  events.publish({ type: 'conversation', id });
/** The ids of all that a reader could still be told. */
function kept(events: EventBus): readonly string[] {
  for (let seq = 0; seq < events.seq; seq++) {
    const missed = events.since(seq);
    if (missed !== undefined)
      return missed.map((event) => (event.type === 'conversation' ? event.id : event.type));
  }
  return [];
}

test('many small events are kept, the newest first', () => {
  const events = new EventBus();
  for (let index = 0; index < 5_000; index++) publish(events, `${index}`);
  const ids = kept(events);
  expect(ids.at(-1)).toBe('4999');
  expect(ids.length).toBeGreaterThan(500);
  expect(JSON.stringify(ids).length).toBeLessThan(EVENT_TAIL_MAX_CHARACTERS);
});

test('large events push out what was before them, and one that is too large is not kept', () => {
  const events = new EventBus();
  const large = 'x'.repeat(EVENT_TAIL_MAX_CHARACTERS / 4);
  for (let index = 0; index < 1_000; index++) publish(events, `${large}${index}`);
  expect(kept(events).map((id) => id.slice(large.length))).toEqual(['997', '998', '999']);
  publish(events, large.repeat(5));
  expect(kept(events)).toEqual([]);
  expect(events.since(events.seq - 1)).toBeUndefined();
  publish(events, 'after it');
  expect(kept(events)).toEqual(['after it']);
});

test('who resumes after something that no event tells is told of the gap', () => {
  const events = new EventBus();
  publish(events, 'before');
  const seq = events.seq;
  events.skip();
  expect(events.since(seq)).toBeUndefined();
  publish(events, 'after');
  expect(kept(events)).toEqual(['after']);
});

test('what is kept back while nobody reads is told before somebody does, and once', () => {
  const events = new EventBus();
  const waiting = ['one', 'two'];
  events.onKept(() => {
    for (const id of waiting.splice(0)) publish(events, id);
  });
  const seq = events.seq;
  expect([events.isRead, events.since(seq)?.length]).toEqual([false, 2]);
  waiting.push('three');
  const heard: number[] = [];
  const leave = events.subscribe((event) => heard.push(event.seq));
  expect([events.isRead, heard, events.since(seq)?.length]).toEqual([true, [], 3]);
  waiting.push('four');
  publish(events, 'five');
  expect([heard.length, kept(events).slice(-2)]).toEqual([2, ['four', 'five']]);
  leave();
  expect(events.isRead).toBe(false);
});
