// Two paired hubs with an agent of each language at either: what they say to each other goes by the
// documents of their languages alone, over HTTP and real QUIC.
import { expect } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import type { OperationParams } from '../../../preload/contract/operations.ts';
import { pairHubs } from '../../support/paired-hubs.ts';
import { atDoor, OWNER, WITHIN_MS } from '../../support/raw-peer.ts';
import { DIALECTS } from '../../support/seed-messages.ts';
import { TestHub } from '../../support/test-hub.ts';
import { until } from '../../support/until.ts';

/** Dad's agents ask, Mum's do. */
export const LANGUAGES = ['native', ...DIALECTS] as const;
export type Language = (typeof LANGUAGES)[number];
export const asks = (language: Language): string => `asks-${language}`;
export const does = (language: Language): string => `does-${language}`;
export const CAPABILITY = 'data-analysis';
/** Of the agent with the capability. */
export const AREA = `${does('fipa-acl')}.work`;

const UNHURRIED = { peerRateFactor: 1_000, requestsPerSecond: 10_000 };
type Decision = OperationParams<'approvals.decide'>;

export class SeedHousehold {
  readonly #tokens = new Map<string, string>();
  readonly #hubs = new Map<string, TestHub>();
  readonly dad: TestHub;
  #mum: TestHub;

  private constructor(dad: TestHub, mum: TestHub) {
    this.dad = dad;
    this.#mum = mum;
  }

  get mum(): TestHub {
    return this.#mum;
  }

  static async start(): Promise<SeedHousehold> {
    const [dad, mum] = [await TestHub.start(UNHURRIED), await TestHub.start(UNHURRIED)];
    await pairHubs(dad, mum, ['Mum', 'Dad']);
    const house = new SeedHousehold(dad, mum);
    for (const language of LANGUAGES) {
      await house.join(dad, asks(language), language, {});
      const offers = language === 'fipa-acl' ? { capabilities: [CAPABILITY] } : {};
      await house.join(mum, does(language), language, offers);
    }
    // Each change is told by itself: Dad's hub may know some of Mum's agents and not the last one.
    const offers = LANGUAGES.map((language) => ({ domain: `${does(language)}.work` }));
    for (const to of [...offers, { capability: CAPABILITY }])
      await until('what Mum offers', WITHIN_MS, async () => {
        const route = await house.post(dad, asks('native'), '/v1/route', { to });
        return route['chosen'];
      });
    return house;
  }

  async stop(): Promise<void> {
    await this.dad.stop();
    await this.mum.stop();
  }

  /** Until Dad's hub has read that an agent of Mum's offers this, and so each that joined before. */
  async offered(capability: string): Promise<void> {
    await until('what Mum offers', WITHIN_MS, async () => {
      const route = await this.post(this.dad, asks('native'), '/v1/route', { to: { capability } });
      return route['chosen'];
    });
  }

  async restartMum(): Promise<void> {
    const before = this.mum;
    await before.node.stop();
    this.#mum = await TestHub.start({ home: before.home, ...UNHURRIED });
    for (const [agent, hub] of this.#hubs) if (hub === before) this.#hubs.set(agent, this.mum);
  }

  async join(hub: TestHub, name: string, language: Language, offers: JsonObject): Promise<void> {
    const token = await hub.agent(name);
    this.#tokens.set(name, token);
    this.#hubs.set(name, hub);
    const dialect = language === 'native' ? {} : { dialect: language };
    const profile = { ...offers, ...dialect };
    if (Object.keys(profile).length === 0) return;
    expect(await atDoor(hub, token, `/v1/agents/${name}`, profile, 'PATCH')).toMatchObject({
      http: 200,
    });
  }

  tokenOf(agent: string): string {
    return this.#tokens.get(agent) ?? '';
  }

  post(hub: TestHub, agent: string, path: string, body?: JsonObject): Promise<JsonObject> {
    return atDoor(hub, this.tokenOf(agent), path, body);
  }

  /** A message in the agent's language. */
  say(agent: string, message: JsonObject): Promise<JsonObject> {
    return this.post(this.#hubOf(agent), agent, '/v1/messages', message);
  }

  /** The next item of an agent, taken. */
  async item(agent: string): Promise<JsonObject> {
    const hub = this.#hubOf(agent);
    const claimed = await this.post(hub, agent, '/v1/inbox/claim', {
      max: 1,
      wait_ms: WITHIN_MS,
    });
    const [item] = claimed['items'] as readonly JsonObject[];
    if (item === undefined) throw new Error(`nothing came for ${agent}`);
    await this.post(hub, agent, `/v1/inbox/${String(item['delivery_id'])}/ack`, {});
    return item;
  }

  /** The same in the agent's language. */
  async next(agent: string): Promise<JsonObject> {
    const { untrusted } = await this.item(agent);
    return (untrusted as JsonObject)['native'] as JsonObject;
  }

  /** The end of a task, whatever its asker was told of it before. */
  async answer(agent: string): Promise<JsonObject> {
    for (;;) {
      const { kind, untrusted } = await this.item(agent);
      if (kind === 'result') return (untrusted as JsonObject)['native'] as JsonObject;
    }
  }

  /** What waits for an agent now, left there. */
  async waiting(agent: string): Promise<number> {
    const claimed = await this.post(this.#hubOf(agent), agent, '/v1/inbox/claim', { max: 5 });
    return (claimed['items'] as readonly unknown[]).length;
  }

  /** What waits for a person at Mum's hub, or at another one, once it is there. */
  card(hub = this.mum): Promise<ApprovalDto> {
    const { approvals } = hub.node.services.work;
    return until('a card', WITHIN_MS, () => approvals.pending()[0]);
  }

  /** That person allows it. */
  allow(hub = this.mum): Promise<void> {
    return this.decide({ decision: 'allow' }, hub);
  }

  async decide(
    said: Pick<Decision, 'decision' | 'choice' | 'answer'>,
    hub = this.mum,
  ): Promise<void> {
    const { id, revision, digest } = await this.card(hub);
    await hub.node.services.work.approvals.decide({ id, revision, digest, ...said }, OWNER);
  }

  /** A task as its asker reads it, once it is over. */
  ended(agent: string, id: unknown): Promise<JsonObject> {
    return this.post(this.#hubOf(agent), agent, `/v1/tasks/${String(id)}?wait=20000`);
  }

  /** A task of the native asker at an agent of Mum's, allowed; the item as that agent reads it. */
  async asked(
    language: Language,
    task = 'Bake a cake',
  ): Promise<{ id: unknown; read: JsonObject }> {
    const to = `Mum/${does(language)}`;
    const { id } = await this.post(this.dad, asks('native'), '/v1/delegate', { to, task });
    await this.allow();
    return { id, read: await this.next(does(language)) };
  }

  #hubOf(agent: string): TestHub {
    return this.#hubs.get(agent) ?? this.mum;
  }
}
