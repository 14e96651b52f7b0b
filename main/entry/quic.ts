// The QUIC process: owns the UDP socket and the native library, and nothing else. It takes its
// orders, and the seed, from the hub that started it over a private channel, and it ends when that
// channel does.
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { SystemClock, SystemRandom } from '../adapters/clock/system-clock.ts';
import type { ByteChannel } from '../adapters/quic/frame-channel.ts';
import { serveTransport } from '../adapters/quic/process-host.ts';
import { CHANNEL_FILE_DESCRIPTOR, channelOver } from '../adapters/quic/quic-process.ts';

interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/** Electron's utility process has a port to its parent instead of a pipe. */
function isParentPort(value: unknown): value is ParentPort {
  return typeof value === 'object' && value !== null && 'postMessage' in value;
}

/** `ended` is called when the hub at the other end is gone. */
function openChannel(ended: () => void): ByteChannel {
  const port: unknown = Reflect.get(process, 'parentPort');
  if (isParentPort(port)) {
    return {
      // A copy of just these bytes: the whole buffer behind them would travel.
      send: (bytes, written) => {
        port.postMessage(Uint8Array.from(bytes));
        written();
      },
      onMessage: (listener) =>
        port.on('message', ({ data }) => void (data instanceof Uint8Array && listener(data))),
    };
  }
  // Older Nodes open a debugger's port on this signal unless somebody listens to it.
  process.on('SIGUSR1', () => {});
  // A signal to the whole group of processes is the hub's to answer: it stops this one in order, or
  // its end closes the channel.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const socket = new Socket({ fd: CHANNEL_FILE_DESCRIPTOR, readable: true, writable: true });
  socket.on('error', ended);
  socket.on('close', ended);
  return channelOver(socket);
}

function usage(): { memoryBytes: number; processorMs: number; activeMs: number } {
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return {
    memoryBytes: process.memoryUsage.rss(),
    processorMs: (user + system) / 1_000,
    activeMs: active,
  };
}

const served = serveTransport({
  channel: openChannel(() => served.abandoned()),
  clock: new SystemClock(),
  random: new SystemRandom(),
  usage,
  exit: (code) => process.exit(code),
});
