// README.md and the pages of resources/docs keep their word: every code block runs, line by line in
// a real bash, on hubs that are there, or says why it does not; every link leads somewhere, and
// every word in italics is one that the app shows.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApprovalDto, TaskDto } from '../../preload/contract/dto.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { axon, choosePassphrase, endPrograms, wordsOf, type Ended } from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'resources/docs')).map((name) => `resources/docs/${name}`),
];
const USUAL_HOME = '~/.local/share/axon-hub';
const LIMIT_MS = 30_000;
const PAGE_LIMIT_MS = 240_000;
const DINNER = 'Tell the family chat that dinner is at 7';
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/;

interface Block {
  readonly language: string;
  readonly lines: readonly string[];
  /** Why it is not run; undefined: it is. */
  readonly reason: string | undefined;
  readonly where: string;
}

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

function blocksOf(page: string): readonly Block[] {
  const lines = read(page).split('\n');
  const fences = lines.flatMap((line, index) => (/^ *```/.test(line) ? [index] : []));
  return fences.flatMap((start, index) => {
    if (index % 2 === 1) return [];
    const [, language = ''] = /^ *```(\S*)/.exec(lines[start] ?? '') ?? [];
    const [, reason] = /^ *<!-- not run: (.+) -->$/.exec(lines[start - 1] ?? '') ?? [];
    const inside = lines.slice(start + 1, fences[index + 1]).map((line) => line.trim());
    return [{ language, lines: inside, reason, where: `${page}:${start + 1}` }];
  });
}

/**
 * The lines as they are typed, without what a comment says; those that end in a backslash with the
 * next.
 */
function commandsOf({
  lines,
}: Block): readonly { readonly command: string; readonly comment: string }[] {
  return lines
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, command = '', comment = ''] = /^(.*?)(?:\s+# (.*))?$/.exec(line) ?? [];
      return { command, comment };
    });
}

/** Dad's hub, where the lines are typed, Mum's hub, and one that nobody has set up yet. */
class Household {
  readonly folder = mkdtempSync(join(tmpdir(), 'axon-pages-'));
  readonly passphrase = join(this.folder, 'FILE');
  /** The last text that a line printed, and the last that came of a claim. */
  out = '';
  claimed = '';
  /** What answers a claim in vain. */
  emptyClaim = '';
  readonly #pages = new Map<TestHub, string>();
  readonly #groups: number[] = [];
  readonly #background: { readonly ended: Promise<Ended>; readonly stop: () => void }[] = [];

  readonly dad: TestHub;
  readonly mum: TestHub;
  readonly newcomer: TestHub;

  private constructor(dad: TestHub, mum: TestHub, newcomer: TestHub) {
    this.dad = dad;
    this.mum = mum;
    this.newcomer = newcomer;
  }

  /** @param isPaired false where the page itself pairs Dad's hub and Mum's */
  static async open(isPaired: boolean): Promise<Household> {
    const [dad, mum, newcomer] = [
      await TestHub.start(),
      await TestHub.start(),
      await TestHub.start(),
    ];
    const house = new Household(dad, mum, newcomer);
    for (const hub of [dad, mum, newcomer]) house.#pages.set(hub, await hub.page());
    for (const hub of [dad, mum]) await choosePassphrase(hub.home, house.passphrase);
    house.#putPrograms();
    if (isPaired) await house.#pair();
    return house;
  }

  async close(): Promise<void> {
    for (const group of this.#groups) signalGroup(group, 'SIGKILL');
    await endPrograms();
    await Promise.all([this.dad, this.mum, this.newcomer].map((hub) => hub.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs one line as a reader would who puts in what stands in capitals. Throws when it fails. */
  async run(exports: readonly string[], command: string, comment: string): Promise<void> {
    if (/ (?:inbox|listen) |\/inbox\/claim/.test(command)) await this.#giveWork();
    if (/approvals (?:show|allow|decline)/.test(command)) await this.#ask();
    const hub = comment.startsWith('at the other hub')
      ? this.mum
      : /passphrase --/.test(command)
        ? this.newcomer
        : this.dad;
    const line = [...exports, await this.#filledIn(command, hub)].join('\n');
    if (/ (?:hub|listen) /.test(command)) return this.#start(line, hub);
    const isConfirmed = command.includes('agents connect') ? this.#confirm() : undefined;
    let [ended] = await Promise.all([this.#bash(line, hub).ended, isConfirmed]);
    // As the refusal says: a script gives the file. Nobody sits at this terminal.
    if (ended.code === 2 && ended.error.includes('--passphrase-file'))
      ended = await this.#bash(line, hub, this.passphrase).ended;
    expect(ended, `${line}\n${ended.error}`).toMatchObject({ code: 0 });
    expect(ended.out, line).not.toContain('urn:axon:problem');
    this.out = ended.out;
    if (!command.includes('/inbox/claim')) return;
    this.claimed = ended.out;
    const inVain = line.replace(/"wait_ms":[0-9]+/, '"wait_ms":0');
    this.emptyClaim = (await this.#bash(inVain, hub).ended).out;
  }

  /** What went on in the background has done its work and stops in order. */
  async stopBackground(): Promise<void> {
    for (const { ended, stop } of this.#background.splice(0)) {
      stop();
      expect([0, 130]).toContain((await ended).code);
    }
  }

  async #filledIn(command: string, hub: TestHub): Promise<string> {
    const target = command.includes('peers add') ? this.newcomer : this.mum;
    const { public_key: key, peer_port: port } = target.node.services.hub.current();
    const isToken = command.includes('axon://KEY');
    const card = command.includes('approvals') ? (await this.#waiting(hub))[0] : undefined;
    const values: Readonly<Record<string, string | undefined>> = {
      KEY: isToken ? Buffer.from(key ?? '', 'hex').toString('base64url') : (key ?? ''),
      'HOST:PORT': `127.0.0.1:${port ?? ''}`,
      SIX: /\b\d{6}\b/.exec(this.out)?.[0],
      TWO: /\b\d{2}\b/.exec(this.out)?.[0],
      ID: card?.id,
      DELIVERY_ID: UUID.exec(this.out)?.[0],
      FILE: this.passphrase,
    };
    if (command.includes('pair open')) await this.#offered();
    // For a script, which sees no card, the hub wants the digest of what was shown.
    const isDecision = /approvals (?:allow|decline)/.test(command);
    return `${command}${isDecision ? ` --digest ${card?.digest ?? ''}` : ''}`
      .replaceAll('/tmp/', `${this.folder}/`)
      .replaceAll(USUAL_HOME, hub.home)
      .replaceAll('127.0.0.1:7117', this.dad.host)
      .replaceAll(
        /\b(?:HOST:PORT|DELIVERY_ID|KEY|SIX|TWO|ID|FILE)\b/g,
        (word) => values[word] ?? word,
      );
  }

  /**
   * In a process group of its own, with this one AXON_ variable. @param passphrase the file, where
   * the person in charge speaks
   */
  #bash(
    line: string,
    hub: TestHub,
    passphrase = '',
  ): { readonly ended: Promise<Ended>; readonly out: () => string; readonly stop: () => void } {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('AXON_'));
    const env = {
      ...Object.fromEntries(inherited),
      AXON_HOME: hub.home,
      PATH: `${this.folder}${delimiter}${process.env['PATH'] ?? ''}`,
      OWNER: passphrase === '' ? '' : `--passphrase-file ${passphrase}`,
    };
    const child = spawn('bash', ['-c', `${line}\nexit $?`], {
      cwd: this.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#groups.push(child.pid ?? 0);
    const said = { out: '', error: '' };
    child.stdout.on('data', (part: Buffer) => (said.out += part.toString()));
    child.stderr.on('data', (part: Buffer) => (said.error += part.toString()));
    const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...said }));
    return { ended, out: () => said.out, stop: () => signalGroup(child.pid ?? 0, 'SIGINT') };
  }

  /**
   * A hub that runs until it is stopped, or a program that is made an agent and has done what it
   * was given.
   */
  async #start(line: string, hub: TestHub): Promise<void> {
    const program = this.#bash(line, hub);
    this.#background.push(program);
    const looks = line.includes(' listen ')
      ? async () => (await this.#isDone()) || undefined
      : () => program.out().includes('AXON Hub runs at') || undefined;
    await until(`what "${line}" does`, LIMIT_MS, looks);
  }

  /** `npx` as it stands in the folder of the project, and a program that is to be an agent. */
  #putPrograms(): void {
    const program = [process.execPath, ...wordsOf('cli', [])].map((word) => `'${word}'`).join(' ');
    const programs = {
      npx: `[ "$1" = axon ] && shift && exec ${program} $OWNER "$@"`,
      'my-agent': 'cat >/dev/null; echo Done',
    };
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(this.folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(this.folder, name), 0o755);
    }
  }

  async #pair(): Promise<void> {
    const { dad, mum } = this;
    const owner = ['--passphrase-file', this.passphrase, 'agents', 'add'];
    await axon(mum.home, [
      ...owner,
      'planner',
      '--domain',
      'family.calendar',
      '--domain',
      'family.chat',
      '--class',
      'R0',
    ]);
    await pairHubs(dad, mum, ["Mum's PC", "Dad's laptop"]);
    void this.#bash('npx axon listen --domain family.calendar -- ./my-agent', mum);
  }

  async addAgent(): Promise<void> {
    const words = [
      '--passphrase-file',
      this.passphrase,
      'agents',
      'add',
      'claude-code',
      '--domain',
      'family.chat',
    ];
    expect(await axon(this.dad.home, words)).toMatchObject({ code: 0 });
  }

  async #call<T>(hub: TestHub, path: string, body?: unknown): Promise<T> {
    const token = this.#pages.get(hub) ?? '';
    const { status, text } = await hub.ask(path, {
      token,
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    if (status >= 300) throw new Error(text);
    return JSON.parse(text) as T;
  }

  async #waiting(hub: TestHub): Promise<readonly ApprovalDto[]> {
    return (await this.#call<{ items: ApprovalDto[] }>(hub, '/v1/approvals')).items;
  }

  /** Whether Dad's hub did all that Mum's agent asked for. */
  async #isDone(): Promise<boolean> {
    const { items } = await this.#call<{ items: readonly TaskDto[] }>(this.mum, '/v1/tasks');
    return items.every(
      ({ direction, text, state }) =>
        direction !== 'outgoing' || text !== DINNER || state === 'completed',
    );
  }

  /** Mum's agent asks Dad's hub for something: a card waits there. */
  async #ask(): Promise<ApprovalDto> {
    const before = (await this.#waiting(this.dad)).length;
    const sent = await axon(this.mum.home, [
      'delegate',
      "Dad's laptop",
      DINNER,
      '--domain',
      'family.chat',
    ]);
    expect(sent, sent.error).toMatchObject({ code: 0 });
    return until('a card', LIMIT_MS, async () => {
      const cards = await this.#waiting(this.dad);
      return cards.length > before ? cards.at(-1) : undefined;
    });
  }

  async #giveWork(): Promise<void> {
    const { id, revision, digest } = await this.#ask();
    await this.#call(this.dad, `/v1/approvals/${id}/decide`, {
      decision: 'allow',
      revision,
      digest,
    });
  }

  async #confirm(): Promise<void> {
    const { registrations } = this.dad.node.services.work;
    const { id, code } = await until(
      'a program that asks',
      LIMIT_MS,
      () => registrations.pending()[0],
    );
    await this.#call(this.dad, `/v1/agents/registrations/${id}/confirm`, { code });
  }

  #offered(): Promise<unknown> {
    const { pairing } = this.mum.node.services;
    return until('a hub that asks', LIMIT_MS, () =>
      pairing.list().find(({ state }) => state === 'offered'),
    );
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Nobody of the group is left.
  }
}

/** What a sentence of the page says that the hub answers: a list, whole. */
function answersIn(page: string): readonly RegExpMatchArray[] {
  return [...read(page).matchAll(/`(\{"items":[^`]*\})`/g)];
}

/** The paths of all members, those of a list as of its first. */
function membersOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return membersOf(value[0], `${path}[]`);
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}.${name}`,
    ...membersOf(inner, `${path}.${name}`),
  ]);
}

test.each(PAGES)('%s says of every block that is not run why', (page) => {
  const silent = blocksOf(page).filter(
    ({ language, reason }) => !['sh', 'json'].includes(language) && reason === undefined,
  );
  expect(silent.map(({ where }) => where)).toEqual([]);
});

describe.skipIf(process.platform === 'win32')('the lines that a page says to type', () => {
  let house: Household | undefined;
  afterEach(async () => {
    await house?.close();
    house = undefined;
  });

  const typed = PAGES.filter((page) =>
    blocksOf(page).some(({ language, reason }) => language === 'sh' && reason === undefined),
  );
  const isRun = (page: string): boolean => !/^curl /m.test(read(page)) || hasRealPart('curl');
  test.each(typed.filter(isRun))('%s: work', { timeout: PAGE_LIMIT_MS }, async (page) => {
    house = await Household.open(!read(page).includes('npx axon pair start'));
    if (!read(page).includes('npx axon agents connect')) await house.addAgent();
    for (const block of blocksOf(page).filter(({ reason }) => reason === undefined)) {
      if (block.language === 'json') {
        const shown: unknown = JSON.parse(block.lines.join(' '));
        const answered: unknown = JSON.parse(house.claimed);
        expect(membersOf(answered), block.where).toEqual(
          expect.arrayContaining([...membersOf(shown)]),
        );
        // An item is shown shortened; the answer itself is not.
        expect(Object.keys(Object(shown)), block.where).toEqual(Object.keys(Object(answered)));
        continue;
      }
      const exports: string[] = [];
      for (const { command, comment } of commandsOf(block)) {
        if (command.startsWith('export '))
          exports.push(command.replaceAll(USUAL_HOME, house.dad.home));
        else await house.run(exports, command, comment);
      }
      await house.stopBackground();
    }
    for (const [span, answer = ''] of answersIn(page))
      expect(JSON.parse(answer), `${page}: ${span}`).toEqual(JSON.parse(house.emptyClaim));
  });
});

test('an answer in a sentence of a page is one that a run of its lines is held to', () => {
  const pages = PAGES.filter((page) => answersIn(page).length > 0);
  const claims = (page: string): boolean =>
    blocksOf(page).some(
      ({ lines, reason }) => reason === undefined && lines.join(' ').includes('/inbox/claim'),
    );
  expect(pages).toContain('resources/docs/agents.md');
  expect(pages.filter((page) => !claims(page))).toEqual([]);
});

test.each(PAGES)('%s links to what is there', (page) => {
  const anchorsOf = (path: string): readonly string[] =>
    [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
  const targets = [...read(page).matchAll(/\]\(([^)#]*)(?:#([^)]+))?\)/g)];
  const dead = targets.filter(([, file = '', anchor]) => {
    const path = file === '' ? join(ROOT, page) : join(ROOT, dirname(page), file);
    return !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

test('what a page says in italics is what the app shows', () => {
  const folder = join(ROOT, 'preload/contract/strings');
  const shown = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  const unknown = PAGES.flatMap((page) =>
    [...read(page).matchAll(/(?<![*\w])\*([^*\n`]+(?:\n[^*`]+)?)\*(?!\*)/g)]
      .map(([, words = '']) => words.replaceAll(/\s+/g, ' '))
      .filter((words) => !new RegExp(`['\`]${words.replaceAll(/[^\w ]/g, '.')}[^\\w]`).test(shown))
      .map((words) => `${page}: ${words}`),
  );
  expect(unknown).toEqual([]);
});
