// What an endpoint tells of itself: its counters, and the levels that are measured when somebody asks.
import type { KeyHex, TransportStatistics } from '../../ports/transport.ts';
import type { QuicConnection } from './connection.ts';
import type { Counters } from './counters.ts';

export interface EndpointState {
  readonly counters: Counters;
  readonly open: Iterable<QuicConnection>;
  readonly paired: ReadonlySet<KeyHex>;
  readonly halfOpen: number;
  readonly dials: number;
  readonly unfinishedBytes: number;
}

/** The statistics of this moment. */
export function statisticsOf(state: EndpointState): TransportStatistics {
  const roundTripMs: Record<number, number> = {};
  let [connections, paired, pathMtuBytes] = [0, 0, Infinity];
  for (const connection of state.open) {
    connections += 1;
    roundTripMs[connection.connectionId] = connection.peer.roundTripMs;
    pathMtuBytes = Math.min(pathMtuBytes, connection.peer.pathMtuBytes);
    if (connection.keyHex !== null && state.paired.has(connection.keyHex)) paired += 1;
  }
  const counters = {
    ...state.counters.snapshot(),
    'half-open.now': state.halfOpen,
    'dials.now': state.dials,
    'connections-paired.now': paired,
    'connections-quarantined.now': connections - paired,
    'unfinished-bytes.now': state.unfinishedBytes,
    // Of all open connections the smallest; none = nothing is known.
    ...(pathMtuBytes === Infinity ? {} : { 'path-mtu-bytes.now': pathMtuBytes }),
  };
  return { connections, roundTripMs, counters, restarts: 0, processMemoryBytes: null };
}
