// Table `token_use`: tokens by party and day.
import type { Reads, Tables, TokenUse } from '../../../ports/store.ts';
import { integer } from '../columns.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const DAY_MS = 86_400_000;
/** What one report may add, so that no sum leaves the numbers that are exact. */
const TOKENS_MAX = 1_000_000_000;
const SUM = new RowMapper<TokenUse>({ here: integer('here'), there: integer('there') });

export const TOKEN_USE_QUERIES = {
  since: `SELECT coalesce(sum(here), 0) AS here, coalesce(sum(there), 0) AS there FROM token_use WHERE party = ? AND day > ?`,
} as const;
const ADD = `INSERT INTO token_use (party, day, here, there) VALUES (?, ?, ?, ?)
  ON CONFLICT (party, day) DO UPDATE SET here = here + excluded.here, there = there + excluded.there`;

export function tokenUseReads(statements: Statements): Pick<Reads, 'tokenUse'> {
  return {
    tokenUse: (party, sinceMs) =>
      statements.one(
        SUM,
        TOKEN_USE_QUERIES.since,
        statements.knownNumber(party),
        Math.floor(sinceMs / DAY_MS),
      ) ?? { here: 0, there: 0 },
  };
}

export function tokenUseWrites(statements: Statements): Pick<Tables, 'addTokens'> {
  return {
    addTokens: (party, at, where, tokens) => {
      if (tokens <= 0) return;
      const used = Math.min(tokens, TOKENS_MAX);
      const [here, there] = where === 'here' ? [used, 0] : [0, used];
      statements.run(ADD, statements.numberOf(party), Math.floor(at / DAY_MS), here, there);
    },
  };
}
