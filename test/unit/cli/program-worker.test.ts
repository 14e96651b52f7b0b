// What a program prints in answer to a request: told line by line where the request goes on, and
// never without end. Real small programs; `say` stands for the hub, which answers or is away.
import { describe, expect, test } from 'vitest';
import type { Called } from '../../../main/cli/steady-line.ts';
import { programWorker } from '../../../main/cli/program-worker.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';

type Sent = Called<OperationResult<'send.message'>>;
type Say = (message: JsonObject, until?: AbortSignal) => Promise<Sent>;

const never = new AbortController().signal;
const SUBSCRIBE = { performative: 'SUBSCRIBE', content: 'Milk', reply_with: 's-1' };
const ITEM = {
  kind: 'delegate',
  envelope: { id: 'e-1', received_at: 0 },
  untrusted: { native: SUBSCRIBE },
} as unknown as DeliveryDto;
const inform = (content: string, more: JsonObject = {}): string =>
  JSON.stringify({ performative: 'INFORM', content, ...more });
const failed = (error: string) => ({ answers: [{ answer: { status: 'failed', error } }] });

/** A program that prints these, and runs on for longer than any test waits. */
const prints = (...lines: readonly string[]): readonly string[] => [
  process.execPath,
  '-e',
  `console.log(${JSON.stringify(lines.join('\n'))}); setTimeout(() => undefined, 60_000);`,
];

/** What it said, and what came of the work. */
async function worked(
  words: readonly string[],
  more: {
    readonly say?: Say;
    readonly stopped?: AbortSignal;
    readonly cancelled?: AbortSignal;
    readonly tellMaxMs?: number;
    readonly item?: DeliveryDto;
  },
) {
  const said: unknown[] = [];
  const say: Say = (message, until) => {
    said.push(message['content']);
    return more.say?.(message, until) ?? Promise.resolve({ value: {} });
  };
  const { cancelled = never, stopped = cancelled, item = ITEM } = more;
  const came = await programWorker(words, more.tellMaxMs).work(item, stopped, cancelled, say);
  return { said, came };
}

/** The hub of whoever asked does not answer. */
const away: Say = (_, until) =>
  new Promise((resolve) => {
    until?.addEventListener('abort', () => resolve(undefined));
  });

describe('what a program prints in answer to a request that goes on', () => {
  test('is tried for a while where the hub of whoever asked is away, and then failed', async () => {
    const { said, came } = await worked(prints(inform('1.09'), inform('1.19')), {
      say: away,
      tellMaxMs: 1_000,
    });
    expect(said).toEqual(['1.09']);
    expect(came).toMatchObject(
      failed("The agent's answer could not be sent: It was tried in vain for 1 seconds."),
    );
  });

  test.each(['cancelled', 'stopped'] as const)('is told no more once it is %s', async (how) => {
    const end = new AbortController();
    const say: Say = (message, until) => {
      setTimeout(() => end.abort(), 10);
      return away(message, until);
    };
    const lines = prints(inform('1.09'), inform('1.19'));
    const { said, came } = await worked(lines, { say, [how]: end.signal });
    expect(said).toEqual(['1.09']);
    if (how === 'stopped') expect(came).toBe('undone');
    else expect(came).toMatchObject(failed('It was cancelled.'));
  });

  test('fails where more comes than can be told', async () => {
    const lines = Array.from({ length: 65 }, (_, index) => inform(String(index)));
    const { came } = await worked(prints(...lines), { say: away });
    expect(came).toMatchObject(
      failed(
        "The agent's answer could not be sent: More than 64 messages of the program waited to be told.",
      ),
    );
  });

  test.each([
    ['a REQUEST', JSON.stringify({ performative: 'REQUEST', content: 'Buy' })],
    ['a CONFIRM', JSON.stringify({ performative: 'CONFIRM', content: 'So' })],
    ['an INFORM about something else', inform('So', { in_reply_to: 'r-2' })],
  ])('ends as failed by what answers nothing, which is not told: %s', async (_, line) => {
    const { said, came } = await worked(prints(inform('1.09'), line), {});
    expect(said).toEqual(['1.09']);
    expect(came).toMatchObject(
      failed(
        "The agent's answer could not be sent: The program printed a message that answers nothing.",
      ),
    );
  });

  test.skipIf(process.platform === 'win32')(
    'is told once where the last line has no end and the pipe is held open',
    async () => {
      const script = `printf '%s\\n%s' "$1" "$2"; sleep 2 &`;
      const words = ['/bin/sh', '-c', script, 'sh', inform('1.09'), inform('1.19')];
      const { said, came } = await worked(words, {});
      expect(came).toMatchObject({ answers: [{ answer: { status: 'completed' } }] });
      expect(said).toEqual(['1.09', '1.19']);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect(said).toEqual(['1.09', '1.19']);
    },
  );
});

describe('what a program prints in answer to a request that ends with it', () => {
  const asked = (kind: 'query' | 'delegate', native: JsonObject): DeliveryDto =>
    ({ ...ITEM, kind, untrusted: { native, payload: {} } }) as unknown as DeliveryDto;
  const crunch = { id: 'MSG-1-a', from: 'planner', to: 'coder' };
  const REQUEST = { ...crunch, type: 'REQUEST', payload: { action: 'plan' } };
  const HANDOFF = { type: 'HANDOFF', to: 'helper', payload: { reason: 'Not mine' } };
  const once = (message: JsonObject): readonly string[] => [
    process.execPath,
    '-e',
    `console.log(${JSON.stringify(JSON.stringify(message))})`,
  ];
  const ACL = { performative: 'REQUEST', content: 'Plan', reply_with: 'r-1' };
  const BROADCAST = { type: 'BROADCAST', payload: { event: 'PHASE_CHANGE', content: {} } };

  test.each([
    ['a REQUEST', asked('delegate', ACL), { performative: 'REQUEST', content: 'Buy' }],
    [
      'about something else',
      asked('delegate', ACL),
      JSON.parse(inform('So', { in_reply_to: 'x' })),
    ],
    ['a BROADCAST', asked('delegate', REQUEST), BROADCAST],
    ['a HANDOFF of a question', asked('query', REQUEST), HANDOFF],
    ['a HANDOFF of other work', asked('delegate', REQUEST), { ...HANDOFF, correlation_id: 'x' }],
  ])('is not told where it answers nothing: %s', async (_, item, message) => {
    const { came } = await worked(once(message), { item });
    expect(came).toEqual({
      answers: [
        {
          answer: {
            status: 'failed',
            error:
              "The agent's answer could not be sent: The program printed a message that answers nothing.",
          },
          less: null,
        },
      ],
    });
  });

  test.each([
    ['INFORM', asked('delegate', ACL), JSON.parse(inform('Done'))],
    ['HANDOFF', asked('delegate', REQUEST), HANDOFF],
    ['or cannot be read', asked('delegate', ACL), { performative: 'REFUSD', content: 'No' }],
  ])('is told where it is one: %s', async (_, item, message) => {
    const { came } = await worked(once(message), { item });
    expect(came).toMatchObject({ native: message });
  });

  test('may name what the work was handed on from', async () => {
    const item = asked('delegate', { ...HANDOFF, ...crunch, correlation_id: 'MSG-0-a' });
    const message = {
      type: 'RESPONSE',
      correlation_id: 'MSG-0-a',
      payload: { status: 'SUCCESS', result: { summary: 'Here' } },
    };
    expect((await worked(once(message), { item })).came).toMatchObject({ native: message });
  });
});
