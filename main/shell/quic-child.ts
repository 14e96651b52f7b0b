// The QUIC process inside the packaged app: Electron's utility process instead of a plain Node
// child, which the app's fuses forbid.
import electron from 'electron';
import { withoutLoaders } from './hardening.ts';

const { utilityProcess } = electron;

/** The same shape as the plain Node child: bytes both ways, an end, and a way to end it. */
interface UtilityQuicChild {
  readonly processId: number | undefined;
  send(bytes: Uint8Array, written: () => void): void;
  onMessage(listener: (bytes: Uint8Array) => void): void;
  onExit(listener: (reason: string) => void): void;
  kill(): void;
}

export function spawnUtilityQuicProcess(entryFile: string): UtilityQuicChild {
  const child = utilityProcess.fork(entryFile, [], {
    serviceName: 'AXON Hub network',
    stdio: 'ignore',
    env: withoutLoaders(process.env),
    execArgv: ['--max-semi-space-size=1'],
  });
  let processId: number | undefined;
  let gone = false;
  child.once('spawn', () => (processId = child.pid));
  child.once('exit', () => (gone = true));
  return {
    get processId() {
      return processId;
    },
    send: (bytes, written) => {
      // A copy of just these bytes: the whole buffer behind them would travel.
      if (!gone) child.postMessage(Uint8Array.from(bytes));
      written();
    },
    onMessage: (listener) => {
      child.on('message', (message: unknown) => {
        if (message instanceof Uint8Array) listener(message);
      });
    },
    onExit: (listener) => {
      child.once('exit', (code) => listener(`ended with code ${code}`));
    },
    // A process that hangs does not hear a polite signal.
    kill: () => {
      if (gone) return;
      if (processId === undefined) child.kill();
      else process.kill(processId, 'SIGKILL');
    },
  };
}
