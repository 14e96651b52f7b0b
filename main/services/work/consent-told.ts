// How far what a person here said to a question of consent has come: it waits here, the hub that asked has it, or it never got there. Read from
// what is stored. What became of the request itself is known at that hub alone, so it is never said here (PROTOCOL.md, Consent).
import type { ConsentAskedDto } from '../../../preload/contract/consent.ts';
import type { OutboxRow, Reads, Tables, TaskRow } from '../../ports/store.ts';
import { CONSENT_TOPIC } from '../../protocol/consent.ts';
import { isAPersons, questionOfTask } from './consent-question.ts';

/** Messages of one question that are looked through for its result: the newest. */
const MESSAGES_MAX = 8;

/** @param task a question of consent that came from another hub. null: nobody here gave an answer, or none that is on record */
export function toldOf(reads: Reads, task: TaskRow): ConsentAskedDto['told'] {
  if (!isAPersons(task)) return null;
  const messages = reads.messages({ limit: MESSAGES_MAX }, { taskId: task.id });
  const result = messages.find(({ direction, kind, ref }) => direction === 'out' && kind === 'result' && ref === task.messageId);
  const row = result && reads.outboxMessage(task.party, result.messageId);
  if (row === undefined) return null;
  if (row.settledAt === null) return 'waits';
  if (reads.replay(task.party, givenUpMark(row.messageId)) !== undefined) return 'given_up';
  return reads.replay(task.party, unusedMark(task.messageId)) === undefined ? 'told' : 'unused';
}

/**
 * Inside the commit that gives up an answer: from now on it is known never to have come there. Of no other message anything is kept.
 * @returns the question that it answered
 */
export function noteGivenUp(tables: Tables, { party, messageId }: OutboxRow, wallMs: number): TaskRow | undefined {
  const question = answeredBy(tables, messageId);
  if (question !== undefined) {
    tables.putReplay({ party, messageId: givenUpMark(messageId), contentDigest: question.contentDigest, reply: null, at: wallMs });
  }
  return question;
}

/** The question that a message of ours answers by a person's word; undefined where it is about anything else. */
export function answeredBy(reads: Reads, messageId: string): TaskRow | undefined {
  const taskId = reads.message(messageId)?.taskId ?? null;
  const task = taskId === null ? undefined : reads.task(taskId);
  return task?.direction === 'incoming' && isAPersons(task) && questionOfTask(task) !== undefined ? task : undefined;
}

/** Where it is written down that an answer was not used. No message has such an id, so the mark is nobody else's. */
export function unusedMark(questionId: string): string {
  return `${CONSENT_TOPIC} ${questionId}`;
}

/** Where it is written down that an answer never came there. */
export function givenUpMark(messageId: string): string {
  return `${CONSENT_TOPIC} given up ${messageId}`;
}
