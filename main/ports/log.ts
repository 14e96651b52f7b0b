// Program log: a constant message plus fields. Audit events are not logs; they go through the
// Store.

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields & { readonly error?: string }): void;
  /** A log whose lines carry `fields` as well. */
  with(fields: LogFields): Log;
}
