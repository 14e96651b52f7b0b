// A `cancel` from another hub, of a delegation or of a question that it has open here. A foreign,
// an unknown and a finished ref get the same answer by the same path (PROTOCOL.md, Delegation
// states).
import { withTrueOrigin } from '../../dialects/origin.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import { shortened } from '../../lib/shortened.ts';
import { escapeText } from '../../core/text-escape.ts';
import type { Clock } from '../../ports/clock.ts';
import { contentDigest } from '../../protocol/content-digest.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { parseCancel } from '../../protocol/payloads.ts';
import type { MessageRow, PeerRow, TaskRow } from '../../ports/store.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { IncomingMessage, ReplyDraft } from '../base/peer-messenger.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import { askerCancelled, type Cancelling } from '../inbox/cancelling.ts';
import { ack, refusal } from './incoming-delegations.ts';
import type { IncomingQueries } from './incoming-queries.ts';
import { CANCEL_REASON_MAX_CHARACTERS } from './limits.ts';
import type { ReplayGuard, RecentIds } from '../tasks/replay-guard.ts';
import { toWire } from '../tasks/wire-states.ts';
import type { After } from '../base/unit-of-work.ts';
import type { TaskEvents } from '../tasks/task-events.ts';

interface Deps {
  readonly clock: Clock;
  readonly rates: PeerRates;
  readonly replays: ReplayGuard;
  readonly cancelling: Cancelling;
  readonly cancelled: RecentIds;
  readonly questions: Pick<IncomingQueries, 'standing' | 'cancel'>;
  readonly events: TaskEvents;
  readonly audit: AuditTrail;
}

export class IncomingCancels {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * `accepted` without a state: it will not run. With state `working`: its agent had it; the one of
   * a delegation was asked to stop.
   * @throws AppError conflict, invalid_envelope
   */
  async handle({ peer, envelope, raw }: IncomingMessage): Promise<ReplyDraft> {
    const parsed = parseCancel(envelope.payload);
    if (!parsed.ok)
      throw inputError('invalid_envelope', `The cancel does not fit: ${parsed.error}.`);
    const said = parsed.value.reason;
    const reason = said === null ? null : escapeText(shortened(said, CANCEL_REASON_MAX_CHARACTERS));
    const { replays, rates, cancelling, cancelled, audit, events, clock } = this.#deps;
    let marked: string | null = null;
    try {
      return await replays.answer(
        { party: peer.key, messageId: envelope.id, digest: contentDigest(envelope) },
        () => {
          const room = rates.take(peer.key, 'cancel', raw.length);
          if (!room.ok) throw room.error;
        },
        (tables, after) => {
          const task =
            envelope.ref === null
              ? undefined
              : tables.taskByMessage('incoming', peer.key, envelope.ref);
          const told = inNameOfAsker(envelope.payload, peer, task);
          const call = {
            messageId: envelope.id,
            reason,
            origin: isJsonObject(told['origin']) ? told['origin'] : null,
            by: peer.petname,
            asks: { party: peer.key },
            surface: 'peer',
            from: 'asker',
          } as const;
          const outcome =
            cancelling.cancel(tables, after, task, call) ??
            this.#hangUp(after, peer, envelope.ref, task, reason);
          if (
            outcome === undefined &&
            task === undefined &&
            envelope.ref !== null &&
            !cancelled.has(peer.key, envelope.ref)
          ) {
            // In here and not after: the delegation may be the next work of this very commit.
            cancelled.keep(peer.key, envelope.ref);
            marked = envelope.ref;
          }
          audit.append(tables, {
            actor: peer.key,
            surface: 'peer',
            action: outcome === undefined ? 'cancel.refused' : 'cancel.accepted',
            object: envelope.ref ?? envelope.id,
          });
          if (outcome === undefined) return { ...refusal(nothingToCancel()), isRefused: true };
          if (task !== undefined) {
            tables.insertMessage(
              messageOf(peer, { ...envelope, payload: told }, task, clock.wallMs()),
            );
            after(() => events.changed(task.id));
          }
          return outcome === 'cancelled'
            ? ack({ accepted: true })
            : ack({ accepted: true, state: toWire('running') });
        },
      );
    } catch (error) {
      // Its commit was rolled back: the cancel changed nothing and is sent again.
      if (marked !== null) cancelled.forget(peer.key, marked);
      if (error instanceof AppError && error.code !== 'conflict') return refusal(error);
      throw error;
    }
  }

  /**
   * A question that is not stored (yet): it promises nothing, so it ends with the answer to the
   * cancel, and no sooner.
   */
  #hangUp(
    after: After,
    peer: PeerRow,
    ref: string | null,
    task: TaskRow | undefined,
    reason: string | null,
  ): 'cancelled' | 'had_it' | undefined {
    if (ref === null || task !== undefined) return undefined;
    const { questions } = this.#deps;
    const standing = questions.standing(peer.key, ref);
    if (standing === undefined) return undefined;
    const why = new AppError('cancelled', askerCancelled(reason), { failedBy: 'peer' });
    after(() => questions.cancel(peer.key, ref, why));
    return standing === 'with_agent' ? 'had_it' : 'cancelled';
  }
}

/** Without a message that says something else, or in the name of somebody else. */
function inNameOfAsker(
  payload: JsonObject,
  { agentId: hub }: PeerRow,
  task: TaskRow | undefined,
): JsonObject {
  const agents = [task?.fromAgent].flatMap((name) => name ?? []);
  return withTrueOrigin('cancel', payload, { hub, agents });
}

function nothingToCancel(): AppError {
  return inputError(
    'rejected',
    'No delegation of yours with that id is open here: it has ended, or never was.',
  );
}

function messageOf(
  peer: PeerRow,
  envelope: Envelope,
  task: TaskRow,
  at: number,
): Omit<MessageRow, 'seq'> {
  return {
    messageId: envelope.id,
    direction: 'in',
    party: peer.key,
    kind: 'cancel',
    ref: envelope.ref,
    conversationId: task.conversationId,
    taskId: task.id,
    fromAgent: task.fromAgent,
    toAgent: task.toAgent,
    payload: JSON.stringify(envelope.payload),
    at,
  };
}
