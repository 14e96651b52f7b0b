// Our entry in the settings of a program that speaks MCP, on disk.
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { programFile } from './invocation.ts';
import {
  askingLines,
  entryIn,
  isWithout,
  tokenFileOf,
  underOurName,
  withEntry,
  withoutEntry,
} from './mcp-clients.ts';
import type { McpClient, ServerEntry } from './mcp-clients.ts';
import { refusal } from './refusal.ts';
import { SettingsText } from './settings-text.ts';
import { forgetUndo, keepUndo, keptUndo, undoOf, undone } from './undo.ts';

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

/** The settings file of a program, and what stands in it. */
export class ClientSettings {
  readonly #client: McpClient;
  readonly #settings: SettingsText;

  /** @throws AppError bad_request: it cannot be read, or is written in a way we do not change */
  constructor(client: McpClient) {
    this.#client = client;
    this.#settings = new SettingsText(settingsFile(client));
    const there = underOurName(client, this.#text);
    if (there !== undefined && tokenFileOf(there) === undefined)
      throw refusal(
        'bad_request',
        `${client.title} has another server called "axon" already.`,
        `Rename or remove it in ${this.file} first. Nothing was changed.`,
      );
  }

  get file(): string {
    return this.#settings.file;
  }

  get #text(): string {
    return this.#settings.text;
  }

  /** The token file that our entry names; undefined where there is no entry. */
  get tokenFile(): string | undefined {
    return tokenFileOf(entryIn(this.#client, this.#text));
  }

  /** What a person is told of it once it stands there. */
  get asking(): readonly string[] {
    return askingLines(this.#client, entryIn(this.#client, this.#text) ?? {});
  }

  /** The text with our entry. @throws AppError bad_request */
  with(entry: ServerEntry): string {
    return withEntry(this.#client, this.#text, entry);
  }

  /**
   * The text without our entry, byte for byte as it was where what was put in still stands there.
   * @param undoFile where that is kept @throws AppError bad_request
   */
  without(undoFile: string): string {
    const undo = keptUndo(undoFile);
    const bare = undo && undone(this.#text, undo);
    if (bare !== undefined && isWithout(this.#client, this.#text, bare)) return bare;
    return withoutEntry(this.#client, this.#text);
  }

  /**
   * Writes the text with our entry, and keeps how to take it out.
   * @param agent whose token the entry names
   * @throws AppError bad_request: it changed meanwhile, or cannot be written
   */
  install(entry: ServerEntry, undoFile: string, agent: string): void {
    const bare = this.without(undoFile);
    const kept = keptUndo(undoFile);
    const isNew = kept?.isNew ?? !existsSync(this.file);
    const text = this.with(entry);
    this.#settings.write(text);
    const { hooksAreNew = false } = kept ?? {};
    keepUndo(undoFile, { ...undoOf(bare, text, isNew), agent, hooksAreNew });
  }

  /** Writes this text without our entry; no file where there was none. @throws as install */
  uninstall(bare: string, undoFile: string): void {
    this.#settings.write(bare);
    if (bare === '' && keptUndo(undoFile)?.isNew === true) rmSync(this.file);
    forgetUndo(undoFile);
  }
}
