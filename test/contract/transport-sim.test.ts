// The transport contract, run on the simulated network as far as it claims the port: what the
// simulated households learn of connections, requests and their ends holds on the wire. It has one
// port a computer, which stands for the address here, and time of its own, which is let go on.
import { afterAll, beforeAll } from 'vitest';
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import type {
  ConnectionInfo,
  DialTarget,
  ListenOptions,
  Transport,
  TransportEvent,
} from '../../main/ports/transport.ts';
import { Network } from '../sim/network.ts';
import { SimTransport } from '../sim/sim-transport.ts';
import { realTurn, World } from '../sim/world.ts';
import { transportContract } from './transport.contract.ts';

const HOST = '127.0.0.1';
const STEP_MS = 2;
const clock = new SystemClock();
const world = new World(1);
const network = new Network(world, { latencyMs: 1, slowShare: 0, slowMs: 0, resetShare: 0 });
const keys = new Map<string, string>();
let portsTaken = 0;

/** A connection as it would be on a wire: the computer's name is its address. */
function onWire(connection: ConnectionInfo): ConnectionInfo {
  const [host = '', port = ''] = connection.host.split(':');
  return { ...connection, host, port: Number(port) };
}

function eventOnWire(event: TransportEvent): TransportEvent {
  return 'connection' in event ? { ...event, connection: onWire(event.connection) } : event;
}

/** A simulated computer that is reached by address and port. */
function create(): Transport {
  let sim: SimTransport | undefined;
  const started = (): SimTransport => {
    if (sim === undefined) throw new Error('it was not started');
    return sim;
  };
  return {
    start: async ({ seed, host, port }: ListenOptions, onEvent) => {
      const taken = port === 0 ? (portsTaken += 1) : port;
      sim = new SimTransport(network, clock, `${HOST}:${taken}`, keys);
      await sim.start({ seed, host, port: taken }, (event) => onEvent(eventOnWire(event)));
      return { port: taken };
    },
    stop: async () => sim?.stop(),
    dial: async (target: DialTarget, signal) => {
      const dialled = await started().dial(
        { ...target, host: `${target.host}:${target.port}` },
        signal,
      );
      return dialled.ok ? { ok: true, value: onWire(dialled.value) } : dialled;
    },
    setAdmission: (admission) => started().setAdmission(admission),
    keepPlaces: (kept) => started().keepPlaces(kept),
    close: (id, code, reason) => started().close(id, code, reason),
    checkAlive: (id) => started().checkAlive(id),
    request: (id, bytes, timeoutMs, signal) => started().request(id, bytes, timeoutMs, signal),
    send: (id, bytes) => started().send(id, bytes),
    respond: (id, streamId, bytes) => started().respond(id, streamId, bytes),
    reset: (id, streamId, code) => started().reset(id, streamId, code),
    statistics: () => started().statistics(),
  };
}

const over = new AbortController();
let passing: Promise<void> = Promise.resolve();
async function pass(): Promise<void> {
  while (!over.signal.aborted) {
    await world.run(STEP_MS);
    await realTurn();
  }
}
beforeAll(() => {
  passing = pass();
});
afterAll(async () => {
  over.abort();
  await passing;
});

transportContract('a simulated network', create, [
  // Beyond what a connection holds open it refuses at once, where a wire lets wait: no household
  // comes near.
  'keeps 300 requests at once apart',
  // It counts nothing of its own but connections and restarts.
  'asks on a doubted connection for a sign of life, and leaves it and the work on it as they were',
  'counts connections and what it dropped',
  // Its addresses are names of computers, each with one port that nobody else can take.
  'refuses to dial what is no address, and what the socket cannot reach',
  'says which port is taken',
  // No computer of it dials itself, and each has a key of its own.
  'refuses a connection to itself, at both ends, and not one to another hub with its key',
  // All its households are paired: nobody is refused by key, or bounded as a stranger is.
  'closes connections of refused keys at once, and lets them in no more',
  'closes a connection that is not paired and has five streams open',
]);
