// `npm run demo -- --once`, as a person who has just cloned the project types it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

it(
  'npm run demo -- --once pairs a household, lets its agents talk, leaves requests, and keeps nothing',
  { timeout: 120_000 },
  async () => {
    const demo = spawn('npm', ['run', '--silent', 'demo', '--', '--once'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [demo.stdout, demo.stderr])
      stream.on('data', (part: Buffer) => (said += part.toString()));
    const [code] = await once(demo, 'close');
    expect(code, said).toBe(0);
    expect(said).toMatch(
      /Claude Code answered "What is on the family calendar this week\?": Three things this week/,
    );
    expect(said).toMatch(/OpenClaw answered "Which train goes to Nana on Saturday\?": The 09:12/);
    expect(said).toMatch(/OpenClaw has the result \(completed\): Added to the shopping list/);
    const links = [...said.matchAll(/^(\S+ \S+) +http:\/\/127\.0\.0\.1:\d+\/#c=[\w-]+$/gm)];
    expect(links.map(([, hub]) => hub)).toEqual(['Mum’s PC', 'Dad’s laptop', 'Leo’s tablet']);
    expect(said).toContain('nothing of it was kept');
  },
);
