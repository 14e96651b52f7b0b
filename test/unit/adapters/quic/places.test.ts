// Who gets one of the places among the connections, and whose it is when they are all taken.
import { describe, expect, it } from 'vitest';
import {
  CONNECTIONS_MAX,
  QUARANTINED_CONNECTIONS_MAX,
  STRANGER_PLACE_KEPT_MS,
} from '../../../../main/adapters/quic/limits.ts';
import {
  changed,
  decidePlace,
  NO_STANDING,
  type PlaceDecision,
  type PlaceHolder,
} from '../../../../main/adapters/quic/places.ts';
import { CLOSE_CODES } from '../../../../main/ports/transport.ts';

const CROWDED = '192.168.1.66';

const incoming = (connectionId: number, keyHex: string, host = CROWDED): PlaceHolder => ({
  connectionId,
  keyHex,
  direction: 'incoming',
  host,
  sinceMs: 0,
});
const crowd = (count: number, prefix = 'stranger'): PlaceHolder[] =>
  Array.from({ length: count }, (_, number) => incoming(number + 1, `${prefix} ${number}`));
/**
 * As many strangers as there are places for them, each from an address of its own, one a second.
 */
const spread = (): PlaceHolder[] =>
  Array.from({ length: QUARANTINED_CONNECTIONS_MAX }, (_, number) => ({
    ...incoming(number + 1, `stranger ${number}`, `10.0.0.${number}`),
    sinceMs: number * 1_000,
  }));
const dad = incoming(99, 'dad', '192.168.1.10');

function decide(
  newcomer: PlaceHolder,
  live: readonly PlaceHolder[],
  standing: Parameters<typeof changed>[1] = {},
  nowMs = 0,
): PlaceDecision {
  return decidePlace(newcomer, live, changed(NO_STANDING, standing), nowMs);
}

const NO_PLACE = { admitted: false, code: CLOSE_CODES.overLimit };
const evicting = (connectionId: number) => ({
  admitted: true,
  evicted: [{ connectionId, code: CLOSE_CODES.overLimit }],
});

describe('places', () => {
  it('go to sixteen strangers and no more', () => {
    expect(decide(incoming(99, 'x'), crowd(QUARANTINED_CONNECTIONS_MAX - 1))).toEqual({
      admitted: true,
      evicted: [],
    });
    expect(decide(incoming(99, 'x'), crowd(QUARANTINED_CONNECTIONS_MAX))).toMatchObject(NO_PLACE);
  });

  it('may all go to paired hubs, who take the place of a stranger when all are taken', () => {
    const paired = crowd(CONNECTIONS_MAX, 'paired').map((holder) => holder.keyHex);
    const live = [incoming(900, 'stranger'), ...crowd(CONNECTIONS_MAX - 1, 'paired')];
    expect(decide(incoming(999, `paired ${CONNECTIONS_MAX - 1}`), live, { paired })).toMatchObject(
      evicting(900),
    );
    expect(decide(incoming(999, 'x'), crowd(CONNECTIONS_MAX, 'paired'), { paired })).toMatchObject({
      admitted: false,
    });
  });

  it('go to a hub that a person here dials before strangers who came by themselves', () => {
    const dialled: PlaceHolder = { ...dad, direction: 'outgoing' };
    expect(decide(dialled, crowd(QUARANTINED_CONNECTIONS_MAX))).toMatchObject(evicting(1));
    expect(decide(dialled, spread())).toMatchObject(evicting(1));
  });

  it('are not all held by the strangers of one address: one from an address without any takes the newest of the most crowded', () => {
    const live = [
      ...crowd(QUARANTINED_CONNECTIONS_MAX - 1),
      incoming(500, 'other', '192.168.1.67'),
    ];
    expect(decide(dad, live)).toMatchObject(evicting(QUARANTINED_CONNECTIONS_MAX - 1));
    expect(decide(incoming(99, 'x', '192.168.1.67'), live)).toMatchObject(NO_PLACE);
  });

  it('are not held for good by strangers of as many addresses: the oldest gives way once it had time to begin a pairing', () => {
    expect(decide(dad, spread(), {}, STRANGER_PLACE_KEPT_MS - 1)).toMatchObject(NO_PLACE);
    expect(decide(dad, spread(), {}, STRANGER_PLACE_KEPT_MS)).toMatchObject(evicting(1));
  });

  it('of others are not for an address that has some already: a stranger there waits for the oldest of its own', () => {
    const late = incoming(99, 'x', '10.0.0.3');
    expect(decide(late, spread(), {}, STRANGER_PLACE_KEPT_MS)).toMatchObject(NO_PLACE);
    expect(decide(late, spread(), {}, STRANGER_PLACE_KEPT_MS + 3_000)).toMatchObject(evicting(4));
  });

  it('of hubs with a pairing under way go to nobody, not even to one that a person here dials', () => {
    const live = spread();
    const pairing = live.slice(0, 3).map(({ keyHex }) => keyHex);
    const hourLater = 3_600_000;
    expect(decide(dad, live, { pairing }, hourLater)).toMatchObject(evicting(4));
    expect(decide({ ...dad, direction: 'outgoing' }, live, { pairing }, hourLater)).toMatchObject(
      evicting(4),
    );
    expect(
      decide(dad, live, { pairing: live.map(({ keyHex }) => keyHex) }, hourLater),
    ).toMatchObject(NO_PLACE);
  });

  it('are found for a hub with a pairing under way that has to connect again', () => {
    expect(decide(dad, spread(), { pairing: ['dad'] })).toMatchObject(evicting(1));
  });

  it('hold two connections of a key, of which a third replaces the oldest', () => {
    const live = [incoming(1, 'a'), incoming(2, 'b'), incoming(3, 'a')];
    expect(decide(incoming(4, 'a'), live)).toMatchObject({
      admitted: true,
      evicted: [{ connectionId: 1, code: CLOSE_CODES.duplicate }],
    });
    expect(decide(incoming(4, 'b'), live)).toEqual({ admitted: true, evicted: [] });
  });

  it('are not for refused keys', () => {
    expect(decide(incoming(1, 'a'), [], { paired: ['a'], refused: ['a'] })).toMatchObject({
      admitted: false,
      code: CLOSE_CODES.revoked,
    });
  });
});
