// The floor: a datagram and its echo. A datagram that is lost is a failure of the run, not a slow
// answer.
import dgram from 'node:dgram';
import type { Asker } from '../load.ts';
import type { Address, Subject } from './subject.ts';

const ANSWER_LIMIT_MS = 5_000;

async function bind(host: string): Promise<dgram.Socket> {
  const socket = dgram.createSocket({
    type: 'udp4',
    lookup: (name, _options, callback) => callback(null, name, 4),
  });
  await new Promise<void>((resolve) => socket.bind(0, host, resolve));
  return socket;
}

async function serve(host: string): Promise<Address> {
  const socket = await bind(host);
  socket.on('message', (datagram, from) => socket.send(datagram, from.port, from.address));
  return { host, port: socket.address().port };
}

async function connect({ host, port }: Address): Promise<Asker> {
  const socket = await bind(host);
  let waiting: ((answer: Buffer) => void) | null = null;
  socket.on('message', (datagram) => waiting?.(datagram));
  return {
    ask: (body) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('a datagram got lost')), ANSWER_LIMIT_MS);
        waiting = (answer) => {
          clearTimeout(timer);
          resolve(answer);
        };
        socket.send(body, port, host);
      }),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

export const udp: Subject = { serve, connect };
