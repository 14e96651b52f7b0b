// The same delegation under the same Idempotency-Key is made once, across restarts: the key, the
// request's digest and the task are stored in one commit. The door's own memory covers repeats of
// everything else.
import { createHash } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { readObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reads, Tables } from '../../ports/store.ts';
import { IDEMPOTENCY_WINDOW_MS } from './limits.ts';
import type { PartyKey } from '../../ports/transport.ts';

export interface IdempotencyClaim {
  readonly party: PartyKey;
  readonly name: string;
  readonly key: string;
  readonly digest: string;
}

export class Idempotency {
  readonly #clock: Clock;

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /**
   * The storage key of this key today. Keys are stored by day, so that an expired one can be used
   * again.
   */
  claim(party: PartyKey, key: string, params: unknown): IdempotencyClaim {
    const digest = createHash('sha256')
      .update(canonicalJson(JSON.parse(JSON.stringify(params))))
      .digest('hex');
    return { party, name: this.#name(key, 0), key, digest };
  }

  /**
   * The task that was made under this key within 24 hours. @param reads what is stored, or stands
   * in a commit
   * @throws AppError idempotency_mismatch when it was for another request
   */
  taskOf(claim: IdempotencyClaim, reads: Pick<Reads, 'replay'>): string | undefined {
    // Tomorrow's as well: the clock may have been set back over midnight since.
    for (const daysAgo of [0, 1, -1]) {
      const row = reads.replay(claim.party, this.#name(claim.key, daysAgo));
      if (!row || this.#clock.wallMs() - row.at >= IDEMPOTENCY_WINDOW_MS) continue;
      if (row.contentDigest !== claim.digest) {
        throw new AppError(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request.',
          {
            failedBy: 'input',
            hint: 'Use a fresh key for each new request.',
          },
        );
      }
      const { task } = readObject(row.reply ?? '{}');
      return typeof task === 'string' ? task : undefined;
    }
    return undefined;
  }

  keep(tables: Tables, claim: IdempotencyClaim, taskId: string): void {
    const reply = JSON.stringify({ task: taskId });
    tables.putReplay({
      party: claim.party,
      messageId: claim.name,
      contentDigest: claim.digest,
      reply,
      at: this.#clock.wallMs(),
    });
  }

  #name(key: string, daysAgo: number): string {
    const day = Math.floor(this.#clock.wallMs() / IDEMPOTENCY_WINDOW_MS) - daysAgo;
    return `idempotency ${day} ${createHash('sha256').update(key).digest('hex')}`;
  }
}
