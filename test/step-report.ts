// What the steps of a test run came to: kept in a file after every step, so that a later run of
// some steps keeps the others' outcomes, and told as a page that says of each step which commit it
// was run on. Runs nothing.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

export interface Outcome {
  readonly key: string;
  readonly name: string;
  /** `begun` is what a run leaves that was stopped in this step. */
  readonly state: 'passed' | 'skipped' | 'FAILED' | 'begun';
  readonly seconds: number;
  readonly endedAt: string;
  /** The commit it was run on, and whether files had been changed since. */
  readonly commit: string;
  /** What tests have put down, by what it is. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
}

/** The outcomes that an earlier run kept; none where there is no such file, or it is not whole. */
export function readOutcomes(file: string): readonly Outcome[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(kept) ? kept.filter(isOutcome) : [];
  } catch {
    return [];
  }
}

/**
 * Gives the file its new text at once: whoever reads it, or stops the run, finds the old one or the
 * new one.
 */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.part`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The outcomes as a page. `titles` are those of the lines, in their order. */
export function report(
  heading: string,
  outcomes: readonly Outcome[],
  titles: readonly string[],
): string {
  const rows = outcomes.map(({ key, name, state, seconds, endedAt, commit }) => {
    const words = state === 'begun' ? 'begun, not ended' : state;
    return `| ${name} (\`${key}\`) | ${words} | ${state === 'begun' ? '' : `${seconds} s`} | ${endedAt} | ${commit} |`;
  });
  const list = (title: string): string => {
    const lines = [...new Set(outcomes.flatMap((outcome) => outcome.lines[title] ?? []))];
    return lines.length === 0
      ? ''
      : `\n${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`;
  };
  const commits = new Set(outcomes.map(({ commit }) => commit));
  return [
    `# ${heading}\n`,
    ...(commits.size > 1
      ? [
          `These steps were run on ${commits.size} different states of the code; the last column says which.\n`,
        ]
      : []),
    '| Step | Outcome | Time | Ended | Commit |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...titles.map(list),
  ].join('\n');
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false;
  const {
    key,
    name,
    state,
    seconds,
    endedAt,
    commit,
    lines,
  }: Partial<Record<keyof Outcome, unknown>> = value;
  const isText = [key, name, endedAt, commit].every((text) => typeof text === 'string');
  const isKnown = ['passed', 'skipped', 'FAILED', 'begun'].includes(String(state));
  if (
    !isText ||
    !isKnown ||
    typeof seconds !== 'number' ||
    typeof lines !== 'object' ||
    lines === null
  )
    return false;
  return Object.values(lines).every(
    (list) => Array.isArray(list) && list.every((line) => typeof line === 'string'),
  );
}
