// A `query` from another hub: delivered at once where the agent can only look, otherwise put before a person while the asker waits on its
// open stream (PROTOCOL.md, Streams and frames).
import { AppError } from '../../lib/app-error.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { IncomingMessage, ReplyDraft } from '../peer-messenger.ts';
import type { AskingAgents } from './asking-agents.ts';
import type { QueryDesk } from './query-desk.ts';
import { readWorkRequest } from './work-request.ts';

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly rates: PeerRates;
  readonly askers: AskingAgents;
  readonly desk: QueryDesk;
}

export class IncomingQueries {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The response. @throws AppError: what the asker gets as `error` */
  async handle({ peer, envelope, raw, signal }: IncomingMessage): Promise<ReplyDraft> {
    const { clock, rates, askers, desk } = this.#deps;
    const receivedMonotonicMs = clock.monotonicMs();
    const room = rates.take(peer.key, 'query', raw.length);
    if (!room.ok) throw room.error;
    const read = readWorkRequest({
      kind: 'query',
      direction: 'incoming',
      party: peer.key,
      messageId: envelope.id,
      payload: envelope.payload,
      raw,
      receivedMonotonicMs,
    });
    if (!read.ok) throw new AppError('invalid_envelope', `The query does not fit: ${read.error}.`, { failedBy: 'input' });
    const stranger = await askers.stranger(peer, envelope.payload);
    if (stranger) throw stranger;
    return { kind: 'response', payload: await desk.answer(read.value, signal) };
  }
}
