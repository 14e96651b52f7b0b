// Log lines as one JSON object each, to a stream given by the composition root. Redaction happens before: fields are plain values only.
import type { Clock } from '../../ports/clock.ts';
import type { Log, LogFields } from '../../ports/log.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A field longer than this is cut: it bounds what a hostile text can put into one line. */
const FIELD_LENGTH_MAX = 512;

export class LineLog implements Log {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #least: number;
  readonly #fields: LogFields;

  constructor(clock: Clock, write: (line: string) => void, level: LogLevel, fields: LogFields = {}) {
    this.#clock = clock;
    this.#write = write;
    this.#least = LOG_LEVELS.indexOf(level);
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
    return new LineLog(this.#clock, this.#write, LOG_LEVELS[this.#least] ?? 'info', { ...this.#fields, ...fields });
  }

  #line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) < this.#least) return;
    const line: Record<string, unknown> = { at: this.#clock.wallMs(), level, message };
    for (const [name, value] of Object.entries({ ...this.#fields, ...fields })) {
      line[name] = typeof value === 'string' && value.length > FIELD_LENGTH_MAX ? `${value.slice(0, FIELD_LENGTH_MAX)}...` : value;
    }
    this.#write(`${JSON.stringify(line)}\n`);
  }
}
