// hello, from both ends (PROTOCOL.md, hello): the dialler asks first, the other answers, and both then know versions, features and
// extensions. Done once a connection; a second hello is answered and changes nothing. What a hello says limits what we send and is shown
// to people; no rule of trust depends on it.
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import { EXTENSIONS, FEATURES } from '../../protocol/kinds.ts';
import { parseHello, type HelloPayload } from '../../protocol/payloads.ts';
import { PROTOCOL_VERSIONS, selectVersion } from '../../protocol/versions.ts';
import type { ReplyDraft } from '../peer-messenger.ts';
import type { Exchange } from './exchange.ts';
import { HELLO_TIMEOUT_MS } from './limits.ts';
import type { Link } from './link.ts';
import type { LinkTable } from './link-table.ts';

export interface GreeterDeps {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly table: LinkTable;
  /** What this hub calls itself towards that connection; null tells nothing. */
  readonly agentName: (link: Link) => string | null;
  /** The first hello of a connection; also for keys that are not paired. */
  readonly onHello: (link: Link, hello: HelloPayload) => void;
  readonly onSecondHello: (link: Link) => void;
}

export class Greeter {
  readonly #deps: GreeterDeps;
  readonly #deadlines = new Map<number, TimerHandle>();

  constructor(deps: GreeterDeps) {
    this.#deps = deps;
  }

  /** Every connection must have its hello within 5 s, else it is closed as too slow. */
  watch(link: Link): void {
    const deadline = this.#deps.clock.setTimer(HELLO_TIMEOUT_MS, () => {
      this.#deadlines.delete(link.id);
      if (!link.isGreeted) this.#deps.table.close(link, CLOSE_CODES.tooSlow, 'no hello in time');
    });
    this.#deadlines.set(link.id, deadline);
  }

  gone(link: Link): void {
    this.#deadlines.get(link.id)?.cancel();
    this.#deadlines.delete(link.id);
  }

  /** The dialler's first stream. The connection is closed when hello fails. */
  async greet(link: Link): Promise<Result<void, AppError>> {
    const message = { id: this.#deps.exchange.newId(), kind: 'hello', ref: null, payload: this.#payload(link) };
    const answered = await this.#deps.exchange.request(link, message, HELLO_TIMEOUT_MS, link.signal);
    if (!answered.ok) {
      const code = answered.error.code === 'timeout' ? CLOSE_CODES.tooSlow : CLOSE_CODES.done;
      this.#deps.table.close(link, code, 'hello failed');
      return err(answered.error);
    }
    const hello = parseHello(answered.value.payload);
    const selected = hello.ok ? hello.value.selected_version : null;
    if (!hello.ok || selected === null || !PROTOCOL_VERSIONS.includes(selected)) {
      this.#deps.table.close(link, CLOSE_CODES.done, 'no common version');
      return err(
        new AppError('incompatible_version', 'The two hubs have no version of the protocol in common.', {
          failedBy: 'peer',
          hint: 'Update the older one.',
        }),
      );
    }
    this.#finish(link, hello.value);
    return ok();
  }

  /** Answers a hello; throws AppError incompatible_version. `sent` must be called when the answer is on its way. */
  answer(link: Link, payload: JsonObject): { readonly reply: ReplyDraft; readonly sent: () => void } {
    const hello = parseHello(payload);
    const selected = hello.ok ? selectVersion(hello.value.protocol_versions) : undefined;
    if (!hello.ok || selected === undefined) {
      throw new AppError('incompatible_version', `This hub speaks version ${PROTOCOL_VERSIONS.join(', ')} of the protocol.`, {
        hint: 'Say so in "protocol_versions", a list of at most 16 whole numbers.',
      });
    }
    const reply: ReplyDraft = { kind: 'hello', payload: { ...this.#payload(link), selected_version: selected } };
    if (link.isGreeted || link.info.direction === 'outgoing') {
      return { reply, sent: () => this.#deps.onSecondHello(link) };
    }
    return { reply, sent: () => this.#finish(link, hello.value) };
  }

  #finish(link: Link, hello: HelloPayload): void {
    if (link.isGone || link.isGreeted) return;
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

/** What a hello that failed means to a person. `known` is what the end of the connection told already. */
export function greetingTrouble(name: string, { code }: AppError, known: string | null): string {
  if (code === 'incompatible_version') return `${name} speaks another version of the protocol: update the older of the two hubs.`;
  if (code === 'peer_unreachable') return known ?? `${name} closed the connection: it may not trust this hub yet.`;
  return code === 'timeout' ? `${name} did not answer hello in time.` : `${name} did not take our hello.`;
}
