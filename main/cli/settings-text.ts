// A settings file of another program, on disk: read, then replaced as a whole file under a lock, so
// that a crash leaves the old one or the new one, and what another program wrote meanwhile stays.
// Its encoding, its byte order mark and its line ends stay.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { decodeText, encodeText, type TextForm } from '../lib/decode-text.ts';
import { whyUnread } from '../lib/why-unread.ts';
import { refusal } from './refusal.ts';

export class SettingsText {
  readonly file: string;
  readonly text: string;
  readonly #bytes: Uint8Array;
  readonly #form: TextForm;

  /** @throws AppError bad_request: it cannot be read */
  constructor(file: string) {
    this.file = file;
    this.#bytes = readBytes(file);
    const decoded = decodeText(this.#bytes);
    if (!decoded.ok)
      throw refusal(
        'bad_request',
        `${file} ${decoded.error}.`,
        'Save it as UTF-8 text. Nothing was changed.',
      );
    this.text = decoded.value.text;
    this.#form = decoded.value.form;
  }

  /** @throws AppError bad_request: it changed meanwhile, or cannot be written */
  write(text: string): void {
    const target = existsSync(this.file) ? realpathSync(this.file) : this.file;
    const fresh = `${target}.axon-${process.pid}`;
    const lock = `${target}.lock`;
    this.#written(fresh, () => mkdirSync(dirname(target), { recursive: true }));
    takeLock(lock, this.file);
    try {
      this.#written(fresh, () => {
        const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
        writeFileSync(fresh, encodeText(text, this.#form), { flag: 'wx', mode, flush: true });
      });
      // As late as can be, for a program that takes no lock.
      if (Buffer.compare(readBytes(this.file), this.#bytes) !== 0) {
        rmSync(fresh, { force: true });
        throw refusal('bad_request', `${this.file} was changed meanwhile.`, 'Try again.');
      }
      this.#written(fresh, () => renameSync(fresh, target));
    } finally {
      rmdirSync(lock);
    }
  }

  #written(fresh: string, write: () => void): void {
    try {
      write();
    } catch (cause) {
      rmSync(fresh, { force: true });
      throw unwritable(this.file, cause);
    }
  }
}

function unwritable(file: string, cause: unknown): Error {
  const hint = 'See who owns it. Nothing was changed.';
  return refusal('bad_request', `${file} cannot be written.`, hint, cause);
}

/** One that is older was left by a program that was killed. */
const LOCK_STALE_MS = 10_000;
const LOCK_PATIENCE_MS = 5_000;
const LOCK_PAUSE_MS = 50;

/**
 * The lock that Claude Code takes, too: a folder beside the file.
 * @throws AppError bad_request: another program has it all the while
 */
function takeLock(lock: string, file: string): void {
  const until = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      mkdirSync(lock);
      return;
    } catch (cause) {
      const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
      if (!isTaken) throw unwritable(file, cause);
      const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
      if (Date.now() - mtimeMs > LOCK_STALE_MS) rmSync(lock, { recursive: true, force: true });
      else if (Date.now() < until) rest(LOCK_PAUSE_MS);
      else
        throw refusal(
          'bad_request',
          `${file} is being changed by another program, which has ${lock}.`,
          'Try again. Nothing was changed.',
          cause,
        );
    }
  }
}

function rest(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
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
