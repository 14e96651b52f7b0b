// Where a peer is reached, as quiche sees the paths of a connection. A path that is not validated yet counts for nothing.
import type { HostPort, QuicheConnection } from './native-binding.ts';

/** The address the connection now sends to, once it is validated; undefined until then. */
export function validatedPeer(native: QuicheConnection, local: HostPort): HostPort | undefined {
  while (native.pathEventNext() !== null) {
    // Drained so that they never pile up; the state of the paths says more than the events.
  }
  const peer = native.pathStats().find((path) => path.active)?.peerHost;
  return peer && native.isPathValidated(local, peer) ? peer : undefined;
}
