// A `delegate` from another hub: done once per id, admitted in one commit, acknowledged only after
// it (PROTOCOL.md, Delegation states).
import { AppError, inputError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import { errorPayload } from '../../protocol/error-payload.ts';
import type { TaskRow } from '../../ports/store.ts';
import type { Floods } from '../attention/floods.ts';
import { progressOf } from '../approvals/holds.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { IncomingMessage, ReplyDraft } from '../base/peer-messenger.ts';
import type { AskingAgents } from './asking-agents.ts';
import type { Admission } from './admission.ts';
import type { Answered, ReplayGuard, RecentIds } from '../tasks/replay-guard.ts';
import { DECLINED } from '../tasks/task-endings.ts';
import { toWire } from '../tasks/wire-states.ts';
import { readWorkRequest } from '../tasks/work-request.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface Deps {
  readonly clock: Clock;
  readonly rates: PeerRates;
  readonly admission: Admission;
  readonly replays: ReplayGuard;
  readonly cancelled: Pick<RecentIds, 'has'>;
  readonly askers: AskingAgents;
  readonly floods: Pick<Floods, 'add'>;
}

export class IncomingDelegations {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The ack, or the refusal as an ack. @throws AppError conflict, invalid_envelope */
  async handle(message: IncomingMessage): Promise<ReplyDraft> {
    const { peer, envelope, raw } = message;
    const { clock, admission, replays, rates, cancelled } = this.#deps;
    const read = readWorkRequest({
      kind: 'delegate',
      direction: 'incoming',
      party: peer.key,
      messageId: envelope.id,
      payload: envelope.payload,
      receivedMonotonicMs: clock.monotonicMs(),
    });
    if (!read.ok)
      throw inputError('invalid_envelope', `The delegation does not fit: ${read.error}.`);
    const request = read.value;
    try {
      const unknown = await this.#deps.askers.unknownAsker(peer, envelope.payload);
      return await replays.answer(
        {
          party: peer.key,
          messageId: envelope.id,
          digest: request.contentDigest,
          sentAt: envelope.ts,
        },
        () => {
          const room = rates.take(peer.key, 'delegate', raw.length);
          if (!room.ok) throw room.error;
        },
        (tables, after) => {
          try {
            // Cancelled before it came: its cancel was told that nothing of it is open here.
            if (cancelled.has(peer.key, envelope.id)) throw cancelledBefore();
            if (unknown) throw unknown;
            const task = admission.admit(tables, after, request, admission.assess(tables, request));
            if (task.state === 'declined')
              return ack({ accepted: false, ...DECLINED, retryable: false });
            return ack({ accepted: true, ...this.#stateOf(task) });
          } catch (error) {
            if (error instanceof AppError) return this.#refusal(peer.key, error);
            throw error;
          }
        },
      );
    } catch (error) {
      if (error instanceof AppError && error.code !== 'conflict')
        return this.#refusal(peer.key, error);
      throw error;
    }
  }

  /** Hubs that know nothing of "held" read that a person is asked; the others also when. */
  #stateOf(task: TaskRow): JsonObject {
    if (task.state === 'queued') return { state: toWire('queued') };
    const told = progressOf(task, this.#deps.clock.wallMs());
    const state = toWire('awaiting_approval');
    if (told.state !== 'held') return { state };
    return { state, held: true, ...(told.heldMs === null ? {} : { held_ms: told.heldMs }) };
  }

  #refusal(party: PartyKey, error: AppError): Answered {
    if (isTooMany(error)) this.#deps.floods.add(party, 'too_many');
    // What its own cancel overtook stays cancelled.
    return { ...refusal(error), isRefused: error.code !== 'cancelled' };
  }
}

/** True when the sender itself sent too much. That others or this hub are busy is not its fault. */
export function isTooMany({ code, failedBy }: AppError): boolean {
  return failedBy === 'input' && (code === 'overloaded' || code === 'rate_limited');
}

export function ack(payload: JsonObject): ReplyDraft {
  return { kind: 'ack', payload };
}

/** Why a request is not taken, in a form its sender can act on. */
export function refusal(error: AppError): ReplyDraft {
  const { message: reason, ...why } = errorPayload(error);
  return ack({ accepted: false, ...why, reason });
}

/** What whoever asked is told of a request that its own cancel overtook. */
export function cancelledBefore(): AppError {
  return inputError(
    'cancelled',
    'It was cancelled before it came here. Send it again under a fresh id if it is wanted after all.',
  );
}
