// What a run of the bench tells: the machine and how busy it was, each row as it comes, and both
// files at the end. It measures nothing.
import { cpus, loadavg } from 'node:os';
import type { Row } from './results.ts';

/** A row, and how busy the machine was when its measuring began: the load average over a minute. */
export interface ReportedRow extends Row {
  readonly load: number;
}

export function machineText(): string {
  const cores = cpus();
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${cores.length} x ${cores[0]?.model ?? 'unknown'}`;
}

export function loadNow(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

export function toText({ parts, absent, reason, load }: ReportedRow): string {
  const lines = [`  at a load of ${load}`];
  if (reason !== undefined) lines.push(`  ${absent ? 'ABSENT' : 'INCOMPLETE'}: ${reason}`);
  for (const { name, value, unit, bound, target, holds, rounds, spread, detail } of parts) {
    const verdict = holds ? 'holds' : 'FALLS SHORT';
    lines.push(
      `  ${name}: ${value} ${unit} (${bound} ${target}: ${verdict}); ${detail}; ${rounds} rounds ${spread.join('-')}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

export function toJson(rows: readonly ReportedRow[], machine: string): string {
  return `${JSON.stringify({ machine, rows }, null, 2)}\n`;
}

export function toMarkdown(rows: readonly ReportedRow[], machine: string): string {
  const lines = [
    '# Bench',
    '',
    machine,
    '',
    '| Row | Part | Value | Target | Holds | Rounds (spread) | Load | Behind it |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
  ];
  for (const { id, title, parts, absent, reason, load } of rows) {
    if (reason !== undefined)
      lines.push(
        `| ${id} | ${title} | ${absent ? 'absent' : 'incomplete'} | | | | ${load} | ${reason} |`,
      );
    for (const { name, value, unit, bound, target, holds, rounds, spread, detail } of parts) {
      const limit = `${bound} ${target} | ${holds ? 'yes' : 'NO'}`;
      lines.push(
        `| ${id} | ${name} | ${value} ${unit} | ${limit} | ${rounds} (${spread.join(' to ')}) | ${load} | ${detail} |`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
