// The message log of claude-crunch, its checkpoint and its knowledge, read from what one agent sent
// and was given. Nothing here settles a conflict: how one stands is what was said of it. Pure.
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { given, listOf, objectOf, picked } from '../dialects/members.ts';
import type { OwnMessageDto } from '../../preload/contract/conversation-dto.ts';
import { OPEN_TASK_STATES, type TaskState } from '../../preload/contract/closed-lists.ts';

/** A finding of less is no candidate for knowledge. */
const CONFIDENCE_MIN = 80;
const VERSION = '1.0';
const OPEN: ReadonlySet<TaskState> = new Set(OPEN_TASK_STATES);
const DONE: ReadonlySet<TaskState> = new Set(['completed', 'partial']);
const REQUESTS: ReadonlySet<unknown> = new Set(['REQUEST', 'HANDOFF', 'ESCALATE']);

interface Said {
  readonly message: JsonObject;
  readonly payload: JsonObject;
  /** Who said it: `hub/agent` where it came from another hub, for it may use any agent's name. */
  readonly from: unknown;
  readonly isOwn: boolean;
  /** A hub gave it to the agent, in no agent's name. */
  readonly isHubs: boolean;
  readonly taskId: string | null;
  readonly state: TaskState | null;
}

/** Each message once, the oldest first. @param issue null: of all issues */
export function saidIn(items: readonly OwnMessageDto[], issue: number | null): readonly Said[] {
  const said = new Map<string, Said>();
  for (const item of items.toSorted((one, other) => one.at - other.at)) {
    const message = item.sent ? item.native : item.untrusted?.native;
    if (!isJsonObject(message)) continue;
    if (issue !== null && objectOf(message['metadata'])['issue_number'] !== issue) continue;
    const from = speakerOf(item, message['from']);
    const key = JSON.stringify([from, message['id']]);
    const { sent: isOwn, state, kind, untrusted, task_id: taskId } = item;
    const origin = untrusted?.origin;
    const isHubs = origin?.from_agent === null && (kind === 'result' || origin.peer_id === null);
    // What was sent again, such as after a 429, stands as the last of them does.
    if (isOwn || !said.has(key))
      said.set(key, {
        message,
        payload: objectOf(message['payload']),
        from,
        isOwn,
        isHubs,
        taskId,
        state,
      });
  }
  return [...said.values()];
}

function speakerOf({ sent, untrusted }: OwnMessageDto, named: unknown): unknown {
  const origin = untrusted?.origin;
  if (sent || origin === undefined) return named;
  const { peer_id: hub, peer_name: hubName, from_agent: agent } = origin;
  if (hub === null) return agent ?? named;
  return agent === null ? hubName : `${hubName}/${agent}`;
}

export function crunchLog(said: readonly Said[], issue: number | null): JsonObject {
  const requests = said
    .filter(({ message }) => REQUESTS.has(message['type']))
    .map((one) => ({ id: one.message['id'], state: one.state ?? toldState(one, said) }));
  const idsOf = (isMeant: (state: TaskState) => boolean): readonly unknown[] =>
    requests.filter(({ state }) => isMeant(state)).map(({ id }) => id);
  return {
    version: VERSION,
    session_id: null,
    issue_number: issue,
    started_at: said[0]?.message['timestamp'] ?? null,
    messages: said.map(({ message, payload, from }) => ({
      ...picked({ ...message, ...given({ from }) }, [
        'id',
        'type',
        'from',
        'to',
        'correlation_id',
        'timestamp',
      ]),
      summary: summaryOf(message, payload),
    })),
    pending: idsOf((state) => OPEN.has(state)),
    completed: idsOf((state) => DONE.has(state)),
    ended_otherwise: idsOf((state) => !OPEN.has(state) && !DONE.has(state)),
    conflicts: conflictsOf(said),
  };
}

/**
 * What the agent waits for, whole, so that it can send it anew: under the same id the hub takes it
 * as the same. What it has in hand itself is named.
 */
export function crunchCheckpoint(said: readonly Said[], issue: number | null): JsonObject {
  const open = said.filter(
    ({ message, state }) => REQUESTS.has(message['type']) && state !== null && OPEN.has(state),
  );
  return {
    version: VERSION,
    issue_number: issue,
    pending: open.filter(({ isOwn }) => isOwn).map(({ message }) => message),
    in_hand: open.filter(({ isOwn }) => !isOwn).map(({ message }) => message['id']),
  };
}

export function crunchKnowledge(said: readonly Said[], issue: number | null): JsonObject {
  const responses = said.filter(({ message }) => message['type'] === 'RESPONSE');
  return {
    version: VERSION,
    issue_number: issue,
    findings: responses.flatMap(({ message, payload, from }) =>
      listOf(payload['findings'])
        .map(objectOf)
        .filter(({ confidence: of }) => typeof of === 'number' && of >= CONFIDENCE_MIN)
        .map((finding) => ({ ...finding, agent: from, message: message['id'] })),
    ),
    decisions: decisionsOf(said),
    agents: figuresOf(responses.filter(({ isHubs }) => !isHubs)),
  };
}

/** Of an escalation of which the agent was only told. */
function toldState(asked: Said, said: readonly Said[]): TaskState {
  const told = said.find((one) => one.isHubs && answers(one, asked));
  if (told === undefined) return 'awaiting_approval';
  const { status } = objectOf(objectOf(told.payload['content'])['data']);
  return status === 'completed' ? 'completed' : 'failed';
}

function summaryOf({ type }: JsonObject, payload: JsonObject): string {
  const { context, result, content, position } = payload;
  const title = objectOf(objectOf(context)['issue'])['title'];
  const parts: Readonly<Record<string, readonly unknown[]>> = {
    REQUEST: [payload['action'], title],
    RESPONSE: [payload['status'], objectOf(result)['summary']],
    HANDOFF: [payload['reason'] ?? objectOf(payload['context_transfer'])['remaining_work']],
    ESCALATE: [payload['escalation_type'], payload['reason']],
    BROADCAST: [payload['event'], objectOf(content)['message']],
    VOTE: [payload['conflict_id'], objectOf(position)['choice']],
  };
  return (parts[String(type)] ?? []).filter((part) => typeof part === 'string').join(': ');
}

function conflictsOf(said: readonly Said[]): readonly JsonObject[] {
  const votes = Map.groupBy(
    said.filter(({ message }) => message['type'] === 'VOTE'),
    ({ payload }) => payload['conflict_id'],
  );
  return [...votes].map(([id, cast]) => {
    const { resolution, by } = resolutionOf(id, said) ?? { resolution: null, by: null };
    return {
      id,
      agents: [...new Set(cast.map(({ from }) => from))],
      topic: topicOf(id, said),
      votes: cast.map(({ from, payload }) => ({
        agent: from,
        ...picked(objectOf(payload['position']), ['choice', 'confidence', 'rationale']),
        ...picked(payload, ['veto', 'veto_reason']),
      })),
      standing: countOf(cast),
      status: by === null ? 'pending' : 'resolved',
      resolution,
      resolved_by: by,
    };
  });
}

/** The newest vote of each agent. */
function countOf(cast: readonly Said[]): JsonObject {
  const last = new Map(cast.map(({ from, payload }) => [from, payload]));
  const count = new Map<string, number>();
  for (const payload of last.values()) {
    const { choice: said = '-' } = objectOf(payload['position']);
    const choice = typeof said === 'string' ? said : JSON.stringify(said);
    count.set(choice, (count.get(choice) ?? 0) + 1);
  }
  return Object.fromEntries(count);
}

/** What an agent told of it, or a person decided, and who that was. */
function resolutionOf(
  id: unknown,
  said: readonly Said[],
): { readonly resolution: unknown; readonly by: unknown } | undefined {
  for (const { message, payload, from } of said.toReversed()) {
    if (message['type'] === 'VOTE') continue;
    const { conflict_id: named, resolution } = objectOf(objectOf(payload['content'])['data']);
    if (named === id && resolution !== undefined) return { resolution, by: from ?? 'nobody named' };
  }
  const asked = said.filter(
    ({ message, payload }) => message['type'] === 'ESCALATE' && names(payload, id),
  );
  const [decided] = decisionsOf(said).filter(({ message }) =>
    asked.some((one) => one.message['id'] === message),
  );
  return decided === undefined
    ? undefined
    : { resolution: decided['decision'], by: decided['decided_by'] };
}

function topicOf(id: unknown, said: readonly Said[]): unknown {
  for (const { message, payload } of said) {
    if (message['type'] === 'VOTE' || !names(payload, id)) continue;
    const context = objectOf(payload['context']);
    const { decision_needed: needed, topic } = context;
    return topic ?? needed ?? summaryOf(message, payload);
  }
  return null;
}

/** Whether a message says of which conflict it is. */
function names({ conflict_id: own, context, content }: JsonObject, id: unknown): boolean {
  return [
    own,
    objectOf(context)['conflict_id'],
    objectOf(objectOf(content)['data'])['conflict_id'],
  ].some((named) => named !== undefined && named === id);
}

/** Escalations that a person answered, as an agent that asked, or was named, was told. */
function decisionsOf(said: readonly Said[]): readonly JsonObject[] {
  return said
    .filter(({ message }) => message['type'] === 'ESCALATE')
    .flatMap((asked) => {
      const { message, payload } = asked;
      const answer = said.find((one) => answers(one, asked) && decisionIn(one) !== undefined);
      if (answer === undefined) return [];
      const { option, decided_by } = objectOf(decisionIn(answer));
      const words =
        objectOf(answer.payload['result'])['summary'] ??
        objectOf(answer.payload['content'])['message'];
      return [
        {
          message: message['id'],
          escalation_type: payload['escalation_type'] ?? null,
          question: objectOf(payload['context'])['decision_needed'] ?? payload['reason'] ?? null,
          decision: option ?? words ?? null,
          decided_by: decided_by ?? null,
          timestamp: answer.message['timestamp'] ?? null,
        },
      ];
    });
}

/**
 * Whether one is about the other: of a request of its own, by the task; what another hub writes
 * into a message says nothing of that.
 */
function answers({ message, taskId }: Said, asked: Said): boolean {
  return taskId === null
    ? message['correlation_id'] === asked.message['id']
    : taskId === asked.taskId;
}

/** Only a hub writes it, in the answer, or in the notice to the agent that was named. */
function decisionIn({ message, payload, isHubs }: Said): JsonObject | undefined {
  if (!isHubs) return undefined;
  const held =
    message['type'] === 'RESPONSE'
      ? objectOf(objectOf(payload['result'])['outputs'])
      : objectOf(objectOf(payload['content'])['data']);
  const decision = held['decision'];
  return isJsonObject(decision) && 'decided_by' in decision ? decision : undefined;
}

function figuresOf(responses: readonly Said[]): readonly JsonObject[] {
  const byAgent = Map.groupBy(responses, ({ from }) => from);
  return [...byAgent].map(([agent, of]) => ({
    agent,
    responses: of.length,
    ...countsOf(of),
    tokens_used: sumOf(of, 'tokens_used'),
    duration_ms: sumOf(of, 'duration_ms'),
  }));
}

function countsOf(of: readonly Said[]): JsonObject {
  const statuses = ['SUCCESS', 'PARTIAL', 'BLOCKED', 'FAILED'];
  const count = (status: string) => of.filter(({ payload }) => payload['status'] === status).length;
  return Object.fromEntries(statuses.map((status) => [status.toLowerCase(), count(status)]));
}

function sumOf(of: readonly Said[], name: string): number {
  return of
    .map(({ payload }) => objectOf(payload['metrics'])[name])
    .reduce((sum: number, value) => (typeof value === 'number' ? sum + value : sum), 0);
}
