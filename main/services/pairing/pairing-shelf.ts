// The pairings there are: the requests that wait for a person, the one pairing that goes on, the ones that just ended and are still shown,
// and the ids that may not be used again. Keeps their timers and tells pages; knows nothing of the steps. Requests of hubs that nobody here
// chose are shown only while pairing is open (PROTOCOL.md, Pairing).
import { AppError } from '../../lib/app-error.ts';
import type { PairingDto, PairingRequestState, PairingState } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { EventBus } from '../event-bus.ts';
import type { OpenLines } from '../links/open-lines.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import { BURNT_IDS_MAX, ENDED_SHOWN_MAX, ENDED_SHOWN_MS, PAIRING_DURATION_MS } from './limits.ts';
import type { PairingSession } from './pairing-session.ts';

export interface PairingShelfDeps {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly directory: Pick<PeerDirectory, 'pardon'>;
  readonly lines: Pick<OpenLines, 'hold' | 'release'>;
  readonly isOpen: () => boolean;
  readonly onTimeUp: (session: PairingSession) => void;
  /** A request that waits is not shown any more, because pairing was closed; it goes on waiting for so long. */
  readonly onHidden: (session: PairingSession, leftMs: number) => void;
}

export class PairingShelf {
  readonly #deps: PairingShelfDeps;
  readonly #sessions = new Map<string, PairingSession>();
  readonly #timers = new Map<string, TimerHandle>();
  readonly #burnt = new Set<string>();

  constructor(deps: PairingShelfDeps) {
    this.#deps = deps;
  }

  /** Every pairing is over with this: what a step still waits for changes nothing any more. */
  stop(): void {
    for (const session of this.#sessions.values()) {
      if (!session.isOver) session.state = 'failed';
      session.ended.abort();
      this.#deps.lines.release(session.peerKey);
    }
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#sessions.clear();
  }

  list(): readonly PairingDto[] {
    return [...this.#sessions.values()].filter((session) => this.#isShown(session)).map(({ dto }) => dto);
  }

  /** The pairing that goes on: there is one at most. */
  running(): PairingSession | undefined {
    return [...this.#sessions.values()].find(({ isOver, state }) => !isOver && state !== 'offered');
  }

  /** Requests that wait for a person, oldest first. */
  waiting(): readonly PairingSession[] {
    return [...this.#sessions.values()].filter(({ state }) => state === 'offered');
  }

  /** What goes on with this hub, or waits for a person, in the order in which it came. */
  openWith(key: KeyHex): readonly PairingSession[] {
    return [...this.#sessions.values()].filter(({ isOver, peerKey }) => !isOver && peerKey === key);
  }

  /** The two hubs pair in another way, or are paired: the requests of that hub which wait lead nowhere any more. */
  dropWaitingOf(key: KeyHex): void {
    for (const session of this.waiting()) if (session.peerKey === key) this.drop(session);
  }

  /** Pairing was opened or closed: the requests that wait are shown, or not any more. They go on waiting until their time is up. */
  windowChanged(): void {
    for (const session of this.waiting()) {
      if (this.#isShown(session)) this.#publish(session);
      else {
        this.#deps.events.publish({ type: 'pairing_gone', id: session.id });
        this.#deps.onHidden(session, session.sinceMs + PAIRING_DURATION_MS - this.#deps.clock.monotonicMs());
      }
    }
  }

  /** Throws AppError not_found, also for a request that is not to be shown. */
  get(id: string): PairingSession {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#isShown(session))
      throw new AppError('not_found', 'No such pairing is here, or it ended a while ago.', {
        hint: '"axon pair list" shows those there are.',
        failedBy: 'input',
      });
    return session;
  }

  byPid(pidText: string, key?: KeyHex): PairingSession | undefined {
    return [...this.#sessions.values()].find((session) => session.pidText === pidText && (key === undefined || session.peerKey === key));
  }

  add(session: PairingSession): void {
    this.#sessions.set(session.id, session);
    this.#deps.lines.hold(session.peerKey);
    this.#timers.set(
      session.id,
      this.#deps.clock.setTimer(PAIRING_DURATION_MS, () => {
        if (!session.isOver) this.#deps.onTimeUp(session);
      }),
    );
    this.#publish(session);
  }

  move(session: PairingSession, state: PairingState): void {
    if (session.isOver) return;
    session.state = state;
    this.#publish(session);
  }

  end(session: PairingSession, state: 'paired' | 'failed'): void {
    session.state = state;
    this.#letGo(session);
    this.#timers.get(session.id)?.cancel();
    this.#timers.set(
      session.id,
      this.#deps.clock.setTimer(ENDED_SHOWN_MS, () => this.remove(session)),
    );
    this.#publish(session);
    const ended = [...this.#sessions.values()].filter(({ isOver }) => isOver);
    for (const old of ended.slice(0, Math.max(0, ended.length - ENDED_SHOWN_MAX))) this.remove(old);
  }

  /** A request that nobody opened, or that reached nobody, is over: there is nothing to show of it. */
  drop(session: PairingSession): void {
    session.state = 'failed';
    this.#letGo(session);
    this.remove(session);
  }

  remove(session: PairingSession): void {
    session.ended.abort();
    this.#timers.get(session.id)?.cancel();
    this.#timers.delete(session.id);
    if (this.#sessions.delete(session.id)) this.#deps.events.publish({ type: 'pairing_gone', id: session.id });
  }

  isBurnt(pidText: string): boolean {
    return this.#burnt.has(pidText);
  }

  burn(pidText: string): void {
    this.#burnt.delete(pidText);
    this.#burnt.add(pidText);
    const oldest = this.#burnt.values().next();
    if (this.#burnt.size > BURNT_IDS_MAX && !oldest.done) this.#burnt.delete(oldest.value);
  }

  /** As far as our own request came; pages are told of a change. */
  cameTo(session: PairingSession, request: PairingRequestState): void {
    if (session.isOver || session.request === request) return;
    session.request = request;
    this.#publish(session);
  }

  /** What ended with this hub is not of interest any more: a new pairing takes its place. */
  forgetEnded(key: KeyHex): void {
    for (const session of this.#sessions.values()) if (session.isOver && session.peerKey === key) this.remove(session);
  }

  /** Waits, or until the session has ended. */
  pause(session: PairingSession, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = (): void => {
        timer.cancel();
        resolve();
      };
      const timer = this.#deps.clock.setTimer(delayMs, () => {
        session.ended.signal.removeEventListener('abort', stop);
        resolve();
      });
      session.ended.signal.addEventListener('abort', stop, { once: true });
    });
  }

  #letGo(session: PairingSession): void {
    session.ended.abort();
    this.#deps.lines.release(session.peerKey);
    const refuseAgain = (): void => {
      const isOfAnother = [...this.#sessions.values()].some((other) => other.peerKey === session.peerKey && !other.isOver);
      if (!isOfAnother) this.#deps.directory.pardon(session.peerKey, false);
    };
    if (session.farewell === null) refuseAgain();
    else void session.farewell.then(refuseAgain, refuseAgain);
  }

  #isShown({ state, isInvited }: PairingSession): boolean {
    return state !== 'offered' || isInvited || this.#deps.isOpen();
  }

  #publish(session: PairingSession): void {
    if (this.#isShown(session)) this.#deps.events.publish({ type: 'pairing', pairing: session.dto });
  }
}
