// The names under which the audit keeps what happened: an area and a verb, so that a person can
// search for either.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const ACTION = /\b(?:action: |audit\.note\([^,]+, |\.note\(link\.keyHex, )'([^']+)'/g;

describe('the names in the audit', () => {
  it('are all of the form area.verb', () => {
    const names = globSync('main/services/**/*.ts', { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(ACTION)].map(([, name = '']) => name),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !/^[a-z_]+\.[a-z_]+$/.test(name))).toEqual([]);
  });
});
