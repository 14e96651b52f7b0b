// How a QUIC process is started and held. The hub's shell may give another way (Electron has its
// own kind of process); this file has the one for plain Node: a child with a private pipe, started
// without the hub's NODE_OPTIONS.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { ByteChannel } from './frame-channel.ts';

/**
 * A running QUIC process. The seed goes over its channel and nowhere else: never argv, never
 * environment.
 */
export interface QuicChild extends ByteChannel {
  /** The operating system's number of the process, where it is known. */
  readonly processId: number | undefined;
  /** Called once, when the process is gone for whatever reason. */
  onExit(listener: (reason: string) => void): void;
  /**
   * Ends it at once, however stuck it is: SIGKILL, since the process leaves gentler signals to the
   * hub. Idempotent.
   */
  kill(): void;
}

export type SpawnQuicProcess = () => QuicChild;

/** The first QUIC process, on its way before anybody asks for it. */
export interface EarlyQuicProcess {
  /** Gives the early one once, if it lives, and starts others from then on. */
  readonly spawn: SpawnQuicProcess;
  /** Ends the early one if nobody asked for it. Idempotent. */
  discard(): void;
}

/** The file descriptor of the channel in the child: the first one after the standard three. */
export const CHANNEL_FILE_DESCRIPTOR = 3;
/** Where the entry file is, seen from the source and from a bundle. */
const ENTRY_CANDIDATES = ['../../entry/quic.ts', './quic.js', '../quic.js'];
/**
 * A small young generation: it dominates the memory of a process that moves short-lived buffers,
 * and shortens its pauses.
 */
const YOUNG_GENERATION = '--max-semi-space-size=1';
/**
 * Where Node knows it: without it a signal opens a debugger's port in the process that holds the
 * identity key.
 */
const NO_DEBUGGER = '--disable-sigusr1';
const NODE_FLAGS = [
  YOUNG_GENERATION,
  ...(process.allowedNodeEnvironmentFlags.has(NO_DEBUGGER) ? [NO_DEBUGGER] : []),
];

/**
 * Starts the entry file (main/entry/quic.ts or its bundle) with the Node that runs this.
 * @throws AppError internal when the system starts no process, for want of file descriptors or
 * memory
 */
export function spawnNodeQuicProcess(entryFile: string = findEntryFile()): QuicChild {
  const { NODE_OPTIONS: _dropped, ...environment } = process.env;
  const pipe = process.platform === 'win32' ? 'overlapped' : 'pipe';
  const child = spawn(process.execPath, [...NODE_FLAGS, entryFile], {
    stdio: ['ignore', 'inherit', 'inherit', pipe],
    env: environment,
    windowsHide: true,
  });
  // From the first moment: an error that nobody listens for would end the hub.
  child.once('error', () => {});
  const stream = child.stdio?.[CHANNEL_FILE_DESCRIPTOR];
  if (child.pid === undefined || !stream) {
    throw new AppError('internal', 'The process that talks to other hubs could not be started.', {
      hint: 'Free memory or open files on this computer; the hub tries again.',
    });
  }
  assert(stream instanceof Duplex, 'the child has a channel');
  // A broken pipe is the end of the process, which has its own event.
  stream.on('error', () => {});
  return {
    ...channelOver(stream),
    processId: child.pid,
    onExit: (listener) => {
      let reported = false;
      const report = (reason: string): void => {
        if (reported) return;
        reported = true;
        listener(reason);
      };
      child.once('error', (error) => report(error.message));
      child.once('exit', (code, signal) =>
        report(signal ? `ended by ${signal}` : `ended with code ${code}`),
      );
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/**
 * Starts a process that waits for its orders, so that it loads while the hub does. Where the system
 * starts none, `spawn` tries again and says so.
 */
export function startEarly(spawnOne: SpawnQuicProcess = spawnNodeQuicProcess): EarlyQuicProcess {
  let waiting: QuicChild | undefined;
  try {
    waiting = spawnOne();
    waiting.onExit(() => (waiting = undefined));
  } catch {
    // Whoever needs it is told then.
  }
  const take = (): QuicChild | undefined => {
    const taken = waiting;
    waiting = undefined;
    return taken;
  };
  return { spawn: () => take() ?? spawnOne(), discard: () => take()?.kill() };
}

/** A byte channel over a two-way stream. */
export function channelOver(stream: Duplex): ByteChannel {
  return {
    send: (bytes, written) => {
      if (stream.writable) stream.write(bytes, () => written());
      else written();
    },
    onMessage: (listener) => void stream.on('data', listener),
  };
}

function findEntryFile(): string {
  const found = ENTRY_CANDIDATES.map((candidate) =>
    fileURLToPath(new URL(candidate, import.meta.url)),
  ).find((file) => existsSync(file));
  if (found === undefined)
    throw new AppError(
      'internal',
      'The file of the QUIC process is missing from this installation.',
      { hint: 'Install again.' },
    );
  return found;
}
