// The doors of this adapter: the transport in a process of its own, as the hub runs it, and the same endpoint in this process, for
// tests and simulations.
import type { Clock, Random } from '../../ports/clock.ts';
import type { Transport } from '../../ports/transport.ts';
import { Endpoint } from './endpoint.ts';

/** The endpoint in this process. A fault of the native library ends this process with it. */
export function createInProcessTransport(deps: { readonly clock: Clock; readonly random: Random }): Transport {
  return new Endpoint(deps);
}
