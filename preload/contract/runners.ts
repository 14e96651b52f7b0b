// Programs that a hub keeps running for its agents, as they cross a process boundary. Closed lists:
// what is not in them does not run. Imports nothing.

/**
 * How a runner does its work. A kind is added here; what has to know of it then fails to compile.
 */
export const RUNNER_KINDS = ['acp', 'file'] as const;
export type RunnerKind = (typeof RUNNER_KINDS)[number];

/**
 * The programs that speak the Agent Client Protocol and may be kept running, with the words that
 * start each: those that say for certain which tool is ours. Any other one is started at a
 * terminal: "axon listen --acp".
 */
export const ACP_PROGRAMS = {
  'claude-agent-acp': { title: 'Claude Code', words: ['claude-agent-acp'] },
  'codex-acp': { title: 'Codex', words: ['codex-acp'] },
  gemini: { title: 'Gemini CLI', words: ['gemini', '--acp'] },
  opencode: { title: 'opencode', words: ['opencode', 'acp'] },
} as const satisfies Record<string, { readonly title: string; readonly words: readonly string[] }>;
export type AcpProgram = keyof typeof ACP_PROGRAMS;
// `Object.keys` forgets which keys there are, so its type is written down.
export const ACP_PROGRAM_NAMES = Object.keys(ACP_PROGRAMS) as readonly AcpProgram[];

/**
 * What a runner says of itself. day_used: its agent was woken as often today as it may be. used_up:
 * so are its tokens, and it refuses.
 */
export const RUNNER_SAYS = [
  'waits',
  'works',
  'day_used',
  'used_up',
  'needs_sign_in',
  'cannot_start',
] as const;
/** starts: it has not said anything yet. */
export const RUNNER_STATES = [...RUNNER_SAYS, 'starts'] as const;
export type RunnerState = (typeof RUNNER_STATES)[number];

export interface RunnerSaid {
  readonly state: (typeof RUNNER_SAYS)[number];
  /** In a sentence, where it cannot go on. */
  readonly why: string | null;
  /** What its starts cost today at least, by the program's own count. */
  readonly tokens: number;
}

/** What the owner chose for one agent. */
export interface AcpRunnerChoice {
  readonly kind: 'acp';
  readonly program: AcpProgram;
  /** null: an empty folder of its own. */
  readonly folder: string | null;
}
/** An agent that is a file, of which a person confirmed the text: agent-files.ts. */
export interface FileRunnerChoice {
  readonly kind: 'file';
  /** Its name in the folder. */
  readonly file: string;
  readonly model: string;
  /** Tokens a day. */
  readonly budget: number;
  /** The host to which what it is asked goes; null: it stays on this computer. */
  readonly leaves_to: string | null;
}
export type RunnerChoice = AcpRunnerChoice | FileRunnerChoice;

/** Chosen in another version of the hub; this one knows no such program, and starts nothing. */
export interface GoneRunner {
  readonly kind: 'gone';
  readonly program: string;
}

export type RunnerDto = (RunnerChoice | GoneRunner) & {
  readonly agent: string;
  readonly state: RunnerState;
  readonly why: string | null;
  /** How often the agent was woken today, whatever woke it. */
  readonly wakes: number;
  readonly tokens: number;
};
