// What the work services are given: the ports, and the few doors of other services they need, as functions. Types only.
import type { EventBus } from '../event-bus.ts';
import type { PeerMessenger } from '../peer-messenger.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { AppError } from '../../lib/app-error.ts';
import type { Result } from '../../lib/result.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PeerRow, Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';

export interface WorkDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventBus;
  readonly messenger: PeerMessenger;
  readonly rates: PeerRates;
  /** An agent id, a petname or "hub/agent" -> the paired hub. Throws peer_not_found with the known names in its hint. */
  readonly resolvePeer: (to: string) => { readonly peer: PeerRow; readonly agent: string | null };
  /** An agent id or a petname -> the hub, paired or suspended: for what a person sets. Throws as resolvePeer. */
  readonly pinnedPeer: (id: string) => PeerRow;
  /** Asks a peer for its capabilities and stores them. Never throws: an unreachable peer changes nothing. */
  readonly refreshCapabilities: (peer: KeyHex) => Promise<Result<void, AppError>>;
  /** By whose clock quiet hours are; this computer's when absent. */
  readonly timeZone?: () => string;
  /** How long requests wait for a person just now, ms; APPROVALS_WAIT_MINUTES_DEFAULT when absent. */
  readonly approvalWaitMs?: () => number;
  /** False while the audit log was tampered with: then no rule acts and everything is asked. Rules act when absent. */
  readonly rulesMayAct?: () => boolean;
  readonly hubName: () => string;
  /** The name of the person at this hub, for the record of who decided; null or absent when none was given. */
  readonly personName?: () => string | null;
  /** Makes and stores a token for the agent; the only place its text ever is. */
  readonly mintAgentToken: (agent: string) => Promise<string>;
  /** Ends all tokens of the agent inside a commit. What is returned is to be called once that is durable: it ends their open lines. */
  readonly revokeAgentTokens: (tables: Tables, agent: string) => () => void;
}
