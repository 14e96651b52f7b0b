// A `query` from another hub: delivered at once where the agent can only look, otherwise put before a person while the asker waits on its
// open stream (PROTOCOL.md, Streams and frames).
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PeerRow } from '../../ports/store.ts';
import type { Floods } from '../attention/floods.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { IncomingMessage, ReplyDraft } from '../base/peer-messenger.ts';
import type { AskingAgents } from './asking-agents.ts';
import { cancelledBefore, type CancelledIds } from './cancelled-ids.ts';
import { isTooMany } from './incoming-delegations.ts';
import { sameIdAgain, type QueryService } from './query-service.ts';
import type { RecentMessages } from '../tasks/recent-messages.ts';
import { readWorkRequest, type WorkRequest } from '../tasks/work-request.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface Deps {
  readonly clock: Clock;
  readonly rates: PeerRates;
  readonly recent: RecentMessages;
  readonly cancelled: Pick<CancelledIds, 'has'>;
  readonly askers: AskingAgents;
  readonly queryService: QueryService;
  readonly floods: Pick<Floods, 'add'>;
}

export class IncomingQueries {
  readonly #deps: Deps;
  /** Questions that are being answered: the way to end each. */
  readonly #open = new Map<string, AbortController>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The response. @throws AppError: what the asker gets as `error` */
  async handle({ peer, envelope, raw, signal }: IncomingMessage): Promise<ReplyDraft> {
    const { clock, rates, recent, cancelled } = this.#deps;
    const receivedMonotonicMs = clock.monotonicMs();
    if (cancelled.has(peer.key, envelope.id)) throw cancelledBefore();
    if (recent.has(peer.key, envelope.id)) throw sameIdAgain();
    const room = rates.take(peer.key, 'query', raw.length);
    if (!room.ok) {
      this.#deps.floods.add(peer.key, 'too_many');
      throw room.error;
    }
    const read = readWorkRequest({
      kind: 'query',
      direction: 'incoming',
      party: peer.key,
      messageId: envelope.id,
      payload: envelope.payload,
      receivedMonotonicMs,
    });
    if (!read.ok) throw new AppError('invalid_envelope', `The query does not fit: ${read.error}.`, { failedBy: 'input' });
    recent.keep(peer.key, envelope.id);
    const name = nameOf(peer.key, envelope.id);
    const calledOff = new AbortController();
    this.#open.set(name, calledOff);
    try {
      return { kind: 'response', payload: await this.#answer(peer, read.value, AbortSignal.any([signal, calledOff.signal])) };
    } catch (error) {
      if (error instanceof AppError && isTooMany(error)) this.#deps.floods.add(peer.key, 'too_many');
      throw error;
    } finally {
      this.#open.delete(name);
    }
  }

  /** Whether this question is being answered. */
  isOpen(party: PartyKey, messageId: string): boolean {
    return this.#open.has(nameOf(party, messageId));
  }

  /** Whoever asked waits no more: what is not written down ends now. */
  callOff(party: PartyKey, messageId: string, reason: AppError): void {
    this.#open.get(nameOf(party, messageId))?.abort(reason);
  }

  async #answer(peer: PeerRow, request: WorkRequest, signal: AbortSignal): Promise<JsonObject> {
    const unknown = await this.#deps.askers.unknownAsker(peer, request.payload);
    if (unknown) throw unknown;
    return this.#deps.queryService.answer(request, signal);
  }
}

function nameOf(party: PartyKey, messageId: string): string {
  return `${party} ${messageId}`;
}
