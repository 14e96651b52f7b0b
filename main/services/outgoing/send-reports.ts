// The report to a sender right after sending. Pure; what the other side wrote stands in
// `untrusted`, escaped.
import type { SendReportDto } from '../../../preload/contract/dto.ts';
import { escapeJson, escapeName, escapeText } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import type { TaskRow } from '../../ports/store.ts';
import type { ResponsePayload } from '../../protocol/payloads.ts';
import type { Parties } from '../tasks/parties.ts';
import type { Recipient } from './candidates.ts';

export type Chosen = Omit<SendReportDto['chosen'], 'agent_name'>;
/** Before the agent in it is named for people, and before its story is told. */
export type SendReport = Omit<SendReportDto, 'chosen' | 'story'> & {
  readonly chosen: Chosen;
  /** null: a notice. */
  readonly task: Omit<TaskRow, 'seq'> | null;
};

/** What was asked, and came to nothing while its asker waited: why, and the task as it ended. */
export interface Failed {
  readonly error: AppError;
  readonly task: Omit<TaskRow, 'seq'>;
}

export function chosenOf(recipient: Recipient, hubName: string): Chosen {
  const peer = recipient.at === 'peer' ? recipient.peer : undefined;
  return {
    peer_id: peer?.agentId ?? null,
    peer_name: peer?.petname ?? hubName,
    agent: recipient.agent,
    why: recipient.why,
  };
}

/** The delegation that an Idempotency-Key stands for, as it is now. */
export function repeatedReport(task: TaskRow, parties: Parties): SendReport {
  return {
    id: task.id,
    state: task.state,
    task_url: `/v1/tasks/${task.id}`,
    chosen: {
      peer_id: parties.agentIdOf(task.party),
      peer_name: parties.nameOf(task.party),
      agent: task.toAgent,
      why: 'It was sent before, under the same Idempotency-Key.',
    },
    estimated_ms: task.estimatedMs,
    untrusted: null,
    task,
  };
}

/** A delegation that was taken, or that is still on its way. */
export function reportOf(task: TaskRow, recipient: Recipient, hubName = ''): SendReport {
  return {
    id: task.id,
    state: task.state,
    task_url: `/v1/tasks/${task.id}`,
    chosen: { ...chosenOf(recipient, hubName), agent: task.toAgent ?? recipient.agent },
    estimated_ms: task.estimatedMs,
    untrusted: null,
    task,
  };
}

/** @param task as it is stored now, or will be in a moment */
export function answeredReport(
  id: string,
  chosen: Chosen,
  response: ResponsePayload,
  task: SendReport['task'],
): SendReport {
  return {
    id,
    task,
    state: 'answered',
    task_url: null,
    chosen,
    estimated_ms: null,
    untrusted: {
      data: escapeJson(response.data),
      summary: escapeText(response.summary),
      tokens_used: response.tokens_used,
      truncated: response.truncated,
      answered_by: response.answered_by === null ? null : escapeName(response.answered_by).name,
      ...(response.origin === null ? {} : { origin: escapeJson(response.origin) }),
    },
  };
}

/** Nothing can be sent to that hub, which has this name here. */
export function peerAway(name: string, isShutOut: boolean): AppError {
  if (isShutOut) {
    return new AppError('peer_unreachable', `${name} refuses this hub; nothing was sent.`, {
      hint: 'Ask its owner. A suspended hub is let back in there; a removed one has to be paired again.',
    });
  }
  return new AppError('peer_unreachable', `${name} is not connected just now; nothing was sent.`, {
    hint: 'Try again when it is there: "axon peers" shows who is.',
  });
}
