import { expect, test } from 'vitest';
import { readShareToken, writeShareToken } from '../../../main/services/links/hub-address.ts';
import { addressIn, isShareLink, keyInLink } from '../../../renderer/app/share-link.ts';

const KEY = 'fbef'.repeat(16);
const LINK = writeShareToken(KEY, { host: '192.168.1.20', port: 7100 });

test('a page sees in a link what the hub wrote into it', () => {
  expect([isShareLink(` ${LINK}`), isShareLink('192.168.1.20:7100')]).toEqual([true, false]);
  expect(addressIn(LINK)).toBe('192.168.1.20:7100');
  expect(LINK).toBe(`axon://${keyInLink(KEY)}@${addressIn(LINK)}`);
  expect(readShareToken(`axon://${keyInLink(KEY)}@host`)?.keyHex).toBe(KEY);
});
