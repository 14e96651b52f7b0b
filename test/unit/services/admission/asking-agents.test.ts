// A delegation in the name of an agent that its hub has not told us of: looked up once more,
// refused for good, or for now.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Envelope } from '../../../../main/protocol/envelope.ts';
import { AppError } from '../../../../main/lib/app-error.ts';
import { err, ok, type Result } from '../../../../main/lib/result.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { peerRow, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let mum: WorkHub;
let dad: WorkHub;
let lookUp: () => Promise<Result<void, AppError>>;

beforeEach(async () => {
  lookUp = () => Promise.resolve(ok());
  ({ clock, dad, mum } = await openPairedHubs({}, { refreshCapabilities: () => lookUp() }));
  await mum.agent('claude', ['family.chat']);
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const tells = (agents: readonly string[]): Promise<void> =>
  mum.store.write((tables) => {
    const capabilities = JSON.stringify({
      agents: agents.map((name) => ({ name, domains: [], capabilities: [] })),
    });
    tables.putPeer({ ...peerRow(dad), capabilities, capabilitiesAt: 1 });
  });
const ask = async (id: string): Promise<Envelope['payload']> => {
  const payload = { task: 'Dinner is at 7', domain: 'family.chat', route: { from: 'openclaw' } };
  const heard = mum.hears(dad.key, { id, kind: 'delegate', payload });
  await clock.advance(2_000);
  return (await heard).payload;
};

it('is taken when the hub tells of the agent now', async () => {
  lookUp = async () => {
    await tells(['openclaw']);
    return ok();
  };
  expect(await ask(randomUUID())).toMatchObject({ accepted: true, state: 'pending_approval' });
});

it('is refused when the hub does not know the agent, and the very same may come again', async () => {
  const id = randomUUID();
  expect(await ask(id)).toMatchObject({
    accepted: false,
    code: 'not_authorized',
    retryable: false,
  });
  await tells(['openclaw']);
  expect(await ask(id)).toMatchObject({ accepted: true, state: 'pending_approval' });
});

const NOT_SAID = {
  'the line broke before the hub could be asked': new AppError(
    'peer_unreachable',
    'Dad is not connected just now.',
    { failedBy: 'peer' },
  ),
  'the hub says that it does not know this one yet': new AppError('not_authorized', 'Not paired.', {
    failedBy: 'peer',
  }),
  'the hub did not answer in time': new AppError('timeout', 'No answer.', { failedBy: 'timeout' }),
};

it.each(Object.entries(NOT_SAID))(
  'is refused for now when %s, and taken when the very same comes again',
  async (_, error) => {
    const id = randomUUID();
    lookUp = () => Promise.resolve(err(error));
    expect(await ask(id)).toMatchObject({ accepted: false, code: 'timeout', retryable: true });
    expect(mum.work.approvals.pending()).toEqual([]);
    await tells(['openclaw']);
    expect(await ask(id)).toMatchObject({ accepted: true, state: 'pending_approval' });
    expect(mum.work.approvals.pending()).toHaveLength(1);
  },
);
