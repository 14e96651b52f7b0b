// Which connection of a hub is sent on, and what becomes of the other one.
import { beforeEach, expect, it } from 'vitest';
import type { ConnectionInfo } from '../../../../main/ports/transport.ts';
import type { Link } from '../../../../main/services/links/link.ts';
import { LinkTable } from '../../../../main/services/links/link-table.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const KEY = 'ab'.repeat(32);

let clock: ManualClock;
let isAlive: boolean;
let closed: number[];
let checked: number[];
let table: LinkTable;
let sendingAtChange: (number | undefined)[];

beforeEach(() => {
  clock = new ManualClock();
  isAlive = true;
  closed = [];
  checked = [];
  sendingAtChange = [];
  table = new LinkTable({
    clock,
    transport: {
      close: (id) => void closed.push(id),
      checkAlive: (id) => void checked.push(id),
      keepPlaces: () => undefined,
    },
    // Lower than any other, so that of two dialled at once ours stays.
    ownAgentId: () => 'a',
    isAlive: () => Promise.resolve(isAlive),
    onChange: (key) => void sendingAtChange.push(table.sending(key)?.id),
    onGone: () => undefined,
    onEstablished: () => undefined,
  });
});

function established(connectionId: number, direction: ConnectionInfo['direction']): Link {
  const { link } = table.opened({
    connectionId,
    keyHex: KEY,
    direction,
    host: '127.0.0.1',
    port: 1,
  });
  table.established(link);
  return link;
}

it('the connection dialled by the lower agent id is sent on; the other is closed when idle', async () => {
  established(1, 'outgoing');
  established(2, 'incoming');
  await clock.advance(5_000);
  expect(table.sending(KEY)?.id).toBe(1);
  expect(closed).toEqual([2]);
  // Whoever is told of changes knows at each moment which one it is.
  expect(sendingAtChange).toEqual([1, 2, 1, 1]);
});

it('one that does not answer in time is not sent on, and closed by nobody while work is under way on it', async () => {
  const older = established(1, 'outgoing');
  const end = older.begin();
  isAlive = false;
  established(2, 'incoming');
  await clock.advance(60_000);
  expect(table.sending(KEY)?.id).toBe(2);
  expect(closed).toEqual([]);
  expect(checked).toEqual([1]);
  end();
  await clock.advance(5_000);
  expect(closed).toEqual([1]);
});

it('work on the one that is given up goes on, whatever a question on it would come to; the transport is asked whether it is dead', async () => {
  established(1, 'incoming').begin();
  isAlive = false;
  established(2, 'incoming');
  await clock.advance(60_000);
  expect(closed).toEqual([]);
  expect(checked).toEqual([1]);
});
