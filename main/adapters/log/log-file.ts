// The log of a hub that has no terminal: a private file of bounded size. When it is full it becomes
// hub.log.1 and a new one begins. Opened at the first line, through no link; what cannot be written
// is dropped, since a log must never stop a hub.
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Bounds the file; with the one before it, logs take at most twice this. */
const LOG_FILE_SIZE_MAX_BYTES = 4 * 1024 * 1024;

export class LogFile {
  readonly #folder: string;
  readonly #sizeMaxBytes: number;
  #descriptor: number | undefined;
  #size = 0;

  /** @param folder the data folder; the file is logs/hub.log in it */
  constructor(folder: string, sizeMaxBytes: number = LOG_FILE_SIZE_MAX_BYTES) {
    this.#folder = join(folder, 'logs');
    this.#sizeMaxBytes = sizeMaxBytes;
  }

  write(line: string): void {
    try {
      const bytes = Buffer.from(line, 'utf8');
      if (this.#descriptor !== undefined && this.#size + bytes.byteLength > this.#sizeMaxBytes)
        this.#rotate();
      this.#descriptor ??= this.#open();
      this.#size += writeSync(this.#descriptor, bytes);
    } catch {
      this.close();
    }
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    try {
      if (descriptor !== undefined) closeSync(descriptor);
    } catch {
      // A disk that fails now has lost lines of a log, and stops no hub.
    }
  }

  get #path(): string {
    return join(this.#folder, 'hub.log');
  }

  #rotate(): void {
    this.close();
    renameSync(this.#path, `${this.#path}.1`);
  }

  #open(): number {
    makeFolder(this.#folder);
    const flags =
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    const descriptor = openSync(this.#path, flags, 0o600);
    this.#size = fstatSync(descriptor).size;
    return descriptor;
  }
}

/** The one folder: the data folder above it is the hub's to make. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
