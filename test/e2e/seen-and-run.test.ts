// What a person saw is, byte for byte, what runs. A hub that was paired by digits sends a
// delegation of its own making to a built hub; its words are read wherever they come to light: in
// the page, in the store, at every door of the hub, before and after a power cut. All of it is
// compared with what the test makes of the bytes on the wire by a second writing of the escaping.
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showHidden } from '../../main/lib/hidden-characters.ts';
import type { ApprovalDto, DeliveryDto, UiEvent } from '../../preload/contract/dto.ts';
import { newIdentity, type Identity } from '../integration/quic-test-hub.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { LightPeer } from '../support/crowd/light-peer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { allowOnCard, readCard } from './card-reader.ts';
import { LocalDoors, wordsOfCard, wordsOfItem, type Gave } from './local-doors.ts';
import {
  hashOf,
  nastyBytes,
  sealOf,
  wordsOfBytes,
  wordsOfPayload,
  type Words,
} from './nasty-request.ts';
import { pairByApi } from './pair-by-api.ts';
import { plainlyEscaped } from './plain-escape.ts';
import { changeOneByte, STORED_PARTS, type StoredPart } from './stored-rows.ts';

const ACK_WITHIN_MS = 20_000;
const ONLINE_WITHIN_MS = 20_000;
const SHOWN_WITHIN_MS = 20_000;
/** Requests come faster here than a person would send them. */
const QUICK = ['--discovery', 'off', '--peer-rate-factor', '100'];
const MUM = 'Mum';
const DAMAGED = 'The stored request was damaged; it was not run.';

describe.skipIf(!hasRealPart('chromium'))('what a person saw is what runs', () => {
  const computer = new ThisComputer('this computer');
  const hubs: HubProcess[] = [];
  let mum: HubProcess;
  let doors: LocalDoors;
  let dad: LightPeer;
  let mumsAgentId: string;
  let browser: Browser;

  /**
   * Dad's hub pairs with Mum's as people do; then its key speaks for itself, and sends what no hub
   * of ours would.
   */
  beforeAll(async () => {
    for (const name of ['Dad', MUM])
      hubs.push(await HubProcess.start(computer, { name, flags: QUICK }));
    const [paired, asked] = hubs;
    if (paired === undefined || asked === undefined) throw new Error('two hubs were started');
    mum = asked;
    const owner = await mum.owner();
    await owner.call('settings.update', { person: MUM });
    const name = 'claude-code';
    const { token } = await owner.call('agents.create', { name, domains: ['family.chat'] });
    doors = new LocalDoors(mum, { name, token });
    await pairByApi(await paired.owner(), owner, { asking: 'Dad', asked: MUM });
    await paired.kill('SIGTERM');
    const seed = Buffer.from(await readFile(join(paired.home, 'identity.key'), 'utf8'), 'base64');
    mumsAgentId = (await owner.call('hub.whoami', {})).hub.agent_id ?? '';
    dad = await connect(newIdentity(new Uint8Array(seed)));
    browser = await openBrowser(computer);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await dad?.stop();
    await Promise.all(hubs.map((hub) => hub.remove()));
    await computer.close();
  });

  /** A line with Mum's hub, which has another port after each start. */
  async function connect(identity: Identity): Promise<LightPeer> {
    // The API answers a moment before that port is open.
    const hub = await until('the port between hubs', ONLINE_WITHIN_MS, async () => {
      const { hub: known } = await (await mum.owner()).call('hub.whoami', {});
      return known.peer_port === null ? undefined : known;
    });
    const target = {
      keyHex: hub.public_key ?? '',
      agentId: mumsAgentId,
      host: '127.0.0.1',
      port: hub.peer_port ?? 0,
    };
    const peer = await new LightPeer(identity, '127.0.0.1', target).start();
    await until('a line to Mum’s hub', ONLINE_WITHIN_MS, () => peer.isConnected || undefined);
    return peer;
  }

  async function cutPower(meanwhile: () => void = () => undefined): Promise<void> {
    await dad.stop();
    await mum.kill('SIGKILL');
    meanwhile();
    await mum.restart();
    dad = await connect(dad.identity);
  }

  /** Sends it and waits until it is before the person. */
  async function delegate(
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly bytes: Buffer; readonly card: ApprovalDto }> {
    const id = randomUUID();
    const bytes = nastyBytes(
      { id, from: dad.identity.agentId, to: mumsAgentId, at: Date.now() },
      more,
    );
    expect(await dad.askBytes(bytes, ACK_WITHIN_MS)).toBe('ack');
    const owner = await mum.owner();
    const card = await until('the card', SHOWN_WITHIN_MS, async () => {
      const { items } = await owner.call('approvals.list', {});
      return items.find(({ message_id: message }) => message === id);
    });
    return { bytes, card };
  }

  const agent = (): HubApi => mum.api.withToken(doors.token);

  /** By its door, the seal of what each of them gave. */
  const sealsOf = (gave: Gave): readonly string[] =>
    gave.map(
      ([door, shown]) => `${door}: ${'fields' in shown ? sealOf(shown) : hashOf(shown.text)}`,
    );
  /** The same as it must be. */
  const sealsFor = (words: Words, gave: Gave): readonly string[] =>
    gave.map(
      ([door, shown]) => `${door}: ${'fields' in shown ? sealOf(words) : hashOf(words.text)}`,
    );

  /** The digest of the decision, computed again from what is stored as an executor does. */
  function digestOfStored(id: string): string {
    return createHash('sha256')
      .update('axon-hub/approval/v1\0')
      .update(doors.stored(id).view)
      .digest('hex');
  }

  it('the second writing of the escaping and the hub’s own agree on each character', () => {
    const differ = Array.from({ length: 0x3100 }, (_, index) => [
      index,
      0xd700 + index,
      0xe0000 + index - 0x1000,
      0x13000 + index,
    ])
      .flat()
      .map((number) => String.fromCodePoint(number))
      .filter((character) => plainlyEscaped(character) !== showHidden(character));
    expect(differ).toEqual([]);
  });

  it('one SHA-256 holds for the wire, the page, the store, every door before and after SIGKILL, and the program that runs it', async () => {
    let owner = await mum.owner();
    const page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
    await page.goto(await mum.loginLink());
    const events = await owner.follow();

    // One that is taken and done before the power cut, and one that is only looked at before it.
    for (const isCut of [false, true]) {
      const { bytes, card } = await delegate();
      const words = wordsOfBytes(bytes);
      const before: [string, Words][] = [];

      const { data } = await events.next(
        (event) => isCardOf(event.data, card.id),
        'the page was told',
      );
      before.push([
        'GET /v1/events',
        wordsOfCard((data as Extract<UiEvent, { type: 'approval' }>).approval),
      ]);
      const seen = await readCard(page, card.id);
      before.push(['the page', seen.words]);
      expect(seen.layouts).toEqual(['pre-wrap none visible 1 isolate']);
      const view: { readonly text: string; readonly payload: unknown } = JSON.parse(
        doors.stored(card.id).view,
      );
      before.push(['the stored view', wordsOfPayload(view.text, view.payload)]);
      const shown = [...before, ...(await doors.toPerson(card.id))];
      expect(sealsOf(shown)).toEqual(sealsFor(words, shown));
      expect((await agent().call('inbox.claim', { max: 8 })).items).toEqual([]);

      await allowOnCard(page, card.id, MUM);
      const { digest, delivery } = doors.stored(card.id);
      expect(JSON.parse(delivery ?? '')).toMatchObject({
        untrusted: null,
        approval: { digest, by: MUM, surface: 'browser' },
      });

      const items: DeliveryDto[] = [];
      const take = async (): Promise<void> => {
        const taken = await doors.toAgent(card.task_id);
        expect(sealsOf(taken.gave)).toEqual(sealsFor(words, taken.gave));
        items.push(...taken.items);
      };
      await take();
      if (isCut) {
        await cutPower();
        owner = await mum.owner();
      }
      const again = await doors.toAgentAgain();
      expect(sealsOf(again.gave)).toEqual(sealsFor(words, again.gave));
      items.push(again.repeated);
      if (isCut) {
        await take();
        const eighth = await doors.giveBack(items.at(-1) ?? again.repeated);
        // It was delivered eight times by now: a person says that it may be tried again.
        expect(eighth.attempt).toBe(8);
        await owner.call('inbox.requeue', { delivery: eighth.delivery_id });
      }
      const ran = await doors.listen();
      expect(sealOf(wordsOfItem(ran))).toBe(sealOf(words));
      expect((await agent().call('tasks.get', { id: card.task_id })).untrusted?.outcome).toBe(
        hashOf(words.text),
      );

      const after = await doors.ofTask(card.task_id);
      expect(sealsOf(after.slice(0, -1))).toEqual(sealsFor(words, after.slice(0, -1)));
      const decided = [
        [
          'GET /v1/approvals/ID, decided',
          wordsOfCard(await owner.call('approvals.get', { id: card.id })),
        ],
      ] as const;
      expect(sealsOf(decided)).toEqual(sealsFor(words, decided));
      const digests = [...items, ran].flatMap((item) => [
        item.untrusted.digest,
        item.approval?.digest,
      ]);
      expect([digest, ...digests]).toEqual(Array(digests.length + 1).fill(card.digest));
      expect([digestOfStored(card.id), seen.digest]).toEqual([
        card.digest,
        card.digest.slice(0, 16),
      ]);
      const { items: record } = await owner.call('audit.list', { limit: 200 });
      expect(
        record.find(({ action, object }) => action === 'approval.allowed' && object === card.id)
          ?.digest,
      ).toBe(card.digest);
    }
    events.close();
    await page.close();
  });

  it('one byte that was changed in what is stored, while the hub was down, keeps it from everybody, and is on record', async () => {
    const owner = await mum.owner();
    const allowed = async (): Promise<ApprovalDto> => {
      const { card } = await delegate();
      const { id, revision, digest } = card;
      return await owner.call('approvals.decide', { id, revision, digest, decision: 'allow' });
    };
    const held = await allowed();
    const { items } = await agent().call('inbox.claim', { max: 8, lease_ms: 600_000 });
    expect(items.map(({ task_id: task }) => task)).toEqual([held.task_id]);
    const changed: { readonly part: StoredPart; readonly card: ApprovalDto }[] = [];
    for (const part of STORED_PARTS) changed.push({ part, card: await allowed() });
    const untouched = await allowed();
    const { card: waiting } = await delegate();

    await cutPower(() => {
      for (const { part, card } of changed) changeOneByte(mum.home, card.task_id, part);
      for (const { task_id: task } of [held, waiting])
        changeOneByte(mum.home, task, 'the words that were shown');
    });

    const ack = agent().call('inbox.ack', { delivery: items[0]?.delivery_id ?? '' });
    await expect(ack).rejects.toMatchObject({ problem: { code: 'gone', detail: DAMAGED } });
    const handed = await agent().call('inbox.claim', { max: 32 });
    // Whoever holds what was stopped is told so.
    const taken = handed.items.map(({ kind, task_id: task }) => [kind, task]);
    expect(taken).toEqual([
      ['cancel', held.task_id],
      ['delegate', untouched.task_id],
    ]);
    for (const { task_id: id } of [held, ...changed.map(({ card }) => card)]) {
      expect(await agent().call('tasks.get', { id })).toMatchObject({
        state: 'failed',
        code: 'internal',
        reason: DAMAGED,
      });
    }

    const person = await mum.owner();
    const { id, revision, digest } = waiting;
    for (const card of [waiting, held]) {
      const shown = await person.call('approvals.get', { id: card.id });
      expect([shown.text, shown.fields]).toEqual([
        'This request was damaged in the store. It cannot be allowed.',
        [],
      ]);
    }
    const decided = person.call('approvals.decide', { id, revision, digest, decision: 'allow' });
    await expect(decided).rejects.toMatchObject({ problem: { code: 'request_changed' } });
    expect((await agent().call('inbox.claim', { max: 32 })).items).toEqual([]);

    const { items: record } = await person.call('audit.list', { limit: 200 });
    const refused = record
      .filter(({ action }) => action === 'delivery.refused')
      .map(({ detail }) => detail);
    const tasks = [held, ...changed.map(({ card }) => card)].map(({ task_id: task }) => task);
    expect(refused.map((detail) => JSON.stringify(detail)).toSorted()).toEqual(
      tasks.map((task) => JSON.stringify({ task })).toSorted(),
    );
    expect(record.filter(({ action }) => action === 'approval.digest_mismatch')).toMatchObject([
      { object: waiting.id, digest },
    ]);
  });
});

function isCardOf(data: unknown, id: string): boolean {
  const event = data as UiEvent | undefined;
  return event?.type === 'approval' && event.approval.id === id;
}
