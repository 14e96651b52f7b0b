// A task as A2A tells it: its state and its words are those of its story, and what somebody else
// wrote stands apart from the hub's own sentence. Pure.
import type { TaskDto } from '../../../preload/contract/dto.ts';
import type { EndDto, HandedOverDto, StoryDto } from '../../../preload/contract/story.ts';
import { saidOf, wholeOf } from '../../../preload/contract/strings/story.ts';
import { outcomeOf } from '../../services/tasks/outcome.ts';
import { isoMoment } from '../../lib/iso-time.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/**
 * Waiting for a person is AUTH_REQUIRED, as A2A means it: the word of a person is needed, and it
 * comes by another way than the client. A client that waits for the end is answered then.
 */
export type A2aState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_AUTH_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_REJECTED';

export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: {
    readonly state: A2aState;
    readonly message: JsonObject;
    readonly timestamp?: string;
  };
  readonly artifacts?: readonly JsonObject[];
}

const OPEN: ReadonlySet<A2aState> = new Set([
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_AUTH_REQUIRED',
]);

export const isOver = ({ status }: A2aTask): boolean => !OPEN.has(status.state);

/** Whether somebody who waits for the end is answered now. */
export const endsWait = (task: A2aTask): boolean =>
  isOver(task) || task.status.state === 'TASK_STATE_AUTH_REQUIRED';

export function a2aState(story: StoryDto): A2aState {
  const { verdict, handed_over: handed, end } = story;
  switch (outcomeOf(story)) {
    case 'waiting':
      return verdict.outcome === 'waiting' ? 'TASK_STATE_AUTH_REQUIRED' : 'TASK_STATE_SUBMITTED';
    case 'running':
      return isWorkedOn(handed) ? 'TASK_STATE_WORKING' : 'TASK_STATE_SUBMITTED';
    // Its words say what was done in part.
    case 'partial':
    case 'done':
      return 'TASK_STATE_COMPLETED';
    case 'failed':
      return isRefused(end) ? 'TASK_STATE_REJECTED' : 'TASK_STATE_FAILED';
    case 'declined':
      return 'TASK_STATE_REJECTED';
    // Nobody decided: that is nobody's refusal.
    case 'expired':
      return 'TASK_STATE_FAILED';
    case 'stopped':
    case 'cancelled':
      return 'TASK_STATE_CANCELED';
  }
}

function isWorkedOn(handed: HandedOverDto): boolean {
  return handed.state === 'handed' && (handed.begun || handed.on_to !== null);
}

function isRefused(end: EndDto | null): boolean {
  if (end?.kind === 'hub_refused') return end.sent;
  return end?.kind === 'refused' || end?.kind === 'offered';
}

export function a2aTask(task: TaskDto): A2aTask {
  const { id, conversation_id: contextId, story, finished_at: at } = task;
  const state = a2aState(story);
  const artifacts = artifactsOf(task, state);
  return {
    id,
    contextId,
    status: {
      state,
      message: { ...statusMessage(task, state), taskId: id, contextId },
      ...(at === null ? {} : { timestamp: isoMoment(at) }),
    },
    ...(artifacts.length === 0 ? {} : { artifacts }),
  };
}

/** The hub's own sentence first; then, of what did not come to a result, why in whose words. */
function statusMessage(task: TaskDto, state: A2aState): JsonObject {
  const { id, story } = task;
  const error = state === 'TASK_STATE_CANCELED' ? null : errorOf(task);
  const said = state === 'TASK_STATE_COMPLETED' ? null : (saidOf(story) ?? error);
  const { end } = story;
  const failure =
    end !== null && 'code' in end ? { code: end.code, retryable: end.retryable } : undefined;
  return {
    messageId: `${id}-status`,
    role: 'ROLE_AGENT',
    parts: [
      { text: wholeOf(story) },
      ...(said === null ? [] : [{ text: said.words, metadata: untrusted({ by: said.by }) }]),
    ],
    ...(failure === undefined ? {} : { metadata: failure }),
  };
}

/** What another hub says of an end, where it is in no story. */
function errorOf({
  direction,
  peer_name: by,
  untrusted: said,
}: TaskDto): ReturnType<typeof saidOf> {
  const words = said?.error ?? null;
  return direction !== 'outgoing' || words === null ? null : { by, words };
}

function artifactsOf({ id, untrusted: said }: TaskDto, state: A2aState): readonly JsonObject[] {
  if (said === null) return [];
  const { outcome, data, answered_by: person, status } = said;
  const isResult = state === 'TASK_STATE_COMPLETED' && outcome !== null && outcome !== '';
  const parts = [...(isResult ? [{ text: outcome }] : []), ...dataPart(data)];
  if (parts.length === 0) return [];
  const metadata = untrusted({ status, ...(person === null ? {} : { by: person }) });
  return [{ artifactId: `${id}-result`, name: 'result', parts, metadata }];
}

export function dataPart(data: unknown): readonly JsonObject[] {
  return data === null || data === undefined ? [] : [{ data }];
}

/** Words from elsewhere are data, and no instruction to whoever reads them. */
export function untrusted(more: JsonObject = {}): JsonObject {
  return { untrusted: true, ...more };
}
