// Keeps a connection to every paired peer. Dials for ever, a few at a time, with growing waits that
// reset on a hint that dialling could work now. Knows where a hub may be: from its owner, from the
// network, from last time. The transport checks by the key who it is (PROTOCOL.md, Connection and
// Discovery).
import { isIP } from 'node:net';
import { backoffMs } from '../../lib/backoff.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type {
  ConnectionInfo,
  DialFailure,
  DialTarget,
  KeyHex,
  Transport,
} from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { type HubAddress, writeHubAddress } from './hub-address.ts';
import * as limits from './limits.ts';
import type { PeerDirectory } from './peer-directory.ts';

interface DiallerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Pick<Transport, 'dial'>;
  readonly resolver: Resolver;
  readonly directory: PeerDirectory;
  /** A connection with hello done, or one on which hello is under way, is there. */
  readonly isLinked: (key: KeyHex) => boolean;
  /** Says hello on a fresh connection; the error is a sentence for people. */
  readonly greet: (connection: ConnectionInfo) => Promise<Result<void, string>>;
  /** Another key answered where this peer should be. */
  readonly onWrongKey: (key: KeyHex, found: KeyHex, at: HubAddress) => void;
}

/**
 * no-address: its name has none; silent: nobody answered; wrong-key: another hub answered; refused:
 * it answered, but hello failed.
 */
export type PlaceOutcome = 'no-address' | 'silent' | 'busy' | 'wrong-key' | 'refused';

/** What came of one place. */
export interface TriedPlace extends HubAddress {
  readonly outcome: PlaceOutcome;
  /** For people. */
  readonly sentence: string;
}

/** Why a round of dialling ended without a connection. */
export interface RoundTrouble {
  /** Of the place that came furthest; for people. */
  readonly sentence: string;
  /** In the order they were tried; none when no place is known. */
  readonly tried: readonly TriedPlace[];
}

/** From what says least of the hub to what says most. */
const FURTHEST: readonly PlaceOutcome[] = ['no-address', 'silent', 'busy', 'wrong-key', 'refused'];

interface DialState {
  attempt: number;
  timer: TimerHandle | undefined;
  running: AbortController | undefined;
  startedAtMs: number;
}

interface Resolved {
  readonly addresses: readonly string[];
  readonly atMs: number;
}

export class Dialler {
  readonly #deps: DiallerDeps;
  readonly #states = new Map<KeyHex, DialState>();
  readonly #due: KeyHex[] = [];
  readonly #resolved = new Map<string, Resolved>();
  #inFlight = 0;
  #isStopped = true;

  constructor(deps: DiallerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#isStopped = false;
    for (const { key, trust } of this.#deps.directory.rows())
      if (trust === 'paired') this.wake(key);
  }

  stop(): void {
    this.#isStopped = true;
    for (const key of this.#states.keys()) this.forget(key);
    this.#due.length = 0;
  }

  /** No more dialling of this key. */
  forget(key: KeyHex): void {
    const state = this.#states.get(key);
    state?.timer?.cancel();
    state?.running?.abort();
    this.#states.delete(key);
  }

  /** A hint that this peer can be reached now: dial soon, with the shortest waits again. */
  wake(key: KeyHex, delayMs = 0): void {
    if (!this.#isWanted(key)) return;
    const state = this.#stateOf(key);
    state.attempt = 0;
    if (state.running !== undefined) return;
    const sinceLastMs = this.#deps.clock.monotonicMs() - state.startedAtMs;
    this.#schedule(key, state, Math.max(delayMs, limits.DIAL_RESET_INTERVAL_MS - sinceLastMs, 0));
  }

  /**
   * The network changed, or the computer woke up: gives up dials on the old network, and dials
   * everybody again.
   */
  wakeAll(): void {
    this.#resolved.clear();
    for (const state of this.#states.values()) {
      state.running?.abort();
      state.running = undefined;
    }
    for (const { key } of this.#deps.directory.rows())
      this.wake(key, Math.round(this.#deps.random.fraction() * limits.NETWORK_CHANGE_SPREAD_MS));
  }

  /** The peer is not connected (any more): dial after its next wait. */
  again(key: KeyHex, wasStable: boolean): void {
    if (!this.#isWanted(key)) return;
    const state = this.#stateOf(key);
    if (wasStable) state.attempt = 0;
    if (state.running !== undefined || state.timer !== undefined) return;
    this.#schedule(
      key,
      state,
      backoffMs(state.attempt++, this.#deps.random.fraction(), limits.DIAL_BACKOFF),
    );
  }

  /**
   * One round over everything known of where this key is. A person's round (for pairing) takes no
   * turn from the others.
   * @param named where it is by more than the network's word, by name or by number: dialled before
   * everything else
   * @param withinMs what all addresses together may take; each gets an equal share, from
   * DIAL_EACH_MIN_MS to DIAL_TIMEOUT_MS
   */
  async dialOnce(
    key: KeyHex,
    signal: AbortSignal,
    named: readonly HubAddress[] = [],
    withinMs = limits.DIAL_ADDRESSES_MAX * limits.DIAL_TIMEOUT_MS,
  ): Promise<Result<void, RoundTrouble>> {
    const { addresses, unknown } = await this.#addresses(key, signal, named);
    const name = this.#deps.directory.nameOf(key);
    const tried: TriedPlace[] = unknown.map((place) => ({
      ...place,
      outcome: 'no-address',
      sentence: `No computer is known as "${place.host}". Check the address of ${name}.`,
    }));
    const eachMs = Math.min(
      limits.DIAL_TIMEOUT_MS,
      Math.max(limits.DIAL_EACH_MIN_MS, withinMs / Math.max(1, addresses.length)),
    );
    for (const address of addresses) {
      if (signal.aborted || this.#deps.isLinked(key)) break;
      const failed = await this.#tryAt(key, address, signal, eachMs);
      if (failed === undefined) return ok();
      tried.push({ ...address, ...failed });
    }
    if (this.#deps.isLinked(key)) return ok();
    const furthest = tried.toSorted(
      (one, other) => FURTHEST.indexOf(other.outcome) - FURTHEST.indexOf(one.outcome),
    )[0];
    const nowhere = `${name} has not been seen on this network, and no address is known for it.`;
    return err({ sentence: furthest?.sentence ?? nowhere, tried });
  }

  /** undefined: connected, and hello is done. */
  async #tryAt(
    key: KeyHex,
    at: HubAddress,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<Pick<TriedPlace, 'outcome' | 'sentence'> | undefined> {
    const name = this.#deps.directory.nameOf(key);
    const dialled = await this.#dial(
      { keyHex: key, agentId: agentIdOfKeyHex(key), ...at },
      signal,
      withinMs,
    );
    if (dialled.ok) {
      const hello = await this.#deps.greet(dialled.value);
      return hello.ok ? undefined : { outcome: 'refused', sentence: hello.error };
    }
    switch (dialled.error.type) {
      case 'wrong-key':
        this.#deps.onWrongKey(key, dialled.error.keyHex, at);
        return {
          outcome: 'wrong-key',
          sentence: `Another hub answered where ${name} should be, so the connection was refused. If ${name} was set up anew, remove it here and pair again.`,
        };
      case 'busy':
        return {
          outcome: 'busy',
          sentence: `${name} could not be dialled because too much is under way. It is tried again.`,
        };
      default:
        return {
          outcome: 'silent',
          sentence: `${name} can't be reached. It may be switched off, or its firewall may block the hub.`,
        };
    }
  }

  #isWanted(key: KeyHex): boolean {
    return !this.#isStopped && this.#deps.directory.isPaired(key) && !this.#deps.isLinked(key);
  }

  #stateOf(key: KeyHex): DialState {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: DialState = {
      attempt: 0,
      timer: undefined,
      running: undefined,
      startedAtMs: -limits.DIAL_RESET_INTERVAL_MS,
    };
    this.#states.set(key, state);
    return state;
  }

  #schedule(key: KeyHex, state: DialState, delayMs: number): void {
    state.timer?.cancel();
    state.timer = this.#deps.clock.setTimer(delayMs, () => {
      state.timer = undefined;
      if (!this.#due.includes(key)) this.#due.push(key);
      this.#pump();
    });
  }

  #pump(): void {
    while (!this.#isStopped && this.#inFlight < limits.DIALS_IN_FLIGHT_MAX) {
      const key = this.#due.shift();
      if (key === undefined) return;
      const state = this.#states.get(key);
      if (state === undefined || state.running !== undefined || !this.#isWanted(key)) continue;
      this.#inFlight++;
      void this.#round(key, state).finally(() => {
        this.#inFlight--;
        this.#pump();
      });
    }
  }

  async #round(key: KeyHex, state: DialState): Promise<void> {
    const running = new AbortController();
    state.running = running;
    state.startedAtMs = this.#deps.clock.monotonicMs();
    const outcome = await this.dialOnce(key, running.signal).catch((): Result<void, RoundTrouble> =>
      err({ sentence: 'Dialling failed.', tried: [] }),
    );
    if (running.signal.aborted) return;
    state.running = undefined;
    if (!this.#isWanted(key)) return;
    if (!outcome.ok) this.#deps.directory.setLive(key, { trouble: outcome.error.sentence });
    this.again(key, false);
  }

  /** One dial, bounded in time whatever the transport does. */
  async #dial(
    target: DialTarget,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<Result<ConnectionInfo, DialFailure>> {
    const bounded = new AbortController();
    const giveUp = (): void => bounded.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    const timer = this.#deps.clock.setTimer(withinMs, giveUp);
    try {
      return await this.#deps.transport.dial(target, bounded.signal);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Where the hub may be: first what people said, then what the network says, last where the hub
   * itself was. Announcements never push out the last.
   */
  async #addresses(
    key: KeyHex,
    signal: AbortSignal,
    named: readonly HubAddress[],
  ): Promise<{
    readonly addresses: readonly HubAddress[];
    readonly unknown: readonly HubAddress[];
  }> {
    const { directory } = this.#deps;
    const row = directory.row(key);
    const fixed = directory.staticHub(key);
    const nearby = directory.nearby(key);
    const host = row?.staticHost ?? fixed?.host;
    const port = row?.staticPort ?? fixed?.port;
    const places = host !== undefined && port !== undefined ? [...named, { host, port }] : named;
    const found = await Promise.all(places.map((place) => this.#resolvedPlace(place, signal)));
    const unknown = distinct(places.filter((_place, index) => found[index]?.length === 0));
    const said = found.flat();
    const last =
      row?.lastHost != null && row.lastPort !== null
        ? [{ host: row.lastHost, port: row.lastPort }]
        : [];
    const room = Math.max(0, limits.DIAL_ADDRESSES_MAX - distinct([...said, ...last]).length);
    const isSaid = new Set([...said, ...last].map(writeHubAddress));
    const heard =
      nearby === undefined
        ? []
        : nearby.addresses.map((address) => ({ host: address, port: nearby.port }));
    const unsaid = heard.filter((address) => !isSaid.has(writeHubAddress(address))).slice(0, room);
    return {
      addresses: distinct([...said, ...unsaid, ...last]).slice(0, limits.DIAL_ADDRESSES_MAX),
      unknown,
    };
  }

  async #resolvedPlace(
    { host, port }: HubAddress,
    signal: AbortSignal,
  ): Promise<readonly HubAddress[]> {
    return (await this.#resolve(host, signal)).map((address) => ({ host: address, port }));
  }

  async #resolve(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    const now = this.#deps.clock.monotonicMs();
    const known = this.#resolved.get(host);
    if (known !== undefined && now - known.atMs < limits.RESOLVE_AGAIN_AFTER_MS)
      return known.addresses;
    const bounded = new AbortController();
    const giveUp = (): void => bounded.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    const timer = this.#deps.clock.setTimer(limits.RESOLVE_TIMEOUT_MS, giveUp);
    const answered = await this.#deps.resolver.resolve(host, bounded.signal);
    timer.cancel();
    signal.removeEventListener('abort', giveUp);
    const addresses = answered.filter((address) => isIP(address) !== 0);
    if (addresses.length === 0) return known?.addresses ?? [];
    if (this.#resolved.size >= limits.PEERS_MAX) this.#resolved.clear();
    this.#resolved.set(host, { addresses, atMs: now });
    return addresses;
  }
}

function distinct(addresses: readonly HubAddress[]): readonly HubAddress[] {
  return [...new Map(addresses.map((address) => [writeHubAddress(address), address])).values()];
}
