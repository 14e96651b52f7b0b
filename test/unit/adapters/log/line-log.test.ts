import { describe, expect, test } from 'vitest';
import { LineLog } from '../../../../main/adapters/log/line-log.ts';
import type { LogForm, LogLevel } from '../../../../preload/contract/closed-lists.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

function logTo(lines: string[], form: LogForm, level: LogLevel = 'info'): LineLog {
  return new LineLog(new ManualClock(), (line) => lines.push(line), level, { form });
}

describe('a log line', () => {
  test('for a program is one JSON object with its fields, and those of whoever logs', () => {
    const lines: string[] = [];
    logTo(lines, 'json').with({ part: 'quic' }).warn('it shut', { port: 7100 });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      message: 'it shut',
      part: 'quic',
      port: 7100,
    });
  });

  test('for a person is a sentence with what belongs to it, below its level nothing', () => {
    const lines: string[] = [];
    const log = logTo(lines, 'text');
    log.info('hub started', { api_port: 7117, peer_port: null });
    log.with({ part: 'quic' }).warn('it shut');
    log.debug('too fine');
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      'hub started (api port 7117)\n',
      'warning: it shut (part quic)\n',
    ]);
  });

  test('for a person holds nothing that moves a cursor, starts a line or changes a direction, and is bounded', () => {
    const lines: string[] = [];
    logTo(lines, 'text').error('from outside', {
      said: `a\nb\u001b[2J\u202e\u009b${'x'.repeat(10_000)}`,
    });
    const [line = ''] = lines;
    expect(line.slice(0, -1)).not.toMatch(/[\p{Control}\u202e]/u);
    expect(line).toContain('a b[U+001B][2J[U+202E][U+009B]xxx');
    expect(line.length).toBeLessThan(700);
  });
});
