// The certificate a hub shows, read back by an implementation that is not ours.
import { createPrivateKey, createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  mintCredentials,
  selfSignedCertificate,
} from '../../../../main/adapters/quic/certificate.ts';
import { keyOfChain } from '../../../../main/adapters/quic/handshake-check.ts';

it('a minted certificate is a self-signed X.509 certificate over the identity key', () => {
  const { keyHex, agentId, certificatePem, privateKeyPem } = mintCredentials(randomBytes(32));
  const certificate = new X509Certificate(Buffer.from(certificatePem));
  const privateKey = createPrivateKey(Buffer.from(privateKeyPem));
  expect(certificate.publicKey.asymmetricKeyType).toBe('ed25519');
  expect(
    certificate.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
  ).toBe(keyHex);
  expect(certificate.verify(createPublicKey(privateKey))).toBe(true);
  expect(certificate.checkPrivateKey(privateKey)).toBe(true);
  expect(certificate.checkIssued(certificate)).toBe(true);
  expect(certificate.subject).toBe(`CN=axon-${agentId}`);
  expect(certificate.issuer).toBe(certificate.subject);
  expect(certificate.subjectAltName).toBe('DNS:localhost');
  expect(certificate.checkHost('localhost')).toBe('localhost');
  expect([certificate.validFrom, certificate.validTo]).toEqual([
    'Jan  1 00:00:00 2020 GMT',
    'Jan  1 00:00:00 4095 GMT',
  ]);
  expect(certificate.serialNumber).toBe('01');
  expect(certificate.ca).toBe(false);
});

it('a minted certificate is one that hubs accept, and names its key', () => {
  const { keyHex, certificatePem } = mintCredentials(randomBytes(32));
  expect(keyOfChain([new X509Certificate(Buffer.from(certificatePem)).raw])).toEqual({
    ok: true,
    value: keyHex,
  });
});

it('the same seed gives the same certificate, so that nothing but the key identifies a hub', () => {
  const seed = randomBytes(32);
  expect(mintCredentials(seed)).toEqual(mintCredentials(seed));
  expect(mintCredentials(seed).keyHex).not.toBe(mintCredentials(randomBytes(32)).keyHex);
});

it('names of every length that changes the form of a length are written as they are', () => {
  const { privateKeyPem } = mintCredentials(randomBytes(32));
  const privateKey = createPrivateKey(Buffer.from(privateKeyPem));
  for (const length of [1, 20, 45, 63, 64]) {
    for (const hostLength of [1, 60, 120, 130, 250]) {
      const [name, host] = ['n'.repeat(length), 'h'.repeat(hostLength)];
      const certificate = new X509Certificate(selfSignedCertificate(privateKey, name, host));
      expect([certificate.subject, certificate.subjectAltName]).toEqual([
        `CN=${name}`,
        `DNS:${host}`,
      ]);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
    }
  }
});
