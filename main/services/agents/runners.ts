// The programs that this hub keeps running for its agents, because its owner said so: one an agent.
// Owns what was chosen, starts each, tells how it stands, and starts it again after its end, later
// each time. What a kind of runner is told is one row of KINDS; nothing else knows of kinds.
import * as v from 'valibot';
import {
  ACP_PROGRAMS,
  RUNNER_SAYS,
  type GoneRunner,
  type RunnerChoice,
  type RunnerDto,
  type RunnerKind,
  type RunnerSaid,
  type RunnerState,
} from '../../../preload/contract/runners.ts';
import type { HubWay } from '../../../preload/contract/closed-lists.ts';
import type { AskedModelDto } from '../../../preload/contract/dto.ts';
import { RUNNER_CHOICE } from '../../../preload/contract/runner-operations.ts';
import { escapeText } from '../../core/text-escape.ts';
import { inputError, messageOf } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { SerialQueue } from '../../lib/serial-queue.ts';
import { shortened } from '../../lib/shortened.ts';
import { StoredRows } from '../../lib/stored-value.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RunnerProcess, StartRunner } from '../../ports/runner-process.ts';
import type { Reads, Store, Tables } from '../../ports/store.ts';
import type { TokenService } from '../auth/token-service.ts';
import type { Actor, AuditTrail } from '../base/audit-trail.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import { RUNNER_RESTART, RUNNER_STEADY_MS, RUNNER_WHY_MAX_CHARACTERS } from './limits.ts';

const BY_THE_HUB = { actor: 'hub', surface: 'hub' } as const;

interface Kind<Choice extends RunnerChoice> {
  /** What stands behind `axon`. */
  readonly words: (choice: Choice) => readonly string[];
  /** Written to its standard input; null: nothing. @throws AppError: it cannot be started */
  readonly input: (agent: string, given: Given) => string | null;
  /** How its agent is reached, and the model that the hub asks for it, if it does. */
  readonly reach: (state: RunnerState) => HubWay;
  readonly asks: (choice: Choice, state: RunnerState) => AskedModelDto | null;
  /** What it is called in the record. */
  readonly named: (choice: Choice) => string;
}

/** What the other rooms give to a runner. */
interface Given {
  /** The text that a person confirmed, and the key of its endpoint. @throws AppError */
  readonly fileInput: (agent: string) => string;
}

const KINDS: {
  readonly [Name in RunnerKind]: Kind<Extract<RunnerChoice, { readonly kind: Name }>>;
} = {
  acp: {
    words: ({ program, folder }) => [
      'listen',
      '--acp',
      ...(folder === null ? [] : ['--folder', folder]),
      '--',
      ...ACP_PROGRAMS[program].words,
    ],
    input: () => null,
    reach: (state) => (state === 'day_used' ? 'runner_used' : 'runner'),
    asks: () => null,
    named: ({ program }) => program,
  },
  file: {
    words: ({ leaves_to: host }) => [
      'listen',
      '--file',
      '-',
      ...(host === null ? [] : ['--leaves-to', host]),
    ],
    input: (agent, { fileInput }) => fileInput(agent),
    reach: () => 'file',
    asks: ({ model, leaves_to }, state) => ({
      model: escapeText(model),
      leaves_to: leaves_to === null ? null : escapeText(leaves_to),
      used_up: state === 'used_up',
    }),
    named: ({ file }) => file,
  },
};

// The row of a kind takes the choices of that kind.
const kindOf = <Choice extends RunnerChoice>({ kind }: Choice): Kind<Choice> =>
  KINDS[kind] as unknown as Kind<Choice>;

/**
 * runner: as another version of the hub may have written it, too. token: the id of the one that it
 * was given last, which ends once it is given another.
 */
const STORED = v.object({
  agent: v.string(),
  runner: v.looseObject({}),
  token: v.optional(v.nullable(v.string()), null),
});
type Stored = v.InferOutput<typeof STORED>;
const CHOSEN = new StoredRows<'agent', Stored>('runners', 'agent', STORED);
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const SAID = v.object({
  state: v.picklist(RUNNER_SAYS),
  why: v.nullable(v.string()),
  tokens: count,
});

interface Deps extends Given {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventBus;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly tokens: Pick<TokenService, 'issueForAgent' | 'isIdAlive' | 'revoke'>;
  readonly startRunner: StartRunner;
  /** How often it was woken today. */
  readonly wakesOf: (agent: string) => number;
  /** How the hub reaches it from now on; null: no longer. */
  readonly reachedBy: (agent: string, way: HubWay | null, asks: AskedModelDto | null) => void;
}

export class Runners {
  readonly #deps: Deps;
  readonly #kept = new Map<string, KeptRunner>();
  /** What is ended and started, one after the other. */
  readonly #changes = new SerialQueue();
  #isRunning = false;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts what was chosen before, once; nothing after stop(). */
  start(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    for (const { agent, runner } of CHOSEN.read(this.#deps.store.read)) {
      const chosen = readChoice(runner);
      if (chosen !== undefined) this.#keep(agent, chosen);
    }
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#isStopped = true;
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all([...kept.map((one) => one.end()), this.#changes.idle()]);
  }

  list(): readonly RunnerDto[] {
    const { read } = this.#deps.store;
    const stored = CHOSEN.read(read).map(({ agent, runner }) =>
      this.#dto(agent, readChoice(runner) ?? gone(runner)),
    );
    const damaged = CHOSEN.damaged(read).map(({ agent, said }) =>
      this.#dto(agent, gone(isJsonObject(said.runner) ? said.runner : {})),
    );
    return [...stored, ...damaged];
  }

  /** Of the process that works for this agent now. */
  pidOf(agent: string): number | undefined {
    return this.#kept.get(agent)?.pid;
  }

  /** @throws AppError not_found */
  async set(agent: string, runner: RunnerChoice, by: Actor): Promise<RunnerDto> {
    await this.#deps.unit.run((tables) => {
      if (tables.agent(agent)?.state !== 'active')
        throw inputError('not_found', `There is no agent named "${agent}" on this hub.`);
      this.#write(tables, agent, { runner: { ...runner } });
      const { kind } = runner;
      const detail = { kind, program: kindOf(runner).named(runner) };
      this.#deps.audit.append(tables, { ...by, action: 'agent.runner_set', object: agent, detail });
    });
    await this.#settle(agent);
    return this.#dto(agent, runner);
  }

  /** @throws AppError not_found */
  async end(agent: string, by: Actor): Promise<void> {
    const token = await this.#deps.unit.run((tables) => {
      const stored = CHOSEN.read(tables).find((one) => one.agent === agent);
      if (stored === undefined && !isDamaged(tables, agent))
        throw inputError('not_found', `This hub keeps no program running for "${agent}".`);
      this.#write(tables, agent, null);
      this.#deps.audit.append(tables, { ...by, action: 'agent.runner_ended', object: agent });
      return stored?.token ?? null;
    });
    this.#deps.events.publish({ type: 'runner_gone', agent });
    await this.#settle(agent);
    await this.#endToken(token);
  }

  /** Inside the commit in which the agent is removed. */
  agentRemoved(tables: Tables, after: After, agent: string): void {
    const isChosen = CHOSEN.read(tables).some((one) => one.agent === agent);
    if (!isChosen && !isDamaged(tables, agent)) return;
    this.#write(tables, agent, null);
    after(() => {
      this.#deps.events.publish({ type: 'runner_gone', agent });
      void this.#settle(agent);
    });
  }

  /** Ends what runs for it, and starts what is chosen by then, if anything is. */
  #settle(agent: string): Promise<void> {
    return this.#changes.run(async () => {
      await this.#leave(agent);
      const chosen = CHOSEN.read(this.#deps.store.read).find((one) => one.agent === agent);
      const runner = chosen && readChoice(chosen.runner);
      if (runner === undefined) return;
      if (this.#isRunning) this.#keep(agent, runner);
      this.#tell(agent, runner);
    });
  }

  #keep(agent: string, runner: RunnerChoice): void {
    const kept = new KeptRunner(this.#deps, agent, runner, {
      changed: (before) => {
        if (isUsedUp(before) !== isUsedUp(kept.status)) this.#reach(agent, runner);
        this.#tell(agent, runner);
      },
      newToken: () => this.#newToken(agent),
    });
    this.#kept.set(agent, kept);
    this.#reach(agent, runner);
    kept.start();
  }

  #reach(agent: string, runner: RunnerChoice): void {
    const { state } = this.#kept.get(agent)?.status ?? NOT_SAID;
    const { reach, asks } = kindOf(runner);
    this.#deps.reachedBy(agent, reach(state), asks(runner, state));
  }

  async #leave(agent: string): Promise<void> {
    const kept = this.#kept.get(agent);
    this.#kept.delete(agent);
    if (kept !== undefined) this.#deps.reachedBy(agent, null, null);
    await kept?.end();
  }

  #tell(agent: string, runner: RunnerChoice): void {
    this.#deps.events.publish({ type: 'runner', runner: this.#dto(agent, runner) });
  }

  #dto(agent: string, runner: RunnerChoice | GoneRunner): RunnerDto {
    const status = runner.kind === 'gone' ? NOT_KNOWN : (this.#kept.get(agent)?.status ?? NOT_SAID);
    return { agent, ...runner, ...status, wakes: this.#deps.wakesOf(agent) };
  }

  /** @param change what is new of it; null: it is chosen no longer */
  #write(tables: Tables, agent: string, change: Partial<Stored> | null): void {
    const all = CHOSEN.read(tables);
    const before = all.find((one) => one.agent === agent);
    const others = all.filter((one) => one !== before);
    const { runner, token = null } = { ...before, ...change };
    const next = change === null || runner === undefined ? [] : [{ agent, runner, token }];
    CHOSEN.write(tables, [...others, ...next], change === null ? agent : undefined);
  }

  /** A token for a runner; the one that the run before gave it ends. */
  async #newToken(agent: string): Promise<MadeToken> {
    const { unit, tokens } = this.#deps;
    const given = await tokens.issueForAgent(agent);
    const before = await unit.run((tables) => {
      const stored = CHOSEN.read(tables).find((one) => one.agent === agent);
      // Its person ended it meanwhile: nobody is to have it.
      if (stored === undefined) return given.id;
      this.#write(tables, agent, { token: given.id });
      return stored.token;
    });
    await this.#endToken(before);
    return given;
  }

  async #endToken(id: string | null): Promise<void> {
    const { tokens } = this.#deps;
    if (id !== null && tokens.isIdAlive(id)) await tokens.revoke(id, BY_THE_HUB);
  }
}

/** undefined: of another version of the hub, which knew a program that this one does not. */
function readChoice(stored: unknown): RunnerChoice | undefined {
  const read = v.safeParse(RUNNER_CHOICE, stored);
  return read.success ? read.output : undefined;
}

function gone({ program, kind }: JsonObject): GoneRunner {
  return { kind: 'gone', program: escapeText(String(program ?? kind ?? '?')) };
}

/** Something is kept for this agent, and nobody can read it. */
function isDamaged(reads: Pick<Reads, 'getMeta'>, agent: string): boolean {
  return CHOSEN.damaged(reads).some((one) => one.agent === agent);
}

interface MadeToken {
  readonly token: string;
  readonly id: string;
}

type Status = Pick<RunnerDto, 'state' | 'why' | 'tokens'>;
const NOT_SAID: Status = { state: 'starts', why: null, tokens: 0 };
const NOT_KNOWN: Status = {
  state: 'cannot_start',
  why: 'What is kept of it names no program that this hub starts. Choose another one, or start none any more.',
  tokens: 0,
};
const isUsedUp = ({ state }: Status): boolean => state === 'used_up' || state === 'day_used';

interface Keeping {
  readonly changed: (before: Status) => void;
  readonly newToken: () => Promise<MadeToken>;
}

/** One of them, from its start to its end for good. */
class KeptRunner {
  readonly #deps: Deps;
  readonly #agent: string;
  readonly #runner: RunnerChoice;
  readonly #keeping: Keeping;
  #status = NOT_SAID;
  #given: MadeToken | undefined;
  /** Why it cannot go on, as it has said itself since its start. */
  #said: string | null = null;
  #process: RunnerProcess | undefined;
  #timer: TimerHandle | undefined;
  #failures = 0;
  #startedMs = 0;
  #isOver = false;
  /** The start that is under way. */
  #starting: Promise<void> = Promise.resolve();

  constructor(deps: Deps, agent: string, runner: RunnerChoice, keeping: Keeping) {
    this.#deps = deps;
    this.#agent = agent;
    this.#runner = runner;
    this.#keeping = keeping;
  }

  get status(): Status {
    return this.#status;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Never rejects. */
  start(): void {
    this.#starting = this.#start().catch((error: unknown) => this.#ended(messageOf(error)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#timer?.cancel();
    await this.#starting;
    await this.#process?.end();
  }

  async #start(): Promise<void> {
    const { tokens, clock, startRunner } = this.#deps;
    // A person may have ended it.
    if (this.#given === undefined || !tokens.isIdAlive(this.#given.id))
      this.#given = await this.#keeping.newToken();
    if (this.#isOver) return;
    this.#startedMs = clock.monotonicMs();
    this.#said = null;
    this.#process = startRunner({
      agent: this.#agent,
      ...started(this.#deps, this.#agent, this.#runner),
      token: this.#given.token,
      onSaid: (said) => this.#hear(said),
      onEnd: (why) => this.#ended(why),
    });
  }

  #hear(said: RunnerSaid): void {
    const read = v.safeParse(SAID, said);
    if (!read.success || this.#isOver) return;
    this.#said = sentence(read.output.why);
    this.#is({ ...read.output, why: this.#said });
  }

  #ended(why: string | null): void {
    this.#process = undefined;
    if (this.#isOver) return;
    const { clock, random, log } = this.#deps;
    if (clock.monotonicMs() - this.#startedMs > RUNNER_STEADY_MS) this.#failures = 0;
    const waitMs = backoffMs(this.#failures++, random.fraction(), RUNNER_RESTART);
    log.warn('a runner ended', { agent: this.#agent, again_ms: waitMs });
    this.#is({ ...this.#status, state: 'cannot_start', why: this.#said ?? sentence(why) });
    this.#timer = clock.setTimer(waitMs, () => this.start());
  }

  #is(status: Status): void {
    const before = this.#status;
    this.#status = status;
    this.#keeping.changed(before);
  }
}

function started(
  given: Given,
  agent: string,
  runner: RunnerChoice,
): { readonly words: readonly string[]; readonly input: string | null } {
  const kind = kindOf(runner);
  return { words: kind.words(runner), input: kind.input(agent, given) };
}

function sentence(why: string | null): string | null {
  return why === null ? null : shortened(why, RUNNER_WHY_MAX_CHARACTERS);
}
