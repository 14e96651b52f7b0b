// Keeps the data about a connected peer fresh: a ping on connecting and every few minutes, its
// capabilities on connecting and when asked. The answers are hints for routing and for people; they
// authorise nothing (PROTOCOL.md, Envelope).
import { AppError } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { parseCapabilities, parsePong, type PongPayload } from '../../protocol/payloads.ts';
import { PROTOCOL_VERSIONS } from '../../protocol/versions.ts';
import type { RequestChannel } from './request-channel.ts';
import {
  CAPABILITIES_AGE_MAX_MS,
  KEEP_CHECK_TIMEOUT_MS,
  LEARN_AGAIN_MAX,
  LEARN_BACKOFF,
  PING_INTERVAL_MS,
  REPLY_TIMEOUT_MS,
} from './limits.ts';
import type { Link } from './link.ts';
import type { LinkTable } from './link-table.ts';
import type { PeerDirectory } from './peer-directory.ts';
import { TRUSTED_THERE, badAnswer, notConnected } from './link-trouble.ts';

/** What a ping found out. */
export interface PeerPulse {
  readonly roundTripMs: number;
  readonly pong: PongPayload;
}

interface ProberDeps {
  readonly clock: Clock;
  readonly channel: RequestChannel;
  readonly table: LinkTable;
  readonly directory: PeerDirectory;
}

export class Prober {
  readonly #deps: ProberDeps;
  readonly #timers = new Map<KeyHex, TimerHandle>();
  readonly #learning = new Map<KeyHex, TimerHandle>();

  constructor(deps: ProberDeps) {
    this.#deps = deps;
  }

  /**
   * The peer came online, or is so on another line or with another profile: ask how it is and what
   * it can do, now and from time to time.
   */
  online(key: KeyHex): void {
    this.offline(key);
    // Nothing is gained by asking a reference daemon, whose agents would be shown the questions.
    if (this.#deps.table.sending(key)?.isReference === true) return;
    this.#pingAndPlan(key);
    void this.#learn(key, 0);
  }

  stop(): void {
    for (const key of this.#timers.keys()) this.offline(key);
  }

  async ping(key: KeyHex, signal?: AbortSignal): Promise<Result<PeerPulse, AppError>> {
    const link = this.#deps.table.sending(key);
    if (link === undefined) return err(this.#unreachable(key));
    const startedAtMs = this.#deps.clock.monotonicMs();
    const message = { id: this.#deps.channel.newId(), kind: 'ping', ref: null, payload: {} };
    const answered = await this.#deps.channel.request(link, message, REPLY_TIMEOUT_MS, signal);
    if (!answered.ok) return answered;
    const pong = parsePong(answered.value.payload);
    if (!pong.ok) return err(badAnswer('The pong of the other hub does not read.'));
    const roundTripMs = Math.round((this.#deps.clock.monotonicMs() - startedAtMs) * 100) / 100;
    if (!link.isGone) this.#deps.directory.setLive(key, { roundTripMs, load: pong.value.status });
    return ok({ roundTripMs, pong: pong.value });
  }

  /**
   * Whether the other side answers on exactly this connection. The reference daemon shows a ping to
   * its agents, but not a hello.
   */
  async isAlive(link: Link): Promise<boolean> {
    const asked = link.isReference
      ? { kind: 'hello', payload: { protocol_versions: PROTOCOL_VERSIONS } }
      : { kind: 'ping', payload: {} };
    const message = { id: this.#deps.channel.newId(), ref: null, ...asked };
    const answered = await this.#deps.channel.request(link, message, KEEP_CHECK_TIMEOUT_MS);
    if (answered.ok) return true;
    // What went wrong here says nothing about the other side.
    const { failedBy, code } = answered.error;
    return failedBy !== 'timeout' && code !== 'peer_unreachable';
  }

  /** Asks the peer what it can do and keeps the answer. */
  async refreshCapabilities(key: KeyHex, signal?: AbortSignal): Promise<Result<void, AppError>> {
    const link = this.#deps.table.sending(key);
    const row = this.#deps.directory.row(key);
    if (link === undefined) return err(this.#unreachable(key));
    if (row !== undefined && !row.features.includes('discover')) {
      return err(
        new AppError('unsupported_feature', `${row.petname} does not tell what it can do.`, {
          failedBy: 'peer',
        }),
      );
    }
    const message = { id: this.#deps.channel.newId(), kind: 'discover', ref: null, payload: {} };
    const answered = await this.#deps.channel.request(link, message, REPLY_TIMEOUT_MS, signal);
    if (!answered.ok) return answered;
    if (!link.isGone) this.#deps.directory.setLive(key, TRUSTED_THERE);
    const parsed = parseCapabilities(answered.value.payload);
    if (!parsed.ok)
      return err(
        new AppError('not_understood', 'What the other hub says it can do does not read.', {
          failedBy: 'peer',
        }),
      );
    const capabilities = JSON.stringify(answered.value.payload);
    try {
      await this.#deps.directory.note(key, {
        capabilities,
        capabilitiesAt: this.#deps.clock.wallMs(),
      });
      return ok();
    } catch (error) {
      // Nobody may be waiting for this. If the disk refuses it, that is an outcome, and it is asked
      // for again.
      if (error instanceof AppError) return err(error);
      throw error;
    }
  }

  /**
   * A hub that pins us a moment after we pinned it first answers that it does not know us: it is
   * asked again before that counts.
   */
  async #learn(key: KeyHex, attempt: number): Promise<void> {
    const told = await this.refreshCapabilities(key);
    const isUnknownThere =
      !told.ok && told.error.failedBy === 'peer' && told.error.code === 'pairing_required';
    if (isUnknownThere && attempt > 0) this.#deps.directory.setLive(key, { notTrustedThere: true });
    const isWorthAnother =
      !told.ok &&
      told.error.code !== 'unsupported_feature' &&
      told.error.code !== 'peer_unreachable';
    if (!isWorthAnother || attempt >= LEARN_AGAIN_MAX || !this.#timers.has(key)) return;
    this.#learning.get(key)?.cancel();
    const waitMs = backoffMs(attempt, 0, LEARN_BACKOFF);
    this.#learning.set(
      key,
      this.#deps.clock.setTimer(waitMs, () => void this.#learn(key, attempt + 1)),
    );
  }

  /** Asks nothing more by itself. */
  offline(key: KeyHex): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    this.#learning.get(key)?.cancel();
    this.#learning.delete(key);
  }

  #pingAndPlan(key: KeyHex): void {
    void this.ping(key);
    this.#timers.set(
      key,
      this.#deps.clock.setTimer(PING_INTERVAL_MS, () => {
        this.#pingAndPlan(key);
        this.#learnIfOld(key);
      }),
    );
  }

  #learnIfOld(key: KeyHex): void {
    const { directory, clock } = this.#deps;
    const learntAt = directory.row(key)?.capabilitiesAt ?? 0;
    if (clock.wallMs() - learntAt >= CAPABILITIES_AGE_MAX_MS) void this.#learn(key, 0);
  }

  #unreachable(key: KeyHex): AppError {
    const { directory } = this.#deps;
    return notConnected(
      directory.nameOf(key),
      directory.live(key).trouble,
      'It is dialled again and again; try once it is online.',
    );
  }
}
