// Records a peer's violations in the audit log, at a bounded rate. A key that is not pinned leaves
// no row: it is only logged, so that strangers cannot fill the disk.
import type { JsonObject } from '../../lib/json-object.ts';
import type { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { SECURITY_AUDIT } from '../base/limits.ts';
import type { HubAddress } from './hub-address.ts';
import type { PeerDirectory } from './peer-directory.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';

interface SecurityAuditDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: Pick<PeerDirectory, 'row'>;
  readonly buckets: TokenBuckets;
}

export class SecurityAudit {
  readonly #deps: SecurityAuditDeps;

  constructor(deps: SecurityAuditDeps) {
    this.#deps = deps;
  }

  /**
   * `action` is a constant such as "peer.forged_sender"; `detail` holds facts of a bounded size.
   */
  note(key: KeyHex, action: string, detail: JsonObject): void {
    const what = 'a hub did what it may not';
    this.#note(key, { actor: key, surface: 'peer' }, action, detail, what);
  }

  /** Somebody else did it, whom nobody here knows. */
  wrongKey(key: KeyHex, detail: JsonObject): void {
    const what = 'another key answered in the place of a hub';
    this.#note(key, { actor: 'hub', surface: 'hub' }, 'peer.wrong_key', detail, what);
  }

  #note(key: KeyHex, by: Actor, action: string, detail: JsonObject, what: string): void {
    const { store, clock, log, directory, buckets } = this.#deps;
    if (buckets.take(`audit ${key}`, SECURITY_AUDIT) > 0) return;
    log.warn(what, { action, key });
    if (directory.row(key) === undefined) return;
    store.writeBehind((tables) =>
      tables.appendAudit(auditRow(clock.wallMs(), { ...by, action, object: key, detail })),
    );
  }
}

interface WrongKeyDeps {
  readonly directory: PeerDirectory;
  readonly audit: SecurityAudit;
}

/**
 * A dial of a paired hub met another key: always on record; for people where the place is the hub's
 * by more than the network's word.
 */
export function noteWrongKey(
  { directory, audit }: WrongKeyDeps,
  key: KeyHex,
  found: KeyHex,
  at: HubAddress,
): void {
  audit.wrongKey(key, { found, host: at.host, port: at.port });
  // Two hubs of the family may have changed places; that is told as a trouble of reaching one, and
  // no more.
  if (!directory.isPaired(key) || directory.isPaired(found) || !isItsPlace(directory, key, at))
    return;
  // It has come from elsewhere while its old place was tried: nobody stands in its place.
  if (directory.live(key).online) return;
  if (directory.keyChanges.seen(key, found, at)) directory.publish(key);
}

/**
 * Where the hub itself was last, or the number that its owner said it is at; neither an
 * announcement nor a name makes a place of it.
 */
function isItsPlace(directory: PeerDirectory, key: KeyHex, { host, port }: HubAddress): boolean {
  const row = directory.row(key);
  return (
    (row?.lastHost === host && row.lastPort === port) ||
    (row?.staticHost === host && row.staticPort === port)
  );
}
