// The terminal: what is printed and what is asked. All text from elsewhere passes the escape here. Asking works at a real terminal only:
// a program that pipes into the command is not a person.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { AppError } from '../lib/app-error.ts';
import { forCell, forTerminal, jsonForTerminal } from './escape.ts';

export class Terminal {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  /** Calls `then` instead of ending the program when its output can no longer be written, as when its window is closed. */
  whenClosed(then: () => void): void {
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', then);
  }

  get isInteractive(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY;
  }

  /**
   * For a link that lets in whoever has it: refuses to print it where no person reads it and no script asked for it as JSON.
   * @param link how the sentence begins that says so
   * @throws AppError bad_request
   */
  expectsReader(link: string): void {
    if (process.stdout.isTTY || this.json) return;
    throw new AppError('bad_request', `${link} is printed at a terminal only, never into a log or a pipe.`, {
      hint: 'Run it at a terminal. A script that wants the link asks for it with --json and --passphrase-file.',
      failedBy: 'input',
    });
  }

  /** The result: as JSON, or as the lines that `lines` makes of it. */
  result(value: unknown, lines: () => readonly string[]): void {
    if (this.json) this.#out(jsonForTerminal(value));
    else for (const line of lines()) this.line(line);
  }

  line(text: string): void {
    this.#out(forTerminal(text));
  }

  /** Text that the hub made ready for any reader, as it is; waits for a slow reader. */
  async raw(text: string): Promise<void> {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  }

  /** Aside from the result: progress, questions, hints. */
  note(text: string): void {
    process.stderr.write(`${forTerminal(text)}\n`);
  }

  noteJson(value: unknown): void {
    process.stderr.write(`${jsonForTerminal(value)}\n`);
  }

  /** Asks and reads one line without showing it. Throws `cancelled` for Ctrl+C and Ctrl+D, as `ask` does. */
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
      return (await answer(reader.question(forTerminal(question)))).trim();
    } finally {
      reader.close();
    }
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
    throw new AppError('cancelled', 'Nothing was typed, so nothing was done.', { failedBy: 'input', cause: error });
  }
}

/** A state or kind of the contract, as people read it: "awaiting approval". */
export function inWords(name: string): string {
  return name.replaceAll('_', ' ');
}

/** An agent id, a key, or the id of a task or request: what is copied and not read. */
const ID = /^(?:ed25519\.[0-9a-f]{32}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const BELOW = '  ';

/**
 * Rows as columns that line up, without borders. Where they do not fit, ids stand below their row, each on a line of its own, so that none is
 * broken; the words of the first row, the names of the columns, go with them.
 * @param room how many columns the reader has; a pipe has any number, so that a row stays one line there
 */
export function table(rows: readonly (readonly (string | number | null)[])[], room = roomOf(process.stdout)): readonly string[] {
  const cells = rows.map((row) => row.map((value) => (value === null ? '-' : forCell(String(value)))));
  const lines = inColumns(cells);
  const ids = new Set(cells.flatMap((row) => row.flatMap((cell, index) => (ID.test(cell) ? [index] : []))));
  if (ids.size === 0 || lines.every((line) => columnsOf(line) <= room)) return lines;
  const without = inColumns(cells.map((row) => row.filter((_, index) => !ids.has(index))));
  return cells.flatMap((row, at) => [without[at] ?? '', ...[...ids].map((index) => `${BELOW}${row[index] ?? '-'}`)]);
}

function inColumns(cells: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of cells) for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, columnsOf(cell));
  return cells.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - columnsOf(cell)))).join('  '),
  );
}

function roomOf({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** What takes two columns at a terminal: the wide letters of East Asia, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const LETTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How many columns of a terminal the text takes: a letter with its marks is one, a wide one two. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of LETTERS.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

const BEGINNING_MAX_CHARACTERS = 60;

/** The first words of a text, on one line, with an ellipsis where it goes on. */
export function beginningOf(text: string): string {
  const characters = [...text.trim().replaceAll(/\s+/g, ' ')];
  if (characters.length <= BEGINNING_MAX_CHARACTERS) return characters.join('');
  const beginning = characters.slice(0, BEGINNING_MAX_CHARACTERS - 1).join('');
  return `${beginning.replace(/ [^ ]{0,20}$/, '')}…`;
}
