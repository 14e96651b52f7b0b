// What a hub says of itself, and which announcements of others hold together.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  fitLabel,
  goodbyeOf,
  labelIn,
  readIdentity,
  recordsOf,
} from '../../../../main/adapters/mdns/announcement.ts';

const key = createHash('sha256').update('a hub').digest();
const agentId = `ed25519.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
const digits = agentId.slice('ed25519.'.length);
const neutral = `axon-${digits.slice(0, 16)}`;
const advertisement = { agentId, keyHex: key.toString('hex'), peerPort: 7100 };
const txt = (...strings: string[]): Uint8Array[] => strings.map((text) => Buffer.from(text));
const whole = [`agent_id=${agentId}`, `pubkey=${key.toString('base64')}`, 'v=1'];

describe('announcement', () => {
  it('the records are the pointer, SRV, TXT and addresses; those of our own name replace what was known of it', () => {
    const records = recordsOf(advertisement, ['192.168.1.5', 'fd00::5'], '0011aabb-1');
    expect(records.map(({ type, name, flush }) => [type, name, flush])).toEqual([
      ['PTR', '_axon._udp.local', false],
      ['SRV', `${neutral}._axon._udp.local`, true],
      ['TXT', `${neutral}._axon._udp.local`, true],
      ['A', `${neutral}.local`, true],
      ['AAAA', `${neutral}.local`, true],
      ['PTR', '_services._dns-sd._udp.local', false],
    ]);
  });

  it('a goodbye ends every record of ours and leaves the list of service types to the others', () => {
    const goodbye = goodbyeOf(recordsOf(advertisement, ['192.168.1.5'], '0011aabb-1'));
    expect(goodbye.map(({ ttl }) => ttl)).toEqual([0, 0, 0, 0]);
    expect(goodbye.some(({ name }) => name.startsWith('_services'))).toBe(false);
  });

  it('what is announced is read back as the same identity, with the mark of the start', () => {
    const record = recordsOf(advertisement, [], '0011aabb-7').find(({ type }) => type === 'TXT');
    const strings = Array.isArray(record?.data) ? record.data : [];
    expect(readIdentity(strings)).toEqual({
      agentId,
      keyHex: advertisement.keyHex,
      start: '0011aabb',
    });
  });

  it('keys are read in either case, and the first of several counts', () => {
    const [first = '', second = '', third = ''] = whole;
    expect(
      readIdentity(
        txt(first.replace('agent_id', 'Agent_ID'), second.replace('pubkey', 'PUBKEY'), third),
      )?.agentId,
    ).toBe(agentId);
    expect(readIdentity(txt(...whole, 'v=2', 'agent_id=other'))?.agentId).toBe(agentId);
    expect(readIdentity(txt('v=2', ...whole))).toBeUndefined();
  });

  it('an announcement that does not hold together is none', () => {
    const [id = '', publicKey = '', version = ''] = whole;
    const other = createHash('sha256').update('another').digest('base64');
    const wrong: readonly (readonly string[])[] = [
      [],
      ['agent_id', 'pubkey', 'v'],
      [id, publicKey],
      [id, version],
      [publicKey, version],
      [id, publicKey, 'v=01'],
      [id, publicKey, 'v= 1'],
      [id.toUpperCase().replace('AGENT_ID', 'agent_id'), publicKey, version],
      [`${id}0`, publicKey, version],
      [id.replace('ed25519', 'ed448'), publicKey, version],
      [id, `pubkey=${other}`, version],
      [id, publicKey.replaceAll('=', '').replace('pubkey', 'pubkey='), version],
      [id, `pubkey=${key.toString('base64url')}=`, version],
      [id, `pubkey=${key.subarray(1).toString('base64')}`, version],
      // The last sextet of a 32-byte key has two unused bits: another spelling of the same key.
      [
        id,
        publicKey.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`),
        version,
      ],
      [...whole, ...Array.from({ length: 30 }, () => 'k=v')],
      [...whole, 'x'.repeat(255), 'x'.repeat(255), 'x'.repeat(255), 'x'.repeat(255)],
    ];
    expect(wrong.filter((strings) => readIdentity(txt(...strings)) !== undefined)).toEqual([]);
    expect(readIdentity([Buffer.from([0xff, 0xfe]), ...txt(...whole)])?.agentId).toBe(agentId);
  });

  it('a label of another hub is handed on when it fits, and replaced by the neutral one when it does not', () => {
    expect(fitLabel('Attic bot', agentId)).toBe('Attic bot');
    for (const unfit of [
      '',
      ' ',
      'x'.repeat(64),
      'a\nb',
      'a\u0007b',
      'a\u202Eb',
      'a\u{E0041}b',
      'a\uFFFDb',
    ])
      expect(fitLabel(unfit, agentId)).toBe(neutral);
  });

  it('only names of our service type have a label', () => {
    expect(labelIn('Attic bot._AXON._udp.LOCAL')).toBe('Attic bot');
    expect(labelIn('a.b._axon._udp.local')).toBe('a.b');
    for (const name of [
      '_axon._udp.local',
      '._axon._udp.local',
      'x._http._tcp.local',
      'x_axon._udp.local',
      '',
      '.',
    ])
      expect(labelIn(name)).toBeUndefined();
  });
});
