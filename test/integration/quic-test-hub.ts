// A transport with a fresh identity on a loopback address, and what it reported: the tests' view of
// one hub on the wire.
import { createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { Secret } from '../../main/lib/secret.ts';
import type {
  ConnectionInfo,
  DialTarget,
  Transport,
  TransportEvent,
} from '../../main/ports/transport.ts';

export const systemDeps = { clock: new SystemClock(), random: new SystemRandom() };

type EventOf<Type extends TransportEvent['type']> = Extract<TransportEvent, { type: Type }>;

const WAIT_LIMIT_MS = 15_000;
const SEED_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface Identity {
  readonly seed: Uint8Array;
  readonly keyHex: string;
  readonly agentId: string;
}

export function newIdentity(seed: Uint8Array = new Uint8Array(randomBytes(32))): Identity {
  const privateKey = createPrivateKey({
    key: Buffer.concat([SEED_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const key = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const agentId = `ed25519.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  return { seed, keyHex: key.toString('hex'), agentId };
}

/** How a hub treats requests by default: it sends them back. */
type Answerer = (hub: TestHub, request: EventOf<'request'>) => void;
const echo: Answerer = (hub, { connectionId, streamId, bytes }) =>
  hub.transport.respond(connectionId, streamId, bytes);

export class TestHub {
  readonly identity: Identity;
  readonly transport: Transport;
  readonly host: string;
  readonly events: TransportEvent[] = [];
  answer: Answerer = echo;
  port = 0;
  readonly #listeners = new Set<() => void>();

  constructor(transport: Transport, host = '127.0.0.1', identity: Identity = newIdentity()) {
    this.transport = transport;
    this.host = host;
    this.identity = identity;
  }

  async start(port = 0): Promise<this> {
    const options = { seed: new Secret(this.identity.seed), host: this.host, port };
    const started = await this.transport.start(options, (event) => this.#take(event));
    this.port = started.port;
    return this;
  }

  get target(): DialTarget {
    return {
      keyHex: this.identity.keyHex,
      agentId: this.identity.agentId,
      host: this.host,
      port: this.port,
    };
  }

  trust(...hubs: readonly (TestHub | Identity)[]): void {
    const keys = hubs.map((hub) => ('identity' in hub ? hub.identity.keyHex : hub.keyHex));
    this.transport.setAdmission({ paired: keys, refused: [] });
  }

  /** Dials and throws unless it worked. */
  async connect(other: TestHub): Promise<ConnectionInfo> {
    const result = await this.transport.dial(other.target, AbortSignal.timeout(WAIT_LIMIT_MS));
    if (!result.ok) throw new Error(`the dial failed: ${JSON.stringify(result.error)}`);
    return result.value;
  }

  /** The first event of the type, past or to come, that fits. */
  async event<Type extends TransportEvent['type']>(
    type: Type,
    fits: (event: EventOf<Type>) => boolean = () => true,
  ): Promise<EventOf<Type>> {
    const isIt = (event: TransportEvent): event is EventOf<Type> =>
      event.type === type && fits(event as EventOf<Type>);
    const found = await this.until(`an event "${type}"`, () => this.events.find(isIt));
    return found;
  }

  eventsOf<Type extends TransportEvent['type']>(type: Type): readonly EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  /** Waits, woken by events, until `look` finds something. */
  until<Found>(
    what: string,
    look: () => Found | undefined,
    limitMs = WAIT_LIMIT_MS,
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        reject(
          new Error(
            `no sign of ${what}; seen: ${JSON.stringify(this.events.map((event) => event.type))}`,
          ),
        );
      }, limitMs);
      const check = (): void => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve(found);
      };
      this.#listeners.add(check);
      check();
    });
  }

  /**
   * Waits until a statistic fits; statistics have no event, so they are asked for again and again.
   */
  async counter(name: string, fits: (value: number) => boolean): Promise<number> {
    const startedAt = performance.now();
    for (;;) {
      const { counters } = await this.transport.statistics();
      const value = counters[name] ?? 0;
      if (fits(value)) return value;
      if (performance.now() - startedAt > WAIT_LIMIT_MS)
        throw new Error(`the counter ${name} stayed at ${value}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #take(event: TransportEvent): void {
    this.events.push(event);
    if (event.type === 'request') this.answer(this, event);
    for (const listener of this.#listeners) listener();
  }
}

/** Keeps hubs together and stops them all at the end of a test. */
export class Household {
  readonly #hubs: TestHub[] = [];
  readonly #create: () => Transport;

  constructor(create: () => Transport) {
    this.#create = create;
  }

  async hub(host = '127.0.0.1', identity: Identity = newIdentity()): Promise<TestHub> {
    const hub = new TestHub(this.#create(), host, identity);
    this.#hubs.push(hub);
    return hub.start();
  }

  /** Two hubs that trust each other, and the connection between them as the first sees it. */
  async pair(): Promise<{
    readonly near: TestHub;
    readonly far: TestHub;
    readonly connection: ConnectionInfo;
  }> {
    const [near, far] = [await this.hub(), await this.hub()];
    near.trust(far);
    far.trust(near);
    return { near, far, connection: await near.connect(far) };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#hubs.splice(0).map((hub) => hub.transport.stop()));
  }
}
