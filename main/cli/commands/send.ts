// query, delegate, notify, route: what goes out to other hubs, and who would get it.
import { Option } from 'commander';
import {
  IMPORTANCES,
  isOneOf,
  TERMINAL_TASK_STATES,
  type Importance,
} from '../../../preload/contract/closed-lists.ts';
import type { ChosenDto, SendReportDto, TaskDto } from '../../../preload/contract/dto.ts';
import type { OperationInput } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { CommandContext } from '../context.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { localTime } from '../local-time.ts';
import { ownLine, quoted } from '../quoted-text.ts';
import type { AxonCommand } from '../axon-command.ts';
import { deadlineSeconds, jsonObject, readData, wholeNumber } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { sentOf } from '../../../preload/contract/strings/receipts.ts';
import {
  followQuestion,
  followTask,
  waitForOption,
  waitOption,
  type WaitOptions,
} from './tasks.ts';

/** Time enough for a person. */
const QUERY_DEADLINE_S = 600;
const TO = 'a name, an agent id, or "hub/agent"';
/** In the place of a hub: whoever offers what is needed, and every hub. No hub is named so. */
const ANY = 'any';
const EVERYONE = 'everyone';
const TO_OR_ANY = `${TO}; or "${ANY}", for whoever offers what you name by an option`;

export interface CommonOptions {
  readonly domain?: string;
  readonly deadline?: number;
  readonly conversation?: string;
}

export function addSendCommands(program: AxonCommand): void {
  program
    .command('query')
    .description('ask a question and wait for the answer')
    .argument('<hub>', TO_OR_ANY)
    .argument('<question>', 'the question')
    .option(
      '--domain <domain>',
      'what it is about, like family.calendar: finds the agent over there',
    )
    .option('--max-tokens <number>', 'the longest answer wanted', wholeNumber)
    .addOption(
      deadlineOption('give up after this').default(
        QUERY_DEADLINE_S,
        `${QUERY_DEADLINE_S}, ten minutes; a person may have to decide first`,
      ),
    )
    .addOption(conversationOption())
    .does(async ({ terminal, session }, to: string, question: string, options: QueryOptions) => {
      const client = await session.asAgent();
      const asked = {
        to: recipientOf(to, options),
        question,
        ...common(options),
        max_tokens: options.maxTokens,
      };
      // The wait may be long, and silence looks like a fault.
      if (!terminal.json)
        terminal.note(
          'Waiting for the answer. A person there may have to decide first. Ctrl+C cancels the question.',
        );
      const following = new AbortController();
      const tell = (line: string): void => (terminal.json ? undefined : terminal.note(line));
      void followQuestion(client, question, Date.now(), tell, following.signal);
      const report = await client
        .call('send.query', asked)
        .catch((error: unknown) => {
          throw withMoreTime(error);
        })
        .finally(() => following.abort());
      tellWhy(terminal, to, report);
      terminal.result(report, () => reportLines(report));
    });
  program
    .command('delegate')
    .description(
      'give work to another hub, with a deadline if you like; it may have to wait for a person there',
    )
    .argument('<hub>', TO_OR_ANY)
    .argument('<task>', 'the work, exactly as the agent over there shall read it')
    .option('--domain <domain>', 'what it is about, like family.chat')
    .option('--capability <word>', 'what the agent must be able to do')
    .option('--context <json>', 'a JSON object with what the agent needs to know', jsonObject)
    .option('--reason <text>', 'why, for the person who decides')
    .option('--urgent', 'ahead of other work')
    .option('--no-report', 'no result is wanted')
    .addOption(deadlineOption('end it if it is not done within this'))
    .addOption(conversationOption())
    .addOption(waitOption('wait until it has ended'))
    .addOption(waitForOption())
    .does(async (context, to: string, task: string, options: DelegateOptions) => {
      const client = await context.session.asAgent();
      const report = await client.call('send.delegate', {
        to: recipientOf(to, options),
        task,
        ...common(options),
        capability: options.capability,
        context: options.context,
        reason: options.reason,
        priority: options.urgent === true ? 'urgent' : 'normal',
        report_back: options.report,
      });
      tellWhy(context.terminal, to, report);
      return await followOrTell(context, client, report, options);
    });
  addAcceptCommand(program);
  addNotifyCommand(program);
  addRouteCommand(program);
}

function addAcceptCommand(program: AxonCommand): void {
  program
    .command('accept')
    .description('accept the offer with which a task ended; a person there is asked')
    .argument('<task>', 'the id of the task')
    .argument('[words]', 'what the agent over there shall read', 'Accepted.')
    .addOption(deadlineOption('end it if it is not done within this'))
    .addOption(waitOption('wait until it has ended'))
    .addOption(waitForOption())
    .does(async (context, id: string, words: string, options: AcceptOptions) => {
      const client = await context.session.asAgent();
      const { peer_id: hub, to_agent: agent } = await client.call('tasks.get', { id });
      const place = hub ?? 'local';
      const report = await client.call('send.delegate', {
        to: agent === null ? place : `${place}/${agent}`,
        task: words,
        accepts: id,
        deadline_ms: common(options).deadline_ms,
      });
      return await followOrTell(context, client, report, options);
    });
}

function addNotifyCommand(program: AxonCommand): void {
  program
    .command('notify')
    .description('tell another hub something; nothing comes back')
    .argument('<hub>', `${TO}; or "${EVERYONE}", for every paired hub`)
    .argument('<topic>', 'a short word for what it is about')
    .argument('[data]', 'the news: JSON, or plain text', readData)
    .addOption(
      new Option('--importance <level>', 'how much it matters').choices(IMPORTANCES).default('low'),
    )
    .option('--tag <tag>', 'takes the place of your earlier notice of this tag')
    .does(
      async (
        { terminal, session },
        to: string,
        topic: string,
        data: unknown,
        { importance, tag }: { importance: Importance; tag?: string },
      ) => {
        const report = await (
          await session.asAgent()
        ).call('send.notify', {
          to: to === EVERYONE ? '*' : to,
          topic,
          data: data ?? null,
          importance,
          tag,
        });
        terminal.result(report, () => sentOf(report, topic));
      },
    );
}

function addRouteCommand(program: AxonCommand): void {
  program
    .command('route')
    .description('show which agent would get a request, and why; nothing is sent')
    .option('--domain <domain>', 'what it is about, like family.calendar')
    .option('--capability <word>', 'what the agent must be able to do')
    .addOption(
      new Option('--kind <kind>', 'what would be sent')
        .choices(['query', 'delegate', 'notify'])
        .default('delegate'),
    )
    .does(async ({ terminal, session }, options: RouteOptions) => {
      const to = neededOf(options);
      const client = await session.asAnyone();
      const route = await client.call('send.route', { to, kind: options.kind });
      terminal.result(route, () => [
        ...ownLine(`${placeOf(route.chosen)} would get it. ${route.chosen.why}`),
        ...route.others.flatMap((other) => ownLine(`Not ${placeOf(other)}: ${other.why}`)),
      ]);
    });
}

interface RouteOptions extends NeedOptions {
  readonly kind: 'query' | 'delegate' | 'notify';
}

/** "Mum's PC/Chat". */
function placeOf({ peer_name: hub, agent_name: agent }: ChosenDto): string {
  return agent === null ? hub : `${hub}/${agent}`;
}

interface NeedOptions {
  readonly domain?: string;
  readonly capability?: string;
}

function recipientOf(to: string, options: NeedOptions): OperationInput<'send.route'>['to'] {
  return to === ANY ? neededOf(options) : to;
}

/** @throws AppError bad_request where neither is named */
function neededOf({ domain, capability }: NeedOptions) {
  if (domain !== undefined) return { domain };
  if (capability !== undefined) return { capability };
  throw new AppError('bad_request', 'The request names no area.', {
    failedBy: 'input',
    hint: 'Add an area, such as --domain family.calendar.',
  });
}

/** Of a request that named no hub. */
function tellWhy(terminal: Terminal, to: string, report: SendReportDto): void {
  if (to === ANY && !terminal.json) terminal.note(report.chosen.why);
}

/** Waits as long as was asked for; else says what it waits for now, and how to follow it. */
export async function followOrTell(
  context: CommandContext,
  client: HubClient,
  report: SendReportDto,
  { wait = false, waitFor }: WaitOptions,
): Promise<number> {
  const { terminal, session, command } = context;
  if (wait || waitFor !== undefined) return followTask(context, client, report.id, waitFor);
  const task = await client.call('tasks.get', { id: report.id }).catch(() => undefined);
  terminal.result(report, () => [
    ...reportLines(report),
    ...(task === undefined ? [] : untilLines(task)),
    `Follow it with: ${command} tasks ${report.id} --wait${session.asWords}`,
  ]);
  return 0;
}

/** A person there may have less time than the task. */
function untilLines({ state, deadline_at: until }: TaskDto): readonly string[] {
  if (isOneOf(TERMINAL_TASK_STATES, state)) return [];
  const sooner = state === 'awaiting_approval' ? ', or sooner' : '';
  return [`It ends by ${localTime(until)}${sooner}.`];
}

interface QueryOptions extends CommonOptions {
  readonly maxTokens?: number;
  readonly deadline: number;
}

type AcceptOptions = Pick<CommonOptions, 'deadline'> & WaitOptions;

interface DelegateOptions extends CommonOptions, WaitOptions {
  readonly capability?: string;
  readonly context?: Record<string, unknown>;
  readonly reason?: string;
  readonly urgent?: boolean;
  readonly report: boolean;
}

/** Where the time ran out that was given, whether an agent or a person had it: what to do. */
function withMoreTime(error: unknown): unknown {
  if (!(error instanceof HubProblem)) return error;
  const { problem } = error;
  if (problem.code !== 'approval_expired' && problem.code !== 'timeout') return error;
  const hint = 'Give them longer with --deadline, or use "axon delegate", which waits for a day.';
  return new HubProblem({ ...problem, hint });
}

/** @param meaning what comes at its end */
export function deadlineOption(meaning: string): Option {
  return new Option('--deadline <seconds>', `${meaning}, at most a day`).argParser(deadlineSeconds);
}

export function conversationOption(): Option {
  return new Option('--conversation <id>', 'go on with this conversation');
}

export function common(options: CommonOptions): {
  domain: string | undefined;
  deadline_ms: number | undefined;
  conversation: { id: string } | undefined;
} {
  return {
    domain: options.domain,
    deadline_ms: options.deadline === undefined ? undefined : Math.round(options.deadline * 1000),
    conversation: options.conversation === undefined ? undefined : { id: options.conversation },
  };
}

export function reportLines(report: SendReportDto): readonly string[] {
  const head = [...sentOf(report), `${placeOf(report.chosen)}  (${report.id})`];
  if (report.untrusted === null) return head;
  const { summary, data } = report.untrusted;
  const words = [
    ...(summary === null ? [] : [summary]),
    ...(data === null ? [] : [JSON.stringify(data, null, 2)]),
  ];
  return [...head, ...words.flatMap((text) => quoted(text))];
}
