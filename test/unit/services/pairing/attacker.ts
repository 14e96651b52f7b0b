// A hub that plays the initiator of a pairing by hand, step by step, as a stranger who keeps to no
// rule may.
import { randomBytes } from 'node:crypto';
import { isJsonObject } from '../../../../main/lib/json-object.ts';
import type { ConnectionInfo } from '../../../../main/ports/transport.ts';
import { abortPayload, newOffer, parsePairStep } from '../../../../main/protocol/pairing.ts';
import { keyBytes } from '../../../../main/services/pairing/pairing-session.ts';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import type { RawHub, RawReply } from '../links/raw-hub.ts';

/** An attacker that plays the initiator by hand. */
export class Attacker {
  readonly raw: RawHub;
  pid = new Uint8Array(randomBytes(16));
  readonly nonce = new Uint8Array(randomBytes(32));
  readonly meta = { hub: 'Friendly hub' };
  #line: ConnectionInfo | undefined;
  readonly #target: HubStack;
  readonly #clock: ManualClock;

  constructor(raw: RawHub, target: HubStack, clock: ManualClock) {
    this.raw = raw;
    this.#target = target;
    this.#clock = clock;
  }

  get key(): Uint8Array {
    return keyBytes(this.raw.key);
  }

  get offer(): ReturnType<typeof newOffer> {
    return newOffer({ pid: this.pid, key: this.key, meta: this.meta, nonce: this.nonce });
  }

  async connect(): Promise<this> {
    return this.over(await this.raw.connect(this.#target));
  }

  /** The same over a connection that is there. */
  async over(line: ConnectionInfo): Promise<this> {
    this.#line = line;
    await this.raw.hello(line, this.#target);
    return this;
  }

  /** Why its connection ended, if it did. */
  get ended(): number | null | undefined {
    return this.#line === undefined ? undefined : this.raw.ended(this.#line)?.code;
  }

  /** Offers with another id than before; what it is answered: "ack", or the code of the error. */
  async offers(): Promise<unknown> {
    this.pid = new Uint8Array(randomBytes(16));
    const reply = await this.step(this.offer.payload);
    return reply?.kind === 'ack' ? 'ack' : reply?.payload['code'];
  }

  /** Takes its last offer back. */
  async takesBack(): Promise<void> {
    await this.step(abortPayload(this.pid, 'changed my mind'));
  }

  async step(payload: unknown): Promise<RawReply | undefined> {
    if (this.#line === undefined) throw new Error('not connected');
    return this.raw.ask(this.#line, this.raw.envelope(this.#target.agentId, 'pair', payload));
  }

  /** The answer that the target sent to us as a request of its own; it is acked. */
  async takeAnswer(): Promise<{ meta: Readonly<Record<string, unknown>>; nonce: Uint8Array }> {
    const event = this.raw.events.findLast((candidate) => candidate.type === 'request');
    if (event?.type !== 'request') throw new Error('no answer came');
    const envelope: unknown = JSON.parse(new TextDecoder().decode(event.bytes));
    if (!isJsonObject(envelope) || !isJsonObject(envelope['payload']))
      throw new Error('no envelope');
    const step = parsePairStep(envelope['payload']);
    if (!step.ok || step.value.step !== 'answer') throw new Error('no answer step');
    this.raw.transport.respond(
      event.connectionId,
      event.streamId,
      this.raw.envelope(this.#target.agentId, 'ack', { accepted: true }, { ref: envelope['id'] }),
    );
    await this.#clock.settle();
    return step.value;
  }

  async stop(): Promise<void> {
    await this.raw.transport.stop();
  }
}
