// Every example of the documents that this system comes from: it parses, is carried beside its AXON
// fields, and comes out equal. An example that becomes no message is counted here, with the reason.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dialectNamed } from '../../../main/dialects/index.ts';
import { checkOrigin, originOf, readOrigin } from '../../../main/dialects/origin.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { seedBlocks, seedMessages, type SeedName } from '../../support/seed-messages.ts';

const SEEDS: readonly SeedName[] = ['acp-draft', 'axon', 'claude-crunch', 'fipa-acl', 'elizaos'];
/** What hubs say to each other by themselves; message-types.test.ts sends each of it. */
const HUB_TALK = ['hello', 'ping', 'pong', 'capabilities'];
const messages = seedMessages();
const carried = messages.filter(({ message }) => !HUB_TALK.includes(String(message['kind'])));

describe('the documents', () => {
  test('each block of JSON has as many messages as it names alternatives', () => {
    for (const name of SEEDS) {
      const text = readFileSync(
        new URL(`../../fixtures/seeds/${name}.md`, import.meta.url),
        'utf8',
      );
      // Counted on the text itself, by other means than the messages are made by.
      const blocks = text.split(/^\s*```json$/m).slice(1);
      const wanted = blocks.map((block) => {
        const [code = ''] = block.split('```');
        const choices = code.match(/: "[A-Za-z_]+(?: ?\| ?[A-Za-z_]+)+"/g) ?? [];
        return choices.reduce((sum, choice) => sum + choice.split('|').length - 1, 1);
      });
      const made = messages.filter(({ title }) => title.startsWith(`${name}:`));
      const fromJson = name === 'fipa-acl' ? [] : made;
      expect(fromJson.length, name).toBe(wanted.reduce((sum, count) => sum + count, 0));
    }
  });

  test('the document in Rust has its three messages and each of its performatives', () => {
    const text = readFileSync(new URL('../../fixtures/seeds/fipa-acl.md', import.meta.url), 'utf8');
    const built = text.match(/= FipaMessage \{/g)?.length ?? 0;
    const enums = text.match(/enum (?:Deferred)?Performatives? \{[\s\S]*?\n\}/g) ?? [];
    const named = enums.join('\n').match(/^ {4}[A-Z_]+,/gm)?.length ?? 0;
    const made = messages.filter(({ dialect }) => dialect === 'fipa-acl');
    expect([built, named, made.length]).toEqual([3, 13, 16]);
  });

  test('nothing else in them is a message', () => {
    const others = SEEDS.flatMap((name) =>
      seedBlocks(name)
        .filter(({ language }) => language !== 'json' && language !== 'rust')
        .map(({ line, language }) => `${name}:${line} ${language}`),
    );
    expect(others).toMatchInlineSnapshot(`
      [
        "acp-draft:332 ",
        "axon:275 ",
        "claude-crunch:239 ",
        "claude-crunch:263 yaml",
        "fipa-acl:112 yaml",
      ]
    `);
  });
});

test.each(carried)('$title', ({ dialect: name, message }) => {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(name);
  const read = dialect.read(message);
  if (!read.ok) throw new Error(read.error);
  const { payload: members, from } = read.value;
  const payload = { ...members, route: { from }, origin: originOf({ dialect, message }) };
  const wire = JSON.parse(JSON.stringify(payload)) as JsonObject;
  // An accept reaches whoever asked as a notice.
  const kind = read.value.kind === 'accept' ? 'notify' : read.value.kind;
  expect(checkOrigin(kind, wire)).toEqual({ ok: true });
  expect(readOrigin(wire)?.message).toEqual(message);
});
