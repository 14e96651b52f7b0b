// The native library's settings: what PROTOCOL.md, Connection says, in its terms. Every default of
// the library is set here or wanted.
import type { Credentials } from './certificate.ts';
import {
  ACK_DELAY_MAX_MS,
  APPLICATION_PROTOCOL,
  CONNECTION_WINDOW_BYTES,
  CONNECTION_WINDOW_MAX_BYTES,
  DATAGRAM_RECEIVE_MAX_BYTES,
  DATAGRAM_SEND_MAX_BYTES,
  IDLE_TIMEOUT_MS,
  PATHS_MAX,
  STREAMS_OPEN_MAX,
  STREAM_WINDOW_BYTES,
  STREAM_WINDOW_MAX_BYTES,
} from './limits.ts';
import type { Quiche, QuicheConfig } from './native-binding.ts';

/**
 * A configuration for both roles. A certificate is asked of the peer and none is judged by the
 * library: there is no authority, and the key is checked by us once the handshake is done.
 */
export function createConfig(
  binding: Quiche,
  credentials: Pick<Credentials, 'privateKeyPem' | 'certificatePem'>,
): QuicheConfig {
  const askForCertificate = true;
  const judgeItOurselves = true;
  const config = binding.Config.withBoringSslCtx(
    askForCertificate,
    judgeItOurselves,
    undefined,
    [credentials.privateKeyPem],
    [credentials.certificatePem],
    'ed25519',
  );
  config.setApplicationProtos([APPLICATION_PROTOCOL]);
  config.grease(true);
  config.setMaxIdleTimeout(IDLE_TIMEOUT_MS);
  config.setMaxRecvUdpPayloadSize(DATAGRAM_RECEIVE_MAX_BYTES);
  config.setMaxSendUdpPayloadSize(DATAGRAM_SEND_MAX_BYTES);
  config.setMaxAckDelay(ACK_DELAY_MAX_MS);
  config.setInitialMaxData(CONNECTION_WINDOW_BYTES);
  config.setMaxConnectionWindow(CONNECTION_WINDOW_MAX_BYTES);
  config.setInitialMaxStreamDataBidiLocal(STREAM_WINDOW_BYTES);
  config.setInitialMaxStreamDataBidiRemote(STREAM_WINDOW_BYTES);
  config.setInitialMaxStreamDataUni(STREAM_WINDOW_BYTES);
  config.setMaxStreamWindow(STREAM_WINDOW_MAX_BYTES);
  config.setInitialMaxStreamsBidi(STREAMS_OPEN_MAX);
  config.setInitialMaxStreamsUni(STREAMS_OPEN_MAX);
  config.setDisableActiveMigration(true);
  // As many paths as connection ids, by the library's rule.
  config.setActiveConnectionIdLimit(PATHS_MAX);
  config.setCcAlgorithmName('bbr');
  // The library gives each datagram a time to leave at, in a form that nothing here can read, and
  // counts the round trip from that time. Sent at once, as they are, the later ones of a busy
  // connection seemed to be answered before they had left: the round trip was taken for a fifth of
  // what it is, and the congestion window shrank with it. Without its pacing the library counts
  // from when it was asked, or a burst earlier at most: bursts are small with `bbr` alone, so no
  // other algorithm may be set here without measuring (test/bench/README.md).
  config.enablePacing(false);
  config.enableDgram(false, 0, 0);
  return config;
}
