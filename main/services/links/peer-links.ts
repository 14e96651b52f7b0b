// Combines everything between hubs that is not work: connections, hello, dialling, liveness, and
// the messenger of the work services. Starts and stops the transport. No message passes around the
// gate, and no key is trusted because of how it was found.
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { TrustState } from '../../../preload/contract/dto.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type { Store } from '../../ports/store.ts';
import {
  CLOSE_CODES,
  type ConnectionInfo,
  type KeyHex,
  type Transport,
  type TransportEvent,
} from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { kindEntry } from '../../protocol/kinds.ts';
import type { IdentityService } from '../base/identity.ts';
import type {
  IncomingMessage,
  OutgoingMessage,
  PeerMessenger,
  Pulse,
  ReplyDraft,
} from '../base/peer-messenger.ts';
import { CoolOff } from './cool-off.ts';
import { Dialler } from './dialler.ts';
import { RequestChannel } from './request-channel.ts';
import { HelloHandshake } from './hello-handshake.ts';
import type { HubAddress } from './hub-address.ts';
import type { HubProfile } from './hub-profile.ts';
import { Incoming } from './incoming.ts';
import type { Link } from './link.ts';
import { LinkTable } from './link-table.ts';
import { answerTrouble, endTrouble, helloTrouble, notConnected } from './link-trouble.ts';
import { UnpairedConnections } from './unpaired-connections.ts';
import type { PeerDirectory } from './peer-directory.ts';
import { Presence } from './presence.ts';
import { Prober, type PeerPulse } from './prober.ts';
import { PendingReplies } from './reference/pending-replies.ts';
import { ReferenceChannel } from './reference/reference-channel.ts';
import { ReferenceIncoming } from './reference/reference-incoming.ts';
import { ResumeWatch } from './resume-watch.ts';
import { SecurityAudit, noteWrongKey } from './security-audit.ts';

interface PeerLinksDeps {
  readonly store: Store;
  readonly transport: Transport;
  readonly resolver: Resolver;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly identity: IdentityService;
  readonly directory: PeerDirectory;
  readonly profile: () => HubProfile;
  /** A connection with the key of this hub itself. */
  readonly onOwnKey: (place: HubAddress) => void;
  /** Our own answers to ping and discover, for paired peers. */
  readonly pong: () => JsonObject;
  readonly capabilities: () => JsonObject;
}

interface LinksOptions {
  readonly host: string;
  readonly port: number;
}

export class PeerLinks implements PeerMessenger {
  /** For pairing: connections to keys that nobody trusts yet. */
  readonly unpaired: UnpairedConnections;
  readonly #deps: PeerLinksDeps;
  readonly #buckets: TokenBuckets;
  readonly #channel: RequestChannel;
  readonly #table: LinkTable;
  readonly #hello: HelloHandshake;
  readonly #incoming: Incoming;
  readonly #prober: Prober;
  readonly #dialler: Dialler;
  readonly #audit: SecurityAudit;
  readonly #coolOff: CoolOff;
  readonly #questions: PendingReplies;
  readonly #counters = new Map<string, number>();
  readonly #presence: Presence;
  readonly #resumeWatch: ResumeWatch;
  readonly #stopListening: (() => void)[] = [];
  #isRunning = false;

  constructor(deps: PeerLinksDeps) {
    this.#deps = deps;
    const { clock, random, transport, directory, log, resolver } = deps;
    const ownAgentId = (): string => deps.identity.agentId;
    this.#buckets = new TokenBuckets(clock);
    this.#coolOff = new CoolOff(clock);
    this.#audit = new SecurityAudit({
      store: deps.store,
      clock,
      log,
      directory,
      buckets: this.#buckets,
    });
    this.#questions = new PendingReplies(clock);
    const newId = (): string => random.uuid();
    const nameOf = (link: Link): string => directory.nameOf(link.keyHex);
    const onMalformed = (link: Link): void => this.#malformed(link);
    const foreign = {
      transport,
      clock,
      questions: this.#questions,
      newId,
      ownAgentId,
      nameOf,
      onMalformed,
    };
    this.#channel = new RequestChannel({
      ...foreign,
      random,
      reference: new ReferenceChannel(foreign),
    });
    this.#table = new LinkTable({
      clock,
      transport,
      ownAgentId,
      isAlive: (link) => this.#prober.isAlive(link),
      onChange: (key) => this.#presence.refresh(key),
      onGone: (link) => this.#hello.gone(link),
      onEstablished: (key) => this.unpaired.established(key),
    });
    this.#hello = new HelloHandshake({
      clock,
      channel: this.#channel,
      table: this.#table,
      directory,
      audit: this.#audit,
      log,
      profile: deps.profile,
    });
    this.#prober = new Prober({ clock, channel: this.#channel, table: this.#table, directory });
    this.#incoming = new Incoming({
      transport,
      channel: this.#channel,
      hello: this.#hello,
      directory,
      buckets: this.#buckets,
      log,
      ownAgentId,
      onMalformed,
      reference: new ReferenceIncoming({
        ...foreign,
        isDelegationTo: (link, id) =>
          deps.store.read.taskByMessage('outgoing', link.keyHex, id)?.kind === 'delegate',
        onSpoken: (link) => void this.#hello.spokenReference(link),
      }),
      onForged: (link, envelope) => this.#forged(link, envelope),
      onDropped: (why) => this.#count(`dropped_${why}`),
    });
    this.#dialler = new Dialler({
      clock,
      random,
      transport,
      resolver,
      directory,
      isLinked: (key) => this.#table.ofKey(key).some((link) => !link.isGone),
      greet: (connection) => this.#greet(connection),
      onWrongKey: (key, found, at) =>
        noteWrongKey({ directory, audit: this.#audit }, key, found, at),
    });
    this.#presence = new Presence({
      clock,
      table: this.#table,
      directory,
      prober: this.#prober,
      dialler: this.#dialler,
    });
    this.unpaired = new UnpairedConnections({
      clock,
      table: this.#table,
      dialler: this.#dialler,
      channel: this.#channel,
      incoming: this.#incoming,
      directory,
    });
    this.#resumeWatch = new ResumeWatch(clock, log, () => this.redial());
    this.#answerForTheHub();
  }

  /**
   * Opens the peer port and begins to dial. The identity must be ready. Rejects with AppError
   * address_in_use or identity_locked.
   */
  async start({ host, port }: LinksOptions): Promise<{ readonly port: number }> {
    const { transport, identity, directory } = this.#deps;
    directory.load();
    this.#stopListening.push(
      directory.onTrust((key, trust) => void this.#trustChanged(key, trust)),
      directory.onWay((key) => this.#dialler.wake(key)),
    );
    this.#isRunning = true;
    this.#presence.start();
    try {
      const started = await transport.start({ seed: identity.seed, host, port }, (event) =>
        this.#handle(event),
      );
      this.#dialler.start();
      this.unpaired.start();
      this.#resumeWatch.start();
      return started;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Closes every connection with "shutting down". Idempotent. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    for (const stop of this.#stopListening.splice(0)) stop();
    this.#resumeWatch.stop();
    this.#dialler.stop();
    this.unpaired.stop();
    this.#presence.silence();
    this.#table.clear();
    this.#prober.stop();
    this.#questions.stop();
    this.#deps.directory.stop();
    await this.#deps.transport.stop();
  }

  isOnline(peer: KeyHex): boolean {
    return this.#presence.isOnline(peer);
  }

  isShutOut(peer: KeyHex): boolean {
    return this.#deps.directory.live(peer).notTrustedThere;
  }

  pulse(peer: KeyHex): Pulse {
    const { load, roundTripMs } = this.#deps.directory.live(peer);
    return { load, roundTripMs };
  }

  features(peer: KeyHex): readonly string[] {
    return this.#deps.directory.row(peer)?.features ?? [];
  }

  extensions(peer: KeyHex): readonly string[] {
    return this.#deps.directory.row(peer)?.extensions ?? [];
  }

  acknowledges(peer: KeyHex): boolean {
    return !this.#deps.directory.isReference(peer);
  }

  async request(
    peer: KeyHex,
    message: OutgoingMessage,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Envelope, AppError>> {
    const link = this.#sendingTo(peer);
    if (!link.ok) return link;
    if (
      kindEntry(message.kind)?.required === false &&
      !this.features(peer).includes(message.kind)
    ) {
      const name = this.#deps.directory.nameOf(peer);
      return err(
        new AppError(
          'unsupported_feature',
          `${name} does not take messages of the kind "${message.kind}".`,
          { failedBy: 'peer' },
        ),
      );
    }
    const answered = await this.#channel.request(link.value, message, timeoutMs, signal);
    if (!answered.ok) this.#learnFrom(peer, answered.error);
    return answered;
  }

  async send(peer: KeyHex, message: OutgoingMessage): Promise<Result<void, AppError>> {
    const link = this.#sendingTo(peer);
    return link.ok ? this.#channel.send(link.value, this.encode(peer, message)) : link;
  }

  encode(peer: KeyHex, message: OutgoingMessage): string {
    return this.#channel.encode(agentIdOfKeyHex(peer), message);
  }

  async sendEncoded(peer: KeyHex, raw: string): Promise<Result<void, AppError>> {
    const link = this.#sendingTo(peer);
    return link.ok ? this.#channel.send(link.value, raw) : link;
  }

  onRequest(kind: string, handler: (message: IncomingMessage) => Promise<ReplyDraft>): void {
    this.#incoming.onRequest(kind, handler);
  }

  onMessage(kind: string, handler: (message: IncomingMessage) => Promise<void>): void {
    this.#incoming.onMessage(kind, handler);
  }

  onPresence(listener: (peer: KeyHex, online: boolean) => void): () => void {
    return this.#presence.listen(listener);
  }

  /** Round trip and load, asked now; works for any hub that is connected. */
  ping(key: KeyHex, signal?: AbortSignal): Promise<Result<PeerPulse, AppError>> {
    return this.#prober.ping(key, signal);
  }

  refreshCapabilities(key: KeyHex, signal?: AbortSignal): Promise<Result<void, AppError>> {
    return this.#prober.refreshCapabilities(key, signal);
  }

  /**
   * The network changed, or the computer woke up: dead connections are found out, and everybody is
   * dialled afresh.
   */
  redial(): void {
    this.#table.checkAllAlive();
    this.#dialler.wakeAll();
  }

  /** What was dropped and why, since the start. */
  counters(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counters);
  }

  #sendingTo(peer: KeyHex): Result<Link, AppError> {
    const link = this.#deps.directory.isPaired(peer) ? this.#table.sending(peer) : undefined;
    if (link !== undefined) return ok(link);
    const { directory } = this.#deps;
    const hint = 'Nothing was sent and nothing is queued: try again once it is online.';
    return err(notConnected(directory.nameOf(peer), directory.live(peer).trouble, hint));
  }

  #handle(event: TransportEvent): void {
    switch (event.type) {
      case 'connected':
        this.#connected(event.connection);
        return;
      case 'disconnected':
        this.#disconnected(event.connection, event.code, event.by);
        return;
      case 'request': {
        const link = this.#table.get(event.connectionId);
        if (link === undefined)
          this.#deps.transport.reset(event.connectionId, event.streamId, CLOSE_CODES.done);
        else void this.#incoming.request(link, event.streamId, event.bytes);
        return;
      }
      case 'message': {
        const link = this.#table.get(event.connectionId);
        if (link !== undefined) void this.#incoming.message(link, event.bytes);
        return;
      }
      case 'violation':
        // Its stream was reset, and that is all: a slow line is no offence, and only malformed
        // messages keep a hub out.
        this.#count(`violation_${event.rule.replaceAll('-', '_')}`);
        return;
      case 'path-changed':
        this.#table.moved(event.connection);
        return;
      case 'restarted':
        this.#deps.log.warn('the transport was started again', { restarts: event.restarts });
        this.#dialler.wakeAll();
        return;
    }
  }

  #connected(connection: ConnectionInfo): Link | undefined {
    if (!this.#isRunning) return undefined;
    if (connection.keyHex === this.#deps.identity.keyHex) {
      // The side that was dialled closes it: closed at once by the dialler, it would never be seen.
      if (connection.direction === 'incoming')
        this.#deps.transport.close(connection.connectionId, CLOSE_CODES.duplicate, 'the same key');
      this.#deps.onOwnKey({ host: connection.host, port: connection.port });
      return undefined;
    }
    const { link, isNew } = this.#table.opened(connection);
    if (!isNew) return link;
    if (this.#deps.directory.isRefused(link.keyHex))
      this.#table.close(link, CLOSE_CODES.notTrusted, 'not trusted');
    else if (this.#coolOff.isCooling(link.keyHex))
      this.#table.close(link, CLOSE_CODES.malformed, 'too many malformed messages before');
    else this.#hello.watch(link);
    return link.isGone ? undefined : link;
  }

  #disconnected(
    connection: ConnectionInfo,
    code: number | null,
    by: 'local' | 'peer' | 'network',
  ): void {
    const link = this.#table.gone(connection.connectionId);
    if (link === undefined || !this.#isRunning) return;
    const trouble = endTrouble(this.#deps.directory.nameOf(link.keyHex), link, code, by);
    if (trouble === undefined) return;
    link.endTrouble = trouble.trouble ?? null;
    this.#deps.directory.setLive(link.keyHex, trouble);
  }

  async #greet(connection: ConnectionInfo): Promise<Result<void, string>> {
    const link = this.#connected(connection);
    if (link === undefined) return err('The connection was refused here.');
    const hello = await this.#hello.greet(link);
    if (hello.ok) return ok();
    return err(
      helloTrouble(this.#deps.directory.nameOf(link.keyHex), hello.error, link.endTrouble),
    );
  }

  /**
   * How the hub is and what it can do, whoever asks. A stranger's pong tells nothing of it
   * (PROTOCOL.md, Envelope).
   */
  #answerForTheHub(): void {
    const { pong, capabilities } = this.#deps;
    const nothing = { status: 'idle', uptime_secs: 0, active_tasks: 0 };
    this.#incoming.onOpenRequest('ping', () => Promise.resolve({ kind: 'pong', payload: nothing }));
    this.#incoming.onRequest('ping', () => Promise.resolve({ kind: 'pong', payload: pong() }));
    this.#incoming.onRequest('discover', ({ peer: { key } }) => {
      // Only a hub that trusts this one asks: it may have refused it before.
      if (this.isShutOut(key) && this.isOnline(key)) this.#prober.online(key);
      return Promise.resolve({ kind: 'capabilities', payload: capabilities() });
    });
  }

  #malformed(link: Link): void {
    if (!link.malformed() || link.isGone) return;
    if (this.#coolOff.begin(link.keyHex)) this.#audit.note(link.keyHex, 'peer.malformed', {});
    this.#table.close(link, CLOSE_CODES.malformed, 'too many malformed messages');
  }

  #forged(link: Link, envelope: Envelope): void {
    this.#count('forged');
    this.#audit.note(link.keyHex, 'peer.forged_sender', {
      from: envelope.from,
      to: envelope.to,
      message: envelope.id,
    });
  }

  #learnFrom(peer: KeyHex, error: AppError): void {
    const trouble = answerTrouble(this.#deps.directory.nameOf(peer), error);
    if (trouble !== undefined) this.#deps.directory.setLive(peer, trouble);
  }

  async #trustChanged(key: KeyHex, trust: TrustState): Promise<void> {
    const wasOnline = this.#presence.isOnline(key);
    if (trust === 'revoked') this.#table.closeKey(key, CLOSE_CODES.revoked, 'revoked');
    else if (trust === 'suspended') this.#table.closeKey(key, CLOSE_CODES.notTrusted, 'suspended');
    if (trust === 'paired') {
      await Promise.all(this.#table.ofKey(key).map((link) => this.#hello.pinned(link)));
      this.#dialler.wake(key);
    } else {
      this.#dialler.forget(key);
      const sentence = `${this.#deps.directory.nameOf(key)} is not trusted here any more, so nobody waits for its answer.`;
      this.#questions.closeKey(key, new AppError('cancelled', sentence, { failedBy: 'local' }));
    }
    this.#presence.refresh(key);
    // What it answered before said nothing of a pairing that is new.
    if (wasOnline && this.#presence.isOnline(key)) this.#prober.online(key);
  }

  #count(name: string): void {
    this.#counters.set(name, (this.#counters.get(name) ?? 0) + 1);
  }
}
