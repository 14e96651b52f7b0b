// The same delegation under the same Idempotency-Key is made once, across restarts: the key, the
// request's digest and the task are stored in one commit. The door's own memory covers repeats of
// everything else.
import { createHash } from 'node:crypto';
import { inputError } from '../../lib/app-error.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { readObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reads, ReplayRow, Tables, TaskRow } from '../../ports/store.ts';
import { IDEMPOTENCY_WINDOW_MS } from './limits.ts';
import type { PartyKey } from '../../ports/transport.ts';

export interface IdempotencyClaim {
  readonly party: PartyKey;
  readonly key: string;
  readonly digest: string;
}

export class DelegationKeys {
  readonly #clock: Clock;

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /**
   * What is asked for under this key.
   */
  claim(party: PartyKey, key: string, params: unknown): IdempotencyClaim {
    const digest = createHash('sha256')
      .update(canonicalJson(JSON.parse(JSON.stringify(params))))
      .digest('hex');
    return { party, key, digest };
  }

  /**
   * The task that was made under this key within 24 hours. One that the other hub refused was not
   * made: the same key may be used again. @param reads what is stored, or stands in a commit
   * @throws AppError idempotency_mismatch when it was for another request
   */
  taskOf(claim: IdempotencyClaim, reads: Pick<Reads, 'replay' | 'task'>): string | undefined {
    // Tomorrow's as well: the clock may have been set back over midnight since.
    for (const daysAgo of [0, 1, -1]) {
      const row = this.#rows(claim, daysAgo, reads).at(-1);
      if (!row || this.#clock.wallMs() - row.at >= IDEMPOTENCY_WINDOW_MS) continue;
      const made = taskIn(row);
      if (made !== undefined && isRefused(reads.task(made))) continue;
      if (row.contentDigest !== claim.digest) {
        throw inputError(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request.',
          {
            hint: 'Use a fresh key for each new request.',
          },
        );
      }
      return made;
    }
    return undefined;
  }

  keep(tables: Tables, claim: IdempotencyClaim, taskId: string): void {
    const reply = JSON.stringify({ task: taskId });
    tables.putReplay({
      party: claim.party,
      messageId: this.#name(claim.key, 0, this.#rows(claim, 0, tables).length),
      contentDigest: claim.digest,
      reply,
      at: this.#clock.wallMs(),
    });
  }

  /** What was made under this key on that day, each after the one before it was refused. */
  #rows(
    { party, key }: IdempotencyClaim,
    daysAgo: number,
    reads: Pick<Reads, 'replay'>,
  ): readonly ReplayRow[] {
    const rows: ReplayRow[] = [];
    for (;;) {
      const row = reads.replay(party, this.#name(key, daysAgo, rows.length));
      if (row === undefined) return rows;
      rows.push(row);
    }
  }

  /** Keys are stored by day, so that an expired one can be used again. */
  #name(key: string, daysAgo: number, after: number): string {
    const day = Math.floor(this.#clock.wallMs() / IDEMPOTENCY_WINDOW_MS) - daysAgo;
    const name = `idempotency ${day} ${createHash('sha256').update(key).digest('hex')}`;
    return after === 0 ? name : `${name} ${after}`;
  }
}

function taskIn({ reply }: ReplayRow): string | undefined {
  const { task } = readObject(reply ?? '{}');
  return typeof task === 'string' ? task : undefined;
}

/** The other hub did not take it: nothing of it is there. */
function isRefused(task: TaskRow | undefined): boolean {
  return (
    task?.direction === 'outgoing' &&
    task.state === 'failed' &&
    task.endedBy === 'hub' &&
    (task.endedKind === 'hub_refused' || task.endedKind === 'not_understood')
  );
}
