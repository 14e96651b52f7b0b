// An agent that is killed again and again: takes its inbox over HTTP, over MCP at /mcp or over MCP
// by `axon mcp`, and notes each step in its journal, so that it goes on where it was.
// Arguments: the door, the data folder, the file of the token, the journal.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { AxonClient, Refused } from '../../resources/examples/axon-client.ts';
import { runtimeOf, wordsOf } from '../support/programs.ts';

/** A step of an item: taken, known to the hub as taken, or answered. */
export interface Note {
  readonly step: 'got' | 'acked' | 'replied' | 'lost';
  readonly id: string;
  readonly attempt: number;
  readonly text: string;
}
type Claimed = { delivery_id: string; attempt: number; untrusted: { text: string } };
type Call = (what: 'claim' | 'ack' | 'reply', values: Record<string, unknown>) => Promise<unknown>;

const LEASE_MS = 2_000;
/** What each step takes at most, so that a kill meets it. */
const STEP_MAX_MS = 300;

export function readNotes(journal: string): readonly Note[] {
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): Note => JSON.parse(line));
}

function overHttp(home: string, token: string): Call {
  return (what, { delivery, ...values }) => {
    const client = new AxonClient(token, home);
    const path = what === 'claim' ? 'claim' : `${String(delivery)}/${what}`;
    return client.call(`/v1/inbox/${path}`, values);
  };
}

const TOOLS = { claim: 'axon_inbox', ack: 'axon_ack', reply: 'axon_reply' } as const;

function overMcp(connect: () => Promise<Client>): Call {
  let client: Promise<Client> | undefined;
  return async (what, values) => {
    client ??= connect();
    try {
      const answer = await (await client).callTool({ name: TOOLS[what], arguments: values });
      if (answer.isError !== true) return answer.structuredContent;
      const problem = JSON.stringify(answer.content);
      throw new Refused({ code: /(gone|conflict|not_found)/.exec(problem)?.[0] ?? 'internal' });
    } catch (error) {
      if (!(error instanceof Refused)) client = undefined;
      throw error;
    }
  };
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<Client> {
  const client = new Client({ name: 'killed-agent', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

function callOf(door: string, home: string, tokenFile: string): Call {
  const token = readFileSync(tokenFile, 'utf8');
  if (door === 'http') return overHttp(home, token);
  if (door === 'mcp')
    return overMcp(() => {
      const url = new URL(`http://127.0.0.1:${runtimeOf(home).port}/mcp`);
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      return connected(new StreamableHTTPClientTransport(url, { requestInit }));
    });
  return overMcp(() =>
    connected(
      new StdioClientTransport({
        command: process.execPath,
        args: wordsOf('cli', ['mcp', '--home', home]),
        env: { PATH: process.env['PATH'] ?? '', AXON_TOKEN_FILE: tokenFile },
      }),
    ),
  );
}

/** Again until the hub answers, whatever the answer is: a refusal of its own is one. */
async function untilAnswered<Value>(work: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused && ['gone', 'conflict', 'not_found'].includes(error.code))
        throw error;
      await setTimeout(50);
    }
  }
}

async function main(): Promise<never> {
  const [door = '', home = '', tokenFile = '', journal = ''] = process.argv.slice(2);
  const call = callOf(door, home, tokenFile);
  const note = (one: Note): void => appendFileSync(journal, `${JSON.stringify(one)}\n`);
  const finish = async ({ id, attempt, text }: Note): Promise<void> => {
    try {
      await setTimeout(STEP_MAX_MS * Math.random());
      await untilAnswered(() => call('ack', { delivery: id, attempt }));
      note({ step: 'acked', id, attempt, text });
      await setTimeout(STEP_MAX_MS * Math.random());
      await untilAnswered(() =>
        call('reply', { delivery: id, attempt, outcome: `Done: ${text}`, summary: text }),
      );
      note({ step: 'replied', id, attempt, text });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // Its lease was over, and it comes again, or it is answered already.
      note({ step: 'lost', id, attempt, text });
    }
  };
  const last = new Map(readNotes(journal).map((one) => [one.id, one]));
  for (const one of last.values())
    if (one.step === 'got' || one.step === 'acked') await finish(one);
  for (;;) {
    const { items } = (await untilAnswered(() =>
      call('claim', { max: 2, wait_ms: 1_000, lease_ms: LEASE_MS }),
    )) as { items: readonly Claimed[] };
    const taken = items.map(({ delivery_id: id, attempt, untrusted }) => {
      const one: Note = { step: 'got', id, attempt, text: untrusted.text };
      note(one);
      return one;
    });
    for (const one of taken) await finish(one);
  }
}

if (process.argv[1] === import.meta.filename) await main();
