// What is kept of a hello: hints about a pinned peer in its row, about a stranger only for as long as it is connected. An older version
// than before is pointed out; no rule of trust depends on any of it (PROTOCOL.md, hello).
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { HelloPayload } from '../../protocol/payloads.ts';
import { ADVERTISED_TEXT_MAX } from './limits.ts';
import type { Link } from './link.ts';
import { REFERENCE_FEATURES } from '../../protocol/reference/reference-mapping.ts';
import type { PeerDirectory } from './peer-directory.ts';
import { NO_VERSION } from './pinned-row.ts';
import type { SecurityAudit } from './security-audit.ts';

export interface HelloNotesDeps {
  readonly directory: PeerDirectory;
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: SecurityAudit;
}

/** Keeps what a hello told; called again with the same hello when its key is pinned later. */
export function noteHello(link: Link, hello: HelloPayload, { directory, clock, log, audit }: HelloNotesDeps): void {
  link.hello = hello;
  const said = hello.agent_name?.slice(0, ADVERTISED_TEXT_MAX) ?? null;
  const row = directory.row(link.keyHex);
  const highest = Math.max(1, ...hello.protocol_versions);
  if (row === undefined) return directory.setLive(link.keyHex, { said });
  if (highest < row.highestVersion) {
    log.warn('a peer speaks an older version than before', { before: row.highestVersion, now: highest });
    audit.note(link.keyHex, 'peer.downgraded', { before: row.highestVersion, now: highest });
  }
  directory.note(link.keyHex, {
    features: hello.features,
    extensions: hello.extensions,
    highestVersion: Math.max(highest, row.highestVersion),
    advertisedName: said ?? row.advertisedName,
    lastHost: link.info.host,
    lastPort: link.info.port,
    lastSeenAt: clock.wallMs(),
  });
}

/** Keeps that the other side has no hello: what it can be sent follows from its profile (PROTOCOL.md, Reference profile). */
export function noteReference(link: Link, { directory, clock, audit }: HelloNotesDeps): void {
  const row = directory.row(link.keyHex);
  if (row === undefined || row.highestVersion === NO_VERSION) return;
  // A hub that forgets its hello has been replaced by something else that holds its key: worth a line for its owner.
  if (row.features.length > 0) audit.note(link.keyHex, 'peer.downgraded', { before: row.highestVersion, now: NO_VERSION });
  const { host: lastHost, port: lastPort } = link.info;
  const shown = { features: REFERENCE_FEATURES, extensions: [], highestVersion: NO_VERSION };
  directory.note(link.keyHex, { ...shown, lastHost, lastPort, lastSeenAt: clock.wallMs() });
}
