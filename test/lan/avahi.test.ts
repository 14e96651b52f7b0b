// The announcement and the search judged by Avahi, a program that shares no code with this project.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRealPart } from '../support/real-parts.ts';
import { Avahi } from './avahi.ts';
import { DiscoveryProgram, identityOf } from './found-hubs.ts';
import { Lan } from './namespaces.ts';

describe.skipIf(!hasRealPart('namespaces') || !hasRealPart('avahi'))('hubs beside Avahi', () => {
  let lan: Lan;
  let avahi: Avahi;
  beforeEach(async () => {
    lan = new Lan(['dad', 'attic']);
    avahi = await Avahi.start(lan.host('attic'));
  });
  afterEach(async () => {
    await avahi.stop();
    await lan.close();
  });

  it('avahi-browse resolves our service with the right address, port and TXT record', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad', { port: 7177 });
    const { agentId, publicKeyBase64 } = dad.identity;
    const digits = agentId.slice('ed25519.'.length);
    const seen = await avahi.browse(`axon-${digits.slice(0, 16)}`);
    expect(seen).toMatchObject({
      host: `axon-${digits.slice(0, 16)}.local`,
      address: '10.77.0.1',
      port: 7177,
    });
    expect(seen.txt).toHaveLength(4);
    expect(seen.txt).toEqual(
      expect.arrayContaining([`agent_id=${agentId}`, `pubkey=${publicKeyBase64}`, 'v=1']),
    );
  });

  it('a hub that avahi-publish announces is listed with its key, port and address, and lost when it ends', async () => {
    const bot = identityOf('home assistant');
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const publisher = await avahi.publish('Attic bot', 7300, [
      `agent_id=${bot.agentId}`,
      `pubkey=${bot.publicKeyBase64}`,
      'v=1',
    ]);
    const hub = await dad.found(bot.agentId, 5_000);
    expect(hub).toEqual({
      agentId: bot.agentId,
      keyHex: bot.keyHex,
      port: 7300,
      addresses: ['10.77.0.2'],
      label: 'Attic bot',
    });
    await publisher.kill('SIGTERM');
    await dad.lost(bot.agentId, 2_000);
  });

  it('a hub that avahi announced before we started is found by asking', async () => {
    const bot = identityOf('home assistant');
    await avahi.publish('Attic bot', 7300, [
      `agent_id=${bot.agentId}`,
      `pubkey=${bot.publicKeyBase64}`,
      'v=1',
    ]);
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    expect(await dad.found(bot.agentId, 5_000)).toMatchObject({
      port: 7300,
      addresses: ['10.77.0.2'],
    });
  });

  it('a hub and Avahi share one computer: both are found, both find, and the hub survives the daemon', async () => {
    const bot = identityOf('home assistant');
    const attic = await DiscoveryProgram.start(lan.host('attic'), 'attic');
    await avahi.publish('Attic bot', 7300, [
      `agent_id=${bot.agentId}`,
      `pubkey=${bot.publicKeyBase64}`,
      'v=1',
    ]);
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    await Promise.all([
      dad.found(attic.identity.agentId, 5_000),
      dad.found(bot.agentId, 5_000),
      attic.found(dad.identity.agentId, 5_000),
      attic.found(bot.agentId, 5_000),
    ]);
    expect(await avahi.browse(`axon-${dad.identity.agentId.slice(8, 24)}`)).toMatchObject({
      address: '10.77.0.1',
      port: 7100,
    });
    await avahi.stop();
    const mark = attic.mark;
    expect(await dad.stop()).toBe(0);
    await attic.lost(dad.identity.agentId, 2_000, mark);
    expect(attic.crashes).toEqual([]);
  });
});
