// A UDP port that nobody has just now, for a hub that has to be found there again after a restart.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}
