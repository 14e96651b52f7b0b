// Two and more hubs on one home network, each in a network namespace: they find each other, notice
// who leaves, and follow changes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiscoveryProgram } from './found-hubs.ts';
import { rounds } from '../support/counts.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { Lan, NODE_BINARY } from './namespaces.ts';

/**
 * PROTOCOL.md, Discovery: each shows the other within 5 seconds, and a change of network is
 * followed as fast.
 */
const FOUND_WITHIN_MS = 5_000;
const GOODBYE_WITHIN_MS = 1_000;

describe.skipIf(!hasRealPart('namespaces'))('hubs on one home network', () => {
  let lan: Lan;
  beforeEach(() => {
    lan = new Lan(['dad', 'mum', 'kid']);
  });
  afterEach(async () => {
    await lan.close();
  });

  it('two hubs find each other within 5 s, in every round, with the addresses and ports they can be dialled at', async () => {
    const count = rounds('rounds of two discovery programs finding each other', {
      short: 3,
      long: 10,
    });
    const tookMs: number[] = [];
    for (let round = 0; round < count; round += 1) {
      const dad = await DiscoveryProgram.start(lan.host('dad'), `dad ${round}`);
      const startedAt = performance.now();
      const mum = await DiscoveryProgram.start(lan.host('mum'), `mum ${round}`, { port: 7200 });
      const [foundByDad, foundByMum] = await Promise.all([
        dad.found(mum.identity.agentId, FOUND_WITHIN_MS),
        mum.found(dad.identity.agentId, FOUND_WITHIN_MS),
      ]);
      tookMs.push(Math.round(performance.now() - startedAt));
      expect(foundByDad).toMatchObject({
        keyHex: mum.identity.keyHex,
        port: 7200,
        addresses: ['10.77.0.2'],
      });
      expect(foundByMum).toMatchObject({
        keyHex: dad.identity.keyHex,
        port: 7100,
        addresses: ['10.77.0.1'],
      });
      expect(dad.foundIds).not.toContain(dad.identity.agentId);
      expect(await Promise.all([dad.stop(), mum.stop()])).toEqual([0, 0]);
    }
    process.stdout.write(
      `found each other in ${count} rounds, ms from the start of the second program: ${tookMs.join(', ')}\n`,
    );
  });

  it('a goodbye makes the hub lost at once, and nothing else does while it answers', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    const kid = await DiscoveryProgram.start(lan.host('kid'), 'kid');
    await dad.found(mum.identity.agentId, FOUND_WITHIN_MS);
    await dad.found(kid.identity.agentId, FOUND_WITHIN_MS);
    const stopped = mum.stop();
    await dad.lost(mum.identity.agentId, GOODBYE_WITHIN_MS);
    expect(await stopped).toBe(0);
    await expect(dad.lost(kid.identity.agentId, GOODBYE_WITHIN_MS)).rejects.toThrow(
      'nothing of the kind',
    );
  });

  it('several hubs on one computer find each other, over its network card or over loopback when that is named', async () => {
    for (const interfaces of ['eth0', 'lo']) {
      const first = await DiscoveryProgram.start(lan.host('dad'), `first on ${interfaces}`, {
        port: 7101,
        interfaces,
      });
      const second = await DiscoveryProgram.start(lan.host('dad'), `second on ${interfaces}`, {
        port: 7102,
        interfaces,
      });
      const third = await DiscoveryProgram.start(lan.host('dad'), `third on ${interfaces}`, {
        port: 7103,
        interfaces,
      });
      const address = interfaces === 'lo' ? '127.0.0.1' : '10.77.0.1';
      for (const [seer, seen, port] of [
        [first, third, 7103],
        [third, second, 7102],
        [second, first, 7101],
      ] as const) {
        expect(await seer.found(seen.identity.agentId, FOUND_WITHIN_MS)).toMatchObject({
          port,
          addresses: [address],
        });
      }
      // One of several that leaves silences no other.
      await second.stop();
      const later = await DiscoveryProgram.start(lan.host('dad'), `later on ${interfaces}`, {
        port: 7104,
        interfaces,
      });
      await later.found(first.identity.agentId, FOUND_WITHIN_MS);
      await Promise.all([first.stop(), third.stop(), later.stop()]);
    }
  });

  it('a hub started again is reported again although it said no goodbye', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await dad.found(mum.identity.agentId, FOUND_WITHIN_MS);
    await mum.process.kill('SIGKILL');
    const mark = dad.mark;
    const again = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await dad.found(again.identity.agentId, FOUND_WITHIN_MS, mark);
    expect(dad.crashes).toEqual([]);
  });

  it('a program that holds port 5353 for itself keeps the hub from being found, not from running', async () => {
    const hold = `require('node:dgram').createSocket('udp4').bind({ port: 5353, exclusive: true }, () => console.log('held'))`;
    const holder = lan.host('dad').start(NODE_BINARY, ['-e', hold]);
    await holder.until((line) => line === 'held', 20_000);
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    expect(await dad.stop()).toBe(0);
    expect(dad.crashes).toEqual([]);
    expect(dad.process.transcript()).toContain('another program may hold UDP port 5353');
    await dad.condition({ working: [], unusable: [{ name: 'eth0', why: 'port-taken' }] }, 0);
  });

  it('a computer without a usable network is told so with the reason, and again when that changes', async () => {
    const host = lan.host('dad');
    host.setLink('down');
    const dad = await DiscoveryProgram.start(host, 'dad');
    await dad.condition({ working: [], unusable: [] }, FOUND_WITHIN_MS);
    host.setAddress('192.0.2.7');
    host.setLink('up');
    await dad.condition(
      { working: [], unusable: [{ name: 'eth0', why: 'no-home-address' }] },
      FOUND_WITHIN_MS,
    );
    host.setAddress('10.77.0.1');
    const mark = dad.mark;
    await dad.condition({ working: ['eth0'], unusable: [] }, FOUND_WITHIN_MS, mark - 1);
    expect(dad.crashes).toEqual([]);
  });

  it('F-14: a hub that starts without any network waits, and is found when the cable is plugged in', async () => {
    lan.host('dad').setLink('down');
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    lan.host('dad').setLink('up');
    await Promise.all([
      dad.networkChanged(FOUND_WITHIN_MS),
      dad.found(mum.identity.agentId, FOUND_WITHIN_MS),
      mum.found(dad.identity.agentId, FOUND_WITHIN_MS),
    ]);
  });

  it('F-14: a pulled cable loses the others, a plugged one finds them again', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await dad.found(mum.identity.agentId, FOUND_WITHIN_MS);
    lan.host('dad').setLink('down');
    await Promise.all([
      dad.networkChanged(FOUND_WITHIN_MS),
      dad.lost(mum.identity.agentId, FOUND_WITHIN_MS),
    ]);
    const mark = dad.mark;
    lan.host('dad').setLink('up');
    await Promise.all([
      dad.networkChanged(FOUND_WITHIN_MS, mark),
      dad.found(mum.identity.agentId, FOUND_WITHIN_MS, mark),
    ]);
    expect(dad.crashes).toEqual([]);
  });

  it('F-14: a new address is announced within 5 s and comes first, as one hub', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await dad.found(mum.identity.agentId, FOUND_WITHIN_MS);
    lan.host('mum').setAddress('10.77.0.22');
    const moved = await dad.found(
      mum.identity.agentId,
      FOUND_WITHIN_MS,
      0,
      (hub) => hub.addresses[0] === '10.77.0.22',
    );
    expect(moved.keyHex).toBe(mum.identity.keyHex);
    expect(new Set(dad.foundIds)).toEqual(new Set([mum.identity.agentId]));
    await mum.found(dad.identity.agentId, FOUND_WITHIN_MS);
  });

  it('F-14: a second network card is used when it appears, and forgotten when it is taken out', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await dad.found(mum.identity.agentId, FOUND_WITHIN_MS);
    lan.plug(lan.host('dad'), 'eth1', '10.78.0.1');
    lan.plug(lan.host('mum'), 'eth1', '10.78.0.2');
    const both = await dad.found(
      mum.identity.agentId,
      2 * FOUND_WITHIN_MS,
      0,
      (hub) => hub.addresses.length === 2,
    );
    expect(both.addresses.toSorted()).toEqual(['10.77.0.2', '10.78.0.2']);
    const mark = dad.mark;
    lan.unplug(lan.host('dad'), 'eth1');
    const one = await dad.found(
      mum.identity.agentId,
      FOUND_WITHIN_MS,
      mark,
      (hub) => hub.addresses.length === 1,
    );
    expect(one.addresses).toEqual(['10.77.0.2']);
    expect([...dad.crashes, ...mum.crashes]).toEqual([]);
  });
});
