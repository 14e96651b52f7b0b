// A card with about as many fields as a request can hold: every one of them stands on it, and drawing it does not stop the window.
import { flushSync } from 'svelte';
import { expect, test } from 'vitest';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { approvalOf, snapshotOf } from '../fakes/household.ts';
import { showApp } from './support/page.ts';

const LEAVES = 4_000;
const DRAWN_WITHIN_MS = 1_000;
/** The computer may be busy with something else the first times. */
const TRIES = 5;

test('a request of 4,000 fields is drawn within a second, with every field on the card in its order', async () => {
  const fields = Array.from({ length: LEAVES }, (_, index) => [`context.guest_list[${index}].name`, `Guest ${index}`] as const);
  const hub = new FakeHubApi(snapshotOf({ approvals: [] }));
  await showApp(hub);

  /** @returns the ms it took to draw the card and lay it out */
  const draw = (name: string): number => {
    const from = performance.now();
    flushSync(() => hub.emit({ type: 'approval', approval: approvalOf(name, { fields }) }));
    expect(document.querySelector('[data-card]:last-of-type .scroll')?.scrollHeight).toBeGreaterThan(LEAVES * 10);
    return performance.now() - from;
  };

  let fastest = draw('party 0');
  const values = [...document.querySelectorAll('.slip .fields dd')].map((value) => value.textContent);
  expect(values).toEqual(fields.map(([, value]) => value));
  expect(document.querySelector('.card .exact')?.textContent).toContain(fields.map(([path]) => path).join(', '));
  for (let tries = 1; fastest >= DRAWN_WITHIN_MS && tries < TRIES; tries++) fastest = Math.min(fastest, draw(`party ${tries}`));
  expect(fastest).toBeLessThan(DRAWN_WITHIN_MS);
}, 120_000);
