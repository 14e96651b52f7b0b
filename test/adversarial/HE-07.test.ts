// HE-07: hubs with names made to deceive, from the first announcement to a paired hub whose request
// makes a notification: what people see of such a name on each page, at the terminal and in a
// notification, and what the hub itself calls it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forLine, jsonForTerminal } from '../../main/cli/escape.ts';
import { HIDDEN_NAME } from '../../main/core/text-escape.ts';
import type { PairingState } from '../../preload/contract/pairing-dto.ts';
import { requestNotification } from '../../preload/contract/desktop-strings.ts';
import { type HubStack, PERSON } from '../fakes/hub-stack.ts';
import { StackHouse } from '../support/stack-house.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

const named = (name: string): Promise<HubStack> => house.hub(name, { profile: { person: name } });

/** Mum, who knows a hub that she calls Coco, and one nearby that calls itself `name`. */
async function neighbours(name: string): Promise<{ mum: HubStack; eve: HubStack }> {
  const [mum, coco, eve] = [await named('Mum'), await named('Coco'), await named(name)];
  await mum.pins(coco, 'Coco');
  mum.hears(eve);
  eve.hears(mum);
  // While its page for adding hubs is open it tells its name.
  eve.pairing.setWindow(true, 5);
  await house.clock.until(
    () => mum.peer(eve).untrusted.advertised_name !== null,
    'it has said its name',
    60_000,
  );
  eve.pairing.setWindow(false, 5);
  return { mum, eve };
}

async function pair(mum: HubStack, eve: HubStack): Promise<void> {
  const reaches = (stack: HubStack, state: PairingState) =>
    house.clock.until(() => stack.currentPairing?.state === state, `${state} is reached`, 60_000);
  const id = (stack: HubStack) => stack.currentPairing?.id ?? '';
  mum.pairing.setWindow(true, 5);
  eve.pairing.begin(mum.agentId, 'Mum');
  await reaches(mum, 'offered');
  mum.pairing.open(id(mum));
  await reaches(mum, 'show_six');
  await reaches(eve, 'type_six');
  await eve.pairing.type(id(eve), mum.currentPairing?.six ?? '', PERSON);
  await reaches(eve, 'show_two');
  await reaches(mum, 'type_two');
  await mum.pairing.type(id(mum), eve.currentPairing?.two ?? '', PERSON);
  await house.clock.until(
    () => mum.directory.isPaired(eve.key) && eve.directory.isPaired(mum.key),
    'they are paired',
  );
}

const HIDDEN: readonly (readonly [string, string])[] = [
  ['a right-to-left override', 'Dad\u202egpj.exe'],
  ['a mark of trust on a line of its own', 'Dad [verified]\nCoco'],
  ['longer than a line', 'D'.repeat(200)],
  ['tag characters', 'Dad\u{e0041}\u{e0042}'],
  ['letters of two systems', 'D\u0430d'],
  ['the name of a hub of the household', 'Coco'],
  ['that name in other letters that look the same', '\u0421\u043e\u0441\u043e'],
  ['that name in another case and with odd spaces', ' COCO '],
];

describe('HE-07: a hub whose name is', () => {
  it.each(HIDDEN)(
    '%s is shown nowhere under it, before, while and after it is paired',
    async (_what, name) => {
      const { mum, eve } = await neighbours(name);
      const announced = mum.peer(eve);
      expect([announced.name, announced.untrusted.advertised_name]).toEqual([
        announced.label,
        HIDDEN_NAME,
      ]);
      await pair(mum, eve);
      const said = mum.seen.flatMap((event) =>
        event.type === 'pairing' ? [event.pairing.said_hub] : [],
      );
      expect(new Set(said)).toEqual(new Set([HIDDEN_NAME]));
      const paired = mum.peer(eve);
      expect([paired.trust, paired.untrusted.advertised_name]).toEqual(['paired', HIDDEN_NAME]);
      expect(paired.name).not.toBe('Coco');
      expect(mum.directory.petnames().filter((petname) => petname === 'Coco')).toHaveLength(1);
      // Every word that reaches a page, a terminal or a notification about it, wherever it stands.
      const everywhere = [...mum.seen, mum.peer(eve), mum.pairing.list()]
        .map((shown) => jsonForTerminal(shown))
        .join('\n');
      if (!/coco/i.test(name)) expect(everywhere).not.toContain(name);
      expect(everywhere).not.toMatch(/[\u202e\u{e0000}-\u{e007f}]|verified\]\\n/u);
      expect(everywhere.length).toBeLessThan(60_000);
      expect(forLine(paired.name)).toBe(paired.name);
      const { title, body } = requestNotification(paired.name);
      expect(`${title} ${body ?? ''}`).not.toMatch(/[\p{Cc}\p{Cf}]|verified/u);
    },
  );

  it('ten thousand characters long is hidden where it is announced, and its request is not taken', async () => {
    const { mum, eve } = await neighbours('D'.repeat(10_000));
    expect(mum.peer(eve).untrusted.advertised_name).toBe(HIDDEN_NAME);
    mum.pairing.setWindow(true, 5);
    eve.pairing.begin(mum.agentId, 'Mum');
    await house.clock.until(() => eve.currentPairing?.state === 'failed', 'it is refused', 60_000);
    expect(mum.pairing.list()).toEqual([]);
  });

  it('markup is shown as the letters it is made of, and is one line at the terminal', async () => {
    const name = '<img onerror=alert(1)>';
    const { mum, eve } = await neighbours(name);
    expect(mum.peer(eve).untrusted.advertised_name).toBe(name);
    await pair(mum, eve);
    expect(mum.peer(eve)).toMatchObject({ trust: 'paired', untrusted: { advertised_name: name } });
    expect(forLine(mum.peer(eve).name)).not.toContain('\n');
  });

  it('what its owner calls it here is not taken for a trick', async () => {
    const { mum, eve } = await neighbours('Dad');
    await pair(mum, eve);
    expect(mum.peer(eve)).toMatchObject({ name: 'Dad', untrusted: { advertised_name: 'Dad' } });
  });

  it('changed after pairing keeps the owner’s name, and what it calls itself now is shown or hidden by the same rules', async () => {
    const { mum, eve } = await neighbours('Dad');
    await pair(mum, eve);
    eve.profile = { ...eve.profile, name: 'Coco' };
    await eve.halt();
    await house.clock.until(() => !mum.links.isOnline(eve.key), 'it is gone', 60_000);
    await eve.start(eve.port);
    await house.clock.until(() => mum.links.isOnline(eve.key), 'it is back', 120_000);
    expect(mum.peer(eve)).toMatchObject({
      name: 'Dad',
      untrusted: { advertised_name: HIDDEN_NAME },
    });
  });
});
