// Our entry in the settings of a program that speaks MCP, on disk: read, then replaced as a whole
// file, so that a crash leaves the old one or the new one.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { whyUnread } from '../lib/why-unread.ts';
import { decodeText, encodeText, type TextForm } from '../lib/decode-text.ts';
import { programFile } from './invocation.ts';
import { entryIn, tokenFileOf, underOurName, withEntry, withoutEntry } from './mcp-clients.ts';
import type { McpClient, ServerEntry } from './mcp-clients.ts';
import { refusal } from './refusal.ts';

/** What is written for one token file. @throws AppError bad_request: the app has no command */
export function serverEntry(home: string, tokenFile: string): ServerEntry {
  const program = programFile();
  if (program === null)
    throw refusal('bad_request', 'This copy of AXON Hub has no command that another can start.');
  return {
    command: process.execPath,
    // Some programs start it without the environment that says where the hub is.
    args: [program, 'mcp', '--home', home],
    env: { AXON_TOKEN_FILE: tokenFile },
  };
}

/** Where a program keeps its settings, or would. */
export function settingsFile(client: McpClient): string {
  const files = client.files(homedir(), process.env);
  return files.find((file) => existsSync(file)) ?? files[0] ?? '';
}

/**
 * The settings file of a program, and what stands in it. Its encoding, its byte order mark and its
 * line ends stay.
 */
export class ClientSettings {
  readonly file: string;
  readonly #client: McpClient;
  readonly #bytes: Uint8Array;
  readonly #form: TextForm;
  readonly #text: string;

  /** @throws AppError bad_request: it cannot be read, or is written in a way we do not change */
  constructor(client: McpClient) {
    this.#client = client;
    this.file = settingsFile(client);
    this.#bytes = readBytes(this.file);
    const decoded = decodeText(this.#bytes);
    if (!decoded.ok)
      throw refusal(
        'bad_request',
        `${this.file} ${decoded.error}.`,
        'Save it as UTF-8 text. Nothing was changed.',
      );
    this.#text = decoded.value.text;
    this.#form = decoded.value.form;
    const there = underOurName(client, this.#text);
    if (there !== undefined && tokenFileOf(there) === undefined)
      throw refusal(
        'bad_request',
        `${client.title} has another server called "axon" already.`,
        `Rename or remove it in ${this.file} first. Nothing was changed.`,
      );
  }

  /** The token file that our entry names; undefined where there is no entry. */
  get tokenFile(): string | undefined {
    return tokenFileOf(entryIn(this.#client, this.#text));
  }

  /** The text with our entry. @throws AppError bad_request */
  with(entry: ServerEntry): string {
    return withEntry(this.#client, this.#text, entry);
  }

  /** The text without our entry. @throws AppError bad_request */
  without(): string {
    return withoutEntry(this.#client, this.#text);
  }

  /** @throws AppError bad_request: it changed meanwhile, or cannot be written */
  write(text: string): void {
    if (Buffer.compare(readBytes(this.file), this.#bytes) !== 0)
      throw refusal('bad_request', `${this.file} was changed meanwhile.`, 'Try again.');
    const target = existsSync(this.file) ? realpathSync(this.file) : this.file;
    const fresh = `${target}.axon-${process.pid}`;
    try {
      mkdirSync(dirname(target), { recursive: true });
      const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
      writeFileSync(fresh, encodeText(text, this.#form), { flag: 'wx', mode });
      renameSync(fresh, target);
    } catch (cause) {
      rmSync(fresh, { force: true });
      throw refusal(
        'bad_request',
        `${this.file} cannot be written.`,
        'See who owns it. Nothing was changed.',
        cause,
      );
    }
  }
}

/** Empty where there is no file. */
function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    const entry = lstatSync(file, { throwIfNoEntry: false });
    if (entry === undefined) return new Uint8Array(0);
    if (!existsSync(file) && entry.isSymbolicLink())
      throw refusal(
        'bad_request',
        `${file} is a link to ${readlinkSync(file)}, which is not there.`,
        'Make that file, or remove the link. Nothing was changed.',
        cause,
      );
    throw refusal('bad_request', `${file} cannot be read: ${whyUnread(cause)}.`, undefined, cause);
  }
}
