// What a built hub loads while it starts, and in which order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { inAscii, takeNodeModules } from '../../electron.vite.config.ts';
import { endAfterTest, endPrograms } from '../support/programs.ts';

const PROGRAM = join(import.meta.dirname, '../../out/main/headless.js');
/** Tells at the end what was loaded of Node's own, and where compiled code is kept. */
const TELLS = `data:text/javascript,${encodeURIComponent(`
  const formats = [];
  for (const name of ['DateTimeFormat', 'NumberFormat', 'Segmenter'])
    Intl[name] = new Proxy(Intl[name], {
      construct: (format, given) => (formats.push(name), new format(...given)),
    });
  process.on('exit', () => {
    const compiled = process.getBuiltinModule('node:module').getCompileCacheDir();
    const said = { modules: process.moduleLoadList, formats, compiled };
    process.stdout.write(JSON.stringify(said) + String.fromCharCode(10));
  });`)}`;
/** Tells of each process that is started, and how many files the data folder holds by then. */
const TELLS_OF_CHILDREN = `data:text/javascript,${encodeURIComponent(`
  const childProcess = process.getBuiltinModule('node:child_process');
  const { readdirSync } = process.getBuiltinModule('node:fs');
  const { basename } = process.getBuiltinModule('node:path');
  const { spawn } = childProcess;
  childProcess.spawn = (program, words, options) => {
    const files = readdirSync(process.env.AXON_HOME).length;
    console.log('child: ' + basename(words.at(-1)) + ', ' + files + ' files');
    return spawn(program, words, options);
  };`)}`;

let home: string | undefined;
afterEach(async () => {
  await endPrograms();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

/** A built hub, started and stopped; what it said, with what was loaded before it beside it. */
async function saidOf(preload: string): Promise<string> {
  home = mkdtempSync(join(tmpdir(), 'axon-'));
  const words = ['--home', home, '--api-port', '0', '--peer-port', '0', '--discovery', 'false'];
  const { NODE_COMPILE_CACHE: _ofTests, ...env } = process.env;
  const hub = spawn(process.execPath, ['--import', preload, PROGRAM, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, AXON_HOME: home },
  });
  endAfterTest(hub);
  const closed = once(hub, 'close');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    hub.once('exit', () => reject(new Error(`the hub ended: ${said}`)));
    hub.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('AXON Hub runs at')) resolve();
    });
  });
  hub.kill('SIGTERM');
  await closed;
  return said;
}

test('a hub that starts, answers and stops has loaded neither fetch nor a calendar', async () => {
  const { modules, formats } = JSON.parse((await saidOf(TELLS)).trimEnd().split('\n').at(-1) ?? '');
  expect(modules).toContain('NativeModule http');
  expect(modules.filter((name: string) => name.includes('undici'))).toEqual([]);
  expect(formats).toEqual([]);
});

test('a hub that stops keeps its compiled code beside its bundle, for the next start', async () => {
  const kept = join(dirname(PROGRAM), 'compiled');
  rmSync(kept, { recursive: true, force: true });
  const { compiled } = JSON.parse((await saidOf(TELLS)).trimEnd().split('\n').at(-1) ?? '');
  expect(dirname(compiled)).toBe(kept);
  expect(readdirSync(compiled).length).toBeGreaterThan(10);
});

test('a hub starts its QUIC process before it touches its data folder, and no second one', async () => {
  const said = await saidOf(TELLS_OF_CHILDREN);
  expect(said.match(/^child: .*/gm)).toEqual(['child: quic.js, 0 files']);
});

test('a bundle is plain ASCII and says the same', () => {
  for (const file of readdirSync(dirname(PROGRAM), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const text = readFileSync(join(dirname(PROGRAM), file), 'latin1');
    expect.soft(/[\u0080-\uffff]/.exec(text), file).toBeNull();
  }
  const texts = ['“Müller’s” 力', '😀', '\ufeff', '\u2028'];
  for (const text of texts) {
    expect(JSON.parse(inAscii(JSON.stringify(text)))).toBe(text);
    expect(new RegExp(inAscii(`^[${text}]$`), 'u').test(text.slice(0, 2).trim())).toBe(
      new RegExp(`^[${text}]$`, 'u').test(text.slice(0, 2).trim()),
    );
  }
});

test('every form of an import of a module of Node keeps its names', () => {
  const taken = (from: string): string => `globalThis.process.getBuiltinModule("node:${from}");`;
  const cases = [
    ['import { once } from "node:events";', `var { once } = ${taken('events')}`],
    ['import { a, b as c } from "node:fs/promises";', `var { a, b: c } = ${taken('fs/promises')}`],
    ['import path from "node:path";', `var path = ${taken('path')}`],
    ['import * as $1 from "node:net";', `var $1 = ${taken('net')}`],
    [
      'import path, { join } from "node:path";',
      `var path = ${taken('path')} var { join } = ${taken('path')}`,
    ],
    ['import { z } from "./z.js";', 'import { z } from "./z.js";'],
  ];
  for (const [written, read] of cases) expect(takeNodeModules(written ?? '')).toBe(read);
});
