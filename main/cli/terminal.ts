// The terminal: what is printed and what is asked. All text passes the escape here, and one line
// stays one line. Asking works at a real terminal only: a program that pipes into the command is
// not a person.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { forLine, jsonForTerminal } from './escape.ts';
import { ownLine, quoted } from './quoted-text.ts';
import { refusal } from './refusal.ts';

export class Terminal {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  /**
   * Calls `then` instead of ending the program when its output can no longer be written, as when
   * its window is closed.
   */
  whenClosed(then: () => void): void {
    for (const stream of [process.stdout, process.stderr])
      stream.removeAllListeners('error').on('error', then);
  }

  get isInteractive(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY;
  }

  /**
   * For a link that logs in whoever has it: refuses to print it where no person reads it and no
   * script asked for it as JSON.
   * @param link how the sentence begins that says so
   * @throws AppError bad_request
   */
  expectsReader(link: string): void {
    if (process.stdout.isTTY || this.json) return;
    throw refusal(
      'bad_request',
      `${link} is printed at a terminal only, never into a log or a pipe.`,
      'Run it at a terminal. A script that wants the link asks for it with --json and --passphrase-file.',
    );
  }

  /** The result: as JSON, or as the lines that `lines` makes of it. */
  result(value: unknown, lines: () => readonly string[]): void {
    if (this.json) this.#out(jsonForTerminal(value));
    else for (const line of lines()) this.line(line);
  }

  line(text: string): void {
    this.#out(forLine(text));
  }

  /** Text that the hub made ready for any reader, as it is; waits for a slow reader. */
  async raw(text: string): Promise<void> {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  }

  /** Aside from the result: progress, questions, hints. */
  note(text: string): void {
    process.stderr.write(`${forLine(text)}\n`);
  }

  noteJson(value: unknown): void {
    process.stderr.write(`${jsonForTerminal(value)}\n`);
  }

  /**
   * Asks and reads one line without showing it. Throws `cancelled` for Ctrl+C and Ctrl+D, as `ask`
   * does.
   */
  async askHidden(question: string): Promise<string> {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
    process.stderr.write(question);
    try {
      return await answer(reader.question(''));
    } finally {
      reader.close();
      process.stderr.write('\n');
    }
  }

  async ask(question: string): Promise<string> {
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return (await answer(reader.question(forLine(question)))).trim();
    } finally {
      reader.close();
    }
  }

  /** Asks for a word. Throws `cancelled` for any other, with what was kept. */
  async confirm(question: string, word: string, kept: string): Promise<void> {
    const typed = await this.ask(`${question} Type "${word}": `);
    if (typed.toLowerCase() !== word)
      throw refusal('cancelled', kept, `Only the whole word "${word}" does it.`);
  }

  #out(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}

async function answer(asked: Promise<string>): Promise<string> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    process.stderr.write('\n');
    throw refusal('cancelled', 'Nothing was typed, so nothing was done.', undefined, error);
  }
}

/** A state or kind of the contract, as people read it: "awaiting approval". */
export function inWords(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Under a table of requests or agents. */
export const CLASS_LEGEND =
  'CLASS: R0 only looks; R1 small, can be undone; R2 others see it; R3 dangerous.';

/**
 * Rows as columns that line up where all letters are plain ones, without borders. A pipe gets each
 * row on one line.
 * @param quotes what somebody else wrote, one for each row behind the first: it stands below its
 * row
 */
export function table(
  rows: readonly (readonly (string | number | null)[])[],
  quotes: readonly (string | null)[] = [],
): readonly string[] {
  const cells = rows.map((row) =>
    row.map((value) => (value === null ? '-' : forLine(String(value)).replaceAll('\t', ' '))),
  );
  const widths: number[] = [];
  for (const row of cells)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return cells.flatMap((row, at) => {
    const quote = quotes[at - 1] ?? null;
    const line = row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');
    const own = process.stdout.isTTY ? ownLine(line.trimEnd()) : [line.trimEnd()];
    return [...own, ...(quote === null ? [] : quoted(quote))];
  });
}

/** What stands below the lines of a page that is not the last. */
export function goesOn({ next }: { readonly next: string | null }): readonly string[] {
  return next === null ? [] : ['(There are more than these.)'];
}

const BEGINNING_MAX_CHARACTERS = 60;

/** The first words of a text, on one line, with an ellipsis where it goes on. */
export function beginningOf(text: string): string {
  const characters = [...text.trim().replaceAll(/\s+/g, ' ')];
  if (characters.length <= BEGINNING_MAX_CHARACTERS) return characters.join('');
  const beginning = characters.slice(0, BEGINNING_MAX_CHARACTERS - 1).join('');
  return `${beginning.replace(/ [^ ]{0,20}$/, '')}…`;
}
