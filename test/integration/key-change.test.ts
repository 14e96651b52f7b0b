// HE-09 at the terminal of a real hub: another hub runs where a paired one should be, and the
// person is told before anything is done.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { HubStack } from '../fakes/hub-stack.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { prepareHome } from '../support/prepared-home.ts';
import { axon, choosePassphrase, endPrograms, startHeadless } from '../support/programs.ts';
import { until } from '../support/until.ts';
import { newIdentity, systemDeps } from './quic-test-hub.ts';

const STOP_WITHIN_MS = 30_000;
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  await endPrograms();
  for (const end of ends.splice(0).reverse()) await end();
});

/** Each command is a process of its own, on a computer that may be busy. */
const COMMANDS_MAX_MS = 180_000;

it(
  'HE-09: "axon peers" stops with both safety numbers in fixed words, and "axon peers keep" lets nothing in',
  async () => {
    const twin = new HubStack({
      clock: systemDeps.clock,
      name: 'Mum',
      transport: createInProcessTransport(systemDeps),
    });
    ends.push(() => twin.stop());
    await twin.start();
    const [own, mum] = [newIdentity(), newIdentity()];
    const home = mkdtempSync(join(tmpdir(), 'axon-key-change-'));
    ends.push(() => rmSync(home, { recursive: true, force: true }));
    await prepareHome(home, own, [
      { identity: mum, name: 'Mum', place: { host: '127.0.0.1', port: twin.port } },
    ]);
    await startHeadless(home);
    const passphrase = await choosePassphrase(home);
    const owner = (...parameters: readonly string[]) =>
      axon(home, ['--passphrase-file', passphrase, ...parameters]);
    expect(await owner('agents', 'add', 'asker')).toMatchObject({ code: 0 });
    const stopped = await until('the stop', STOP_WITHIN_MS, async () => {
      const { out } = await axon(home, ['peers']);
      return out.includes('STOP') ? out : undefined;
    });
    expect(stopped).toContain(`STOP: Mum has a new identity.`);
    expect(stopped).toContain(
      `Something answers in the place of Mum, at 127.0.0.1:${twin.port}, but not with its key. Nothing from it gets in.`,
    );
    const numbers = stopped.match(/(?: \d{5}){12}/g) ?? [];
    expect(numbers).toHaveLength(2);
    expect(numbers[0]).not.toBe(numbers[1]);

    expect(stopped.split('\n')[1]).toMatch(/^Mum +STOP: new identity +paired /);
    const said = await axon(home, ['status']);
    expect(said.out).toContain(
      `STOP        Mum has a new identity. Something answers in the place of Mum, at 127.0.0.1:${twin.port}, but not with its key.`,
    );
    const statusOf = async () =>
      JSON.parse((await axon(home, ['status', '--json'])).out) as {
        readonly key_changes: readonly unknown[];
      };
    expect((await statusOf()).key_changes).toEqual([
      {
        id: expect.stringMatching(/^ed25519\./),
        name: 'Mum',
        address: `127.0.0.1:${twin.port}`,
        seen_at: expect.any(Number),
      },
    ]);

    // An agent's token answers for nobody, and the wrong key is not what was shown.
    expect(await axon(home, ['peers', 'keep', 'Mum'])).not.toMatchObject({ code: 0 });
    const kept = await owner('peers', 'keep', 'mum');
    expect(kept).toMatchObject({
      code: 0,
      out: expect.stringContaining('Kept: the old key of Mum. The other one stays outside.'),
    });
    const after = await axon(home, ['peers', '--all', '--json']);
    const { items } = JSON.parse(after.out) as {
      items: readonly { public_key: string; trust: string; online: boolean }[];
    };
    expect(items.find(({ public_key }) => public_key === mum.keyHex)).toMatchObject({
      trust: 'paired',
      online: false,
    });
    expect(items.filter(({ trust }) => trust === 'paired')).toHaveLength(1);
    expect((await axon(home, ['peers'])).out).not.toContain('STOP');
    expect((await axon(home, ['status'])).out).not.toContain('STOP');
    expect((await statusOf()).key_changes).toEqual([]);
    expect(await owner('peers', 'keep', 'Mum')).toMatchObject({ code: 0 });
  },
  COMMANDS_MAX_MS,
);
