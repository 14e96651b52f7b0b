// What a model is shown of a tool's parameters, and what programs may add to a call or write in
// another way.
import { describe, expect, it, test } from 'vitest';
import { parameters, WORDS } from '../../../main/mcp/parameters.ts';
import { TOOLS } from '../../../main/mcp/tools.ts';

const shown = (name: keyof typeof TOOLS): Readonly<Record<string, unknown>> =>
  parameters(TOOLS[name].params)['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
const read = async (name: keyof typeof TOOLS, given: unknown): Promise<unknown> => {
  const result = await parameters(TOOLS[name].params)['~standard'].validate(given);
  if (result.issues !== undefined) throw new Error(result.issues[0]?.message);
  return result.value;
};

/** Those of objects in it, too, and in lists and in one of several forms. */
function propertiesIn(schema: object, path = ''): readonly (readonly [string, object])[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    if (key !== 'properties') return propertiesIn(value, path);
    return Object.entries(value as Record<string, object>).flatMap(([name, property]) => [
      [`${path}${name}`, property] as const,
      ...propertiesIn(property, `${path}${name}.`),
    ]);
  });
}

test.each(Object.keys(TOOLS) as (keyof typeof TOOLS)[])(
  '%s: every parameter has a type and a sentence, in words that every provider knows',
  (name) => {
    const schema = shown(name);
    for (const [path, property] of propertiesIn(schema)) {
      expect(property, path).toMatchObject({ description: expect.stringMatching(/^.{10,}[.]$/) });
      expect('type' in property || 'anyOf' in property, path).toBe(true);
    }
    expect(JSON.stringify(schema)).not.toContain('propertyNames');
  },
);

describe('a call', () => {
  it('may have parameters that a program adds, null for what is left out, and numbers as text', async () => {
    expect(
      await read('axon_delegate', {
        wait_for_previous: true,
        to: 'Mum',
        task: '12',
        context: null,
        deadline_ms: '60000',
        report_back: 'false',
      }),
    ).toEqual({
      to: 'Mum',
      task: '12',
      priority: 'normal',
      deadline_ms: 60_000,
      report_back: false,
    });
  });

  it('may have an object as text, and text where anything goes stays text', async () => {
    const to = { domain: 'family.calendar' };
    expect(await read('axon_query', { to: JSON.stringify(to), question: '{}' })).toMatchObject({
      to,
      question: '{}',
    });
    const delivery = '00000000-0000-4000-8000-000000000000';
    expect(await read('axon_reply', { delivery, data: '{"a":1}' })).toMatchObject({
      data: '{"a":1}',
    });
  });

  it('may be for any hub that offers what is named beside it', async () => {
    const call = { to: 'any', domain: 'family.calendar', question: 'Free?' };
    expect(await read('axon_query', call)).toMatchObject({ to: { domain: 'family.calendar' } });
    expect(
      await read('axon_delegate', { to: 'any', capability: 'web_search', task: 'Look' }),
    ).toMatchObject({ to: { capability: 'web_search' } });
    expect(await read('axon_delegate', { to: 'any', task: 'Look' })).toMatchObject({ to: 'any' });
  });

  it('must still fit', async () => {
    await expect(read('axon_delegate', { to: 'Mum' })).rejects.toThrow(/task/);
    await expect(read('axon_inbox', { lease_ms: 'many' })).rejects.toThrow(/number/);
    await expect(read('axon_query', { to: '{"x', question: 'Free?' })).resolves.toMatchObject({
      to: '{"x',
    });
    await expect(read('axon_query', 'Free?')).rejects.toThrow();
  });
});

test('a conversation of any length is read in pieces, none of it twice', () => {
  const entry = (seq: number) => ({ seq, text: 'x'.repeat(1_000), story: null });
  const entries = Array.from({ length: 100 }, (_, index) => entry(index + 1));
  const conversation = { id: 'c', story: null };
  const seen: number[] = [];
  let before: number | null | undefined;
  do {
    const given = before === undefined ? {} : { before };
    const piece = TOOLS.axon_history.enclose?.({ conversation, entries, tasks: [] }, given) as {
      readonly before: number | null;
      readonly untrusted: { readonly entries: readonly { readonly seq: number }[] };
    };
    expect(JSON.stringify(piece).length).toBeLessThan(20_000);
    seen.unshift(...piece.untrusted.entries.map(({ seq }) => seq));
    before = piece.before;
  } while (before !== null);
  expect(seen).toEqual(entries.map(({ seq }) => seq));
});

test('no parameter is described that no tool has', () => {
  const known = (Object.keys(TOOLS) as (keyof typeof TOOLS)[]).flatMap((name) =>
    propertiesIn(shown(name)).map(([path]) => path),
  );
  expect(Object.keys(WORDS).filter((name) => !known.includes(name))).toEqual([]);
});

test('what an item asks stands once in it', () => {
  const text = 'Bake a cake';
  const untrusted = { kind: 'delegate', text, payload: { task: text, context: { for: 'Leo' } } };
  const enclosed = TOOLS.axon_inbox.enclose?.({ items: [{ kind: 'delegate', untrusted }] }, {});
  expect(enclosed).toMatchObject({ items: [{ untrusted: { text, payload: { context: {} } } }] });
  expect(JSON.stringify(enclosed).split(text)).toHaveLength(2);
});
