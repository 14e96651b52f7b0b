// Table `mutes`: whom the owner does not want to hear for a while. One row a party; a row is gone
// when it is heard again.
import type { MuteReads, MuteRow, MuteWrites } from '../../../ports/attention.ts';
import { milliseconds, party } from '../columns.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const MUTE = new RowMapper<MuteRow>({
  party: party('party'),
  since: milliseconds('since'),
  until: milliseconds('until'),
});

export const MUTE_QUERIES = {
  byParty: `SELECT ${MUTE.columns} FROM mutes WHERE party = ?`,
} as const;

export function muteReads(statements: Statements): MuteReads {
  return {
    mutes: () => statements.all(MUTE, `SELECT ${MUTE.columns} FROM mutes ORDER BY since, party`),
    mute: (of) =>
      statements.settled('mutes', of, () => statements.one(MUTE, MUTE_QUERIES.byParty, of)),
  };
}

export function muteWrites(statements: Statements): MuteWrites {
  const put = `INSERT INTO mutes (${MUTE.columns}) VALUES (${MUTE.placeholders}) ON CONFLICT (party) DO UPDATE SET ${MUTE.excluded('party')}`;
  return {
    putMute: (row) => void statements.run(put, ...MUTE.write(row, statements)),
    deleteMute: (of) => void statements.run('DELETE FROM mutes WHERE party = ?', of),
  };
}
