// Writes what a peer should not have done into the audit trail, at a bounded rate. A key that is not pinned leaves no row: it is only
// logged, so that strangers cannot fill the disk.
import type { JsonObject } from '../../lib/json-object.ts';
import type { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { SECURITY_AUDIT } from '../limits.ts';
import type { PeerDirectory } from './peer-directory.ts';

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

  /** `action` is a constant such as "peer.forged_sender"; `detail` holds facts of a bounded size. */
  note(key: KeyHex, action: string, detail: JsonObject): void {
    const { store, clock, log, directory, buckets } = this.#deps;
    if (buckets.take(`audit ${key}`, SECURITY_AUDIT) > 0) return;
    log.warn('a hub did what it may not', { action, key });
    if (directory.row(key) === undefined) return;
    store.writeBehind((tables) =>
      tables.appendAudit({
        at: clock.wallMs(),
        actor: key,
        surface: 'peer',
        action,
        object: key,
        digest: null,
        detail: JSON.stringify(detail),
      }),
    );
  }
}
