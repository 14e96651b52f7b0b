// A ping of a peer through the local API, answered by the hub there: no agent takes part. `told`
// names the asking hub, a token, and the peer.
import { LocalApi, type Told } from './local-api.ts';
import type { Subject } from './subject.ts';

export interface PingTold extends Told {
  readonly peer: string;
}

export const hubPing: Subject = {
  serve: (host) => Promise.resolve({ host, port: 0 }),
  connect(_address, told = '') {
    const { peer, ...place } = JSON.parse(told) as PingTold; // the runner's own words
    const api = new LocalApi(place);
    return Promise.resolve({
      ask: async (body) => {
        const { round_trip_ms: roundTripMs, status } = await api.post(`/v1/peers/${peer}/ping`, {});
        if (typeof roundTripMs !== 'number' || typeof status !== 'string')
          throw new Error('a ping was answered without a round trip');
        return body;
      },
      close: () => Promise.resolve(),
    });
  },
};
