// What else a program could use: HTTP/2 over TLS 1.3 with Ed25519 certificates on both sides, each
// checking the other's key. One connection, a POST for each request.
import http2 from 'node:http2';
import tls from 'node:tls';
import type { Asker } from '../load.ts';
import { credentialsOf, type Side } from './identities.ts';
import type { Address, Subject } from './subject.ts';

const KEY_LENGTH_BYTES = 32;

function requirePeer(socket: tls.TLSSocket, keyHex: string): void {
  const key = socket.getPeerX509Certificate()?.publicKey.export({ format: 'der', type: 'spki' });
  if (key?.subarray(-KEY_LENGTH_BYTES).toString('hex') !== keyHex)
    throw new Error('another key answered');
  socket.setNoDelay(true);
}

function securityOf(side: Side) {
  const { privateKeyPem, certificatePem } = credentialsOf(side);
  const key = {
    key: Buffer.from(privateKeyPem),
    cert: Buffer.from(certificatePem),
    sigalgs: 'ed25519',
  };
  return { ...key, minVersion: 'TLSv1.3', rejectUnauthorized: false } as const;
}

async function serve(host: string): Promise<Address> {
  const { keyHex } = credentialsOf('client');
  const server = http2.createSecureServer({ ...securityOf('server'), requestCert: true });
  server.on('secureConnection', (socket: tls.TLSSocket) => requirePeer(socket, keyHex));
  server.on('stream', (stream) => {
    const parts: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end(Buffer.concat(parts));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the server has no address');
  return { host, port: bound.port };
}

async function connect({ host, port }: Address): Promise<Asker> {
  const { keyHex } = credentialsOf('server');
  const socket = tls.connect({ ...securityOf('client'), host, port, ALPNProtocols: ['h2'] });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('secureConnect', resolve);
  });
  requirePeer(socket, keyHex);
  const session = http2.connect(`https://${host}:${port}`, { createConnection: () => socket });
  return {
    ask: (body) => post(session, body),
    close: () => new Promise((resolve) => session.close(resolve)),
  };
}

function post(session: http2.ClientHttp2Session, body: Buffer): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const stream = session.request({
      ':method': 'POST',
      ':path': '/',
      'content-type': 'application/json',
    });
    stream.on('error', reject);
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => resolve(Buffer.concat(parts)));
    stream.end(body);
  });
}

export const http2OverTls: Subject = { serve, connect };
