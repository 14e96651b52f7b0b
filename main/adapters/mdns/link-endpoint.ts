// This hub on one interface: asks, announces, keeps its announcement fresh and says goodbye. It
// owns one socket and its timers and nothing else; what it hears it hands on unjudged.
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Advertisement } from '../../ports/discovery.ts';
import { goodbyeOf, recordsOf, SERVICE_NAME, type OwnRecord } from './announcement.ts';
import { BonjourServer } from './bonjour-server.ts';
import { readRecords, readSource, type DnsRecord, type Question } from './dns-records.ts';
import { GuardedSocket } from './guarded-socket.ts';
import {
  ANNOUNCE_AGAIN_MS,
  ANSWERS,
  ASK_AGAIN_AFTER_MS,
  ASK_INTERVAL_MS,
  FRESHEN_INTERVAL_MS,
  SEND_WAIT_MAX_MS,
} from './limits.ts';
import type { Link } from './links.ts';

interface LinkEndpointDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly link: Link;
  readonly advertisement: Advertisement | null;
  /** Drawn once for each start of this hub; see announcement.ts. */
  readonly start: string;
  readonly onRecords: (link: Link, source: string, records: readonly DnsRecord[]) => void;
  /** A packet of ours has left, or could not: null is success. */
  readonly onSent: (link: Link, error: unknown) => void;
  /** The socket cannot be used (port taken, no permission). */
  readonly onFailure: (link: Link, error: unknown) => void;
}

export class LinkEndpoint {
  readonly link: Link;
  readonly #deps: LinkEndpointDeps;
  readonly #server: BonjourServer;
  readonly #startedAtMs: number;
  #records: readonly OwnRecord[] = [];
  #count = 0;
  #askTimer: TimerHandle | null = null;
  #announceTimer: TimerHandle | null = null;
  #closed = false;

  /** Opens the socket. Failures arrive at `onFailure`, never as a throw. */
  constructor(deps: LinkEndpointDeps) {
    this.#deps = deps;
    this.link = deps.link;
    this.#startedAtMs = deps.clock.monotonicMs();
    const { clock, link } = deps;
    const onThrow = (error: unknown): void =>
      deps.log.warn('mDNS packet could not be handled', { link: link.name, error: String(error) });
    const socket = new GuardedSocket({ clock, link, onThrow });
    const answers = new TokenBuckets(clock);
    const mayAnswer = (): boolean => answers.take('answers', ANSWERS) === 0;
    this.#server = new BonjourServer({
      socket,
      address: link.address,
      mayAnswer,
      onError: (error) => this.#noteSent(error),
    });
    this.#server.on('error', (error) => this.#fail(error));
    this.#server.on('warning', (warning) =>
      deps.log.debug('mDNS warning', { link: link.name, error: String(warning) }),
    );
    this.#server.on('response', (packet, source) => this.#hear(packet, source));
  }

  /**
   * Asks and announces, and goes on doing so. Resolves when the first announcement has left, or
   * could not.
   */
  async begin(): Promise<void> {
    this.ask([{ name: SERVICE_NAME, type: 'PTR' }]);
    this.#scheduleAsk();
    if (this.#deps.advertisement === null) return;
    this.#records = recordsOf(this.#deps.advertisement, this.link.ownAddresses, this.#freshness());
    this.#server.register(this.#records);
    this.#scheduleAnnounce(ANNOUNCE_AGAIN_MS);
    await this.#sendAndWait(this.#records);
  }

  /** Sends questions now. */
  ask(questions: readonly Question[]): void {
    if (this.#closed) return;
    this.#server.ask(questions, (error) => this.#noteSent(error));
  }

  /** Says goodbye and closes the socket. Idempotent. */
  async end(): Promise<void> {
    if (this.#closed) return;
    this.#askTimer?.cancel();
    this.#announceTimer?.cancel();
    if (this.#records.length > 0) await this.#sendAndWait(goodbyeOf(this.#records));
    await this.close();
  }

  /** Closes the socket without a goodbye: the interface is gone. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#askTimer?.cancel();
    this.#announceTimer?.cancel();
    await new Promise<void>((resolve) => {
      try {
        this.#server.close(resolve);
      } catch (error) {
        this.#deps.log.debug('mDNS socket was closed already', {
          link: this.link.name,
          error: String(error),
        });
        resolve();
      }
    });
  }

  #hear(packet: unknown, source: unknown): void {
    const address = readSource(source);
    if (this.#closed || address === undefined) return;
    this.#deps.onRecords(this.link, address, readRecords(packet));
  }

  #scheduleAsk(): void {
    const { clock } = this.#deps;
    const ageMs = clock.monotonicMs() - this.#startedAtMs;
    const soonAtMs = ASK_AGAIN_AFTER_MS.find((atMs) => atMs > ageMs);
    this.#askTimer = clock.setTimer(
      soonAtMs === undefined ? ASK_INTERVAL_MS : soonAtMs - ageMs,
      () => {
        this.ask([{ name: SERVICE_NAME, type: 'PTR' }]);
        this.#scheduleAsk();
      },
    );
  }

  #scheduleAnnounce(delayMs: number): void {
    this.#announceTimer = this.#deps.clock.setTimer(delayMs, () => {
      this.#announce();
      this.#scheduleAnnounce(FRESHEN_INTERVAL_MS);
    });
  }

  /** Sends the announcement with a TXT record that differs from the last one. */
  #announce(): void {
    const { advertisement } = this.#deps;
    if (advertisement === null || this.#records.length === 0) return;
    const isText = (record: OwnRecord): boolean => record.type === 'TXT';
    const fresh = recordsOf(advertisement, this.link.ownAddresses, this.#freshness()).find(isText);
    const answered = this.#records.find(isText);
    // The library answers from the objects it was given, so the new text goes into the old record.
    if (fresh !== undefined && answered !== undefined) answered.data = fresh.data;
    this.#server.announce(this.#records, (error) => this.#noteSent(error));
  }

  async #sendAndWait(answers: readonly OwnRecord[]): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#deps.clock.setTimer(SEND_WAIT_MAX_MS, resolve);
      this.#server.announce(answers, (error) => {
        timer.cancel();
        this.#noteSent(error);
        resolve();
      });
    });
  }

  #freshness(): string {
    this.#count += 1;
    return `${this.#deps.start}-${this.#count}`;
  }

  #noteSent(error: unknown): void {
    if (this.#closed) return;
    this.#deps.onSent(this.link, error ?? null);
    if (error === undefined || error === null) return;
    this.#deps.log.debug('mDNS packet was not sent', {
      link: this.link.name,
      error: String(error),
    });
  }

  #fail(error: unknown): void {
    if (!this.#closed) this.#deps.onFailure(this.link, error);
  }
}
