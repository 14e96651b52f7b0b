// Gives a hub that was started once a long past and much to decide: what pages have to draw. The
// decided and the waiting requests come through the services, from hubs that were there; the other
// messages are written as the services leave them. In a process of its own, because the schema's
// text needs Node's hooks: node --import ../support/raw-imports.mjs.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { peerRow, keyOf } from '../fakes/sample-rows.ts';
import { closeTwoHubs, openTwoHubs } from '../fakes/two-work-hubs.ts';
import { newIdentity } from '../integration/quic-test-hub.ts';
import { prepareHome } from '../support/prepared-home.ts';
import { insertExchange } from './exchange.ts';
import { FilledHubs, words } from './filled-hubs.ts';

export interface PagesPlan {
  readonly decided: number;
  readonly pending: number;
  readonly messages: number;
  readonly peers: number;
}

/** As many of one hub as may wait for a person. */
const PENDING_EACH = 5;
const TEXT_BYTES = 450;
const EXCHANGES_A_COMMIT = 500;
const DAY_MS = 86_400_000;

const [, , home = '', text = '{}'] = process.argv;
const plan: PagesPlan = JSON.parse(text);
/** With agents there, a hub takes no first passphrase: that of the owner stays. */
const PASSPHRASE = 'auth.passphrase';
const earlier = new Database(join(home, 'hub.db'), { readonly: true });
const passphrase: unknown = earlier
  .prepare('SELECT value FROM meta WHERE name = ?')
  .pluck()
  .get(PASSPHRASE);
earlier.close();
if (typeof passphrase !== 'string') throw new Error('the hub has no owner passphrase');
const hubs = await openTwoHubs();
const { clock, mum } = hubs;
/** All of it is over, or has just been asked, when the real clock goes on. */
clock.jumpWall(Date.now() - clock.wallMs());
const others = Array.from({ length: plan.peers - 1 }, (_, number) => keyOf(`hub ${number}`));
await mum.store.write((tables) => {
  tables.setMeta(PASSPHRASE, passphrase);
  for (const [number, key] of others.entries()) {
    const place = { lastHost: null, lastPort: null };
    tables.putPeer(peerRow({ key, petname: `Hub ${number}`, person: null, ...place }));
  }
});

const filled = await FilledHubs.of(hubs, TEXT_BYTES);
await filled.delegations(plan.decided);
const records = new Database(mum.file, { readonly: true });
const numberOf = (sql: string): number => Number(records.prepare(sql).pluck().get());
let made = numberOf('SELECT count(*) FROM said');
while (made < plan.messages) {
  const count = Math.min(EXCHANGES_A_COMMIT, Math.ceil((plan.messages - made) / 2));
  await mum.store.write((tables) => {
    for (let exchange = 0; exchange < count; exchange += 1, made += 2) {
      const id = crypto.randomUUID();
      const party = others[Math.floor(made / 2) % others.length] ?? '';
      // The older they are, the further apart.
      const at = clock.wallMs() - DAY_MS - Math.floor((made / plan.messages) * 300) * DAY_MS;
      const [question, answer] = [words(TEXT_BYTES), words(TEXT_BYTES)];
      insertExchange(tables, { id, party, conversationId: id, at, question, answer });
    }
  });
}
for (let asked = 0; asked < plan.pending; asked += 1) {
  const party = others[Math.floor(asked / PENDING_EACH)] ?? '';
  const payload = { task: words(TEXT_BYTES), domain: 'family.chat' };
  const answer = mum.hears(party, { id: crypto.randomUUID(), kind: 'delegate', payload });
  await clock.settle();
  const { kind } = await answer;
  if (kind !== 'ack') throw new Error(`a request was answered ${kind}`);
}
while (mum.store.read.isSearchBehind())
  await mum.store.write((tables) => tables.tendSearch(EXCHANGES_A_COMMIT));

for (const name of ['hub.db', 'hub.db-wal', 'hub.db-shm', 'identity.key', 'audit.counter'])
  rmSync(join(home, name), { force: true });
records.prepare('VACUUM INTO ?').run(join(home, 'hub.db'));
const found: PagesPlan = {
  decided: numberOf("SELECT count(*) FROM approvals WHERE state = 'approved'"),
  pending: numberOf("SELECT count(*) FROM approvals WHERE state = 'pending'"),
  messages: numberOf('SELECT count(*) FROM said'),
  peers: numberOf("SELECT count(*) FROM peers WHERE trust = 'paired'"),
};
records.close();
await closeTwoHubs(hubs);
await prepareHome(home, newIdentity(), []);
process.stdout.write(JSON.stringify(found));
