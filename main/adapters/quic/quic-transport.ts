// The doors of this adapter: the transport in a process of its own, as the hub runs it, and the same endpoint in this process, for
// tests and simulations.
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Transport } from '../../ports/transport.ts';
import { Endpoint } from './endpoint.ts';
import { ProcessTransport } from './process-transport.ts';
import { spawnNodeQuicProcess, type SpawnQuicProcess } from './quic-process.ts';

export interface QuicTransportDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
  /** How a QUIC process is started; a child of plain Node unless given. */
  readonly spawnQuicProcess?: SpawnQuicProcess;
}

/** The transport whose endpoint lives in a supervised process of its own. */
export function createQuicTransport(deps: QuicTransportDeps): Transport {
  return new ProcessTransport({ ...deps, spawnQuicProcess: deps.spawnQuicProcess ?? (() => spawnNodeQuicProcess()) });
}

/** The endpoint in this process. A fault of the native library ends this process with it. */
export function createInProcessTransport(deps: { readonly clock: Clock; readonly random: Random }): Transport {
  return new Endpoint(deps);
}
