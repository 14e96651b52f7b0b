// The agents another hub speaks for. A request in the name of an agent that its hub has not
// advertised is refused (PROTOCOL.md, Extensions, route/1). Agents come and go, so an unknown name
// is looked up again, at a limited rate.
import type { Writers } from '../../dialects/origin.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import { type JsonObject, readObject } from '../../lib/json-object.ts';
import { err, type Result } from '../../lib/result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PeerRow, Store } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { parseCapabilities, type CapabilitiesPayload } from '../../protocol/payloads.ts';
import { REFRESH_INTERVAL_MS, REFRESH_WAIT_MS } from './limits.ts';
import { routeFrom } from '../tasks/work-request.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly refreshCapabilities: (peer: KeyHex) => Promise<Result<void, AppError>>;
}

export class AskingAgents {
  readonly #deps: Deps;
  readonly #refreshedAt = new Map<KeyHex, number>();
  readonly #refreshing = new Map<KeyHex, Promise<boolean>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The refusal for a name that its hub does not have or could not be asked about. undefined when
   * there is no name or it is known.
   */
  async unknownAsker(peer: PeerRow, payload: JsonObject): Promise<AppError | undefined> {
    const name = routeFrom(payload);
    if (name === null || this.#isAdvertised(peer.key, name)) return undefined;
    const isTold = await this.refresh(peer.key);
    if (this.#isAdvertised(peer.key, name)) return undefined;
    // The connection may have broken with the request, so a missing answer is no reason to refuse
    // for good.
    if (!isTold)
      return new AppError('timeout', 'Your hub did not say in time which agents it has.', {
        hint: 'Send it again.',
        failedBy: 'timeout',
      });
    return inputError(
      'not_authorized',
      'The agent named in route.from is not one your hub told us of.',
      {
        hint: 'Name an agent that stands in your capabilities, or leave route.from out.',
      },
    );
  }

  #isAdvertised(key: KeyHex, name: string): boolean {
    return (
      readCapabilities(this.#deps.store.read.peer(key))?.agents.some(
        (agent) => agent.name === name,
      ) ?? false
    );
  }

  /**
   * Asks again, one question at a time; one that comes too soon after the last waits its turn
   * instead of being refused.
   */
  refresh(key: KeyHex): Promise<boolean> {
    const running = this.#refreshing.get(key);
    if (running !== undefined) return running;
    const refresh = this.#askAgain(key).finally(() => this.#refreshing.delete(key));
    this.#refreshing.set(key, refresh);
    return refresh;
  }

  async #askAgain(key: KeyHex): Promise<boolean> {
    const { clock } = this.#deps;
    const last = this.#refreshedAt.get(key);
    const pauseMs = last === undefined ? 0 : last + REFRESH_INTERVAL_MS - clock.monotonicMs();
    if (pauseMs > 0) await new Promise<void>((resolve) => void clock.setTimer(pauseMs, resolve));
    this.#refreshedAt.set(key, clock.monotonicMs());
    return await new Promise<boolean>((resolve) => {
      const timer = clock.setTimer(REFRESH_WAIT_MS, () => resolve(false));
      const told = this.#deps
        .refreshCapabilities(key)
        .catch(() => err(new AppError('internal', 'The question broke off.')));
      void told.then((answer) => {
        timer.cancel();
        // An answer is final, and so is "not supported". Any other failure may pass, such as a
        // connection that is just coming back.
        resolve(answer.ok || answer.error.code === 'unsupported_feature');
      });
    });
  }
}

/** What the peer last told of itself; undefined when nothing readable is known. Outside text. */
export function readCapabilities(peer: PeerRow | undefined): CapabilitiesPayload | undefined {
  if (peer?.capabilities === null || peer === undefined) return undefined;
  if (!readBefore.has(peer)) {
    const parsed = parseCapabilities(readObject(peer.capabilities));
    readBefore.set(peer, parsed.ok ? parsed.value : undefined);
  }
  return readBefore.get(peer);
}

/** In whose names that hub may answer what it was asked for its agent, or for any of them. */
export function answerersThere(peer: PeerRow | undefined, agent: string | null): Writers {
  const agents = agent === null ? readCapabilities(peer)?.agents.map(({ name }) => name) : [agent];
  return { hub: peer?.agentId ?? null, agents: agents ?? [] };
}

/** A row is never changed, and stays the same object as long as nothing is written to its table. */
const readBefore = new WeakMap<PeerRow, CapabilitiesPayload | undefined>();
