// GET /metrics of a whole hub: the text that collectors read, for whoever has a token, and the same
// counters in the status.
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { Household, newIdentity, systemDeps, type Identity } from './quic-test-hub.ts';
import { TestHub } from '../support/test-hub.ts';

const COUNTED_WITHIN_MS = 10_000;

let hub: TestHub;
let agent: string;
const strangers = new Household(() => createInProcessTransport(systemDeps));
beforeEach(async () => {
  hub = await TestHub.start();
  agent = await hub.agent('collector');
});
afterEach(() => hub.stop());
afterAll(() => strangers.stop());

/**
 * A stranger with a line to the hub: once dialling succeeded, the hub's end may still be a moment
 * behind.
 */
async function connectStranger(): Promise<Identity> {
  const identity = newIdentity();
  const stranger = await strangers.hub('127.0.0.1', identity);
  const status = JSON.parse((await hub.ask('/v1/status', { token: agent })).text);
  const target = {
    agentId: status.hub.agent_id,
    keyHex: status.hub.public_key,
    host: '127.0.0.1',
    port: status.hub.peer_port,
  };
  expect((await stranger.transport.dial(target, AbortSignal.timeout(COUNTED_WITHIN_MS))).ok).toBe(
    true,
  );
  return identity;
}

/** The samples of the text by name and labels; throws where a line is not of the format. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    const [, typed, type] = /^# TYPE ([a-z][a-z0-9_]*) (counter|gauge)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) {
      expect(types.has(typed), `${typed} stands twice`).toBe(false);
      types.set(typed, type);
      continue;
    }
    if (/^# HELP [a-z][a-z0-9_]* \S/.test(line)) continue;
    const [, sample = '', name = '', value = ''] =
      /^(([a-z][a-z0-9_]*)(?:\{event="[a-zA-Z0-9_]+"\})?) (-?[0-9.e+-]+)$/.exec(line) ?? [];
    expect(types.get(name), `a line without its type: ${line}`).toBe(
      name.endsWith('_total') ? 'counter' : 'gauge',
    );
    expect(samples.has(sample), `${sample} stands twice`).toBe(false);
    samples.set(sample, Number(value));
  }
  return samples;
}

describe('GET /metrics', () => {
  test('needs a token and is no place for others', async () => {
    expect((await hub.ask('/metrics')).status).toBe(401);
    expect((await hub.ask('/metrics', { method: 'POST', token: agent, body: {} })).status).toBe(
      405,
    );
    expect((await hub.ask('/v1/metrics', { token: agent })).status).toBe(404);
  });

  test('tells what came, what was let in and what was dropped, in the format of Prometheus', async () => {
    const identity = await connectStranger();
    const { answer, samples } = await vi.waitFor(
      async () => {
        const read = await hub.ask('/metrics', { token: agent });
        const known = samplesOf(read.text);
        expect(known.get('axon_quic_connections')).toBe(1);
        expect(known.get('axon_quic_connections_quarantined')).toBe(1);
        expect(known.get('axon_quic_half_open')).toBe(0);
        return { answer: read, samples: known };
      },
      { timeout: COUNTED_WITHIN_MS },
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    // A client that waited long for the answer to its first packet sends it again, and is told to
    // try again once more.
    expect(samples.get('axon_quic_retries_total{event="sent"}')).toBeGreaterThanOrEqual(1);
    expect(samples.get('axon_quic_retries_total{event="validated"}')).toBeGreaterThanOrEqual(1);
    expect(samples.get('axon_quic_datagrams_total{event="received"}')).toBeGreaterThan(2);
    expect(samples.get('axon_quic_bytes_total{event="sent"}')).toBeGreaterThan(1_200);
    expect(samples.get('axon_quic_path_mtu_bytes')).toBeGreaterThanOrEqual(1_200);
    expect(samples.get('axon_quic_process_restarts_total')).toBe(0);
    expect(samples.get('axon_agents_registered')).toBe(1);
    expect(samples.get('axon_hub_memory_bytes')).toBeGreaterThan(10_000_000);
    // How late the process comes to what is due is measured from the first reading on.
    await vi.waitFor(
      async () => {
        const later = samplesOf((await hub.ask('/metrics', { token: agent })).text);
        expect(later.get('axon_hub_event_loop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
      },
      { timeout: COUNTED_WITHIN_MS, interval: 200 },
    );
    // Numbers only: who it was is nowhere.
    expect(answer.text).not.toContain(identity.agentId);
    expect(answer.text).not.toContain(identity.keyHex);
    expect(answer.text).not.toContain('collector');
  });

  test('and the status tell the same counters', async () => {
    await connectStranger();
    await vi.waitFor(
      async () => {
        const { transport } = JSON.parse((await hub.ask('/v1/status', { token: agent })).text);
        const samples = samplesOf((await hub.ask('/metrics', { token: agent })).text);
        expect(transport.counters['connections.quarantined']).toBe(1);
        expect(transport.counters['retries.sent']).toBeGreaterThanOrEqual(1);
        expect(transport.counters['retries.sent']).toBe(
          samples.get('axon_quic_retries_total{event="sent"}'),
        );
        expect(transport.counters['retries.validated']).toBe(
          samples.get('axon_quic_retries_total{event="validated"}'),
        );
        expect(transport).toHaveProperty('memory_bytes');
      },
      { timeout: COUNTED_WITHIN_MS },
    );
  });
});
