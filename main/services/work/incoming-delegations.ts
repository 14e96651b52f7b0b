// A `delegate` from another hub: done once per id, admitted in one commit, acknowledged only after it (PROTOCOL.md, Delegation states).
import { ERRORS, readWireErrorCode } from '../../../preload/contract/errors.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { IncomingMessage, ReplyDraft } from '../peer-messenger.ts';
import type { AskingAgents } from './asking-agents.ts';
import { TURNED_AWAY, type Intake } from './intake.ts';
import type { OnceOnly } from './once-only.ts';
import { toWire } from './wire-states.ts';
import { readWorkRequest } from './work-request.ts';

interface Deps {
  readonly clock: Clock;
  readonly rates: PeerRates;
  readonly intake: Intake;
  readonly once: OnceOnly;
  readonly askers: AskingAgents;
}

export class IncomingDelegations {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The ack, or the refusal as an ack. @throws AppError conflict, invalid_envelope */
  async handle(message: IncomingMessage): Promise<ReplyDraft> {
    const { peer, envelope, raw } = message;
    const { clock, intake, once, rates } = this.#deps;
    const read = readWorkRequest({
      kind: 'delegate',
      direction: 'incoming',
      party: peer.key,
      messageId: envelope.id,
      payload: envelope.payload,
      raw,
      receivedMonotonicMs: clock.monotonicMs(),
    });
    if (!read.ok) throw new AppError('invalid_envelope', `The delegation does not fit: ${read.error}.`, { failedBy: 'input' });
    const request = read.value;
    try {
      const stranger = await this.#deps.askers.stranger(peer, envelope.payload);
      return await once.answer(
        { party: peer.key, messageId: envelope.id, digest: request.contentDigest },
        () => {
          const room = rates.take(peer.key, 'delegate', raw.length);
          if (!room.ok) throw room.error;
        },
        (tables, after) => {
          try {
            if (stranger) throw stranger;
            const task = intake.admit(tables, after, request, intake.assess(tables, request));
            if (task.state === 'declined') return ack({ accepted: false, ...TURNED_AWAY, retryable: false });
            return ack({ accepted: true, state: toWire(task.state === 'queued' ? 'queued' : 'awaiting_approval') });
          } catch (error) {
            if (error instanceof AppError) return refusal(error);
            throw error;
          }
        },
      );
    } catch (error) {
      if (error instanceof AppError && error.code !== 'conflict') return refusal(error);
      throw error;
    }
  }
}

export function ack(payload: JsonObject): ReplyDraft {
  return { kind: 'ack', payload };
}

/** Why a request is not taken, in a form its sender can act on. */
export function refusal(error: AppError): ReplyDraft {
  const code = error.code === 'storage_failed' ? 'overloaded' : readWireErrorCode(error.code);
  const reason = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return ack({ accepted: false, code, reason, retryable: ERRORS[code].retryable });
}
