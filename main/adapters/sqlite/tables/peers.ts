// Table `peers`: hubs that are or were paired. Never holds a hub that was only discovered.
import { SURFACES } from '../../../../preload/contract/closed-lists.ts';
import { INTRODUCTION_WAYS } from '../../../../preload/contract/introduction.ts';
import { ROLES } from '../../../../preload/contract/role.ts';
import type { PeerRow, Reads, Tables } from '../../../ports/store.ts';
import { choice, integer, milliseconds, nullable, strings, text } from '../columns.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const PEER = new RowMapper<PeerRow>({
  key: text('key'),
  agentId: text('agent_id'),
  petname: text('petname'),
  person: nullable(text('person')),
  trust: choice('trust', ['paired', 'suspended', 'revoked']),
  advertisedName: nullable(text('advertised_name')),
  platform: nullable(text('platform')),
  features: strings('features'),
  extensions: strings('extensions'),
  highestVersion: integer('highest_version'),
  staticHost: nullable(text('static_host')),
  staticPort: nullable(integer('static_port')),
  lastHost: nullable(text('last_host')),
  lastPort: nullable(integer('last_port')),
  lastSeenAt: nullable(milliseconds('last_seen_at')),
  capabilities: nullable(text('capabilities')),
  capabilitiesAt: nullable(milliseconds('capabilities_at')),
  pairedAt: milliseconds('paired_at'),
  revokedAt: nullable(milliseconds('revoked_at')),
  introducedWay: choice('introduced_way', INTRODUCTION_WAYS),
  introducedBy: text('introduced_by'),
  introducedSurface: choice('introduced_surface', SURFACES),
  role: nullable(choice('role', ROLES)),
});

const PEER_QUERIES = {
  all: `SELECT ${PEER.columns} FROM peers ORDER BY paired_at, key`,
  byKey: `SELECT ${PEER.columns} FROM peers WHERE key = ?`,
} as const;

export function peerReads(statements: Statements): Pick<Reads, 'peers' | 'peer'> {
  return {
    peers: () => statements.settled('peers', null, () => statements.all(PEER, PEER_QUERIES.all)),
    peer: (key) =>
      statements.settled('peers', key, () => statements.one(PEER, PEER_QUERIES.byKey, key)),
  };
}

export function peerWrites(statements: Statements): Pick<Tables, 'putPeer' | 'deletePeer'> {
  const put = `INSERT INTO peers (${PEER.columns}) VALUES (${PEER.placeholders}) ON CONFLICT (key) DO UPDATE SET ${PEER.excluded('key')}`;
  return {
    putPeer: (row) => void statements.run(put, ...PEER.write(row, statements)),
    deletePeer: (key) => void statements.run('DELETE FROM peers WHERE key = ?', key),
  };
}
