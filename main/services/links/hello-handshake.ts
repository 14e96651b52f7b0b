// hello, from both ends (PROTOCOL.md, hello): the dialler asks first, the other answers, and both then know versions, features and
// extensions. Done once a connection; a second hello is answered and changes nothing. What a hello says limits what we send and is shown
// to people; no rule of trust depends on it.
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { EXTENSIONS, FEATURES } from '../../protocol/kinds.ts';
import { parseHello, type HelloPayload } from '../../protocol/payloads.ts';
import { PROTOCOL_VERSIONS, selectVersion } from '../../protocol/versions.ts';
import type { ReplyDraft } from '../peer-messenger.ts';
import type { RequestChannel } from './request-channel.ts';
import { HELLO_IN_RETURN_AFTER_MS, HELLO_TIMEOUT_MS } from './limits.ts';
import type { Link } from './link.ts';
import type { LinkTable } from './link-table.ts';
import { SpeaksReference } from './reference/reference-channel.ts';

export interface HelloHandshakeDeps {
  readonly clock: Clock;
  readonly channel: RequestChannel;
  readonly table: LinkTable;
  /** What this hub calls itself towards that connection; null tells nothing. */
  readonly agentName: (link: Link) => string | null;
  /** The first hello of a connection; also for keys that are not paired. */
  readonly onHello: (link: Link, hello: HelloPayload) => void;
  readonly onSecondHello: (link: Link) => void;
  /** The other side of the connection turned out to speak the reference profile. */
  readonly onReference: (link: Link) => void;
  /** True when a connection of this key that says nothing is to be asked hello in return. */
  readonly isAskedInReturn: (link: Link) => boolean;
  readonly isPaired: (link: Link) => boolean;
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
      if (!link.isGreeted && this.#deps.isAskedInReturn(link)) void this.#askInReturn(link);
    });
    this.#deadlines.set(link.id, first);
  }

  /** A peer that was asked nothing and says nothing may be one that has no hello: its answer to ours tells. */
  async #askInReturn(link: Link): Promise<void> {
    const answered = await this.#ask(link);
    if (answered.ok) {
      const hello = readAnswer(answered.value);
      if (hello !== undefined) this.#finish(link, hello);
    } else if (answered.error instanceof SpeaksReference) this.spokenReference(link);
  }

  /** The other side has shown that it has no hello: a paired one is greeted without, and its connection may be used. */
  spokenReference(link: Link): void {
    if (link.isGone || (link.isGreeted && !link.isReference)) return;
    link.isReference = true;
    this.#deps.onReference(link);
    if (link.isGreeted || !this.#deps.isPaired(link)) return;
    this.gone(link);
    this.#deps.table.greeted(link);
  }

  #closeAfter(link: Link, delayMs: number): void {
    const deadline = this.#deps.clock.setTimer(delayMs, () => {
      this.#deadlines.delete(link.id);
      if (!link.isGreeted) this.#deps.table.close(link, CLOSE_CODES.tooSlow, 'no hello in time');
    });
    this.#deadlines.set(link.id, deadline);
  }

  #ask(link: Link): Promise<Result<Envelope, AppError>> {
    const message = { id: this.#deps.channel.newId(), kind: 'hello', ref: null, payload: this.#payload(link) };
    return this.#deps.channel.request(link, message, HELLO_TIMEOUT_MS, link.signal);
  }

  gone(link: Link): void {
    this.#deadlines.get(link.id)?.cancel();
    this.#deadlines.delete(link.id);
  }

  /** The dialler's first stream. The connection is closed when hello fails. */
  async greet(link: Link): Promise<Result<void, AppError>> {
    const answered = await this.#ask(link);
    if (!answered.ok) {
      if (answered.error instanceof SpeaksReference) this.spokenReference(link);
      if (link.isGreeted && !link.isGone) return ok();
      const code = answered.error.code === 'timeout' ? CLOSE_CODES.tooSlow : CLOSE_CODES.done;
      this.#deps.table.close(link, code, 'hello failed');
      return err(answered.error);
    }
    const hello = readAnswer(answered.value);
    if (hello === undefined) {
      this.#deps.table.close(link, CLOSE_CODES.done, 'no common version');
      return err(
        new AppError('incompatible_version', 'The two hubs have no version of the protocol in common.', {
          failedBy: 'peer',
          hint: 'Update the older one.',
        }),
      );
    }
    this.#finish(link, hello);
    return ok();
  }

  /** Answers a hello; throws AppError incompatible_version. `sent` must be called when the answer is on its way. */
  answer(link: Link, payload: JsonObject): { readonly reply: ReplyDraft; readonly sent: () => void } {
    const hello = parseHello(payload);
    const selected = hello.ok ? selectVersion(hello.value.protocol_versions) : undefined;
    if (!hello.ok || selected === undefined) {
      throw new AppError('incompatible_version', `This hub speaks version ${PROTOCOL_VERSIONS.join(', ')} of the protocol.`, {
        hint: 'Say so in "protocol_versions", a list of at most 16 whole numbers, each higher than the one before.',
      });
    }
    const reply: ReplyDraft = { kind: 'hello', payload: { ...this.#payload(link), selected_version: selected } };
    // What said nothing for a while may say hello after all: then it is one of ours.
    const isFirst = !link.isGreeted || link.isReference;
    // On a connection of ours that still waits for its answer, the other side asks in return: our own hello ends the greeting.
    if (!link.isGreeted && link.info.direction === 'outgoing') return { reply, sent: () => undefined };
    if (!isFirst || link.info.direction === 'outgoing') {
      return { reply, sent: () => this.#deps.onSecondHello(link) };
    }
    return { reply, sent: () => this.#finish(link, hello.value) };
  }

  #finish(link: Link, hello: HelloPayload): void {
    if (link.isGone || (link.isGreeted && !link.isReference)) return;
    link.isReference = false;
    this.gone(link);
    this.#deps.onHello(link, hello);
    this.#deps.table.greeted(link);
  }

  #payload(link: Link): JsonObject {
    const name = this.#deps.agentName(link);
    return {
      protocol_versions: PROTOCOL_VERSIONS,
      ...(name === null ? {} : { agent_name: name }),
      features: FEATURES,
      extensions: EXTENSIONS,
    };
  }
}

/** The answer to our hello, when there is a version in common. */
function readAnswer({ payload }: Envelope): HelloPayload | undefined {
  const hello = parseHello(payload);
  const selected = hello.ok ? hello.value.selected_version : null;
  return hello.ok && selected !== null && PROTOCOL_VERSIONS.includes(selected) ? hello.value : undefined;
}

/** What a hello that failed means to a person. `known` is what the end of this very connection told. */
export function helloTrouble(name: string, error: AppError, known: string | null): string {
  const { code } = error;
  if (error instanceof SpeaksReference)
    return `${name} runs the public AXON daemon, which knows no digits: to let it in, add its share token and trust the key in it.`;
  if (code === 'incompatible_version') return `${name} speaks another version of the protocol: update the older of the two hubs.`;
  if (code === 'peer_unreachable') return known ?? `${name} closed the connection: it may not trust this hub yet.`;
  return code === 'timeout' ? `${name} did not answer hello in time.` : `${name} did not take our hello.`;
}
