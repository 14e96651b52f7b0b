// The endpoint of a hub in the process of the test, as the transport that hubs use: what goes over
// the channel of the QUIC process there is a promise here. A fault of the native library ends the
// test with it.
import { Endpoint } from '../../main/adapters/quic/endpoint.ts';
import { SEND_LIMIT_MS } from '../../main/adapters/quic/limits.ts';
import { err, ok, type Result } from '../../main/lib/result.ts';
import type { Clock, Random } from '../../main/ports/clock.ts';
import type { Transport, TransportFailure } from '../../main/ports/transport.ts';

type Answer = Result<Uint8Array, TransportFailure>;

export class InProcessEndpoint extends Endpoint implements Transport {
  request(
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Answer> {
    if (signal?.aborted) return Promise.resolve(err({ type: 'aborted' }));
    return new Promise((resolve) => {
      let cancel = (): void => {};
      const abort = (): void => cancel();
      signal?.addEventListener('abort', abort, { once: true });
      cancel = this.begin('bidirectional', connectionId, bytes, timeoutMs, (answer) => {
        signal?.removeEventListener('abort', abort);
        resolve(answer);
      });
    });
  }

  async send(connectionId: number, bytes: Uint8Array): Promise<Result<void, TransportFailure>> {
    const sent = await new Promise<Answer>((resolve) => {
      this.begin('unidirectional', connectionId, bytes, SEND_LIMIT_MS, resolve);
    });
    return sent.ok ? ok() : sent;
  }
}

export function createInProcessTransport(deps: {
  readonly clock: Clock;
  readonly random: Random;
}): Transport {
  return new InProcessEndpoint(deps);
}
