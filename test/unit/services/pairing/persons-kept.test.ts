// Whose hub it is: what the other hub said while it was paired is kept until the owner here says
// otherwise, and never goes before the owner's own word.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

const hubOf = (name: string, person: string | null) =>
  house.hub(name, { profile: { name, person, platform: 'linux' } });

const reaches = (hub: HubStack, state: string): Promise<void> =>
  house.clock.until(() => hub.currentPairing?.state === state, `${hub.name} is ${state}`, 60_000);

async function invite(maker: HubStack, user: HubStack): Promise<void> {
  const { link } = maker.pairing.invite([{ host: '127.0.0.1', port: maker.port }], PERSON);
  user.pairing.join(link, null, PERSON);
  await reaches(user, 'paired');
  await house.clock.until(() => maker.directory.isPaired(user.key), 'both are paired', 60_000);
}

describe('the person of a hub', () => {
  it('is kept at both sides after the digits', async () => {
    const [mum, dad] = [await hubOf('Mum PC', 'Mum'), await hubOf('Dad laptop', 'Dad')];
    dad.hears(mum);
    mum.pairing.setWindow(true, 5);
    dad.pairing.begin(mum.agentId, null);
    await reaches(mum, 'offered');
    mum.pairing.open(mum.currentPairing?.id ?? '');
    await reaches(dad, 'type_six');
    await dad.pairing.type(dad.currentPairing?.id ?? '', mum.currentPairing?.six ?? '', PERSON);
    await reaches(mum, 'type_two');
    await mum.pairing.type(mum.currentPairing?.id ?? '', dad.currentPairing?.two ?? '', PERSON);
    await reaches(dad, 'paired');
    expect([dad.peer(mum).person, mum.peer(dad).person]).toEqual(['Mum', 'Dad']);
  });

  it('is kept after an invitation, and over a restart', async () => {
    const [mum, dad] = [await hubOf('Mum PC', 'Mum'), await hubOf('Dad laptop', null)];
    await invite(mum, dad);
    expect([dad.peer(mum).person, mum.peer(dad).person]).toEqual(['Mum', null]);
    await dad.halt();
    expect((await house.restart(dad)).peer(mum).person).toBe('Mum');
  });

  it('gives way to the owner’s word, also when the hub is paired anew', async () => {
    const [mum, dad] = [await hubOf('Mum PC', 'Mum'), await hubOf('Dad laptop', 'Dad')];
    await invite(mum, dad);
    await dad.directory.update(mum.key, { person: 'Nadia' }, PERSON);
    await mum.directory.remove(dad.key, PERSON);
    await invite(dad, mum);
    expect([dad.peer(mum).person, mum.peer(dad).person]).toEqual(['Nadia', 'Dad']);
  });

  it.each(['\u202e\u2066', 'Mum\u200b\u202ePC', 'you', '<b>'.repeat(80)])(
    'is nobody where the name is none to be read: %j',
    async (person) => {
      const [mum, dad] = [await hubOf('Mum PC', person), await hubOf('Dad laptop', 'Dad')];
      await invite(mum, dad);
      const kept = dad.peer(mum).person;
      expect([null, '<b>'.repeat(80).slice(0, kept?.length ?? 0)]).toContain(kept);
      expect(kept?.length ?? 0).toBeLessThanOrEqual(64);
    },
  );
});
