// Whether the agents of this computer are there: when each last called and through which door, how
// busy it is, and what wakes it. Kept in memory; only the last call is stored.
import type { HubWay, Reach } from '../../../preload/contract/closed-lists.ts';
import type {
  AgentDto,
  AgentLineDto,
  AskedModelDto,
  WebhookDto,
} from '../../../preload/contract/dto.ts';
import type { Load } from '../../core/recipient-choice.ts';
import { escapeText } from '../../core/text-escape.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { AgentRow, Store } from '../../ports/store.ts';
import {
  HOOK_GONE_AFTER_MS,
  LAST_CALL_WRITE_INTERVAL_MS,
  LINE_CHANGE_INTERVAL_MS,
  PRESENCE_WINDOW_MS,
  PROGRAM_MAX_CHARACTERS,
} from './limits.ts';
import { shortened } from '../../lib/shortened.ts';

interface Sighting {
  lastCallMonotonicMs: number;
  /** By the calendar; what is stored is older. */
  lastCallAt: number | null;
  writtenAtMonotonicMs: number;
  openStreams: number;
  /** When it last looked into its inbox. */
  lastLookMonotonicMs: number;
  /** Ends with what is remembered of that. */
  lookTimer: TimerHandle | undefined;
  online: boolean;
  /** It says that it takes no work now. */
  busy: boolean;
  line: AgentLineDto | null;
  timer: TimerHandle | undefined;
}

/** How an agent called, as it says itself. */
export type AgentLine = Pick<AgentLineDto, 'door' | 'program'>;

/** How this hub reaches an agent, and the model that it runs it on. */
interface Way {
  readonly way: HubWay;
  readonly asks: AskedModelDto | null;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  /** Called when what the pages show of an agent has changed. */
  readonly changed: (name: string) => void;
}

export class AgentPresence {
  readonly #deps: Deps;
  readonly #seen = new Map<string, Sighting>();
  /** Hooks that wait to wake it, and those that did a moment ago. */
  readonly #hooks = new Map<string, { waiting: number; timer: TimerHandle | undefined }>();
  readonly #webhooks = new Map<string, WebhookDto>();
  readonly #ways = new Map<string, Way>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The door calls this for every authenticated call of an agent. */
  touch(name: string, line?: AgentLine): void {
    const { store, clock } = this.#deps;
    if (!store.read.agent(name)) return;
    const now = clock.monotonicMs();
    const sighting = this.#of(name);
    const wasOnline = sighting.online;
    sighting.lastCallMonotonicMs = now;
    sighting.lastCallAt = clock.wallMs();
    if (now - sighting.writtenAtMonotonicMs >= LAST_CALL_WRITE_INTERVAL_MS) {
      sighting.writtenAtMonotonicMs = now;
      const { lastCallAt } = sighting;
      store.writeBehind((tables) => {
        const current = tables.agent(name);
        if (current) tables.putAgent({ ...current, lastCallAt });
      });
    }
    const isNewLine = line !== undefined && this.#noteLine(sighting, line);
    this.#settle(name, sighting);
    if (isNewLine && wasOnline) this.#deps.changed(name);
  }

  /**
   * An agent that keeps a stream open is online for as long. Returns the way to say that the stream
   * is gone.
   */
  streamOpened(name: string): () => void {
    this.touch(name);
    const sighting = this.#of(name);
    const wasLooking = this.#looks(name);
    sighting.openStreams += 1;
    sighting.lookTimer?.cancel();
    if (!wasLooking) this.#deps.changed(name);
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      sighting.openStreams -= 1;
      // One that was forgotten, or whose hub has stopped, is gone already.
      if (this.#seen.get(name) !== sighting) return;
      const now = this.#deps.clock.monotonicMs();
      sighting.lastCallMonotonicMs = now;
      sighting.lastLookMonotonicMs = now;
      sighting.lookTimer?.cancel();
      sighting.lookTimer = this.#deps.clock.setTimer(PRESENCE_WINDOW_MS, () =>
        this.#deps.changed(name),
      );
      this.#settle(name, sighting);
    };
  }

  /**
   * A hook of its program waits to wake it. Returns the way to say that it does no more; one that
   * looks again meanwhile is not noticed to have gone.
   */
  hookWaits(name: string): () => void {
    const known = this.#hooks.get(name);
    const hook = known ?? { waiting: 0, timer: undefined };
    hook.timer?.cancel();
    hook.waiting++;
    this.#hooks.set(name, hook);
    if (known === undefined) this.#deps.changed(name);
    return () => {
      hook.waiting--;
      // One that was forgotten, or whose hub has stopped, is gone already.
      if (hook.waiting > 0 || this.#hooks.get(name) !== hook) return;
      hook.timer = this.#deps.clock.setTimer(HOOK_GONE_AFTER_MS, () => {
        this.#hooks.delete(name);
        this.#deps.changed(name);
      });
    };
  }

  /** Whether a hook wakes it, or the hub starts a program for it. */
  isWoken(name: string): boolean {
    const way = this.#ways.get(name)?.way;
    return this.hasHook(name) || way === 'runner' || way === 'runner_used';
  }

  hasHook(name: string): boolean {
    return this.#hooks.has(name);
  }

  /** The webhook that is to wake it, and how that goes; null: it has none. */
  setWebhook(name: string, webhook: WebhookDto | null): void {
    if (webhook === null) this.#webhooks.delete(name);
    else this.#webhooks.set(name, webhook);
    this.#deps.changed(name);
  }

  /** This hub reaches it by itself from now on; null: no longer. */
  setWay(name: string, way: HubWay | null, asks: AskedModelDto | null = null): void {
    if (way === null) this.#ways.delete(name);
    else this.#ways.set(name, { way, asks });
    this.#deps.changed(name);
  }

  isOnline(name: string): boolean {
    return this.#seen.get(name)?.online ?? false;
  }

  /** Since its last call; null: it is there. */
  awaySince(name: string): { readonly since: number | null } | null {
    if (this.isOnline(name)) return null;
    const stored = this.#deps.store.read.agent(name)?.lastCallAt ?? null;
    return { since: this.#seen.get(name)?.lastCallAt ?? stored };
  }

  /** What the agent says of itself; forgotten when it is no longer online. */
  setBusy(name: string, busy: boolean): void {
    const sighting = this.#of(name);
    if (sighting.busy === busy) return;
    sighting.busy = busy;
    this.#deps.changed(name);
  }

  /** How busy it is, by what it was given and what it says of itself. */
  load({ name, concurrency }: AgentRow): Load {
    if (!this.isOnline(name)) return 'absent';
    const running = this.#deps.store.read.countDeliveries(name, ['claimed', 'running']);
    if (running >= concurrency) return 'overloaded';
    return running > 0 || this.#seen.get(name)?.busy === true ? 'busy' : 'idle';
  }

  /** What the pages show of it. */
  view(
    row: AgentRow,
  ): Pick<
    AgentDto,
    'presence' | 'reach' | 'webhook' | 'asks_model' | 'busy' | 'line' | 'last_call_at'
  > {
    const sighting = this.#seen.get(row.name);
    const away = row.lastCallAt === null && sighting === undefined ? 'never_seen' : 'away';
    return {
      reach: this.#reach(row.name),
      webhook: this.#webhooks.get(row.name) ?? null,
      asks_model: this.#ways.get(row.name)?.asks ?? null,
      presence: sighting?.online === true ? 'online' : away,
      busy: sighting?.busy ?? false,
      line: sighting?.line ?? null,
      last_call_at: sighting?.lastCallAt ?? row.lastCallAt,
    };
  }

  /** The next call of an agent that was just given a token counts as its first. */
  tokenMade(name: string): void {
    this.wentAway(name);
  }

  /** It is not there any more, as from now on. */
  wentAway(name: string): void {
    const sighting = this.#seen.get(name);
    if (sighting) {
      sighting.lastCallMonotonicMs = -Infinity;
      sighting.lastLookMonotonicMs = -Infinity;
      setOffline(sighting);
    }
    this.#deps.changed(name);
  }

  forget(name: string): void {
    this.#seen.get(name)?.timer?.cancel();
    this.#seen.get(name)?.lookTimer?.cancel();
    this.#seen.delete(name);
    this.#hooks.get(name)?.timer?.cancel();
    this.#hooks.delete(name);
    this.#webhooks.delete(name);
    this.#ways.delete(name);
  }

  stop(): void {
    for (const name of [...this.#seen.keys(), ...this.#hooks.keys()]) this.forget(name);
  }

  /** What is done to reach it comes before what it does by itself. */
  #reach(name: string): Reach {
    const known = this.#ways.get(name);
    if (known !== undefined) return known.way;
    if (this.hasHook(name)) return 'hook';
    if (this.#webhooks.has(name)) return 'webhook';
    return this.#looks(name) ? 'itself' : 'nothing';
  }

  #looks(name: string): boolean {
    const { openStreams = 0, lastLookMonotonicMs = -Infinity } = this.#seen.get(name) ?? {};
    const sinceMs = this.#deps.clock.monotonicMs() - lastLookMonotonicMs;
    return openStreams > 0 || sinceMs < PRESENCE_WINDOW_MS;
  }

  #of(name: string): Sighting {
    const known = this.#seen.get(name);
    if (known) return known;
    const fresh: Sighting = {
      lastCallMonotonicMs: 0,
      lastCallAt: null,
      writtenAtMonotonicMs: -Infinity,
      openStreams: 0,
      lastLookMonotonicMs: -Infinity,
      lookTimer: undefined,
      online: false,
      busy: false,
      line: null,
      timer: undefined,
    };
    this.#seen.set(name, fresh);
    return fresh;
  }

  /** An agent that is several programs at once changes it no more often than pages should hear. */
  #noteLine(sighting: Sighting, { door, program }: AgentLine): boolean {
    const now = this.#deps.clock.wallMs();
    const known = sighting.line;
    const said = program === null ? null : escapeText(shortened(program, PROGRAM_MAX_CHARACTERS));
    if (known?.door === door && (said === null || said === known.program)) return false;
    const isMore = known?.door === door && known.program === null;
    if (known !== null && !isMore && now - known.since < LINE_CHANGE_INTERVAL_MS) return false;
    sighting.line = { door, program: said, since: now };
    return true;
  }

  #settle(name: string, sighting: Sighting): void {
    const sinceMs = this.#deps.clock.monotonicMs() - sighting.lastCallMonotonicMs;
    const online = sighting.openStreams > 0 || sinceMs < PRESENCE_WINDOW_MS;
    if (online && sighting.openStreams === 0 && !sighting.timer) {
      sighting.timer = this.#deps.clock.setTimer(PRESENCE_WINDOW_MS - sinceMs, () => {
        sighting.timer = undefined;
        this.#settle(name, sighting);
      });
    }
    if (online === sighting.online) return;
    if (online) sighting.online = true;
    else setOffline(sighting);
    this.#deps.changed(name);
  }
}

function setOffline(sighting: Sighting): void {
  sighting.online = false;
  sighting.busy = false;
  sighting.line = null;
}
