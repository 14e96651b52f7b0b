// A hub with the same key: said by anybody, believed only when the key is proven.
import { beforeEach, describe, expect, it } from 'vitest';
import { err, ok } from '../../../../main/lib/result.ts';
import type { DialTarget } from '../../../../main/ports/transport.ts';
import { Copies } from '../../../../main/services/links/copies.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';

const KEY = 'a'.repeat(64);
const COPY = { host: '192.168.1.8', port: 7100 };
const SECOND = { host: '192.168.1.7', port: 7200 };
const STRANGER = { host: '192.168.1.66', port: 7100 };
const LOOK_MS = 60_000;

let clock: ManualClock;
let copies: Copies;
let dialled: string[];
/** Places where a hub with this key answers. */
let answering: Set<string>;
/** Places where a dial breaks in a way that no dial should. */
let breaking: Set<string>;
/** What the pages were shown, at each change. */
let shown: (string | null)[];
type Place = typeof COPY;
const nameOf = ({ host, port }: Place): string => `${host}:${port}`;
const seen = (): string | null => (copies.seen === null ? null : nameOf(copies.seen));

beforeEach(() => {
  clock = new ManualClock();
  dialled = [];
  answering = new Set();
  breaking = new Set();
  shown = [];
  copies = new Copies({
    clock,
    log: SILENT_LOG,
    identity: { agentId: 'ed25519.00', keyHex: KEY },
    transport: {
      dial: (target: DialTarget) => {
        const { host, port } = target;
        dialled.push(nameOf(target));
        if (breaking.has(nameOf(target))) return Promise.reject(new Error('broken'));
        return Promise.resolve(
          answering.has(nameOf(target))
            ? ok({ connectionId: 1, keyHex: KEY, direction: 'outgoing' as const, host, port })
            : err({ type: 'wrong-key' as const, keyHex: 'b'.repeat(64) }),
        );
      },
    },
    onChange: () => shown.push(seen()),
  });
  copies.start();
});

const hears = async (...places: readonly Place[]): Promise<void> => {
  copies.heard(places);
  await clock.advance(0);
};

describe('an announcement of the id of this hub', () => {
  it.each([
    ['on another computer', COPY],
    ['on this computer, at another port', SECOND],
  ])('raises the alarm where its key is proven, %s', async (_where, place) => {
    answering.add(nameOf(place));
    await hears(place);
    expect(shown).toEqual([nameOf(place)]);
  });

  it('raises nothing where another key answers, and the one that lies is not asked all the time', async () => {
    for (let count = 0; count < 100; count += 1) await hears(COPY);
    await clock.advance(1_000);
    expect([seen(), shown, dialled.length]).toEqual([null, [], 1]);
    await clock.advance(LOOK_MS);
    expect(dialled.length).toBeLessThan(4);
  });

  it('is looked at among any others, whoever announced last', async () => {
    answering.add(nameOf(COPY));
    await hears(STRANGER, COPY);
    expect(shown).toEqual([nameOf(COPY)]);
    expect(dialled).toEqual([nameOf(STRANGER), nameOf(COPY)]);
  });

  it('that came while another was looked at is looked at within seconds', async () => {
    copies.heard([STRANGER]);
    const looking = clock.advance(0);
    answering.add(nameOf(COPY));
    copies.heard([STRANGER, COPY]);
    await looking;
    await clock.advance(5_000);
    expect(seen()).toEqual(nameOf(COPY));
  });

  it('is looked at again for as long as it stands: what could not be reached may be there later', async () => {
    await hears(COPY);
    answering.add(nameOf(COPY));
    await clock.advance(LOOK_MS);
    expect(seen()).toEqual(nameOf(COPY));
    copies.heard([]);
    answering.clear();
    await clock.advance(3 * LOOK_MS);
    const { length } = dialled;
    await clock.advance(600_000);
    expect([seen(), dialled.length]).toEqual([null, length]);
  });

  it('is looked at although a dial broke, of it or of one before it', async () => {
    breaking.add(nameOf(STRANGER)).add(nameOf(COPY));
    await hears(STRANGER, COPY);
    breaking.delete(nameOf(COPY));
    answering.add(nameOf(COPY));
    await clock.advance(LOOK_MS);
    expect(shown).toEqual([nameOf(COPY)]);
  });
});

describe('a copy that was met', () => {
  it('by a connection that it made stands until several looks in a row were in vain', async () => {
    answering.add(nameOf(COPY));
    copies.met(COPY);
    copies.met(COPY);
    await clock.advance(300_000);
    expect(shown).toEqual([nameOf(COPY)]);
    answering.clear();
    await clock.advance(2 * LOOK_MS);
    expect(shown).toEqual([nameOf(COPY)]);
    await clock.advance(LOOK_MS);
    expect(shown).toEqual([nameOf(COPY), null]);
  });

  it('where it cannot be dialled stands for as long as it goes on dialling', async () => {
    for (let minutes = 0; minutes < 20; minutes += 2) {
      copies.met(COPY);
      await clock.advance(2 * LOOK_MS);
    }
    expect(shown).toEqual([nameOf(COPY)]);
    await clock.advance(2 * LOOK_MS);
    expect(shown).toEqual([nameOf(COPY), null]);
  });

  it('is one alarm with a second one, which it stays with until the place is empty', async () => {
    answering.add(nameOf(COPY)).add(nameOf(SECOND));
    for (let count = 0; count < 5; count += 1) {
      copies.met(COPY);
      copies.met(SECOND);
      await clock.advance(LOOK_MS);
    }
    expect(shown).toEqual([nameOf(COPY)]);
    answering.delete(nameOf(COPY));
    await clock.advance(3 * LOOK_MS);
    expect(shown).toEqual([nameOf(COPY), nameOf(SECOND)]);
  });

  it('at ever new ports of a router is one alarm, and few of them are looked at', async () => {
    for (let port = 1; port <= 100; port += 1) {
      copies.met({ ...COPY, port });
      await clock.advance(1_000);
    }
    expect(shown).not.toContain(null);
    dialled = [];
    await clock.advance(LOOK_MS);
    expect(dialled.length).toBeLessThanOrEqual(4);
  });

  it('is forgotten, and looked for no more, when the port between hubs closes', async () => {
    answering.add(nameOf(COPY));
    copies.met(COPY);
    copies.stop();
    await clock.advance(300_000);
    expect([seen(), dialled]).toEqual([null, []]);
  });

  it('is looked for again after the port was closed during a look, and opened', async () => {
    copies.heard([COPY]);
    const looking = clock.advance(0);
    copies.stop();
    copies.start();
    await looking;
    answering.add(nameOf(COPY));
    await hears(COPY);
    await clock.advance(5_000);
    expect(seen()).toEqual(nameOf(COPY));
  });
});
