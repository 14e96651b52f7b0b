// ingest: the messages that an agent writes to its log, shown, or sent on as they come.
import { createReadStream } from 'node:fs';
import type { AppError } from '../../lib/app-error.ts';
import { LineReader, type TextLine } from '../../lib/decode-text.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { whyUnread } from '../../lib/why-unread.ts';
import { plural } from '../../../preload/contract/strings/shared-words.ts';
import type { AxonCommand } from '../axon-command.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { LINE_MAX_BYTES, logLine, missingIn, namesMessage, readLogLine } from '../message-log.ts';
import { ownLine, quoted } from '../quoted-text.ts';
import { refusal } from '../refusal.ts';
import type { Terminal } from '../terminal.ts';

/** So many unreadable lines are told one by one; the others are counted. */
const FLAWS_TOLD_MAX = 20;
const MESSAGES = { one: 'One message', other: '{n} messages' };
const QUOTING = {
  one: 'One of its lines names one elsewhere, as a quotation does; it is not read.',
  other: '{n} of its lines name one elsewhere, as a quotation does; they are not read.',
};

export function addIngestCommand(program: AxonCommand): void {
  program
    .command('ingest')
    .description('read the messages in the log of an ElizaOS agent (lines with MCP_MESSAGE_SENT:)')
    .argument('[file]', 'the log; without one, standard input')
    .option('--send', 'send those that the agent sent, as they come, in its name')
    .does(async ({ terminal, session }, file: string | undefined, options: { send?: true }) => {
      const client = options.send === true ? await session.asAgent() : null;
      const messages: JsonObject[] = [];
      const log = new MessageLog(terminal, client !== null);
      let sent = 0;
      let kept = 0;
      for await (const line of linesOf(file)) {
        const read = log.read(line);
        if (read === undefined) continue;
        if (client === null) messages.push(read.message);
        else if (!read.isSent) continue;
        else if (await send(client, terminal, read.message)) sent += 1;
        else {
          kept += 1;
          continue;
        }
        log.done(read.message);
      }
      log.close();
      if (client === null) {
        terminal.result({ messages }, () =>
          messages.length === 0
            ? []
            : [
                `${plural(messages.length, MESSAGES)}:`,
                ...messages.flatMap((message) => quoted(oneLine(message))),
              ],
        );
      }
      if (client === null ? messages.length === 0 : sent + kept + log.unreadSent === 0)
        throw nothingIn(file === undefined ? 'standard input' : `"${file}"`, log, client !== null);
      return client !== null && kept + log.unreadSent > 0 ? 1 : 0;
    });
}

/** What was read so far of one log. Each message is read once. */
class MessageLog {
  /** Lines of messages that the agent sent, of which nothing can be read. */
  unreadSent = 0;
  lines = 0;
  found = 0;
  /** Lines that name a message where no logger puts it. */
  quoted = 0;
  readonly #terminal: Terminal;
  readonly #isSending: boolean;
  readonly #done = new Set<string>();
  #flaws = 0;

  constructor(terminal: Terminal, isSending: boolean) {
    this.#terminal = terminal;
    this.#isSending = isSending;
  }

  read(line: TextLine): { readonly isSent: boolean; readonly message: JsonObject } | undefined {
    this.lines = line.number;
    const read = readLogLine(line.text, line.flaw);
    if (read === undefined) {
      if (line.isCut) this.#unread(line, `${line.flaw} and was not read`);
      else if (namesMessage(line.text)) this.quoted += 1;
      return undefined;
    }
    const { isSent, message } = read;
    if (typeof message === 'string') {
      if (isSent) this.unreadSent += 1;
      this.#unread(line, message);
      return undefined;
    }
    const lacks = missingIn(message);
    // What is sent the hub reads by the language of the agent, and says so itself.
    if (lacks.length > 0 && !this.#isSending) {
      this.#unread(line, `holds no whole message: it lacks ${lacks.join(' and ')}`);
      return undefined;
    }
    this.found += 1;
    return this.#done.has(idOf(message)) ? undefined : { isSent, message };
  }

  /** The same message is not read again. */
  done(message: JsonObject): void {
    this.#done.add(idOf(message));
  }

  close(): void {
    if (this.#flaws > 0) this.#terminal.note(`Lines that could not be read: ${this.#flaws}.`);
  }

  #unread({ number }: TextLine, why: string): void {
    this.#flaws += 1;
    if (this.#flaws <= FLAWS_TOLD_MAX) this.#terminal.note(`Line ${number} ${why}.`);
  }
}

function idOf(message: JsonObject): string {
  return JSON.stringify(message['message_id'] ?? message);
}

/** A log of which nothing came is no success. */
function nothingIn(
  name: string,
  { lines, found, quoted }: MessageLog,
  isSending: boolean,
): AppError {
  const what = isSending && found > 0 ? 'message that the agent sent' : 'message';
  const quotes = quoted === 0 ? '' : ` ${plural(quoted, QUOTING)}`;
  return refusal(
    'not_found',
    `There is no ${what} in ${name}, which has ${plural(lines, { one: 'one line', other: '{n} lines' })}.${quotes}`,
    'A message stands behind MCP_MESSAGE_SENT: or MCP_MESSAGE_RECEIVED: where the logger begins its words, whole on one line.',
  );
}

/** Whether the hub took it. What it refuses is said, and the lines after it go on. */
async function send(client: HubClient, terminal: Terminal, message: JsonObject): Promise<boolean> {
  try {
    const { report, untrusted, each = [] } = await client.call('send.message', message);
    const to = report === undefined ? '' : ` to ${report.chosen.peer_name}`;
    for (const line of ownLine(`Sent${to}: ${oneLine(message)}`)) terminal.note(line);
    const { came_of_it: cameOfIt } = untrusted ?? {};
    for (const { native } of [untrusted, ...each.map((one) => one.untrusted)].flatMap(
      (one) => one ?? [],
    ))
      if (native !== undefined) terminal.result({ native }, () => [logLine(native)]);
    if (cameOfIt !== undefined) terminal.note(cameOfIt);
    return true;
  } catch (error) {
    if (!(error instanceof HubProblem)) throw error;
    for (const line of ownLine(`Not sent: ${oneLine(message)}`)) terminal.note(line);
    terminal.note([error.problem.detail, error.problem.hint ?? ''].join(' ').trim());
    return false;
  }
}

async function* linesOf(file: string | undefined): AsyncGenerator<TextLine> {
  const input = file === undefined ? process.stdin : createReadStream(file);
  const reader = new LineReader(LINE_MAX_BYTES);
  try {
    for await (const piece of input) yield* reader.push(Buffer.from(piece));
    yield* reader.end();
  } catch (error) {
    const name = file === undefined ? 'Standard input' : `"${file}"`;
    throw refusal(
      'bad_request',
      `${name} cannot be read: ${whyUnread(error)}.`,
      'Name the log of an agent, or pipe it in.',
      error,
    );
  }
}

function oneLine({ performative, sender, receiver, message_id: id }: JsonObject): string {
  return [performative, nameIn(sender), '->', nameIn(receiver), id].map(wordOf).join(' ');
}

function nameIn(party: unknown): unknown {
  return typeof party === 'object' && party !== null && 'agent_id' in party
    ? party.agent_id
    : party;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '?' : JSON.stringify(value);
}
