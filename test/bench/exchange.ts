// A question of another hub and its answer, as the services leave them in the store: one row.
import type { Tables } from '../../main/ports/store.ts';
import { keyOf, taskRow } from '../fakes/sample-rows.ts';

interface Exchange {
  readonly id: string;
  readonly party: string;
  readonly conversationId: string;
  readonly at: number;
  readonly question: string;
  readonly answer: string;
}

const TOOK_MS = 900;

export function insertExchange(
  tables: Tables,
  { id, party, conversationId, at, question, answer }: Exchange,
): void {
  const result = { status: 'completed', outcome: answer, data: null, error: null };
  tables.insertTaskOnce(
    taskRow({
      id,
      party,
      messageId: id,
      kind: 'query',
      state: 'completed',
      contentDigest: keyOf(id),
      conversationId,
      payload: JSON.stringify({ domain: 'family.calendar', question }),
      result: JSON.stringify(result),
      receivedAt: at,
      finishedAt: at + TOOK_MS,
    }),
    {
      messageId: crypto.randomUUID(),
      kind: 'response',
      fromAgent: 'planner',
      at: at + TOOK_MS,
    },
  );
}
