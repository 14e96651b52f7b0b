// E19, E20: the arguments of a second start, and links that somebody opened, are outside input.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLink, readStartArguments } from '../../../main/shell/argv.ts';
import { hubFlags } from '../../../main/app/desktop.ts';

const KEY = 'A'.repeat(43);
const SHARE = `axon://${KEY}@192.168.1.20:7100`;
const INVITATION = `axon://pair?v=1&k=${KEY}&a=192.0.2.1:7100&a=[2001:db8::1]:7100&s=abc&n=Mum%E2%80%99s%20PC`;
/** They take half a second. */
const numRuns = 10_000;

/** A good link with one or more of its signs changed, and whatever else. */
const strange = fc.oneof(
  fc.string(),
  fc.anything(),
  fc.webUrl(),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => `axon://${text}`),
  fc
    .tuple(fc.constantFrom(SHARE, INVITATION), fc.nat(200), fc.string({ maxLength: 4 }))
    .map(([link, at, text]) => link.slice(0, at) + text + link.slice(at + text.length)),
  fc.constantFrom('--hidden', '--show', '--', '--home=/tmp/x', '--no-sandbox', '--inspect=9229'),
);

test('E19: of the words of a second start only --hidden means anything', () => {
  expect(readStartArguments(['axon-hub', '--show'])).toEqual({ hidden: false, link: null });
  expect(readStartArguments(['axon-hub', '--hidden'])).toEqual({ hidden: true, link: null });
  fc.assert(
    fc.property(fc.array(strange, { maxLength: 80 }), (argv) => {
      const { hidden, link } = readStartArguments(argv);
      const words = argv.slice(0, 64);
      expect(link).toBe(words.map(readLink).find((found) => found !== null) ?? null);
      expect(hidden).toBe(link === null && words.includes('--hidden'));
    }),
    { numRuns },
  );
});

describe('E20: a link', () => {
  test('is a share link or an invitation, as the hub writes them', () => {
    for (const link of [
      SHARE,
      `axon://${KEY}@attic.example:7100`,
      `axon://${KEY}@[2001:db8::7]:7100`,
      INVITATION,
    ]) {
      expect(readLink(link)).toBe(link);
      expect(readLink(`${link}/`)).toBe(link);
      expect(readStartArguments(['axon-hub', '--hidden', link])).toEqual({ hidden: false, link });
    }
  });

  test('is nothing else', () => {
    for (const link of [
      '',
      'axon:',
      'axon://',
      `axon://${KEY}@192.168.1.20`,
      `axon://${KEY}@192.168.1.20:7100?approve=1`,
      `axon://${KEY}@192.168.1.20:7100#/settings`,
      `axon://${KEY}@192.168.1.20:7100/../x`,
      `axon://${KEY}@a b:7100`,
      'axon://approve?id=1',
      'axon://pair',
      `${INVITATION} --home /tmp/x`,
      `${INVITATION}" --no-sandbox "`,
      `${INVITATION}\u202e`,
      `x${SHARE}`,
      ` ${SHARE}`,
      `axon://pair?${'a'.repeat(2_000)}`,
      `https://example.org/${SHARE}`,
      'javascript:alert(1)',
    ])
      expect(readLink(link), link).toBeNull();
  });

  test('that passes is short, one line of plain signs, and nothing that a page or a shell takes for more', () => {
    fc.assert(
      fc.property(strange, (word) => {
        const link = readLink(word);
        if (link === null) return;
        expect(link).toMatch(/^axon:\/\/[\x21-\x7e]{1,1020}$/i);
        expect(link).not.toMatch(/["\\<>`${}|;^\s]/);
      }),
      { numRuns },
    );
  });

  test('brings no flag of the hub with it', () => {
    expect(hubFlags(['/usr/bin/axon-hub', SHARE, '--home', '/tmp/x'])).toEqual([]);
    expect(hubFlags(['/usr/bin/axon-hub', '--home', '/tmp/x', 'AXON://anything'])).toEqual([]);
    expect(hubFlags(['/usr/bin/axon-hub', '--home', '/tmp/x', '--hidden'])).toEqual([
      '--home',
      '/tmp/x',
    ]);
  });
});
