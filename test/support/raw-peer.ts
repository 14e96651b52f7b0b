// A hub that a whole hub has paired, and that says and answers exactly what a test tells it to. And
// the agent and the person of that whole hub, as far as messages between hubs need them.
import { randomUUID } from 'node:crypto';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import type { JsonObject } from '../../main/lib/json-object.ts';
import type { AgentReply } from '../../main/services/inbox/agent-reply.ts';
import type { ApprovalDto, DeliveryDto } from '../../preload/contract/dto.ts';
import { RawHub, type RawHeard, type RawReply } from '../unit/services/links/raw-hub.ts';
import { createInProcessTransport } from './in-process-transport.ts';
import type { TestHub } from './test-hub.ts';
import { until } from './until.ts';

export const WITHIN_MS = 20_000;
export const AGENT = 'family';
const LEASE_MS = 60_000;
/** What others ask of the agent; what it hears of its own requests is left where it is. */
const WORK = ['query', 'delegate', 'cancel'] as const;
/** What no version of the protocol knows. */
export const UNKNOWN = { not_in_any_version: { deep: [1, null] } };
export const OWNER = { actor: 'ui:test', surface: 'browser' } as const;
const FEATURES = ['delegate', 'ack', 'result', 'cancel', 'discover', 'capabilities'];

/** Gives the hub its agent, which may look at anything unasked; its token. */
export async function giveAgent(hub: TestHub): Promise<string> {
  const token = await hub.agent(AGENT);
  const choice = { riskClass: 'R0', isDefault: true } as const;
  await hub.node.services.work.agents.setClass(AGENT, choice, OWNER);
  return token;
}

/** What the agent is given next, once its person has allowed whatever waits, and the last card. */
export async function given(
  hub: TestHub,
): Promise<{ readonly item: DeliveryDto; readonly card: ApprovalDto | undefined }> {
  const { approvals, inbox } = hub.node.services.work;
  let card: ApprovalDto | undefined;
  const item = await until('an item for the agent', WITHIN_MS, async () => {
    for (const pending of approvals.pending()) {
      card = pending;
      const { id, revision, digest } = pending;
      await approvals.decide({ id, revision, digest, decision: 'allow' }, OWNER);
    }
    return (await inbox.claim(AGENT, 1, LEASE_MS, WORK))[0];
  });
  return { item, card };
}

export async function finish(
  hub: TestHub,
  { delivery_id }: DeliveryDto,
  words: Partial<AgentReply> = {},
): Promise<void> {
  const reply = { status: 'completed', summary: 'Done.', truncated: false, ...words } as const;
  await hub.node.services.work.inbox.reply(AGENT, delivery_id, reply);
}

/** What the hub's agent is answered at the local door. */
export async function atDoor(
  hub: TestHub,
  token: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<JsonObject> {
  const { status, text } = await hub.ask(path, { method, token, body });
  return { http: status, ...JSON.parse(text) };
}

export class RawPeer {
  readonly raw: RawHub;
  /** Its answer to each kind of request. */
  readonly answers = new Map<string, Pick<RawReply, 'kind' | 'payload'>>([
    ['ping', { kind: 'pong', payload: { status: 'idle' } }],
    ['discover', { kind: 'capabilities', payload: {} }],
    ['cancel', { kind: 'ack', payload: { accepted: true } }],
  ]);
  readonly #hub: TestHub;

  private constructor(hub: TestHub, raw: RawHub) {
    this.#hub = hub;
    this.raw = raw;
    raw.answer = ({ kind }) => this.answers.get(kind);
  }

  /** Pairs it with the hub, which dials it. */
  static async pair(hub: TestHub, name: string, hello: JsonObject = {}): Promise<RawPeer> {
    const peer = await RawPeer.start(hub);
    const payload = { protocol_versions: [1], selected_version: 1, features: FEATURES, ...hello };
    peer.answers.set('hello', { kind: 'hello', payload });
    await peer.add(name);
    await until(`${name} to be online`, WITHIN_MS, () =>
      hub.node.services.links.isOnline(peer.raw.key) ? true : undefined,
    );
    return peer;
  }

  static async start(hub: TestHub): Promise<RawPeer> {
    const deps = { clock: new SystemClock(), random: new SystemRandom() };
    return new RawPeer(hub, await new RawHub(createInProcessTransport(deps)).start());
  }

  /** The hub is told of it, and dials it. */
  async add(name: string): Promise<void> {
    const { key: keyHex, port } = this.raw;
    const target = { keyHex, host: '127.0.0.1', port, name, way: 'key' } as const;
    await this.#hub.node.services.keyTrust.add(target, OWNER);
  }

  stop(): Promise<void> {
    return this.raw.transport.stop();
  }

  /** The hub's reply to this request, whose envelope may be changed. */
  async ask(kind: string, payload?: unknown, change: JsonObject = {}): Promise<RawReply> {
    const reply = await this.raw.ask(this.#line, this.#message(kind, payload, change));
    if (reply === undefined) throw new Error(`no reply to ${kind}`);
    return reply;
  }

  /** Sends it on a unidirectional stream. */
  async tell(kind: string, payload: unknown, change: JsonObject = {}): Promise<void> {
    const bytes = this.#message(kind, payload, change);
    const sent = await this.raw.transport.send(this.#line.connectionId, bytes);
    if (!sent.ok) throw new Error(`${kind} was not sent: ${sent.error.type}`);
  }

  /** The first message of the hub of which this holds. */
  sees(what: string, holds: (heard: RawHeard) => boolean): Promise<RawHeard> {
    return until(what, WITHIN_MS, () => this.raw.heard.find(holds));
  }

  get #line() {
    const line = this.raw.events.findLast((event) => event.type === 'connected');
    if (line === undefined) throw new Error('the hub has not dialled');
    return line.connection;
  }

  #message(kind: string, payload: unknown, change: JsonObject): Uint8Array {
    const { agentId } = this.#hub.node.services.identity;
    return this.raw.envelope(agentId, kind, payload, { id: randomUUID(), ...change });
  }
}
