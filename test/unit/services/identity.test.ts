// One identity for ever: made once, found again, never replaced, whatever the vaults do.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import { toHex } from '../../../main/lib/bytes.ts';
import { Secret } from '../../../main/lib/secret.ts';
import type { KeyVault, VaultKind, VaultRead } from '../../../main/ports/key-vault.ts';
import { publicKeyOfSeed, verify } from '../../../main/protocol/signature.ts';
import { IdentityService } from '../../../main/services/base/identity.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { openTemporaryStore, SILENT_LOG, type TemporaryStore } from '../../fakes/memory-store.ts';

/** A vault that does what the test says. */
class ScriptedVault implements KeyVault {
  readonly kind: VaultKind;
  seed: Uint8Array | undefined;
  trouble: Exclude<VaultRead['state'], 'found' | 'absent'> | 'hangs' | 'throws' | undefined;
  losesWrites = false;
  writes = 0;

  constructor(kind: VaultKind) {
    this.kind = kind;
  }

  read(): Promise<VaultRead> {
    if (this.trouble === 'hangs') return new Promise(() => undefined);
    if (this.trouble === 'throws') return Promise.reject(new Error('the bus is gone'));
    if (this.trouble !== undefined)
      return Promise.resolve({
        state: this.trouble,
        reason: `The ${this.kind} is ${this.trouble}.`,
      });
    return Promise.resolve(
      this.seed === undefined
        ? { state: 'absent' }
        : { state: 'found', seed: new Secret(this.seed) },
    );
  }

  write(seed: Secret<Uint8Array>): Promise<void> {
    this.writes++;
    if (this.seed !== undefined) return Promise.reject(new Error('a seed is there already'));
    if (!this.losesWrites) this.seed = seed.expose();
    return Promise.resolve();
  }
}

let clock: ManualClock;
let store: TemporaryStore;
let keychain: ScriptedVault;
let file: ScriptedVault;
const never = new AbortController().signal;

beforeEach(() => {
  clock = new ManualClock();
  store = openTemporaryStore(clock);
  keychain = new ScriptedVault('keychain');
  file = new ScriptedVault('file');
});
afterEach(async () => {
  await store.close();
  expect(clock.timers).toBe(0);
});

const service = (): IdentityService =>
  new IdentityService({
    store,
    vaults: [keychain, file],
    clock,
    random: new SystemRandom(),
    log: SILENT_LOG,
  });

describe('the identity of a hub', () => {
  it('is made once in the keychain and found again after a restart', async () => {
    const first = await service().open(never);
    expect(first).toMatchObject({ state: 'ready', vault: 'keychain' });
    const again = service();
    expect(await again.open(never)).toEqual(first);
    expect(again.warnings()).toEqual([]);
    expect([keychain.writes, file.writes]).toEqual([1, 0]);
    const message = new Uint8Array([1, 2, 3]);
    expect(
      verify(again.sign(message), message, publicKeyOfSeed(keychain.seed ?? new Uint8Array(32))),
    ).toBe(true);
  });

  it('is made in a file, with a warning, only where there is no keychain', async () => {
    keychain.trouble = 'unavailable';
    const identity = service();
    expect(await identity.open(never)).toMatchObject({ state: 'ready', vault: 'file' });
    expect(identity.warnings().join(' ')).toContain('file');
    // A keychain that turns up later changes nothing.
    keychain.trouble = undefined;
    expect(await service().open(never)).toMatchObject({
      state: 'ready',
      vault: 'file',
      keyHex: identity.keyHex,
    });
    expect(keychain.writes).toBe(0);
  });

  it('F-16: is never made in a file because the keychain is locked or does not answer', async () => {
    keychain.trouble = 'locked';
    expect(await service().open(never)).toMatchObject({ state: 'locked' });
    keychain.trouble = 'throws';
    expect(await service().open(never)).toMatchObject({ state: 'locked' });
    keychain.trouble = 'hangs';
    const waiting = service().open(never);
    await clock.advance(10_001);
    expect(await waiting).toMatchObject({ state: 'locked' });
    expect([keychain.writes, file.writes]).toEqual([0, 0]);
    expect(store.read.getMeta('identity_key')).toBeUndefined();
  });

  it('F-16: once recorded is never replaced: locked, gone, damaged and absent are states, and unlocking resumes', async () => {
    const { keyHex } = await recorded();
    const identity = service();
    for (const trouble of ['locked', 'unavailable', 'throws'] as const) {
      keychain.trouble = trouble;
      expect(await identity.open(never)).toMatchObject({ state: 'locked' });
      expect(() => identity.keyHex).toThrow(expect.objectContaining({ code: 'identity_locked' }));
      expect(() => identity.sign(new Uint8Array(1))).toThrow(
        expect.objectContaining({ code: 'identity_locked' }),
      );
    }
    keychain.trouble = 'damaged';
    expect(await identity.open(never)).toMatchObject({ state: 'damaged' });
    keychain.trouble = undefined;
    const { seed } = keychain;
    keychain.seed = undefined;
    expect(await identity.open(never)).toMatchObject({ state: 'missing' });
    keychain.seed = new Uint8Array(randomBytes(32));
    expect(await identity.open(never)).toMatchObject({ state: 'damaged' });
    keychain.seed = seed;
    expect(await identity.open(never)).toMatchObject({ state: 'ready', keyHex });
    expect([keychain.writes, file.writes]).toEqual([1, 0]);
  });

  it('is missing where the vault it was kept in does not exist any more', async () => {
    await recorded();
    const elsewhere = new IdentityService({
      store,
      vaults: [file],
      clock,
      random: new SystemRandom(),
      log: SILENT_LOG,
    });
    expect(await elsewhere.open(never)).toMatchObject({ state: 'missing' });
    expect(file.writes).toBe(0);
  });

  it('is taken over when a crash came between the vault and the record', async () => {
    const seed = new Uint8Array(randomBytes(32));
    keychain.seed = seed;
    expect(await service().open(never)).toMatchObject({
      state: 'ready',
      keyHex: toHex(publicKeyOfSeed(seed)),
    });
    expect(keychain.writes).toBe(0);
  });

  it('is not believed to be stored by a vault that forgets it', async () => {
    keychain.losesWrites = true;
    expect(await service().open(never)).toMatchObject({ state: 'locked' });
    expect(store.read.getMeta('identity_key')).toBeUndefined();
  });

  it('is opened once, however many ask at the same time', async () => {
    const identity = service();
    const opened = await Promise.all([
      identity.open(never),
      identity.open(never),
      identity.open(never),
    ]);
    expect(
      new Set(opened.map((state) => ('keyHex' in state ? state.keyHex : state.state))).size,
    ).toBe(1);
    expect(keychain.writes).toBe(1);
  });
});

async function recorded(): Promise<{ keyHex: string }> {
  const state = await service().open(never);
  if (state.state !== 'ready') throw new Error('the identity was not made');
  return state;
}
