// A hub's work over a real store, in a process that is killed: an agent here asks another one, a
// person allows or declines it, the other takes it, says that it has it, and ends it. Says each
// step once its promise settled, before it goes on. Argument: the data folder.
import { join } from 'node:path';
import { SystemClock, SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import { FileVault } from '../../../main/adapters/keyvault/file-vault.ts';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import { Audit } from '../../../main/services/audit/audit.ts';
import { watchAudit } from '../../../main/services/audit/watched-store.ts';
import { EventBus } from '../../../main/services/base/event-bus.ts';
import { IdentityService } from '../../../main/services/base/identity.ts';
import { PeerRates } from '../../../main/services/links/peer-rates.ts';
import { composeTaskServices } from '../../../main/app/task-services.ts';
import { MemoryMessenger, MemoryNetwork } from '../../fakes/memory-messenger.ts';
import { delegation, NO_LIMITS } from '../../fakes/work-hub.ts';
import { CHILD_LOG, say } from './child-log.ts';

const [, , home = '', last = ''] = process.argv;
const WAITING_MAX = 4;
/** What was taken and not acknowledged comes back after so long. */
const LEASE_MS = 500;
/** Far oftener than a hub does, so that the kill meets it. */
const SIGN_EVERY_MS = 5;
const person = { actor: 'ui:1', surface: 'browser' } as const;
const owner = { actor: 'ui:1', surface: 'browser' } as const;
const { signal } = new AbortController();

const clock = new SystemClock();
const random = new SystemRandom();
const parts = { clock, random, log: { ...CHILD_LOG, info: () => undefined } };
const store = watchAudit(
  openStore({ path: join(home, 'hub.db'), clock, log: CHILD_LOG }),
  (surface) => audit.appended(surface),
);
const identity = new IdentityService({
  ...parts,
  store,
  vaults: [new FileVault(join(home, 'identity.key'))],
});
const audit: Audit = new Audit({ ...parts, store, identity, onState: () => undefined });
await identity.open(signal);
audit.start();
await audit.check(signal);
say({ audit: audit.state });

const work = composeTaskServices({
  approvalWaitMs: () => 3_600_000,
  turnsMax: () => 12,
  personName: () => null,
  timeZone: () => 'UTC',
  ...parts,
  store,
  events: new EventBus(),
  messenger: new MemoryMessenger({ network: new MemoryNetwork(), key: identity.keyHex, store }),
  rates: new PeerRates(clock, NO_LIMITS, Number.MAX_SAFE_INTEGER),
  rulesMayAct: () => audit.rulesMayAct,
  resolvePeer: () => {
    throw new Error('nobody else is here');
  },
  pinnedPeer: () => {
    throw new Error('nobody else is here');
  },
  refreshCapabilities: () => {
    throw new Error('nobody else is here');
  },
  hubName: () => 'Here',
  mintAgentToken: (agent) => Promise.resolve(`token of ${agent}`),
  revokeAgentTokens: () => () => undefined,
});
await work.start();
for (const name of ['asker', 'doer']) {
  if (store.read.agent(name) === undefined)
    await work.agents.create(name, { domains: ['family.chores'] }, 'R2', owner);
}

/** Asks, while few wait. */
async function asks(): Promise<boolean> {
  if (work.approvals.pending().length >= WAITING_MAX) return false;
  const report = await work.sender.delegate(
    delegation('local/doer', `Chore ${random.uuid()}`, { domain: 'family.chores' }),
    'asker',
    null,
  );
  say({ asked: report.id });
  return true;
}

/** Decides what waits: three of four are allowed. */
async function decides(): Promise<boolean> {
  const [card] = work.approvals.pending();
  if (card === undefined) return false;
  const { id, revision, digest, task_id: taskId } = card;
  const decision = random.fraction() < 0.75 ? 'allow' : 'decline';
  const decided = await work.approvals.decide({ id, revision, digest, decision }, person);
  say({ [decided.state]: taskId });
  return true;
}

/** Takes what waits, as an agent does: it runs what the hub was told that it has. */
async function does(): Promise<boolean> {
  const [item] = await work.inbox.claim('doer', 1, LEASE_MS);
  if (item === undefined) return false;
  await work.inbox.ack('doer', item.delivery_id, null);
  say({ ran: item.task_id });
  await work.inbox.reply('doer', item.delivery_id, {
    status: 'completed',
    outcome: 'Done',
    truncated: false,
  });
  say({ ended: item.task_id });
  return true;
}

/** Nothing waits for a person or for the agent. */
function isQuiet(): boolean {
  return (
    store.read.tasksInStates(['awaiting_approval', 'approved', 'queued', 'claimed']).length === 0
  );
}

if (last === 'to-the-end') {
  while (!isQuiet())
    if (!(await decides()) && !(await does()))
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 10));
  await work.stop();
  await audit.stop();
  await store.close();
} else {
  // A step that had nothing to do lets the store's answers in: without a turn of the loop between,
  // nothing would ever be done again.
  const forEver = async (step: () => Promise<boolean>): Promise<never> => {
    for (;;) if (!(await step())) await new Promise((resolve) => setImmediate(resolve));
  };
  const signs = async (): Promise<boolean> => {
    await audit.sign();
    await new Promise((resolve) => setTimeout(resolve, SIGN_EVERY_MS));
    return true;
  };
  await Promise.all([asks, decides, does, does, signs].map(forEver));
}
