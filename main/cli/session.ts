// Whom a command speaks for: an agent (by AXON_TOKEN, a token file, or the one agent connected
// here) or the person in charge, who gives the owner passphrase at a terminal or in a file. Owns
// the token files (0600). A secret is never taken from the command line, where every other program
// of this computer could read it.
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { AGENT_NAME } from '../../preload/contract/formats.ts';
import { FIRST_PASSPHRASE_ON_A_PAGE } from '../../preload/contract/operations.ts';
import type { OperationResult } from '../../preload/contract/operations.ts';
import {
  PASSPHRASE_MIN_CHARACTERS,
  passphraseFlaw,
  tidyPassphrase,
} from '../../preload/contract/passphrase.ts';
import { AppError } from '../lib/app-error.ts';
import { decodeText, firstLine } from '../lib/decode-text.ts';
import { whyUnread } from '../lib/why-unread.ts';
import { HubClient, HubProblem } from './hub-client.ts';
import type { Terminal } from './terminal.ts';
import { handleAmong } from './agent-handle.ts';
import { withInvocation } from './invocation.ts';
import { lockedLines } from './locked-words.ts';
import { refusal } from './refusal.ts';

const TOKEN = /^axh_(?:agent|ui|owner)_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/;
const SUFFIX = '.token';
const SECRET_SIZE_MAX_BYTES = 4_096;
const NEW_PASSPHRASE_TRIES_MAX = 3;

const FIRST_NOTES = {
  before: [
    'This hub has no owner passphrase yet: you choose it now. From then on it is asked for whenever a person is needed here,',
    'as for deciding, pairing and connecting agents, so that no program can do that by itself. No other hub ever sees it.',
  ],
  after: [
    'THE OWNER PASSPHRASE OF THIS HUB IS SET. Keep it: nothing shows it again, and what a person decides needs it from now on.',
  ],
} as const;

interface SessionOptions {
  readonly home: string;
  /** --as */
  readonly agent: string | undefined;
  /** --passphrase-file */
  readonly passphraseFile: string | undefined;
  /** How a line at this terminal begins. */
  readonly command: string;
}

/** A token of an agent, where it was found, and what to do where the hub does not take it. */
interface GivenToken {
  readonly text: string;
  readonly where: string;
  readonly wayOut: string;
}

export class Session {
  readonly home: string;
  readonly #options: SessionOptions;
  readonly #terminal: Terminal;
  readonly #onClose: (() => Promise<unknown>)[] = [];
  readonly #closed = new AbortController();
  #line: Promise<HubClient> | undefined;
  #whyLocked: readonly string[] = [];

  constructor(options: SessionOptions, terminal: Terminal) {
    this.home = options.home;
    this.#options = options;
    this.#terminal = terminal;
  }

  /** The line without any token. One that was not had is tried for again. */
  line(): Promise<HubClient> {
    this.#line ??= HubClient.connect(this.home, this.#closed.signal).catch((error: unknown) => {
      this.#line = undefined;
      throw error;
    });
    return this.#line;
  }

  /**
   * The line speaking for an agent. Throws `unauthenticated` with what to do when there is no
   * token.
   */
  async asAgent(): Promise<HubClient> {
    // First the hub: without one no token helps.
    const line = await this.line();
    const given = this.#givenToken();
    if (given === undefined) {
      throw refusal(
        'unauthenticated',
        'No agent is connected here, so there is nobody to speak for.',
        'Connect one with "axon agents connect NAME", or set AXON_TOKEN or AXON_TOKEN_FILE.',
      );
    }
    return this.#speaking(line, given);
  }

  /**
   * The line for what an agent and the person in charge may see alike: the person's where their
   * passphrase is given, else an agent's, the first whose token the hub takes, and without one the
   * person's. Throws `unauthenticated` with what to do where none of them can speak.
   */
  async asAnyone(): Promise<HubClient> {
    const line = await this.line();
    const isAgentNamed = this.#options.agent !== undefined;
    if (this.#options.passphraseFile !== undefined && !isAgentNamed) return this.asOwner();
    const given = tokenOfEnvironment();
    if (given !== undefined) return this.#speaking(line, given);
    const names = isAgentNamed ? [this.#namedAgent()] : this.storedAgents();
    for (const name of names) {
      const heard = await this.#heard(line, name);
      if (heard !== undefined) return heard.client;
    }
    if (this.#terminal.isInteractive && !isAgentNamed) return this.asOwner();
    if (names.length > 0) {
      throw refusal(
        'unauthenticated',
        `The hub takes no token that stands here: ${names.join(', ')}.`,
        'Connect an agent again, name another with --as, or speak for the person in charge: at a terminal, or with --passphrase-file FILE.',
      );
    }
    throw refusal(
      'unauthenticated',
      'No agent is connected here, so there is nobody to speak for.',
      'Connect one with "axon agents connect NAME", or speak for the person in charge: at a terminal, or with --passphrase-file FILE.',
    );
  }

  /**
   * As asAnyone, for what each agent sees its own part of. Throws `unauthenticated`, too, where
   * several are connected and nobody says who speaks.
   */
  async asPartaker(): Promise<HubClient> {
    await this.line();
    const { agent, passphraseFile } = this.#options;
    const isSaid = agent !== undefined || passphraseFile !== undefined;
    if (!isSaid && this.storedAgents().length > 1) this.#givenToken();
    return this.asAnyone();
  }

  /** The agent of --as. */
  get named(): string | undefined {
    return this.#options.agent;
  }

  /** What stands behind a command in a hint, so that the same agent speaks. */
  get asWords(): string {
    return this.#options.agent === undefined ? '' : ` --as ${this.#options.agent}`;
  }

  /**
   * The agent's token, from AXON_TOKEN, AXON_TOKEN_FILE, --as NAME, or the only agent connected
   * here.
   */
  #givenToken(): GivenToken | undefined {
    const given = tokenOfEnvironment();
    if (given !== undefined) return given;
    if (this.#options.agent !== undefined) return this.#storedToken(this.#namedAgent());
    const names = this.storedAgents();
    const [only] = names;
    if (only === undefined) return undefined;
    if (names.length === 1) return this.#storedToken(only);
    throw refusal(
      'unauthenticated',
      'Several agents are connected here.',
      `Say which one speaks: --as ${names.join(' or --as ')}.`,
    );
  }

  /** By which variable another program speaks for the same agent. */
  tokenVariables(): Readonly<Record<string, string>> {
    const { AXON_TOKEN: token = '', AXON_TOKEN_FILE: file = '' } = process.env;
    if (token !== '') return { AXON_TOKEN: token };
    if (file !== '') return { AXON_TOKEN_FILE: resolve(file) };
    const [only = ''] = this.storedAgents();
    return {
      AXON_TOKEN_FILE: this.tokenFile(
        this.#options.agent === undefined ? only : this.#namedAgent(),
      ),
    };
  }

  storedAgents(): readonly string[] {
    try {
      return readdirSync(join(this.home, 'tokens'))
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => name.slice(0, -SUFFIX.length))
        .sort();
    } catch {
      return [];
    }
  }

  /**
   * Writes the token for this user alone; a former one of the same name is replaced. Returns the
   * path.
   */
  storeToken(agent: string, token: string): string {
    mkdirSync(join(this.home, 'tokens'), { recursive: true, mode: 0o700 });
    const path = this.tokenFile(agent);
    rmSync(path, { force: true });
    const descriptor = openSync(
      path,
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0),
      0o600,
    );
    try {
      writeSync(descriptor, `${token}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return path;
  }

  /** The handle of the agent whose token stands here under this name, if the hub takes it. */
  async agentOfToken(name: string): Promise<string | undefined> {
    if (!this.storedAgents().includes(name)) return undefined;
    return (await this.#heard(await this.line(), name))?.agent;
  }

  /** Removes the token file of an agent that is connected no longer. */
  forgetToken(name: string): void {
    rmSync(this.tokenFile(name), { force: true });
  }

  /** How the hub is; needs no token, only the right to read its runtime file. */
  async status(): Promise<OperationResult<'hub.localStatus'>> {
    const line = await this.line();
    const status = await line.call('hub.localStatus', { boot_secret: line.facts.bootSecret });
    this.#whyLocked = lockedLines(status.hub);
    return status;
  }

  /**
   * Tells a list; where it has nothing, the sentence that says so. Of a hub that is locked it says
   * that first; one that lists nothing does not know what holds.
   * @throws AppError hub_locked
   */
  tellList(
    list: { readonly items: readonly unknown[] },
    none: string,
    lines: () => readonly string[],
  ): void {
    const isEmpty = list.items.length === 0;
    const [why, ...hints] = this.#whyLocked;
    if (why !== undefined && isEmpty) throw refusal('hub_locked', why, hints.join(' '));
    const locked = this.#whyLocked.map((line) => withInvocation(line, this.#options.command));
    const before = locked.length === 0 ? [] : [...locked, ''];
    this.#terminal.result(list, () => (isEmpty ? [none] : [...before, ...lines()]));
  }

  /**
   * The line speaking for the person in charge; its token ends with the command. Where the hub has
   * no passphrase yet, it is chosen first, at a terminal. Throws `passphrase_required` for a script
   * then: whoever comes first must not become the person in charge without a word.
   */
  async asOwner(): Promise<HubClient> {
    const line = await this.line();
    const status = await this.status();
    const isSet = status.hub.passphrase_set;
    const isByHand = this.#options.passphraseFile === undefined && this.#terminal.isInteractive;
    if (!isSet && !isByHand) {
      throw refusal(
        'passphrase_required',
        'This hub has no owner passphrase yet, and this command does not set one.',
        'Choose it first: "axon passphrase". A script does that with --passphrase-file FILE, too.',
      );
    }
    const passphrase = isSet
      ? await this.#passphrase('Owner passphrase: ')
      : await this.#makeFirst(line, status);
    const { token } = await line.call('hub.login', {
      passphrase,
      boot_secret: line.facts.bootSecret,
    });
    const owner = line.withToken(token);
    const [, , id] = token.split('_');
    if (id !== undefined) this.#onClose.push(() => owner.call('sessions.revoke', { id }));
    return owner;
  }

  /** Sets the owner passphrase, or changes it when there is one. */
  async setPassphrase(): Promise<void> {
    const line = await this.line();
    const status = await this.status();
    if (!status.hub.passphrase_set) {
      await this.#makeFirst(line, status);
      return;
    }
    if (!this.#terminal.isInteractive) {
      throw refusal(
        'passphrase_required',
        'This hub has an owner passphrase, and changing it needs that one, typed at a terminal.',
        'Run "axon passphrase" at a terminal. The new one is asked for, too, or read from --passphrase-file FILE.',
      );
    }
    const current = await this.#terminal.askHidden('The passphrase until now: ');
    const passphrase = await this.#newPassphrase();
    await line.call('hub.setPassphrase', {
      passphrase,
      current,
      boot_secret: line.facts.bootSecret,
    });
  }

  async close(): Promise<void> {
    for (const run of this.#onClose) await run().catch(() => undefined);
    this.#closed.abort();
    if (this.#line !== undefined)
      await this.#line.then(
        (line) => line.close(),
        () => undefined,
      );
  }

  /**
   * Sets the first one and returns it. The right to do so is being able to read the runtime file:
   * being this user. Where an agent is connected the hub takes it from a page only, and nothing is
   * asked for here.
   */
  async #makeFirst(
    line: HubClient,
    { agents }: OperationResult<'hub.localStatus'>,
  ): Promise<string> {
    if (agents.registered > 0) {
      throw refusal(
        'unauthenticated',
        FIRST_PASSPHRASE_ON_A_PAGE.message,
        FIRST_PASSPHRASE_ON_A_PAGE.hint,
      );
    }
    const notes =
      this.#options.passphraseFile === undefined ? FIRST_NOTES : { before: [], after: [] };
    for (const line of notes.before) this.#terminal.note(line);
    const passphrase = await this.#newPassphrase();
    await line.call('hub.setPassphrase', { passphrase, boot_secret: line.facts.bootSecret });
    for (const line of notes.after) this.#terminal.note(line);
    return passphrase;
  }

  /**
   * From the file, or asked for until one is long enough and was typed twice alike. Throws
   * `bad_request` when that does not come about.
   */
  async #newPassphrase(): Promise<string> {
    const { passphraseFile } = this.#options;
    if (passphraseFile !== undefined) {
      const passphrase = readSecretFile(passphraseFile);
      const flaw = flawOf(passphrase);
      if (flaw === null) return passphrase;
      throw refusal('bad_request', flaw);
    }
    if (!this.#terminal.isInteractive) throw this.#needsPerson();
    for (let tries = 0; tries < NEW_PASSPHRASE_TRIES_MAX; tries++) {
      const passphrase = await this.#terminal.askHidden(
        `New owner passphrase (at least ${PASSPHRASE_MIN_CHARACTERS} characters, not shown): `,
      );
      const flaw = flawOf(passphrase);
      if (flaw !== null) this.#terminal.note(flaw);
      else if ((await this.#terminal.askHidden('The same again: ')) === passphrase)
        return passphrase;
      else this.#terminal.note('The two differ.');
    }
    throw refusal('bad_request', 'No passphrase was set.');
  }

  /** The agent of --as. Throws `not_found` where no token of it stands here. */
  #namedAgent(): string {
    const names = this.storedAgents();
    const meant = handleAmong(names, this.#options.agent ?? '');
    if (meant !== undefined) return meant;
    const named = checkAgentName(this.#options.agent ?? '');
    const hint =
      names.length > 0
        ? `Connected: ${names.join(', ')}.`
        : `Connect it with "axon agents connect ${named}".`;
    throw refusal('not_found', `No agent "${named}" is connected here.`, hint);
  }

  #storedToken(agent: string): GivenToken {
    const file = this.tokenFile(agent);
    return {
      text: checkToken(readSecretFile(file), file),
      where: `in ${file}`,
      wayOut: `Connect the agent again: "axon agents connect ${agent}".`,
    };
  }

  /** The line speaking for this token; a hub that does not take it says which one it is. */
  #speaking(line: HubClient, { text, where, wayOut }: GivenToken): HubClient {
    return line.withToken(text, {
      detail: `The hub with the data folder ${this.home} does not take the token ${where}: it has ended, or another hub made it.`,
      hint: wayOut,
    });
  }

  /**
   * The line speaking for this agent, and its handle; undefined where its token is none that the
   * hub takes, as after the hub ended it.
   */
  async #heard(
    line: HubClient,
    name: string,
  ): Promise<{ readonly client: HubClient; readonly agent: string } | undefined> {
    try {
      const client = this.#speaking(line, this.#storedToken(name));
      const { token } = await client.call('hub.whoami', {});
      return { client, agent: token?.agent ?? name };
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return undefined;
      if (error instanceof HubProblem && error.problem.code === 'unauthenticated') return undefined;
      throw error;
    }
  }

  async #passphrase(question: string): Promise<string> {
    if (this.#options.passphraseFile !== undefined)
      return readSecretFile(this.#options.passphraseFile);
    if (this.#terminal.isInteractive) return this.#terminal.askHidden(question);
    throw this.#needsPerson();
  }

  #needsPerson(): AppError {
    return refusal(
      'passphrase_required',
      'Only the person in charge of this hub may do this.',
      'Run the command at a terminal and give the owner passphrase, pass --passphrase-file FILE, or do it in the app ("axon login").',
    );
  }

  /** Where the token of an agent stands, or would. Throws as checkAgentName. */
  tokenFile(agent: string): string {
    return join(this.home, 'tokens', `${checkAgentName(agent)}${SUFFIX}`);
  }
}

/** Throws `bad_request`, with a name that would do. */
export function checkAgentName(name: string): string {
  if (AGENT_NAME.test(name)) return name;
  const fitting = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const sentence = `An agent's name is lower-case letters, digits, ".", "_" and "-"; "${name}" is not.`;
  throw refusal(
    'bad_request',
    sentence,
    AGENT_NAME.test(fitting) ? `This would do: ${fitting}` : undefined,
  );
}

/** From AXON_TOKEN or AXON_TOKEN_FILE. */
function tokenOfEnvironment(): GivenToken | undefined {
  const wayOut = (variable: string): string =>
    `Unset ${variable}, or give it a token of this hub: "axon agents connect NAME" gets one. If another hub is meant, name its data folder with --home.`;
  const text = process.env['AXON_TOKEN'];
  if (text !== undefined && text !== '')
    return {
      text: checkToken(text, 'AXON_TOKEN'),
      where: 'in AXON_TOKEN',
      wayOut: wayOut('AXON_TOKEN'),
    };
  const file = process.env['AXON_TOKEN_FILE'];
  if (file === undefined || file === '') return undefined;
  return {
    text: checkToken(readSecretFile(file), file),
    where: `in ${file}, which AXON_TOKEN_FILE names`,
    wayOut: wayOut('AXON_TOKEN_FILE'),
  };
}

/** Why a passphrase cannot be set, in a sentence; null where it can. */
function flawOf(passphrase: string): string | null {
  switch (passphraseFlaw(passphrase)) {
    case 'hidden':
      return 'That passphrase holds a character that nobody can see or type.';
    case 'short':
      return `An owner passphrase has at least ${PASSPHRASE_MIN_CHARACTERS} characters; this one has ${tidyPassphrase(passphrase).length}.`;
    default:
      return null;
  }
}

/**
 * The secret on the first line of a file of a bounded size. What is on later lines is not read.
 * @param unread what it means that it cannot be read @throws AppError of that code
 */
export function readSecretFile(
  path: string,
  unread: 'unauthenticated' | 'bad_request' = 'unauthenticated',
): string {
  const hint = 'It must be there, readable by you, and hold the secret on its first line.';
  let bytes: Uint8Array;
  try {
    bytes = bytesOfSecret(path);
  } catch (cause) {
    throw refusal(unread, `The file "${path}" cannot be read: ${whyUnread(cause)}.`, hint, cause);
  }
  const flawed = (flaw: string): AppError =>
    refusal(
      unread,
      `The file "${path}" ${flaw}.`,
      'Save it as UTF-8 text, with the secret on its first line.',
    );
  if (bytes.byteLength > SECRET_SIZE_MAX_BYTES)
    throw flawed(`is longer than ${SECRET_SIZE_MAX_BYTES} bytes`);
  const decoded = decodeText(bytes);
  if (!decoded.ok) throw flawed(decoded.error);
  const secret = firstLine(decoded.value.text);
  if (secret.trim() === '') throw flawed('has nothing on its first line');
  return secret;
}

/** No more than one byte beyond what a secret may have, whatever the file is. */
function bytesOfSecret(path: string): Uint8Array {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    const bytes = Buffer.alloc(SECRET_SIZE_MAX_BYTES + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.byteLength; length += read)
      read = readSync(descriptor, bytes, length, bytes.byteLength - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** The token in a file; undefined where there is none. */
export function readToken(path: string): string | undefined {
  try {
    const text = readSecretFile(path).trim();
    return TOKEN.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function checkToken(text: string, where: string): string {
  const token = text.trim();
  if (TOKEN.test(token)) return token;
  throw refusal(
    'unauthenticated',
    `${where} does not hold a hub token.`,
    'A token looks like axh_agent_... ; "axon agents connect NAME" gets one.',
  );
}
