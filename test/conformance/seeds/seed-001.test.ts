// The requirements of document 001 that an agent and its person meet at the hub, by their numbers.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIALECTS } from '../../support/seed-messages.ts';
import { axon } from '../../support/programs.ts';
import { asks, does, SeedHousehold } from './household.ts';
import { acp } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

const asker = asks('acp-draft');

async function helpOf(...words: readonly string[]): Promise<string> {
  const { code, out } = await axon(house.dad.home, [...words, '--help']);
  expect(code).toBe(0);
  return out;
}

describe('seed 001: what can be learned', () => {
  test('001.36, 001.41 the help alone is enough to ask', async () => {
    const help = await helpOf();
    for (const command of [
      'peers',
      'discover',
      'query',
      'delegate',
      'notify',
      'cancel',
      'examples',
    ])
      expect(help).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
    const query = await helpOf('query');
    for (const word of ['<hub> <question>', '--domain', '--max-tokens', '--deadline'])
      expect(query).toContain(word);
    expect(await helpOf('delegate')).toContain('--no-report ');
  });

  test('001.38 discover is all that an agent has to do first', async () => {
    const message = { id: 'first', kind: 'discover', to: 'Mum' };
    expect(await house.say(asker, message)).toMatchObject({
      untrusted: {
        native: {
          kind: 'capabilities',
          payload: { domains: expect.arrayContaining([`${does('native')}.work`]) },
        },
      },
    });
  });

  test('001.40 examples show hello, discover, query and response', async () => {
    const { out } = await axon(house.dad.home, ['examples']);
    for (const word of [
      'hello',
      'discover',
      'query',
      'delegate',
      '"selected_version":1',
      '"summary"',
    ])
      expect(out).toContain(word);
  });

  test('001.44, 003.54 how an agent of another language asks, answers, negotiates and tells all', async () => {
    for (const language of DIALECTS) {
      const { code, out } = await axon(house.dad.home, ['examples', '--language', language]);
      expect(code).toBe(0);
      expect([...out.matchAll(/```json/g)].length).toBeGreaterThanOrEqual(8);
      for (const part of ['Ask', 'Answer', 'Negotiate', 'Broadcast', '/v1/messages'])
        expect(out).toContain(part);
    }
    const { text: skill } = await house.dad.ask('/skill.md');
    const { out: examples } = await axon(house.dad.home, ['examples']);
    const words = [skill, examples, await helpOf()];
    for (const text of words) expect(text).toMatch(/examples\s+--language/);
    for (const text of [skill, examples]) expect(text).toContain('/v1/messages');
  });

  test('001.42 the skill says how to begin', async () => {
    const { status, text } = await house.dad.ask('/skill.md');
    expect(status).toBe(200);
    for (const words of ['axon peers', 'axon discover', 'axon query', 'axon delegate'])
      expect(text).toContain(words);
  });

  test('001.29, 001.31, 001.32, 001.39 a refusal names what was wrong, and whom to ask', async () => {
    const nobody = acp('query', { question: 'Who cooks?' }, { to: 'cook' });
    expect(await house.say(asker, nobody)).toMatchObject({
      http: 404,
      detail: expect.stringContaining('cook'),
      hint: expect.stringContaining(`${does('native')}.work`),
    });
    // An id that was given is said again, though it might be that of an agent or of a hub.
    for (const ref of [randomUUID(), house.mum.node.services.identity.agentId])
      expect(await house.say(asker, acp('cancel', {}, { ref }))).toMatchObject({
        http: 404,
        detail: expect.stringContaining(ref),
      });
  });
});
