// `axon discover` asks the hubs that are online what their agents do now, waits only a short time
// for one that hangs, and says of what it could not ask anew how old it is. Two real hubs, over a
// line that can be cut.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type ChoreHub, CHORE_PASSPHRASE } from '../support/chore-hub.ts';
import { openChorePair } from '../support/chore-pair.ts';
import { axon, endPrograms, type Ended } from '../support/programs.ts';
import { until } from '../support/until.ts';

const OFFLINE_WITHIN_MS = 60_000;
const ANSWERED_WITHIN_MS = 60_000;
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await endPrograms();
});

function asOwner({ home }: ChoreHub, ...words: readonly string[]): Promise<Ended> {
  const file = join(home, 'passphrase');
  writeFileSync(file, `${CHORE_PASSPHRASE}\n`, { mode: 0o600 });
  return axon(home, ['--passphrase-file', file, ...words]);
}

test(
  'the list of all hubs is of this moment, and says from when it is where a hub does not answer',
  { timeout: 240_000 },
  async () => {
    const { asking, asked, line } = await openChorePair(ends);
    const offer = 'family.late=Will you be home by 6?';
    expect(await asOwner(asked, 'agents', 'add', 'late', '--domain', offer)).toMatchObject({
      code: 0,
    });
    // A busy computer may take longer than the command waits: then it is asked once more.
    const now = await until('an answer of this moment', ANSWERED_WITHIN_MS, async () => {
      const told = await asOwner(asking, 'discover');
      return told.out.includes('does not answer now') ? undefined : told;
    });
    expect(now).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringMatching(/^ {2}\| agent Late: family\.late$/m),
    });
    expect(now.out).toMatch(/^ {2}\|   family\.late, for example: Will you be home by 6\?$/m);
    expect(now.out).not.toContain('As of');

    line.isCut = true;
    const hanging = await asOwner(asking, 'discover');
    expect(hanging).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringMatching(/^ {2}\| agent Late: family\.late$/m),
    });
    expect(hanging.out).toMatch(
      /^ {2}As of [0-9-]{10} [0-9:]{5} \(.+\)\. It (?:does not answer|is not online) now\.$/m,
    );

    await asking.offline(OFFLINE_WITHIN_MS);
    const away = await asOwner(asking, 'discover');
    expect(away).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringMatching(/^ {2}As of .*\. It is not online now\.$/m),
    });
    const [told] = JSON.parse((await asOwner(asking, 'discover', '--json')).out).items;
    expect(told).toMatchObject({
      name: 'Other',
      online: false,
      capabilities: { fetched_at: expect.any(Number) },
    });
    const named = await asOwner(asking, 'discover', 'Other');
    expect(named).toMatchObject({
      code: 4,
      out: '',
      error: expect.stringContaining(' discover" lists what it told before.'),
    });
  },
);
