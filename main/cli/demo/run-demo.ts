// `axon demo`: a whole household on this machine. Three real hubs in processes of their own are
// paired, their scripted agents exchange real traffic over QUIC, and some requests are left for the
// person at the keyboard to decide in the browser. Everything ends with Ctrl-C, or with the
// terminal.
import { createInterface } from 'node:readline';
import { AppError } from '../../lib/app-error.ts';
import type { Terminal } from '../terminal.ts';
import { makeDemoFolder, removeDemoFolder } from './demo-folder.ts';
import { DemoHub } from './demo-hub.ts';
import { DAD, HOUSEHOLD, LEO, MUM, SCRIPTS } from './household.ts';
import { pairHubs } from './pair-hubs.ts';
import { runScriptedAgent } from './scripted-agent.ts';

const RESULT_LIMIT_MS = 20_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface DemoOptions {
  /** The program that runs a hub when called with `hub`: this command's own file. */
  readonly program: string;
  /** Ends after the requests are placed instead of waiting for Ctrl-C. */
  readonly once: boolean;
}

interface Household {
  readonly mum: DemoHub;
  readonly dad: DemoHub;
  readonly leo: DemoHub;
}

/**
 * Ends in order, with its hubs and their folder, on a signal, with its terminal, and when something
 * in it breaks.
 */
export async function runDemo(terminal: Terminal, options: DemoOptions): Promise<void> {
  const folder = makeDemoFolder();
  const ended = new AbortController();
  const end = (): void => ended.abort();
  for (const signal of SIGNALS) process.on(signal, end);
  // A terminal that was closed takes no more words.
  terminal.whenClosed(end);
  let tellBroken: (error: Error) => void = end;
  const broken = new Promise<never>((_, reject) => (tellBroken = reject));
  process.on('uncaughtException', tellBroken);
  const hubs: DemoHub[] = [];
  try {
    const shown = show(terminal, folder, options, hubs, ended.signal);
    await Promise.race([shown, aborted(ended.signal), broken]);
  } finally {
    ended.abort();
    await Promise.all(hubs.map((hub) => hub.stop()));
    removeDemoFolder(folder);
    for (const signal of SIGNALS) process.off(signal, end);
    process.off('uncaughtException', tellBroken);
    terminal.note('The household is gone; nothing of it was kept.');
  }
}

/** The whole demo; its hubs are in `hubs` from the moment they are started. */
async function show(
  terminal: Terminal,
  folder: string,
  options: DemoOptions,
  hubs: DemoHub[],
  signal: AbortSignal,
): Promise<void> {
  const household = await startHousehold(terminal, folder, options.program, hubs);
  let tellResult = (): void => undefined;
  const firstResult = new Promise<void>((resolve) => (tellResult = resolve));
  for (const hub of hubs) startAgents(hub, terminal, tellResult, signal);
  await exchange(terminal, household);
  await withinLimit(firstResult, 'the result of what was allowed');
  await leaveRequests(household);
  const inOrder = [household.mum, household.dad, household.leo];
  await showLinks(terminal, inOrder);
  if (!options.once) await untilEnded(terminal, inOrder, signal);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}

async function startHousehold(
  terminal: Terminal,
  folder: string,
  program: string,
  hubs: DemoHub[],
): Promise<Household> {
  terminal.note('Starting three hubs: Mum’s PC, Dad’s laptop, Leo’s tablet ...');
  for (const plan of HOUSEHOLD) hubs.push(DemoHub.spawn(plan, folder, program));
  await Promise.all(hubs.map((hub) => hub.ready()));
  const of = (person: string): DemoHub => {
    const hub = hubs.find(({ plan }) => plan.person === person);
    if (hub === undefined) throw new Error(`nobody is called ${person}`);
    return hub;
  };
  const household = { mum: of(MUM.person), dad: of(DAD.person), leo: of(LEO.person) };
  terminal.note('Pairing them ...');
  await pairHubs(household.dad, household.mum);
  await pairHubs(household.leo, household.mum);
  await pairHubs(household.leo, household.dad);
  return household;
}

function startAgents(
  hub: DemoHub,
  terminal: Terminal,
  tellResult: () => void,
  signal: AbortSignal,
): void {
  for (const { name, displayName } of hub.plan.agents) {
    void runScriptedAgent(
      hub.agent(name),
      SCRIPTS[name] ?? [],
      {
        onDone: (kind, text, answer) =>
          terminal.line(
            `${hub.plan.name}: ${displayName} ${kind === 'query' ? 'answered' : 'did'} "${text}": ${answer}`,
          ),
        onResult: (outcome, status) => {
          terminal.line(`${hub.plan.name}: ${displayName} has the result (${status}): ${outcome}`);
          tellResult();
        },
      },
      signal,
    );
  }
}

/** Throws `timeout` when it does not come. */
async function withinLimit(what: Promise<void>, name: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new AppError('timeout', `Waited too long for ${name}.`, { failedBy: 'timeout' });
    timer = setTimeout(() => reject(error), RESULT_LIMIT_MS);
    // A demo that is ended meanwhile does not wait for it.
    timer.unref();
  });
  await Promise.race([what, late]).finally(() => clearTimeout(timer));
}

/**
 * Traffic that needs nobody, and one request that the demo itself allows, so that there is a
 * history to look at.
 */
async function exchange(terminal: Terminal, { mum, dad, leo }: Household): Promise<void> {
  terminal.note('Their agents talk ...');
  const openclaw = dad.agent('openclaw');
  const homework = leo.agent('homework');
  await openclaw.call('/v1/query', {
    to: MUM.name,
    question: 'What is on the family calendar this week?',
    domain: 'family.calendar',
  });
  await homework.call('/v1/query', {
    to: MUM.name,
    question: 'When is swimming?',
    domain: 'family.calendar',
  });
  await homework.call('/v1/query', {
    to: DAD.name,
    question: 'Which train goes to Nana on Saturday?',
    domain: 'travel',
  });
  await openclaw.call('/v1/notify', {
    to: MUM.name,
    topic: 'user.location',
    data: { status: 'heading home', eta: '18:40' },
    importance: 'medium',
  });
  await homework.call('/v1/notify', {
    to: MUM.name,
    topic: 'school.homework',
    data: 'Maths is done',
  });
  await openclaw.call('/v1/delegate', {
    to: MUM.name,
    task: 'Add oat milk, 2 litres, to the shopping list',
    domain: 'shopping.list',
  });
  const owner = await mum.owner();
  const { items } = await owner.call('approvals.list', {});
  for (const { id, revision, digest } of items)
    await owner.call('approvals.decide', { id, revision, digest, decision: 'allow' });
}

async function leaveRequests({ mum, dad, leo }: Household): Promise<void> {
  await dad.agent('openclaw').call('/v1/delegate', {
    to: MUM.name,
    task: 'Tell the family chat that dinner is at 7. Ask everyone who is coming for a thumbs up.',
    context: { dinner_time: '7:00 PM', location: 'home' },
    domain: 'family.chat',
    reason: 'Dad asked me to plan the evening',
  });
  await dad.agent('openclaw').call('/v1/delegate', {
    to: MUM.name,
    task: 'Merge the branch price-list into main and deploy the shop website to production',
    context: { branch: 'price-list', site: 'shop' },
    domain: 'code',
    priority: 'urgent',
  });
  await leo.agent('homework').call('/v1/delegate', {
    to: MUM.name,
    task: 'Add glue sticks and a blue pen to the shopping list',
    domain: 'shopping.list',
  });
  await mum.agent('lists').call('/v1/delegate', {
    to: DAD.name,
    task: 'Write a letter to the housing association about the stairwell light and ask for a date for the repair',
    domain: 'letters',
  });
}

async function showLinks(terminal: Terminal, hubs: readonly DemoHub[]): Promise<void> {
  terminal.line('');
  for (const hub of hubs) terminal.line(`${hub.plan.name.padEnd(14)} ${await hub.loginLink()}`);
  terminal.line('');
}

/** Each link works once and for 90 seconds; Enter makes fresh ones. */
function untilEnded(
  terminal: Terminal,
  hubs: readonly DemoHub[],
  signal: AbortSignal,
): Promise<void> {
  terminal.note(
    'Open a link and decide. Each works once, within 90 seconds: press Enter for fresh ones, Ctrl-C to end.',
  );
  const reader = createInterface({ input: process.stdin });
  reader.on(
    'line',
    () => void showLinks(terminal, hubs).catch((error: unknown) => terminal.note(String(error))),
  );
  return new Promise((resolve) => {
    const end = (): void => {
      reader.close();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
