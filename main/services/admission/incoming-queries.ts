// A `query` from another hub: delivered at once where the agent can only look, otherwise put before
// a person while the asker waits on its open stream (PROTOCOL.md, Streams and frames).
import { AppError, inputError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PeerRow, Store } from '../../ports/store.ts';
import { DECISIONS } from '../../protocol/decision.ts';
import type { Floods } from '../attention/floods.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { IncomingMessage, PeerMessenger, ReplyDraft } from '../base/peer-messenger.ts';
import type { AskingAgents } from './asking-agents.ts';
import { cancelledBefore, isTooMany } from './incoming-delegations.ts';
import type { OpenQueries } from '../inbox/open-queries.ts';
import { sameIdAgain, type QueryService } from './query-service.ts';
import { decisionMember } from '../tasks/wire-states.ts';
import type { RecentIds } from '../tasks/replay-guard.ts';
import { readWorkRequest, type WorkRequest } from '../tasks/work-request.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly messenger: Pick<PeerMessenger, 'extensions'>;
  readonly rates: PeerRates;
  readonly recent: RecentIds;
  readonly cancelled: Pick<RecentIds, 'has'>;
  readonly askers: AskingAgents;
  readonly queryService: QueryService;
  readonly queries: Pick<OpenQueries, 'isWithAgent'>;
  readonly floods: Pick<Floods, 'add'>;
}

interface BeingAnswered {
  readonly end: AbortController;
  /** Null until something is made of it: it may still be refused. */
  taskId: string | null;
}

export class IncomingQueries {
  readonly #deps: Deps;
  /** Questions that are being answered. */
  readonly #open = new Map<string, BeingAnswered>();

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
    if (!read.ok) throw inputError('invalid_envelope', `The query does not fit: ${read.error}.`);
    recent.keep(peer.key, envelope.id);
    const name = nameOf(peer.key, envelope.id);
    const open: BeingAnswered = { end: new AbortController(), taskId: null };
    this.#open.set(name, open);
    try {
      const { outcome, isDecided } = await this.#answer(
        peer,
        read.value,
        AbortSignal.any([signal, open.end.signal]),
        (taskId) => (open.taskId = taskId),
      );
      if (outcome instanceof AppError) throw outcome;
      const decided = isDecided ? this.#decision(peer, envelope.id) : {};
      return { kind: 'response', payload: { ...outcome, ...decided } };
    } catch (error) {
      // What was refused leaves nothing behind: the same id may be sent again.
      if (open.taskId === null) recent.forget(peer.key, envelope.id);
      if (!(error instanceof AppError)) throw error;
      if (isTooMany(error)) this.#deps.floods.add(peer.key, 'too_many');
      const decided = this.#decision(peer, envelope.id);
      if (decided.decision === undefined) throw error;
      const { code, message, hint, failedBy, data, cause } = error;
      const told = { failedBy, data: { ...data, ...decided }, cause };
      throw new AppError(code, message, hint === undefined ? told : { ...told, hint });
    } finally {
      this.#open.delete(name);
    }
  }

  /** What was decided about it, for a hub that reads such a thing. */
  #decision(peer: PeerRow, messageId: string): { readonly decision?: JsonObject } {
    const { store, messenger } = this.#deps;
    const task = store.read.taskByMessage('incoming', peer.key, messageId);
    return task && messenger.extensions(peer.key).includes(DECISIONS)
      ? decisionMember(store.read, task)
      : {};
  }

  /** How this question stands; undefined when it is not being answered. */
  standing(party: PartyKey, messageId: string): 'waiting' | 'with_agent' | undefined {
    const open = this.#open.get(nameOf(party, messageId));
    if (open === undefined) return undefined;
    const { taskId } = open;
    return taskId !== null && this.#deps.queries.isWithAgent(taskId) ? 'with_agent' : 'waiting';
  }

  /** Whoever asked waits no more: what is not written down ends now. */
  cancel(party: PartyKey, messageId: string, reason: AppError): void {
    this.#open.get(nameOf(party, messageId))?.end.abort(reason);
  }

  async #answer(
    peer: PeerRow,
    request: WorkRequest,
    signal: AbortSignal,
    taken: (taskId: string) => void,
  ): ReturnType<QueryService['answer']> {
    const unknown = await this.#deps.askers.unknownAsker(peer, request.payload);
    if (unknown) throw unknown;
    return this.#deps.queryService.answer(request, signal, taken);
  }
}

function nameOf(party: PartyKey, messageId: string): string {
  return `${party} ${messageId}`;
}
