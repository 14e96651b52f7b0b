// The transport of the hub: its endpoint alone, as it lives in the QUIC process, and the whole way
// from one main process through both QUIC processes to the other main process. The two sides are
// paired with each other.
import { SystemClock, SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import { createQuicTransport } from '../../../main/adapters/quic/process-transport.ts';
import { Secret } from '../../../main/lib/secret.ts';
import type { Transport, TransportEvent } from '../../../main/ports/transport.ts';
import type { Asker } from '../load.ts';
import { createInProcessTransport } from '../../support/in-process-transport.ts';
import { credentialsOf, seedOf, type Side } from './identities.ts';
import type { Address, Subject } from './subject.ts';

const ANSWER_LIMIT_MS = 30_000;

type CreateTransport = (deps: {
  readonly clock: SystemClock;
  readonly random: SystemRandom;
}) => Transport;

async function start(
  create: CreateTransport,
  side: Side,
  host: string,
  onEvent: (event: TransportEvent, transport: Transport) => void,
) {
  const transport = create({ clock: new SystemClock(), random: new SystemRandom() });
  const { port } = await transport.start(
    { seed: new Secret(seedOf(side)), host, port: 0 },
    (event) => onEvent(event, transport),
  );
  const { keyHex } = credentialsOf(side === 'server' ? 'client' : 'server');
  transport.setAdmission({ paired: [keyHex], refused: [] });
  return { transport, port };
}

async function serve(create: CreateTransport, host: string): Promise<Address> {
  const { port } = await start(create, 'server', host, (event, transport) => {
    if (event.type === 'request')
      transport.respond(event.connectionId, event.streamId, event.bytes);
  });
  return { host, port };
}

async function connect(create: CreateTransport, { host, port }: Address): Promise<Asker> {
  const any = host.includes(':') ? '::' : '0.0.0.0';
  const { transport } = await start(create, 'client', any, () => {});
  const { keyHex, agentId } = credentialsOf('server');
  const dialled = await transport.dial(
    { keyHex, agentId, host, port },
    AbortSignal.timeout(ANSWER_LIMIT_MS),
  );
  if (!dialled.ok) throw new Error(`the dial failed: ${dialled.error.type}`);
  const { connectionId } = dialled.value;
  return {
    ask: async (body) => {
      const answer = await transport.request(connectionId, body, ANSWER_LIMIT_MS);
      if (!answer.ok) throw new Error(`a request failed: ${answer.error.type}`);
      return answer.value;
    },
    close: () => transport.stop(),
  };
}

function subject(create: CreateTransport): Subject {
  return { serve: (host) => serve(create, host), connect: (address) => connect(create, address) };
}

export const endpointAlone: Subject = subject(createInProcessTransport);
export const mainToMain: Subject = subject(createQuicTransport);
