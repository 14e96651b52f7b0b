// Another key in a paired hub's place (HE-09): when people are stopped, what ends it, and what
// never does.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { safetyNumber } from '../../../../main/core/safety-number.ts';
import { SecurityAudit, noteWrongKey } from '../../../../main/services/links/security-audit.ts';
import { TokenBuckets } from '../../../../main/lib/token-buckets.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { StackHouse } from '../../../support/stack-house.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

describe('HE-09: with another key in the place of a paired hub', () => {
  /** Mum is gone, and something else answers at her port. */
  async function usurped(): Promise<{ dad: HubStack; mum: HubStack; other: HubStack }> {
    const { dad, mum } = await house.couple();
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed');
    const other = await house.hub('Mum', { port: mum.port });
    await house.clock.until(() => dad.peer(mum).key_change !== null, 'the stop is there', 60_000);
    return { dad, mum, other };
  }

  it('people are stopped with both safety numbers, also after a restart, until one keeps the key that was shown', async () => {
    const { dad, mum, other } = await usurped();
    expect(dad.peer(mum).key_change).toMatchObject({
      seen_key: other.key,
      seen_safety_number: safetyNumber(dad.key, other.key),
      address: `127.0.0.1:${mum.port}`,
      kept_at: null,
    });
    expect(dad.peer(mum).safety_number).toBe(safetyNumber(dad.key, mum.key));
    // What is written without waiting is there once a later write is.
    await dad.store.write(() => undefined);
    // Whoever answered did it, and not the hub whose place it took.
    const told = dad.store.read.audit({ limit: 10 });
    expect(told.find(({ action }) => action === 'peer.wrong_key')).toMatchObject({
      actor: 'hub',
      surface: 'hub',
      object: mum.key,
    });
    await dad.halt();
    await dad.start();
    expect(dad.peer(mum).key_change).toMatchObject({ seen_key: other.key, kept_at: null });
    await expect(dad.directory.keyChanges.keep(mum.key, dad.key, PERSON)).rejects.toMatchObject({
      code: 'request_changed',
    });
    await dad.directory.keyChanges.keep(mum.key, other.key, PERSON);
    expect(dad.peer(mum).key_change).toMatchObject({
      seen_key: other.key,
      kept_at: expect.any(Number),
    });
    expect(
      dad.store.read.audit({ limit: 10 }).map(({ action, actor }) => `${action} ${actor}`),
    ).toContain('peer.key_kept ui:test');
    expect(dad.store.read.peers().map(({ key, trust }) => [key, trust])).toEqual([
      [mum.key, 'paired'],
    ]);
  });

  it('ever fresh keys neither change what is shown nor raise it again, and the hub itself ends it by coming back', async () => {
    const { dad, mum, other } = await usurped();
    await other.halt();
    const third = await house.hub('Mum', { port: mum.port });
    const dialled = (key: string): boolean =>
      dad.store.read.audit({ limit: 50 }).some(({ detail }) => detail.includes(key));
    await house.clock.until(() => dialled(third.key), 'the third key is met', 60_000);
    expect(dad.peer(mum).key_change).toMatchObject({ seen_key: other.key });
    await dad.directory.keyChanges.keep(mum.key, other.key, PERSON);
    await house.clock.advance(120_000);
    expect(dad.peer(mum).key_change?.kept_at).not.toBeNull();
    await third.halt();
    await mum.start(mum.port);
    await house.clock.until(() => dad.links.isOnline(mum.key), 'Mum is back', 60_000);
    expect(dad.peer(mum).key_change).toBeNull();
  });

  it('an answer of a person outlives what is seen of another hub in the same moment, before it and after it', async () => {
    const { dad, mum } = await house.couple();
    const [aunt, uncle, other] = [
      await house.hub('Aunt'),
      await house.hub('Uncle'),
      await house.hub('Other'),
    ];
    await dad.pins(aunt);
    await dad.pins(uncle);
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed');
    const at = { host: '127.0.0.1', port: 1 };
    const { keyChanges } = dad.directory;
    keyChanges.seen(mum.key, other.key, at);
    keyChanges.seen(aunt.key, other.key, at);
    const answers = [mum, aunt].map(({ key }) => keyChanges.keep(key, other.key, PERSON));
    keyChanges.seen(uncle.key, other.key, at);
    await Promise.all(answers);
    await dad.store.write(() => undefined);
    await dad.halt();
    await dad.start();
    const kept = [mum, aunt, uncle].map((stack) => typeof dad.peer(stack).key_change?.kept_at);
    expect(kept).toEqual(['number', 'number', 'object']);
  });

  it('nobody is stopped while the hub is connected from elsewhere', async () => {
    const { dad, mum } = await house.couple();
    const other = await house.hub('Other');
    const { directory, store } = dad;
    const row = store.read.peer(mum.key);
    const at = { host: row?.lastHost ?? '', port: row?.lastPort ?? 0 };
    const { clock } = house;
    const audit = new SecurityAudit({
      store,
      clock,
      log: SILENT_LOG,
      directory,
      buckets: new TokenBuckets(clock),
    });
    noteWrongKey({ directory, audit }, mum.key, other.key, at);
    expect(dad.peer(mum)).toMatchObject({ online: true, key_change: null });
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed');
    noteWrongKey({ directory, audit }, mum.key, other.key, at);
    expect(dad.peer(mum).key_change).not.toBeNull();
  });

  it.each([
    ['hub.example.org', '127.0.0.1', false],
    ['mums-laptop.local', '127.0.0.1', false],
    ['127.0.0.9', '127.0.0.9', true],
    ['127.0.0.9', '127.0.0.1', false],
  ])(
    'the place being given as %s, an answer from %s makes people stop: %s',
    async (host, answered, isTold) => {
      const { dad, mum } = await house.couple();
      const other = await house.hub('Other');
      const { directory, store } = dad;
      await mum.halt();
      await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed');
      expect(store.read.peer(mum.key)?.lastHost).toBe('127.0.0.1');
      const port = mum.port + 1;
      await directory.update(mum.key, { address: { host, port } }, PERSON);
      const { clock } = house;
      const audit = new SecurityAudit({
        store,
        clock,
        log: SILENT_LOG,
        directory,
        buckets: new TokenBuckets(clock),
      });
      noteWrongKey({ directory, audit }, mum.key, other.key, { host: answered, port });
      expect(dad.peer(mum).key_change !== null).toBe(isTold);
    },
  );

  it('no announcement, no other hub of the household and no removed hub makes people stop', async () => {
    const { dad, mum } = await house.couple();
    const aunt = await house.hub('Aunt');
    await dad.pins(aunt);
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key));
    const stranger = await house.hub('Mum');
    for (const port of [stranger.port, aunt.port]) {
      const before = dad.auditActions().length;
      dad.directory.foundNearby({
        agentId: mum.agentId,
        keyHex: mum.key,
        port,
        addresses: ['127.0.0.1'],
        label: 'Mum',
      });
      await house.clock.until(
        () => dad.auditActions().length > before,
        'the wrong key is met',
        60_000,
      );
    }
    await dad.directory.update(
      mum.key,
      { address: { host: '127.0.0.1', port: aunt.port } },
      PERSON,
    );
    await house.clock.advance(60_000);
    expect(dad.peer(mum).key_change).toBeNull();
    await dad.directory.update(
      mum.key,
      { address: { host: '127.0.0.1', port: stranger.port } },
      PERSON,
    );
    await house.clock.until(
      () => dad.peer(mum).key_change !== null,
      'the owner said that it is there',
      60_000,
    );
    await dad.directory.remove(mum.key, PERSON);
    expect(dad.peer(mum).key_change).toBeNull();
  });
});
