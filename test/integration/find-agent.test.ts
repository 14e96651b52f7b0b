// A request that names no hub, from a real terminal and over three real hubs: it reaches the right
// one of two, the answer says why, and when both are gone it says who could have.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ChoreHub, CHORE_PASSPHRASE } from '../support/chore-hub.ts';
import { axon, endPrograms, type Ended } from '../support/programs.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 60_000;
const DINNER = 'Tell the family chat that dinner is at 7';
const hubs: ChoreHub[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.remove();
  await endPrograms();
});

function hub(): ChoreHub {
  const made = new ChoreHub();
  hubs.push(made);
  return made;
}

function asOwner({ home }: ChoreHub, ...words: readonly string[]): Promise<Ended> {
  const file = join(home, 'passphrase');
  writeFileSync(file, `${CHORE_PASSPHRASE}\n`, { mode: 0o600 });
  return axon(home, ['--passphrase-file', file, ...words]);
}

/** What its owner sees of the hubs beside it, once that is so. */
async function seen(asking: ChoreHub, wanted: Readonly<Record<string, boolean>>): Promise<void> {
  await until(JSON.stringify(wanted), WITHIN_MS, async () => {
    const { items } = JSON.parse((await asOwner(asking, 'peers', '--json')).out);
    const told: Record<string, boolean> = {};
    for (const { name, online, capabilities } of items)
      told[name] = online === true && capabilities !== null;
    return Object.entries(wanted).every(([name, online]) => told[name] === online)
      ? true
      : undefined;
  });
}

test(
  'a request without a hub reaches the one that fits best and says why, or who could have',
  { timeout: 240_000 },
  async () => {
    const [dad, mum, leo] = [hub(), hub(), hub()];
    for (const [other, name] of [
      [mum, 'calendar family.calendar calendar.read'],
      [leo, 'planner family calendar'],
    ] as const) {
      const [agent = '', domain = '', able = ''] = name.split(' ');
      await other.prepare([{ identity: dad.identity, name: 'Dad' }]);
      await other.start();
      const offer = ['--domain', domain, '--capability', able];
      expect(await asOwner(other, 'agents', 'add', agent, ...offer)).toMatchObject({ code: 0 });
    }
    const at = (other: ChoreHub) => ({ host: '127.0.0.1', port: other.peerPort });
    await dad.prepare([
      { identity: mum.identity, name: 'Mum', place: at(mum) },
      { identity: leo.identity, name: 'Leo', place: at(leo) },
    ]);
    await dad.start();
    expect(await asOwner(dad, 'agents', 'add', 'asker')).toMatchObject({ code: 0 });
    await seen(dad, { Mum: true, Leo: true });

    const better = 'Mum/Calendar offers "family.calendar"; Leo/Planner offers only "family".';
    const dry = await axon(dad.home, ['route', '--domain', 'family.calendar']);
    expect(dry).toMatchObject({ code: 0, error: '' });
    expect(dry.out.replaceAll(/\s+/g, ' ')).toBe(
      `Mum/Calendar would get it. ${better} Not Leo/Planner: It offers only "family". `,
    );
    const sent = await axon(dad.home, ['delegate', 'any', DINNER, '--domain', 'family.calendar']);
    expect(sent).toMatchObject({ code: 0, error: `${better}\n` });
    expect(sent.out).toMatch(/\nMum\/Calendar {2}\(/);
    const can = ['--capability', 'calendar.read'];
    const able = 'Mum/Calendar offers "calendar.read"; Leo/Planner offers only "calendar".';
    const asked = await axon(dad.home, ['delegate', 'any', DINNER, ...can]);
    expect(asked).toMatchObject({ code: 0, error: `${able}\n` });
    expect(asked.out).toMatch(/\nMum\/Calendar {2}\(/);
    const json = await axon(dad.home, [
      'delegate',
      'any',
      DINNER,
      '--domain',
      'family.school',
      '--json',
    ]);
    expect(JSON.parse(json.out).chosen).toMatchObject({
      peer_name: 'Leo',
      agent: 'planner',
      why: 'Only Leo/Planner offers "family".',
    });
    expect(await axon(dad.home, ['delegate', 'any', DINNER])).toMatchObject({
      code: 2,
      error: expect.stringContaining('--domain family.calendar'),
    });

    // In the order in which they were paired, which was at the same moment.
    expect((await axon(dad.home, ['notify', 'everyone', 'dinner', 'At 7'])).out).toMatch(
      /^Sent to (?:Mum, Leo|Leo, Mum)\.\nWhich agents there get it, only those hubs know: .+\nNo agent here gets it\.\n$/,
    );
    await mum.stop();
    await seen(dad, { Mum: false, Leo: true });
    const some = (await axon(dad.home, ['notify', 'everyone', 'dinner', 'At 7'])).out;
    expect(some).toMatch(/^Sent to Leo\.\n/);
    expect(some).toContain('Not connected, so not sent: Mum.\n');
    const second = await axon(dad.home, ['route', '--domain', 'family.calendar']);
    expect(second.out).toContain('Just now, only Leo/Planner offers "family".');
    expect(second.out).toMatch(/^Not Mum\/Calendar: It has been away since [0-9 :-]+\.$/m);

    await leo.stop();
    await seen(dad, { Mum: false, Leo: false });
    const gone = await axon(dad.home, ['delegate', 'any', DINNER, '--domain', 'family.calendar']);
    expect(gone).toMatchObject({ code: 3, out: '' });
    const words = gone.error.replaceAll(/\s+/g, ' ');
    expect(words).toContain('Nobody online offers "family.calendar".');
    expect(words).toMatch(/Mum\/Calendar offers it, but has been away since [0-9 :-]+\./);
    expect(words).toMatch(/Leo\/Planner offers it, but has been away since [0-9 :-]+\./);
    const unable = await axon(dad.home, ['delegate', 'any', DINNER, ...can]);
    expect(unable).toMatchObject({ code: 3, out: '' });
    const could = unable.error.replaceAll(/\s+/g, ' ');
    expect(could).toContain('Nobody online offers "calendar.read".');
    expect(could).toMatch(/Mum\/Calendar offers it, but has been away since [0-9 :-]+\./);
  },
);
