// Takes the datagrams a connection has to send out of the native library, in bursts that leave the others their turn.
import type { ConnectionHost } from './connection-host.ts';
import type { Effort } from './effort.ts';
import { BURST_MAX_DATAGRAMS, LAST_WORDS_MAX_DATAGRAMS } from './limits.ts';
import type { PeerAddress } from './peer-address.ts';

/** Link-local addresses need the zone the library does not know. */
const LINK_LOCAL_PREFIX = 'fe80:';

/**
 * Sends what is due; true when there may be more than one burst.
 * @param isOver the connection was closed: before its handshake is confirmed the library can go on for ever then, and tells nobody of the end
 */
export function sendBurst(peer: PeerAddress, host: ConnectionHost, effort: Effort, isOver: boolean): boolean {
  const { sendBuffer } = host;
  const maxDatagrams = isOver ? LAST_WORDS_MAX_DATAGRAMS : BURST_MAX_DATAGRAMS;
  for (let sent = 0; sent < maxDatagrams; sent += 1) {
    let part: ReturnType<PeerAddress['next']>;
    try {
      part = peer.next(sendBuffer);
    } catch {
      host.counters.add('send.failed');
      return false;
    }
    if (part === null) return false;
    const { length, to } = part;
    const address = to.host.startsWith(LINK_LOCAL_PREFIX) ? to.host + peer.zone : to.host;
    if (sent === 0) host.counters.traffic.sentBursts += 1;
    const datagram = Buffer.allocUnsafe(length);
    sendBuffer.copy(datagram, 0, 0, length);
    host.sendDatagram(datagram, address, to.port);
    effort.sent();
  }
  return true;
}
