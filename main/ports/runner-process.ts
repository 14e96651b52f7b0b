// A program of ours that works for one agent in a process of its own, as long as the hub runs. It
// speaks with the hub like any other program of that agent; here it only says how it stands.
import type { RunnerSaid } from '../../preload/contract/runners.ts';

export interface RunnerStart {
  readonly agent: string;
  /** What stands behind `axon`. */
  readonly words: readonly string[];
  /** The agent's token. */
  readonly token: string;
  /** Written to its standard input; null: nothing. */
  readonly input: string | null;
  readonly onSaid: (said: RunnerSaid) => void;
  /** Called once. @param why the last that it said of it; null: nothing */
  readonly onEnd: (why: string | null) => void;
}

export interface RunnerProcess {
  /** undefined: it could not be started. */
  readonly pid: number | undefined;
  /** Ends it with all that it started. Resolves once it has. Never rejects. */
  end(): Promise<void>;
}

export type StartRunner = (start: RunnerStart) => RunnerProcess;
