// Two whole hubs that trust each other's key and see each other, as if two people had paired them.
import type { TestHub } from './test-hub.ts';
import { until } from './until.ts';

const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
const ONLINE_WITHIN_MS = 30_000;

/** @param names what each calls the other: the first the second, then the second the first */
export async function pairHubs(
  one: TestHub,
  other: TestHub,
  names: readonly [string, string],
): Promise<void> {
  const ways = [
    { here: one, there: other, name: names[0] },
    { here: other, there: one, name: names[1] },
  ];
  for (const { here, there, name } of ways) {
    const { identity, peers } = there.node.services;
    await here.node.services.keyTrust.add(
      { keyHex: identity.keyHex, host: '127.0.0.1', port: peers.port ?? 0, name, way: 'key' },
      PERSON,
    );
  }
  await until('both hubs to be online', ONLINE_WITHIN_MS, () =>
    ways.every(({ here, there }) =>
      here.node.services.links.isOnline(there.node.services.identity.keyHex),
    )
      ? true
      : undefined,
  );
}
