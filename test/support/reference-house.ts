// A hub with its work over real QUIC, a real store and the real clock, beside a scripted reference
// daemon: what the tests of the two share.
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { PeerRates } from '../../main/services/links/peer-rates.ts';
import { composeTaskServices, type TaskServices } from '../../main/app/task-services.ts';
import { HubStack, type MemoryVault, PERSON } from '../fakes/hub-stack.ts';
import { SILENT_LOG, type TemporaryStore } from '../fakes/memory-store.ts';
import { OWNER } from '../fakes/work-hub.ts';
import { createInProcessTransport } from './in-process-transport.ts';
import { ReferenceDaemon } from './reference-daemon.ts';

const WAIT_LIMIT_MS = 20_000;
/** tcpmux: nothing listens there on UDP. */
const NOBODYS_PORT = 1;
const clock = new SystemClock();
const random = new SystemRandom();

export interface QuicHub {
  readonly stack: HubStack;
  readonly work: TaskServices;
}

export class ReferenceHouse {
  readonly #ends: (() => Promise<void>)[] = [];

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }

  /**
   * @param kept what an earlier run left: with its store this is that hub started again, with the
   * vault alone another one with its key
   */
  async hub(
    name: string,
    kept: { readonly store?: TemporaryStore; readonly vault?: MemoryVault } = {},
    port = 0,
  ): Promise<QuicHub> {
    const transport = createInProcessTransport({ clock, random });
    const stack = new HubStack({ clock, name, transport, ...kept });
    this.#ends.push(() => (kept.store === undefined ? stack.stop() : stack.halt()));
    const work = composeTaskServices({
      approvalWaitMs: () => 3_600_000,
      turnsMax: () => 12,
      rulesMayAct: () => true,
      personName: () => null,
      timeZone: () => 'UTC',
      store: stack.store,
      clock,
      random,
      log: SILENT_LOG,
      events: stack.events,
      messenger: stack.links,
      rates: new PeerRates(clock),
      resolvePeer: (to) => stack.directory.resolve(to),
      pinnedPeer: (id) => stack.directory.resolvePinned(id),
      refreshCapabilities: (peer) => stack.links.refreshCapabilities(peer),
      hubName: () => name,
      mintAgentToken: (agent) => Promise.resolve(agent),
      revokeAgentTokens: () => () => undefined,
    });
    await stack.start(port);
    await work.start();
    this.#ends.push(() => work.stop());
    return { stack, work };
  }

  async daemon(seed?: Uint8Array, port = 0): Promise<ReferenceDaemon> {
    const daemon = await new ReferenceDaemon(seed).start(port);
    this.#ends.push(() => daemon.stop().catch(() => undefined));
    return daemon;
  }

  /**
   * A hub with an agent, and a daemon it trusts by its share token and that knows it too, online to
   * each other.
   */
  async both(): Promise<{ readonly hub: QuicHub; readonly daemon: ReferenceDaemon }> {
    const [hub, daemon] = [await this.hub('Mum'), await this.daemon()];
    await hub.work.agents.create('claude', { domains: ['family.chat'] }, 'R2', OWNER);
    daemon.knows(hub.stack.key);
    await this.trust(hub, daemon);
    await this.until(hub, () => hub.stack.links.isOnline(daemon.keyHex), 'the daemon is online');
    return { hub, daemon };
  }

  trust(
    { stack }: QuicHub,
    { keyHex, port }: Pick<ReferenceDaemon, 'keyHex' | 'port'>,
    name = 'Attic',
  ) {
    return stack.keyTrust.add(
      { keyHex, host: '127.0.0.1', port, name, way: 'share_token' },
      PERSON,
    );
  }

  /** As trust(), with an address at which nobody answers: only the daemon can dial. */
  trustUnreachable(hub: QuicHub, { keyHex }: ReferenceDaemon) {
    return this.trust(hub, { keyHex, port: NOBODYS_PORT });
  }

  /** Waits, woken by the hub's events, until the condition holds. */
  until({ stack }: QuicHub, condition: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (failure?: Error): void => {
        timer.cancel();
        stopListening();
        if (failure) reject(failure);
        else resolve();
      };
      const check = (): void => {
        if (condition()) finish();
      };
      const timer = clock.setTimer(WAIT_LIMIT_MS, () =>
        finish(new Error(`${what} did not come true`)),
      );
      const stopListening = stack.events.subscribe(check);
      check();
    });
  }
}
