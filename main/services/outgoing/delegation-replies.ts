// What the reply to a delegation says about it: accepted, refused, or unknown. Pure (PROTOCOL.md,
// Delegation states).
import { ERRORS, type WireErrorCode } from '../../../preload/contract/errors.ts';
import { escapeText } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { Result } from '../../lib/result.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { parseAck, type AckPayload } from '../../protocol/payloads.ts';
import { Said } from '../../protocol/error-payload.ts';
import { failureOf, type Ending } from '../tasks/task-endings.ts';

/** lost: the other hub may or may not have it. */
export type Answer = AckPayload | AppError | 'lost';

/**
 * Whether the other hub may still take it. A refusal of a repeat says nothing about the first try.
 */
export function isUnsettled(answer: Answer, from: 'asker' | 'hub'): boolean {
  return from === 'hub' && answer instanceof AppError && answer.retryable;
}

/**
 * The ack, the refusal, or `lost`: the other hub may or may not have it. For a repeat (`from` hub),
 * a failure on this side does not prove that it has not.
 */
export function readReply(reply: Result<Envelope, AppError>, from: 'asker' | 'hub'): Answer {
  if (!reply.ok) {
    const { code, failedBy } = reply.error;
    const said = failedBy === 'peer' && code !== 'peer_unreachable';
    const neverLeft =
      from === 'asker' && failedBy !== 'peer' && failedBy !== 'timeout' && code !== 'cancelled';
    return said || neverLeft ? reply.error : 'lost';
  }
  const parsed = parseAck(reply.value.payload);
  if (reply.value.kind !== 'ack' || !parsed.ok) {
    return new AppError('not_understood', 'The other hub gave an answer that is no ack.', {
      failedBy: 'peer',
    });
  }
  if (parsed.value.accepted) return parsed.value;
  const { code, reason, retryable, ended_by: by } = parsed.value;
  return new AppError(
    code ?? 'rejected',
    by === 'hub' ? 'The other hub did not take it.' : refusalOf(code ?? 'rejected'),
    {
      failedBy: 'peer',
      data: {
        retryable,
        untrusted: {
          message: reason === null ? null : escapeText(reason),
          ...(by === null ? {} : { ended_by: by }),
        },
      },
      cause: reason === null ? undefined : new Said(reason),
    },
  );
}

function refusalOf(code: WireErrorCode): string {
  return code === 'rejected'
    ? 'The other hub declined it.'
    : `The other hub refused: ${ERRORS[code].title.toLowerCase()}.`;
}

/** Whether the hub itself refused it, by its own word, and nobody there declined it. */
export function isHubsRefusal({ code, data: { untrusted } }: AppError): boolean {
  return code === 'rejected' && isJsonObject(untrusted) && untrusted.ended_by === 'hub';
}

/**
 * Why a request of ours ends by this error: in this hub's words, and as the result in those of the
 * other one, which an error of another hub has as its cause.
 */
export function endedBy(
  error: AppError,
  code: WireErrorCode,
): Required<Pick<Ending, 'code' | 'reason' | 'result'>> {
  return { code, reason: error.message, result: failureOf(error) };
}
