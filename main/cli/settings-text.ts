// A settings file of another program, on disk: read, then replaced as a whole file, so that a crash
// leaves the old one or the new one. Its encoding, its byte order mark and its line ends stay.
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
