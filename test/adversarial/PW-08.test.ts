// A QUIC stack that is none of ours, ngtcp2 with GnuTLS, knocks with the protocols it knows:
// refused at once, and nothing of it stays.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { hasRealPart } from '../support/real-parts.ts';
import { attack, expectService, House } from './PW-house.ts';

/**
 * Time since the client's start in its own words, and the TLS alert no_application_protocol as a
 * QUIC error.
 */
const REFUSED = /^I(\d+) \S+ frm rx .*CONNECTION_CLOSE.*CRYPTO_ERROR\(0x178\)/m;

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

/** One run of the client from its first packet to its exit; what it says it sent and saw. */
async function knock(port: number, parameters: readonly string[] = []): Promise<string> {
  const client = spawn('gtlsclient', [
    ...parameters,
    '127.0.0.1',
    String(port),
    `https://127.0.0.1:${port}/`,
  ]);
  house.atEnd(() => client.kill('SIGKILL'));
  let words = '';
  for (const stream of [client.stdout, client.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (words += text));
  await once(client, 'close');
  return words;
}

describe.skipIf(!hasRealPart('ngtcp2'))('an independent QUIC client', () => {
  attack(
    'PW-08: an independent client without our application protocol is closed within a second and leaves nothing',
    async () => {
      const { hub, control } = await house.open();
      for (const parameters of [[], ['--no-pmtud'], ['--disable-early-data']]) {
        const words = await knock(hub.port, parameters);
        // It answered our Retry, so both stacks speak the same QUIC; then TLS said no.
        expect(words).toContain('type=Retry');
        const [, sinceStart] = REFUSED.exec(words) ?? [];
        expect(sinceStart, words).toBeDefined();
        expect(Number(sinceStart)).toBeLessThan(1_000);
      }
      await hub.counter('half-open.now', (count) => count === 0);
      expect((await hub.transport.statistics()).connections).toBe(0);
      expect(hub.events).toEqual([]);
      await expectService(hub, control);
    },
  );

  attack('PW-02: an independent client of another QUIC version gets no answer', async () => {
    const { hub, control } = await house.open();
    const words = await knock(hub.port, ['--version=v2draft', '--handshake-timeout=500ms']);
    expect(words).toContain('Sent packet');
    expect(words).not.toContain('Received packet');
    await hub.counter('dropped.version', (count) => count > 0);
    expect(hub.events).toEqual([]);
    await expectService(hub, control);
  });
});
