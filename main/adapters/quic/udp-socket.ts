// The one UDP socket of an endpoint: bound once, dialled from and listened on. It moves datagrams
// and judges nothing.
import dgram from 'node:dgram';
import { AppError } from '../../lib/app-error.ts';
import { splitZone } from './addresses.ts';
import type { Counters } from './counters.ts';
import { SOCKET_BUFFER_BYTES } from './limits.ts';

export interface UdpSocket {
  readonly family: 4 | 6;
  readonly host: string;
  readonly port: number;
  send(bytes: Uint8Array, host: string, port: number): void;
  close(): Promise<void>;
}

type Receive = (datagram: Buffer, host: string, port: number) => void;

/**
 * Binds `host`, an IP literal ("::" takes IPv4 as well, and falls back to it where there is no
 * IPv6), at `port` (0 = a free one).
 * @throws AppError address_in_use, bad_configuration
 */
export async function openSocket(
  host: string,
  port: number,
  receive: Receive,
  counters: Counters,
): Promise<UdpSocket> {
  try {
    return await bind(host, port, receive, counters);
  } catch (error) {
    const code = errorCode(error);
    if (host === '::' && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL'))
      return openSocket('0.0.0.0', port, receive, counters);
    if (code === 'EADDRINUSE') {
      throw new AppError(
        'address_in_use',
        `UDP port ${port} on ${host} is taken by another program.`,
        {
          hint: 'Stop the other program, or choose another port with --peer-port (0 picks a free one).',
          cause: error,
        },
      );
    }
    throw new AppError(
      'bad_configuration',
      `The address ${host}, UDP port ${port}, cannot be used (${code}).`,
      {
        hint: 'Choose an address of this computer, or "::" for all of them.',
        cause: error,
      },
    );
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

async function bind(
  host: string,
  port: number,
  receive: Receive,
  counters: Counters,
): Promise<UdpSocket> {
  const family = splitZone(host).address.includes(':') ? 6 : 4;
  const socket = dgram.createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    // Only literals are ever sent to: no resolver, no extra turn of the loop.
    lookup: (name, _options, callback) => callback(null, name, family),
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ port, address: host, exclusive: true }, () => {
      socket.removeAllListeners('error');
      resolve();
    });
  });
  socket.on('error', () => counters.add('socket.errors'));
  const { traffic } = counters;
  socket.on('message', (datagram, from) => {
    traffic.receivedDatagrams += 1;
    traffic.receivedBytes += datagram.length;
    receive(datagram, from.address, from.port);
  });
  growBuffers(socket, counters);
  const bound = socket.address();
  return {
    family,
    host: bound.address,
    port: bound.port,
    send: (bytes, toHost, toPort) => {
      try {
        socket.send(bytes, toPort, toHost);
        traffic.sentDatagrams += 1;
        traffic.sentBytes += bytes.length;
      } catch {
        counters.add('socket.errors');
      }
    },
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}

/** Larger buffers are a wish: a system may give less. */
function growBuffers(socket: dgram.Socket, counters: Counters): void {
  try {
    socket.setRecvBufferSize(SOCKET_BUFFER_BYTES);
    socket.setSendBufferSize(SOCKET_BUFFER_BYTES);
  } catch {
    counters.add('socket.small-buffers');
  }
}
