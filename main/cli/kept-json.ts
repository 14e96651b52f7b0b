// Small files of this user alone in the data folder, in which a program that runs for an agent
// remembers what must outlive it. Each is one JSON object, and is replaced as a whole.
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';

/** A name that any file system takes. */
export function hashed(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

export function privateFolder(...path: readonly [string, ...string[]]): string {
  const folder = join(...path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Empty where there is none, or it is not one of ours. */
export function readKept(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** On the disk when this returns. */
export function replaceKept(file: string, value: object): void {
  const fresh = `${file}.${randomBytes(4).toString('hex')}`;
  const descriptor = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(descriptor, JSON.stringify(value));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(fresh, file);
}

/** What the programs of an agent cost today, over every restart. */
export class DayTokens {
  readonly #file: string;

  constructor(home: string, agent: string) {
    this.#file = join(privateFolder(home, 'runners'), `${hashed(agent)}.day.json`);
  }

  today(): number {
    const { day, tokens } = readKept(this.#file);
    return day === today() && typeof tokens === 'number' ? tokens : 0;
  }

  spend(more: number): void {
    const tokens = this.today() + more;
    if (more > 0) replaceKept(this.#file, { day: today(), tokens });
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
