// Handshakes that are begun with a valid Retry token and never finished.
import { afterEach, beforeEach, expect } from 'vitest';
import {
  HALF_OPEN_MAX,
  HALF_OPEN_PER_SOURCE_MAX,
  INITIALS_OF_ADDRESS,
} from '../../main/adapters/quic/limits.ts';
import { attack, expectService, House } from './PW-house.ts';
import { beginHandshakes } from './PW-storms.ts';

const HALF_OPENS = 500;
const FREED_WITHIN_MS = 10_000;

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

attack(
  'PW-05: 500 handshakes of one source hold eight places at most, all free again in ten seconds',
  async () => {
    const { hub, control } = await house.open();
    const attacker = await house.socket('127.0.0.2');
    // One address proves itself only so often a second: all of them together would be stopped
    // there. So some come first, at a pace that passes.
    await beginHandshakes(attacker, hub, INITIALS_OF_ADDRESS.burst / 2);
    const held = await hub.counter('half-open.now', (count) => count === HALF_OPEN_PER_SOURCE_MAX);
    expect(held).toBe(HALF_OPEN_PER_SOURCE_MAX);
    await beginHandshakes(attacker, hub, HALF_OPENS - INITIALS_OF_ADDRESS.burst / 2);
    const startedAt = performance.now();
    expect((await hub.transport.statistics()).counters['half-open.now']).toBeLessThanOrEqual(
      HALF_OPEN_PER_SOURCE_MAX,
    );
    await expectService(hub, control);
    await hub.counter('half-open.now', (count) => count === 0);
    expect(performance.now() - startedAt).toBeLessThan(FREED_WITHIN_MS);
    expect(hub.eventsOf('connected')).toHaveLength(1);
  },
);

attack(
  'PW-05: 500 handshakes from 64 sources hold 64 places at most, and a paired peer connects meanwhile',
  async () => {
    const { hub, control } = await house.open();
    const attackers = await Promise.all(
      Array.from({ length: 64 }, (_, number) => house.socket(`127.0.1.${number + 1}`)),
    );
    await Promise.all(
      attackers.map((attacker) =>
        beginHandshakes(attacker, hub, Math.ceil(HALF_OPENS / attackers.length)),
      ),
    );
    const startedAt = performance.now();
    await hub.counter('half-open.pushed-out', (count) => count > 300);
    expect((await hub.transport.statistics()).counters['half-open.now']).toBe(HALF_OPEN_MAX);
    await expectService(hub, control);
    await hub.counter('half-open.now', (count) => count === 0);
    expect(performance.now() - startedAt).toBeLessThan(FREED_WITHIN_MS);
    for (const attacker of attackers)
      expect(attacker.receivedBytes).toBeLessThanOrEqual(3 * attacker.sentBytes + 3_600);
  },
);
