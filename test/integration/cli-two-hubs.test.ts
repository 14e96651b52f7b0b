// Two hubs at their terminals: how one is added to the other by its address, and what is asked of a
// hub that was added.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { agentIdOfKeyHex } from '../../main/protocol/agent-id.ts';
import { Program, axon, choosePassphrase, endPrograms } from '../support/programs.ts';
import type { Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
let other: TestHub;
let passphrase: string;
const run = (...parameters: readonly string[]): Promise<Ended> => axon(hub.home, parameters);
const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);

beforeAll(async () => {
  hub = await TestHub.start();
  other = await TestHub.start();
  passphrase = await choosePassphrase(hub.home);
  await choosePassphrase(other.home);
});
afterEach(endPrograms);
afterAll(async () => {
  await hub.stop();
  await other.stop();
});

describe('two hubs that know of each other by address alone', () => {
  test('one that does not answer ends the command with what to look at, and its attempt can be looked at, put away and made anew', async () => {
    const { public_key: key = '' } = other.node.services.hub.current();
    const silent = createSocket('udp4');
    silent.bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${silent.address().port}`;
    try {
      const ended = await owner('pair', 'start', key ?? '', '--address', address);
      expect(ended).toMatchObject({ code: 4, out: '' });
      expect(ended.error).toContain(`Looking for the hub at ${address}. Ctrl-C gives up.\n`);
      expect(ended.error).toContain(
        `\nNo hub answers at ${address}. Check that it is running there`,
      );
      expect(ended.error).toContain(
        `\n"npx axon status" at the other hub shows its addresses, port and key.`,
      );
      const [attempt] = hub.node.services.pairing.list();
      expect((await owner('pair')).out).toContain(attempt?.failure);
      expect(await owner('pair', 'cancel', attempt?.id ?? '')).toMatchObject({
        code: 0,
        out: `It had ended: ${attempt?.failure}\n`,
      });
      expect(hub.node.services.pairing.list()).toEqual([]);

      const given = Program.start(
        'cli',
        ['--passphrase-file', passphrase, 'pair', 'start', key ?? '', '--address', address],
        {
          AXON_HOME: hub.home,
        },
      );
      await expect.poll(() => hub.node.services.pairing.list().length).toBe(1);
      given.kill('SIGINT');
      expect(await given.ended()).toMatchObject({
        code: 130,
        out: '',
        error: expect.stringContaining('Given up: nothing was paired.'),
      });
      expect(hub.node.services.pairing.list()).toMatchObject([
        { state: 'failed', failure: expect.stringContaining('Cancelled here') },
      ]);
    } finally {
      silent.close();
    }
  }, 60_000);

  test('a link that names no place is refused, and nothing is looked for', async () => {
    const { public_key: key = '' } = other.node.services.hub.current();
    const link = `axon://${Buffer.from(key ?? '', 'hex').toString('base64url')}@`;
    const { code, error } = await owner('pair', 'start', link);
    expect(code).toBe(2);
    expect(error).toMatch(
      /^That is not the address of a hub\.\nWrite a host name or an IPv4 address/,
    );
  });

  test('a request that reaches nobody leaves nothing behind, and says how it is made again', async () => {
    const { public_key: key = '' } = other.node.services.hub.current();
    const silent = createSocket('udp4');
    silent.bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${silent.address().port}`;
    try {
      const words = ['start', key ?? '', '--address', address, '--name', "Mum's PC"];
      const { code, error } = await owner('pair', ...words);
      expect(code).toBe(4);
      expect(error).toContain(
        `Then ask again: npx axon --home ${hub.home} --passphrase-file ${passphrase} pair start ${key} --address ${address} --name 'Mum'\\''s PC'\n`,
      );
      expect(hub.node.services.directory.petnames()).toEqual([]);
      const kept = ['peers', 'add', address, '--key', key ?? '', '--name', 'Attic'];
      expect(await owner(...kept)).toMatchObject({ code: 0 });
      expect((await owner('pair', ...words.slice(0, 4))).code).toBe(4);
      // Somebody had added it before: that is not of this request.
      expect(hub.node.services.directory.staticHub(key ?? '')).toBeDefined();
      expect(await owner('peers', 'remove', key ?? '', '--yes')).toMatchObject({ code: 0 });
    } finally {
      silent.close();
    }
  }, 60_000);

  test('a wrong digit says on both sides how to try again, and what stays', async () => {
    const there = (...words: readonly string[]): Promise<Ended> =>
      axon(other.home, ['--passphrase-file', passphrase, 'pair', ...words]);
    const { public_key: key = '', peer_port: port, label } = other.node.services.hub.current();
    expect(await there('window')).toMatchObject({ code: 0 });
    const address = `127.0.0.1:${port}`;
    expect(
      await owner('pair', 'start', key ?? '', '--address', address, '--name', 'Mum'),
    ).toMatchObject({ code: 0 });
    const opened = await there('open');
    const [, six = ''] = /six digits at the other hub: ([0-9]{6})/.exec(opened.out) ?? [];
    const failed = await owner('pair', 'digits', six === '000000' ? '000001' : '000000');
    expect(failed.code).toBe(2);
    const typed = `npx axon --home ${hub.home} --passphrase-file ${passphrase}`;
    const mum = agentIdOfKeyHex(key ?? '');
    expect(failed.out).toContain(`To try again: ${typed} pair start ${mum}\n`);
    expect(failed.out).toContain(
      `Mum stays in the list, with its address. To forget it: ${typed} peers remove ${mum}\n`,
    );
    expect((await owner('pair')).out).toContain(`To try again: ${typed} pair start ${mum}\n`);
    const listed = (await there('list')).out;
    expect(listed).toMatch(/Other hubs may ask to be added until/);
    expect(listed).toContain(
      `here: npx axon --home ${other.home} --passphrase-file ${passphrase} pair open\n`,
    );
    expect(await owner('pair', 'start', label ?? '')).toMatchObject({ code: 0 });
    expect(await owner('pair', 'cancel')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Given up: nothing was paired.\nMum stays in the list'),
    });
    expect(await owner('peers', 'remove', 'Mum', '--yes')).toMatchObject({ code: 0 });
    const { pairing } = other.node.services;
    for (const { id } of pairing.list()) await pairing.cancel(id);
    for (const { id } of pairing.list()) await pairing.cancel(id);
    pairing.setWindow(false, 1);
  }, 90_000);

  test('one that is asked while pairing is closed says in its status and list that a hub asks, under the name the asking one is told', async () => {
    const { public_key: key = '', peer_port: port } = other.node.services.hub.current();
    const { label } = hub.node.services.hub.current();
    const token = `axon://${Buffer.from(key ?? '', 'hex').toString('base64url')}@127.0.0.1:${port}`;
    const asked = await owner('pair', 'start', token);
    expect(asked).toMatchObject({
      code: 0,
      out: expect.stringContaining(`pairing is closed there`),
    });
    expect(asked.out).toContain(`It lists this hub as "${label}".`);
    const line = (person = ''): string =>
      `A hub that shows as "${label}" asks to be added. If someone in your home is doing that now: npx axon --home ${other.home}${person} pair window`;
    expect((await axon(other.home, ['status'])).out).toContain(line());
    expect((await axon(other.home, ['--passphrase-file', passphrase, 'pair'])).out).toContain(
      line(` --passphrase-file ${passphrase}`),
    );
    expect(await owner('pair', 'cancel')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Given up: nothing was paired\.\nHub .* stays in the list/),
    });
  }, 60_000);

  test('are told the whole way by the help, as it is typed here', async () => {
    const help = (await run('pair', '--help')).out;
    const typed = `npx axon --home ${hub.home} pair`;
    const steps = ['window', 'start HUB', 'open', 'digits SIX', 'digits TWO'];
    expect(
      help
        .match(/^ {2}(?:there|here) .* pair (?:window|start HUB|open|digits SIX|digits TWO)\b/gm)
        ?.map((line) => line.replace(/^.* pair /, '')),
    ).toEqual(steps);
    expect(help.replaceAll(/ +/g, ' ')).toContain(` here ${typed} start HUB `);
    expect(
      help.match(/^ {2}there .*/gm)?.every((line) => /^ {2}there +npx axon pair /.test(line)),
    ).toBe(true);
    for (const command of ['list', 'window', 'start', 'open', 'digits', 'cancel'])
      expect(help).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  /** Five commands, each of which shows what the next one needs. */
  async function pair(): Promise<void> {
    const there = (...words: readonly string[]): Promise<Ended> =>
      axon(other.home, ['--passphrase-file', passphrase, 'pair', ...words]);
    const here = (...words: readonly string[]): Promise<Ended> => owner('pair', ...words);
    const shown = (await axon(other.home, ['status'])).out;
    const [, key = ''] = /^Public key +([0-9a-f]{64})$/m.exec(shown) ?? [];
    const [, port = ''] = /^Hubs' port +UDP ([0-9]+)$/m.exec(shown) ?? [];
    expect(await there('window')).toMatchObject({ code: 0 });
    expect(
      await here('start', key, '--address', `127.0.0.1:${port}`, '--name', 'Mum'),
    ).toMatchObject({ code: 0 });
    await expect
      .poll(() => other.node.services.pairing.list().map(({ state }) => state))
      .toEqual(['offered']);
    const [, six = ''] =
      /six digits at the other hub: ([0-9]{6})/.exec((await there('open')).out) ?? [];
    const [, two = ''] =
      /two digits at the other hub: ([0-9]{2})/.exec((await here('digits', six)).out) ?? [];
    expect((await there('digits', two)).out).toContain('paired');
    await expect
      .poll(() => hub.node.services.directory.list('paired').map(({ name }) => name))
      .toEqual(['Mum']);
  }

  test(
    'are paired by five commands, each of which shows what the next one needs',
    { timeout: 90_000 },
    async () => {
      await pair();
      expect(await owner('peers')).toMatchObject({ code: 0, out: expect.stringMatching(/^Mum /m) });
      expect(await run('peers')).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining('--passphrase-file FILE'),
      });
      const shown = (await owner('peers', 'show', 'Mum')).out;
      expect(shown).toMatch(/^Mum: (?:online|away), paired$/m);
      expect(shown).toMatch(/^Safety number {2}(?:\d{5} ?){12}$/m);
      expect(shown).toMatch(
        /^Added on [0-9-]{10} [0-9:]{5} \(.+\) with a typed code, on the command line\.$/m,
      );
      expect(JSON.parse((await owner('peers', 'show', 'Mum', '--json')).out)).toMatchObject({
        introduced_by: {
          way: 'digits',
          at: expect.any(Number),
          by: expect.stringMatching(/^owner:/),
          surface: 'command_line',
        },
      });
      expect(await owner('peers', 'show', 'Nobody')).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining('Nobody'),
      });
      expect(hub.node.services.tokens.list().filter(({ kind }) => kind === 'owner')).toEqual([]);
    },
  );

  test(
    'tell the person in charge what the other one does and how far it is, and any agent the same',
    { timeout: 90_000 },
    async () => {
      if (hub.node.services.directory.list('paired').length === 0) {
        expect(await owner('discover')).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^No hubs yet\./),
        });
        await pair();
      }
      expect(
        await axon(other.home, [
          '--passphrase-file',
          passphrase,
          'agents',
          'add',
          'planner',
          '--domain',
          'family.calendar',
        ]),
      ).toMatchObject({
        code: 0,
      });
      const asksOfOthers = [
        ['discover', /^ {2}\| agent Planner: family\.calendar$/m],
        ['ping', /^Mum answers in [0-9.]+ ms: /],
      ] as const;
      expect((await owner('peers', 'tokens', 'Mum')).out).toMatch(/used 0 tokens for it/);
      for (const [command, answer] of asksOfOthers) {
        expect(await owner(command, 'Mum'), command).toMatchObject({
          code: 0,
          out: expect.stringMatching(answer),
        });
        expect(await run(command, 'Mum'), command).toMatchObject({
          code: 2,
          out: '',
          error: expect.stringContaining('--passphrase-file FILE'),
        });
      }
      expect(hub.node.services.tokens.list().filter(({ kind }) => kind === 'owner')).toEqual([]);
      for (const name of ['first', 'second']) await owner('agents', 'add', name);
      for (const [command, answer] of asksOfOthers) {
        expect(await run(command, 'Mum'), command).toMatchObject({
          code: 0,
          out: expect.stringMatching(answer),
        });
      }
      // Whoever gives the passphrase is asked for no agent, and who names an agent speaks as it.
      rmSync(join(hub.home, 'tokens/first.token'));
      expect(await owner('ping', 'Mum', '--as', 'first')).toMatchObject({
        code: 2,
        error: expect.stringContaining('No agent "first"'),
      });
      expect(await owner('ping', 'Mum')).toMatchObject({ code: 0 });
    },
  );
});
