// The system's own name resolution behind the Resolver port. The operating system's resolver cannot
// be interrupted: an answer after the deadline is dropped.
import { lookup } from 'node:dns/promises';
import type { Resolver } from '../../ports/resolver.ts';

export class SystemResolver implements Resolver {
  async resolve(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (signal.aborted) return [];
    let giveUp: () => void = () => undefined;
    const aborted = new Promise<readonly string[]>((resolve) => (giveUp = () => resolve([])));
    signal.addEventListener('abort', giveUp, { once: true });
    const found = lookup(host, { all: true, family: 4 }).then(
      (answers) => answers.map(({ address }) => address),
      () => [],
    );
    try {
      return await Promise.race([found, aborted]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}
