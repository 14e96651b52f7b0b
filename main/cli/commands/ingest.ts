// ingest: the messages that an agent writes to its log, shown, or sent on as they come.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../lib/json-object.ts';
import type { AxonCommand } from '../axon-command.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { logLine, readLogLine } from '../message-log.ts';
import { refusal } from '../refusal.ts';
import type { Terminal } from '../terminal.ts';

export function addIngestCommand(program: AxonCommand): void {
  program
    .command('ingest')
    .description('read the messages in the log of an ElizaOS agent (lines with MCP_MESSAGE_SENT:)')
    .argument('[file]', 'the log; without one, standard input')
    .option('--send', 'send those that the agent sent, as they come, in its name')
    .does(async ({ terminal, session }, file: string | undefined, options: { send?: true }) => {
      const client = options.send === true ? await session.asAgent() : null;
      const messages: JsonObject[] = [];
      const seen = new Set<string>();
      let exitCode = 0;
      for await (const line of linesOf(file)) {
        const read = readLogLine(line);
        if (read === 'unreadable')
          terminal.note(`This line holds no message: ${line.slice(0, 100)}`);
        if (read === undefined || read === 'unreadable') continue;
        const id = JSON.stringify(read.message['message_id'] ?? read.message);
        if (seen.has(id)) continue;
        if (client === null) messages.push(read.message);
        else if (read.isSent && !(await send(client, terminal, read.message))) {
          exitCode = 1;
          continue;
        }
        seen.add(id);
      }
      if (client === null) terminal.result({ messages }, () => messages.map(oneLine));
      return exitCode;
    });
}

/** Whether the hub took it. What it refuses is said, and the lines after it go on. */
async function send(client: HubClient, terminal: Terminal, message: JsonObject): Promise<boolean> {
  try {
    const { report, untrusted } = await client.call('send.message', message);
    const to = report === undefined ? '' : ` to ${report.chosen.peer_name}`;
    terminal.note(`Sent${to}: ${oneLine(message)}`);
    if (untrusted !== undefined) terminal.result(untrusted, () => [logLine(untrusted.native)]);
    return true;
  } catch (error) {
    if (!(error instanceof HubProblem)) throw error;
    terminal.note(`Not sent: ${oneLine(message)}`);
    terminal.note([error.problem.detail, error.problem.hint ?? ''].join(' ').trim());
    return false;
  }
}

async function* linesOf(file: string | undefined): AsyncGenerator<string> {
  const input = file === undefined ? process.stdin : createReadStream(file);
  try {
    yield* createInterface({ input, crlfDelay: Infinity });
  } catch (error) {
    throw refusal('bad_request', `"${file ?? 'standard input'}" cannot be read.`, undefined, error);
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
