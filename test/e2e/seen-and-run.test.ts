// What a person saw is, byte for byte, what runs. A hub that was paired by digits sends a delegation of its own making to a built hub; its
// words are read wherever they come to light: in the page, in the store, at every door of the hub, before and after a power cut. All of it is
// compared with what the test makes of the bytes on the wire by a second writing of the escaping.
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showHidden } from '../../main/lib/hidden-characters.ts';
import type { ApprovalDto, DeliveryDto, UiEvent } from '../../preload/contract/dto.ts';
import { newIdentity } from '../integration/quic-test-hub.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { LightPeer } from '../support/crowd/light-peer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { allowOnCard, readCard } from './card-reader.ts';
import { LocalDoors, wordsOfCard, wordsOfItem, type Gave } from './local-doors.ts';
import { hashOf, nastyBytes, sealOf, wordsOfBytes, wordsOfPayload, type Words } from './nasty-request.ts';
import { pairByApi } from './pair-by-api.ts';
import { plainlyEscaped } from './plain-escape.ts';

const ACK_WITHIN_MS = 20_000;
const SHOWN_WITHIN_MS = 20_000;
/** Requests come faster here than a person would send them. */
const QUICK = ['--discovery', 'off', '--peer-rate-factor', '100'];
const MUM = 'Mum';

describe.skipIf(!hasRealPart('chromium'))('what a person saw is what runs', () => {
  const computer = new ThisComputer('this computer');
  const hubs: HubProcess[] = [];
  let mum: HubProcess;
  let doors: LocalDoors;
  let dad: LightPeer;
  let mumsAgentId: string;
  let browser: Browser;

  /** Dad's hub pairs with Mum's as people do; then its key speaks for itself, and sends what no hub of ours would. */
  beforeAll(async () => {
    for (const name of ['Dad', MUM]) hubs.push(await HubProcess.start(computer, { name, flags: QUICK }));
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
    const { hub } = await owner.call('hub.whoami', {});
    mumsAgentId = hub.agent_id ?? '';
    const target = { keyHex: hub.public_key ?? '', agentId: mumsAgentId, host: '127.0.0.1', port: hub.peer_port ?? 0 };
    dad = await new LightPeer(newIdentity(new Uint8Array(seed)), '127.0.0.1', target).start();
    await dad.connected();
    browser = await openBrowser(computer);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await dad?.stop();
    await Promise.all(hubs.map((hub) => hub.remove()));
    await computer.close();
  });

  /** Sends it and waits until it is before the person. */
  async function delegate(more: Readonly<Record<string, unknown>> = {}): Promise<{ readonly bytes: Buffer; readonly card: ApprovalDto }> {
    const id = randomUUID();
    const bytes = nastyBytes({ id, from: dad.identity.agentId, to: mumsAgentId, at: Date.now() }, more);
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
    gave.map(([door, shown]) => `${door}: ${'fields' in shown ? sealOf(shown) : hashOf(shown.text)}`);
  /** The same as it must be. */
  const sealsFor = (words: Words, gave: Gave): readonly string[] =>
    gave.map(([door, shown]) => `${door}: ${'fields' in shown ? sealOf(words) : hashOf(words.text)}`);

  /** The digest of the decision, computed again from what is stored as an executor does. */
  function digestOfStored(id: string): string {
    return createHash('sha256').update('axon-hub/approval/v1\0').update(doors.stored(id).view).digest('hex');
  }

  it('the second writing of the escaping and the hub’s own agree on each character', () => {
    const differ = Array.from({ length: 0x3100 }, (_, index) => [index, 0xd700 + index, 0xe0000 + index - 0x1000, 0x13000 + index])
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

      const { data } = await events.next((event) => isCardOf(event.data, card.id), 'the page was told');
      before.push(['GET /v1/events', wordsOfCard((data as Extract<UiEvent, { type: 'approval' }>).approval)]);
      const seen = await readCard(page, card.id);
      before.push(['the page', seen.words]);
      expect(seen.layouts).toEqual(['pre-wrap none visible 1 isolate']);
      const view: { readonly text: string; readonly payload: unknown } = JSON.parse(doors.stored(card.id).view);
      before.push(['the stored view', wordsOfPayload(view.text, view.payload)]);
      const shown = [...before, ...(await doors.toPerson(card.id))];
      expect(sealsOf(shown)).toEqual(sealsFor(words, shown));
      expect((await agent().call('inbox.claim', { max: 8 })).items).toEqual([]);

      await allowOnCard(page, card.id, MUM);
      const { digest, delivery } = doors.stored(card.id);
      expect(JSON.parse(delivery ?? '')).toMatchObject({ untrusted: null, approval: { digest, by: MUM, surface: 'browser' } });

      const items: DeliveryDto[] = [];
      const take = async (): Promise<void> => {
        const taken = await doors.toAgent(card.task_id);
        expect(sealsOf(taken.gave)).toEqual(sealsFor(words, taken.gave));
        items.push(...taken.items);
      };
      await take();
      if (isCut) {
        await mum.kill('SIGKILL');
        await mum.restart();
        owner = await mum.owner();
      }
      const again = await doors.toAgentAgain();
      expect(sealsOf(again.gave)).toEqual(sealsFor(words, again.gave));
      items.push(again.repeated);
      if (isCut) {
        await take();
        await doors.giveBack(items.at(-1) ?? again.repeated);
      }
      const ran = await doors.listen();
      expect(sealOf(wordsOfItem(ran))).toBe(sealOf(words));
      expect((await agent().call('tasks.get', { id: card.task_id })).untrusted?.outcome).toBe(hashOf(words.text));

      const after = await doors.ofTask(card.task_id);
      expect(sealsOf(after.slice(0, -1))).toEqual(sealsFor(words, after.slice(0, -1)));
      const decided = [['GET /v1/approvals/ID, decided', wordsOfCard(await owner.call('approvals.get', { id: card.id }))]] as const;
      expect(sealsOf(decided)).toEqual(sealsFor(words, decided));
      const digests = [...items, ran].flatMap((item) => [item.untrusted.digest, item.approval?.digest]);
      expect([digest, ...digests]).toEqual(Array(digests.length + 1).fill(card.digest));
      expect([digestOfStored(card.id), seen.digest]).toEqual([card.digest, card.digest.slice(0, 16)]);
      const { items: record } = await owner.call('audit.list', { limit: 200 });
      expect(record.find(({ action, object }) => action === 'approval.allowed' && object === card.id)?.digest).toBe(card.digest);
    }
    events.close();
    await page.close();
  });
});

function isCardOf(data: unknown, id: string): boolean {
  const event = data as UiEvent | undefined;
  return event?.type === 'approval' && event.approval.id === id;
}
