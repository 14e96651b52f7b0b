// inbox, ack, reply, listen: receiving work, and answering it.
import { InvalidArgumentError, Option } from 'commander';
import { REPLY_STATUSES, type ReplyStatus } from '../../../preload/contract/closed-lists.ts';
import {
  DELIVERY_KINDS,
  isWork,
  type DeliveryKind,
} from '../../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { repliedOf } from '../../../preload/contract/strings/receipts.ts';
import { story } from '../../../preload/contract/strings/story.ts';
import {
  HOOK_SAYS_EXIT_CODE,
  INTERRUPTED_EXIT_CODE,
  interruptible,
  reportHookFailure,
  type CommandContext,
} from '../context.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { isUnderRunner, readHookInput } from '../hook-input.ts';
import { withId } from '../ids.ts';
import { watchInbox } from '../inbox-watch.ts';
import { WAKE_SENTENCE } from '../../../preload/contract/wake.ts';
import { localTime } from '../local-time.ts';
import { quoted } from '../quoted-text.ts';
import type { AxonCommand } from '../axon-command.ts';
import { listen } from '../listen.ts';
import { logLine } from '../message-log.ts';
import {
  collectOffers,
  jsonObject,
  seconds,
  wholeNumber,
  wholeNumberFrom,
  type OfferedDomain,
} from '../option-values.ts';
import { findProgram } from '../program-file.ts';
import { programWorker } from '../program-worker.ts';
import { refusal } from '../refusal.ts';
import type { Terminal } from '../terminal.ts';

export function addInboxCommands(program: AxonCommand): void {
  program
    .command('inbox')
    .description(
      'take what waits for this agent, under a lease of 60 seconds; what is not acknowledged by then comes back',
    )
    .option('--max <number>', 'at most this many items, 1 to 32', wholeNumberFrom(1, 32), 1)
    .option('--wait <seconds>', 'wait this long for the first one, at most 55', waitSeconds, 0)
    .option(
      '--kinds <kinds>',
      `only these, with commas between: ${DELIVERY_KINDS.join(', ')}`,
      readKinds,
    )
    .option(
      '--log-lines',
      'acknowledge each, and print it as ElizaOS agents log it: MCP_MESSAGE_RECEIVED: with its message',
    )
    .option(
      '--watch',
      'take nothing: end with code 2 once something new waits, as a hook does that wakes a program; its JSON is read from standard input',
    )
    .does(async ({ terminal, session, command: typed }, options: InboxOptions) => {
      if (options.watch === true) return watch({ terminal, session, command: typed });
      const client = await session.asAgent();
      const params = {
        max: options.max,
        wait_ms: Math.round(options.wait * 1000),
        kinds: options.kinds,
      };
      const line = (verb: string, rest: string): string =>
        `${typed} ${verb} ${rest}${session.asWords}`;
      const take = async (signal: AbortSignal): Promise<number> => {
        const claimed = await client.call('inbox.claim', params, signal);
        if (options.logLines === true) return printAsLog(client, terminal, claimed.items, signal);
        terminal.result(claimed, () =>
          claimed.items.length === 0
            ? ['Nothing waits.']
            : [
                ...claimed.items.flatMap((item) => deliveryLines(item, line)),
                ...(claimed.waiting === 0 ? [] : [`${claimed.waiting} more waiting.`]),
              ],
        );
        return 0;
      };
      return interruptible(take, () => terminal.note('Stopped waiting; nothing was printed.'));
    });
  program
    .command('ack')
    .description(
      'say "I have it": a result or notification is done with that, work is yours until you reply, and neither comes back',
    )
    .argument('<delivery...>', 'the delivery_id of each item')
    .option(
      '--attempt <number>',
      'which attempt is meant, as the item says: one that is over is refused',
      wholeNumber,
    )
    .does(async ({ terminal, session }, deliveries: string[], options: { attempt?: number }) => {
      const client = await session.asAgent();
      const items: DeliveryDto[] = [];
      for (const id of deliveries) {
        items.push(
          await withId('delivery', id, (delivery) =>
            client.call('inbox.ack', { delivery, attempt: options.attempt }),
          ),
        );
      }
      terminal.result({ items }, () =>
        items.map(({ delivery_id: id, kind }) =>
          isWork(kind) ? `${id}: yours now; reply when it is done.` : `${id}: done.`,
        ),
      );
    });
  program
    .command('reply')
    .description('answer an item of the inbox: the outcome of work, or the answer to a question')
    .argument('<delivery>', 'the delivery_id of the item')
    .argument('[outcome]', 'the outcome or the answer, in words')
    .addOption(
      new Option('--status <status>', 'how it went; cancelled only after you were asked to stop')
        .choices(REPLY_STATUSES)
        .default('completed'),
    )
    .option('--data <json>', 'the answer as a JSON object', jsonObject)
    .option('--error <text>', 'what went wrong')
    .option('--retryable', 'of a failure: the same may work later')
    .option('--tokens-used <number>', 'what it cost', wholeNumberFrom(0, 1_000_000_000))
    .does(
      async (
        { terminal, session },
        id: string,
        outcome: string | undefined,
        options: ReplyOptions,
      ) => {
        const { status, data, error, retryable, tokensUsed } = options;
        const client = await session.asAgent();
        const answer = {
          status,
          outcome,
          summary: outcome,
          data,
          error,
          retryable,
          tokens_used: tokensUsed,
        };
        const report = await withId('delivery', id, (delivery) =>
          client.call('inbox.reply', { delivery, ...answer }),
        );
        terminal.result(report, () => [repliedOf(report)]);
      },
    );
  program
    .command('listen')
    .description(
      'turn a program into an agent: each item as JSON on its standard input, its standard output as the outcome; or a file with a prompt, for a model on this computer',
    )
    .option(
      '--domain <domain>',
      'what the agent does, alone or as DOMAIN=EXAMPLE; may be given several times',
      collectOffers,
    )
    .option('--once', 'end after one item')
    .option(
      '--acp',
      'the program speaks the Agent Client Protocol, as "gemini --acp" does: each item starts it, and it takes the item with our tools',
    )
    .option('--folder <folder>', 'with --acp: where the program works (default: an empty folder)')
    .option(
      '--file <path>',
      'the agent as a file; "-": as {"text":...,"key":...} on standard input',
    )
    .option(
      '--key-file <path>',
      'with --file: holds the key of the endpoint; "-": standard input does',
    )
    .option(
      '--leaves-to <host>',
      'with --file: the endpoint may be there, and not on this computer',
    )
    .argument('[command...]', 'after "--": the program and its arguments')
    .passThroughOptions()
    .does(
      async (
        { terminal, session },
        words: string[],
        { acp, folder, file, keyFile, leavesTo, ...options }: ListenFlags,
      ) => {
        const isFile = file !== undefined;
        const isOther = acp !== undefined || folder !== undefined || options.domain !== undefined;
        if (isFile === words.length > 0 || (isFile && isOther))
          throw refusal(
            'bad_request',
            'An agent is a program, named after "--", or a file, in which its areas stand.',
          );
        if (!isFile && (keyFile ?? leavesTo) !== undefined)
          throw refusal('bad_request', 'A key and a host belong to a file: --file FILE.');
        if (isFile) {
          // Loaded here, so that no other command waits for it.
          const { listenByFile } = await import('../file-agent.ts');
          const once = options.once === true;
          return listenByFile(session, terminal, { file, keyFile, leavesTo, once });
        }
        if (acp === true) {
          // Loaded here, so that no other command waits for it.
          const { listenAcp } = await import('../acp/command.ts');
          const once = options.once === true;
          return listenAcp(session, terminal, { words, folder, once });
        }
        findProgram(words[0] ?? '');
        const client = await session.asAgent();
        return listen(client, terminal, {
          worker: programWorker(words),
          domains: options.domain ?? [],
          once: options.once === true,
        });
      },
    );
}

interface ListenFlags {
  readonly domain?: OfferedDomain[];
  readonly once?: boolean;
  readonly acp?: true;
  readonly folder?: string;
  readonly file?: string;
  readonly keyFile?: string;
  readonly leavesTo?: string;
}

interface InboxOptions {
  readonly max: number;
  readonly wait: number;
  readonly kinds?: DeliveryKind[];
  readonly logLines?: true;
  readonly watch?: true;
}

/** Ends with whoever started it. Returns the exit code. */
async function watch({ terminal, session, command }: CommandContext): Promise<number> {
  const parent = process.ppid;
  const { session_id: id, hook_event_name: event } = (await readHookInput(process.stdin)) ?? {};
  if (isUnderRunner()) return 0;
  const watching = {
    home: session.home,
    agent: session.named ?? '',
    session: typeof id === 'string' ? id : '',
    isNew: event === 'SessionStart',
    isWanted: () => process.ppid === parent,
  };
  return interruptible(async (signal) => {
    try {
      const code = await watchInbox(await session.asAgent(), watching, signal);
      if (code === HOOK_SAYS_EXIT_CODE) terminal.note(WAKE_SENTENCE);
      return code;
    } catch (error) {
      if (signal.aborted) throw error;
      return reportHookFailure(error, terminal, command, 'inbox');
    }
  });
}

/**
 * Each is printed first: what is acknowledged never comes again. What is not printed waits again at
 * once. Returns the exit code.
 */
async function printAsLog(
  client: HubClient,
  terminal: Terminal,
  items: readonly DeliveryDto[],
  signal: AbortSignal,
): Promise<number> {
  const left = new Map(items.map((item) => [item.delivery_id, item.attempt]));
  try {
    for (const { delivery_id: delivery, attempt, untrusted } of items) {
      if (signal.aborted) return INTERRUPTED_EXIT_CODE;
      if (untrusted.native === undefined)
        throw refusal(
          'bad_request',
          'This agent speaks AXON, and has no language for a log.',
          'Connect it with --dialect, such as "axon agents connect NAME --dialect elizaos".',
        );
      terminal.line(logLine(untrusted.native));
      left.delete(delivery);
      try {
        await client.call('inbox.ack', { delivery, attempt });
      } catch (error) {
        if (!(error instanceof HubProblem)) throw error;
        terminal.note(error.problem.detail);
      }
    }
    return 0;
  } finally {
    for (const [delivery, attempt] of left)
      await client.call('inbox.nack', { delivery, attempt }).catch(() => undefined);
  }
}

interface ReplyOptions {
  readonly status: ReplyStatus;
  readonly data?: Record<string, unknown>;
  readonly error?: string;
  readonly retryable?: true;
  readonly tokensUsed?: number;
}

/** Exported for tests. @param line a command to type, for the agent that speaks now */
export function deliveryLines(
  item: DeliveryDto,
  line: (verb: string, rest: string) => string,
): readonly string[] {
  const { delivery_id: id, kind, task_id: task, trust, untrusted, deadline_at: deadline } = item;
  const { stops } = item;
  const next = isWork(kind)
    ? [
        ...(deadline === null ? [] : [`  Answer by:  ${localTime(deadline)}`]),
        `  I have it:  ${line('ack', id)}`,
        `  Answer it:  ${line('reply', `${id} "${kind === 'query' ? 'The answer' : 'The outcome'}"`)}`,
      ]
    : [
        ...(stops === undefined
          ? []
          : [
              `  When it stopped: ${line('reply', `${stops} "What was done by then" --status cancelled`)}`,
            ]),
        `  Done with it: ${line('ack', id)}`,
      ];
  const { from_agent: handle, from_agent_name: agent = handle } = untrusted.origin;
  const from = agent === null ? trust.peer_name : story.agentAt(agent, trust.peer_name);
  return [
    `${id}  ${kind}${isWork(kind) || task === null ? '' : ` of ${task}`}  from ${from}`,
    ...(kind === 'cancel' ? [cancelLine(item)] : []),
    ...(untrusted.came_of_it === undefined ? [] : [`  ${untrusted.came_of_it}`]),
    ...wordsOf(item),
    ...next,
    '',
  ];
}

function cancelLine({ task_id: task, stops, untrusted: { origin } }: DeliveryDto): string {
  const isPersons = origin.peer_id === null && origin.from_agent === null;
  return stops === undefined
    ? `  Stop task ${task ?? ''} now. It is over, and no reply is open.`
    : `  ${isPersons ? 'A person on this hub stopped it. ' : ''}Stop task ${task ?? ''} now. You have it as ${stops}; reply to that with --status cancelled.`;
}

/** A cancel without a reason says nothing. */
function wordsOf({ kind, untrusted }: DeliveryDto): readonly string[] {
  if (untrusted.text === null && kind === 'cancel') return [];
  return quoted(untrusted.text ?? JSON.stringify(untrusted.payload));
}

function waitSeconds(text: string): number {
  if (seconds(text) <= 55) return seconds(text);
  throw new InvalidArgumentError('It must be at most 55 seconds.');
}

function readKinds(text: string): DeliveryKind[] {
  return text.split(',').map((word) => {
    const kind = DELIVERY_KINDS.find((known) => known === word.trim());
    if (kind === undefined)
      throw new InvalidArgumentError(`Known kinds: ${DELIVERY_KINDS.join(', ')}.`);
    return kind;
  });
}
