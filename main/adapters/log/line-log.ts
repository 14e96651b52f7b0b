// Log lines, to a stream given by the composition root: one JSON object each, for programs, or text
// for a person at a terminal. Redaction happens before: fields are plain values only. What stands
// in them may come from elsewhere and must not move a terminal's cursor.
import { LOG_LEVELS } from '../../../preload/contract/closed-lists.ts';
import type { LogForm, LogLevel } from '../../../preload/contract/closed-lists.ts';
import { showHidden } from '../../lib/hidden-characters.ts';
import { shortened } from '../../lib/shortened.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log, LogFields } from '../../ports/log.ts';

/** A field longer than this is cut: it bounds what a hostile text can put into one line. */
const FIELD_LENGTH_MAX = 512;

/** Local time of day, as "16:05:09". Made with the first line of text: that takes milliseconds. */
let timeOfDay: Intl.DateTimeFormat | undefined;
const WORDS: Readonly<Record<LogLevel, string>> = {
  debug: 'detail: ',
  info: '',
  warn: 'warning: ',
  error: 'error: ',
};

interface LineLogOptions {
  readonly form?: LogForm;
  readonly fields?: LogFields;
}

export class LineLog implements Log {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #level: LogLevel;
  readonly #form: LogForm;
  readonly #fields: LogFields;

  constructor(
    clock: Clock,
    write: (line: string) => void,
    level: LogLevel,
    { form = 'json', fields = {} }: LineLogOptions = {},
  ) {
    this.#clock = clock;
    this.#write = write;
    this.#level = level;
    this.#form = form;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#line('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#line('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#line('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#line('error', message, fields);
  }

  with(fields: LogFields): Log {
    return new LineLog(this.#clock, this.#write, this.#level, {
      form: this.#form,
      fields: { ...this.#fields, ...fields },
    });
  }

  #line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#level)) return;
    const cut = Object.entries({ ...this.#fields, ...fields }).map(
      ([name, value]): [string, unknown] => [
        name,
        typeof value === 'string' ? shortened(value, FIELD_LENGTH_MAX) : value,
      ],
    );
    const at = this.#clock.wallMs();
    this.#write(
      this.#form === 'json' ? jsonLine(at, level, message, cut) : textLine(at, level, message, cut),
    );
  }
}

function jsonLine(
  at: number,
  level: LogLevel,
  message: string,
  fields: readonly [string, unknown][],
): string {
  return `${JSON.stringify({ at, level, message, ...Object.fromEntries(fields) })}\n`;
}

function textLine(
  at: number,
  level: LogLevel,
  message: string,
  fields: readonly [string, unknown][],
): string {
  const told = fields.filter(([, value]) => value !== null && value !== undefined);
  const aside = told
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
    .join(', ');
  timeOfDay ??= new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
  const line = `${timeOfDay.format(at)} ${WORDS[level]}${message}${aside === '' ? '' : ` (${aside})`}`;
  return `${showHidden(line).replaceAll(/[\n\t]+/g, ' ')}\n`;
}
