// The hello handshake, from both ends (PROTOCOL.md, hello). The dialler asks first, the other
// answers, and then both know versions, features and extensions. Done once per connection; a second
// hello is answered and changes nothing. A hello is kept as a hint: it limits what we send and is
// shown to people. A version older than before is pointed out. No rule of trust depends on a hello.
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { shortened } from '../../lib/shortened.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { EXTENSIONS, FEATURES } from '../../protocol/kinds.ts';
import { parseHello, type HelloPayload } from '../../protocol/payloads.ts';
import { REFERENCE_FEATURES } from '../../protocol/reference/reference-mapping.ts';
import { PROTOCOL_VERSIONS, selectVersion } from '../../protocol/versions.ts';
import type { ReplyDraft } from '../base/peer-messenger.ts';
import type { HubProfile } from './hub-profile.ts';
import { ADVERTISED_TEXT_MAX, HELLO_IN_RETURN_AFTER_MS, HELLO_TIMEOUT_MS } from './limits.ts';
import type { Link } from './link.ts';
import type { LinkTable } from './link-table.ts';
import { SpeaksReference } from './link-trouble.ts';
import type { PeerChange, PeerDirectory } from './peer-directory.ts';
import { NO_VERSION } from './pinned-row.ts';
import type { RequestChannel } from './request-channel.ts';
import type { SecurityAudit } from './security-audit.ts';

interface HelloHandshakeDeps {
  readonly clock: Clock;
  readonly channel: RequestChannel;
  readonly table: LinkTable;
  readonly directory: PeerDirectory;
  readonly audit: SecurityAudit;
  readonly log: Log;
  readonly profile: () => HubProfile;
}

export class HelloHandshake {
  readonly #deps: HelloHandshakeDeps;
  readonly #deadlines = new Map<number, TimerHandle>();

  constructor(deps: HelloHandshakeDeps) {
    this.#deps = deps;
  }

  /** Every connection must have its hello within 5 s, else it is closed as too slow. */
  watch(link: Link): void {
    if (link.info.direction === 'outgoing') return this.#closeAfter(link, HELLO_TIMEOUT_MS);
    const first = this.#deps.clock.setTimer(HELLO_IN_RETURN_AFTER_MS, () => {
      this.#closeAfter(link, HELLO_TIMEOUT_MS - HELLO_IN_RETURN_AFTER_MS);
      if (!link.isEstablished && this.#deps.directory.mayHaveNoHello(link.keyHex))
        void this.#askInReturn(link);
    });
    this.#deadlines.set(link.id, first);
  }

  /** A peer that sent no hello and got none may not know hello: its answer to ours will show. */
  async #askInReturn(link: Link): Promise<void> {
    const answered = await this.#ask(link);
    if (answered.ok) {
      const hello = readAnswer(answered.value);
      if (hello !== undefined) await this.#finish(link, hello);
    } else if (answered.error instanceof SpeaksReference) await this.spokenReference(link);
  }

  /**
   * The other side has shown that it has no hello: a paired hub may use its connection without one.
   */
  async spokenReference(link: Link): Promise<void> {
    if (link.isGone || (link.isEstablished && !link.isReference)) return;
    link.isReference = true;
    await this.#noteReference(link);
    if (link.isGone || link.isEstablished || !this.#deps.directory.isPaired(link.keyHex)) return;
    this.gone(link);
    this.#deps.table.established(link);
  }

  #closeAfter(link: Link, delayMs: number): void {
    const deadline = this.#deps.clock.setTimer(delayMs, () => {
      this.#deadlines.delete(link.id);
      if (!link.isEstablished)
        this.#deps.table.close(link, CLOSE_CODES.tooSlow, 'no hello in time');
    });
    this.#deadlines.set(link.id, deadline);
  }

  #ask(link: Link): Promise<Result<Envelope, AppError>> {
    const message = {
      id: this.#deps.channel.newId(),
      kind: 'hello',
      ref: null,
      payload: this.#payload(link),
    };
    return this.#deps.channel.request(link, message, HELLO_TIMEOUT_MS, link.signal);
  }

  /** Its deadline is over. */
  gone(link: Link): void {
    this.#deadlines.get(link.id)?.cancel();
    this.#deadlines.delete(link.id);
  }

  /** The dialler's first stream. The connection is closed when hello fails, or has no answer. */
  async greet(link: Link): Promise<Result<void, AppError>> {
    this.gone(link);
    const answered = await this.#ask(link);
    if (!answered.ok) {
      if (answered.error instanceof SpeaksReference) await this.spokenReference(link);
      if (link.isEstablished && !link.isGone) return ok();
      const code = answered.error.code === 'timeout' ? CLOSE_CODES.tooSlow : CLOSE_CODES.done;
      this.#deps.table.close(link, code, 'hello failed');
      return err(answered.error);
    }
    const hello = readAnswer(answered.value);
    if (hello === undefined) {
      this.#deps.table.close(link, CLOSE_CODES.done, 'no common version');
      return err(
        new AppError(
          'incompatible_version',
          'The two hubs have no version of the protocol in common.',
          {
            failedBy: 'peer',
            hint: 'Update the older one.',
          },
        ),
      );
    }
    await this.#finish(link, hello);
    return ok();
  }

  /**
   * Answers a hello; throws AppError incompatible_version. `sent` must be called when the answer is
   * on its way.
   */
  async answer(
    link: Link,
    payload: JsonObject,
  ): Promise<{ readonly reply: ReplyDraft; readonly sent: () => void }> {
    const hello = parseHello(payload);
    const selected = hello.ok ? selectVersion(hello.value.protocol_versions) : undefined;
    if (!hello.ok || selected === undefined) {
      throw new AppError(
        'incompatible_version',
        `This hub speaks version ${PROTOCOL_VERSIONS.join(', ')} of the protocol.`,
        {
          hint: 'Say so in "protocol_versions", a list of at most 16 whole numbers.',
        },
      );
    }
    const reply: ReplyDraft = {
      kind: 'hello',
      payload: { ...this.#payload(link), selected_version: selected },
    };
    // What said nothing for a while may say hello after all: then it is one of ours.
    const isFirst = !link.isEstablished || link.isReference;
    // On a connection of ours that still waits for its answer, the other side asks in return: our
    // own hello ends the greeting.
    if (!link.isEstablished && link.info.direction === 'outgoing')
      return { reply, sent: () => undefined };
    if (!isFirst || link.info.direction === 'outgoing') {
      return { reply, sent: () => this.#deps.audit.note(link.keyHex, 'peer.second_hello', {}) };
    }
    // What it told is kept before the answer: its first request may come right behind that.
    await this.#note(link, hello.value);
    return { reply, sent: () => this.#established(link) };
  }

  async #finish(link: Link, hello: HelloPayload): Promise<void> {
    if (link.isGone || (link.isEstablished && !link.isReference)) return;
    await this.#note(link, hello);
    this.#established(link);
  }

  #established(link: Link): void {
    if (link.isGone || (link.isEstablished && !link.isReference)) return;
    link.isReference = false;
    this.gone(link);
    this.#deps.table.established(link);
  }

  /**
   * The key of this connection has just been pinned: what its hello told, or that it has none,
   * counts from now on.
   */
  async pinned(link: Link): Promise<void> {
    if (link.hello !== undefined) await this.#note(link, link.hello);
    if (link.isReference) await this.spokenReference(link);
  }

  /**
   * Keeps the content of a hello: a pinned peer's in its row, an unpaired hub's name while it is
   * connected.
   */
  async #note(link: Link, hello: HelloPayload): Promise<void> {
    const { directory, log, audit } = this.#deps;
    link.hello = hello;
    const said =
      hello.agent_name === null ? null : shortened(hello.agent_name, ADVERTISED_TEXT_MAX);
    const row = directory.row(link.keyHex);
    if (row === undefined) return directory.setLive(link.keyHex, { said, connected: true });
    const highest = Math.max(1, ...hello.protocol_versions);
    if (highest < row.highestVersion) {
      log.warn('a peer speaks an older version than before', {
        before: row.highestVersion,
        now: highest,
      });
      audit.note(link.keyHex, 'peer.downgraded', { before: row.highestVersion, now: highest });
    }
    await this.#keep(link, {
      features: hello.features,
      extensions: hello.extensions,
      highestVersion: Math.max(highest, row.highestVersion),
      advertisedName: said ?? row.advertisedName,
    });
  }

  /** A hub counts as there even where the disk does not take what it told. */
  async #keep({ keyHex, info: { host, port } }: Link, told: PeerChange): Promise<void> {
    const { directory, clock, log } = this.#deps;
    const place = { lastHost: host, lastPort: port, lastSeenAt: clock.wallMs() };
    await directory
      .note(keyHex, { ...told, ...place })
      .catch((error: unknown) => log.warn('hello not kept', { error: String(error) }));
  }

  /**
   * Keeps that a pinned peer has no hello: what it can be sent follows from its profile
   * (PROTOCOL.md, Reference profile).
   */
  async #noteReference(link: Link): Promise<void> {
    const { directory, audit } = this.#deps;
    const row = directory.row(link.keyHex);
    if (row === undefined || row.highestVersion === NO_VERSION) return;
    // A hub that no longer knows hello was replaced by another program with its key: its owner gets
    // a note.
    if (row.features.length > 0)
      audit.note(link.keyHex, 'peer.downgraded', { before: row.highestVersion, now: NO_VERSION });
    const shown = { features: REFERENCE_FEATURES, extensions: [], highestVersion: NO_VERSION };
    await this.#keep(link, shown);
  }

  /**
   * The name is for peers, and for strangers only while a person here has pairing open
   * (PROTOCOL.md, hello).
   */
  #payload(link: Link): JsonObject {
    const { name, namesItself } = this.#deps.profile();
    const isTold = namesItself || this.#deps.directory.isPaired(link.keyHex);
    return {
      protocol_versions: PROTOCOL_VERSIONS,
      ...(isTold ? { agent_name: name } : {}),
      features: FEATURES,
      extensions: EXTENSIONS,
    };
  }
}

/** The answer to our hello, when there is a version in common. */
function readAnswer({ payload }: Envelope): HelloPayload | undefined {
  const hello = parseHello(payload);
  const selected = hello.ok ? hello.value.selected_version : null;
  return hello.ok && selected !== null && PROTOCOL_VERSIONS.includes(selected)
    ? hello.value
    : undefined;
}
