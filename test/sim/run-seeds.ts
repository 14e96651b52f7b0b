// A process that runs a share of the seeds and writes one line of JSON for each: run with plain
// Node beside others of its kind. Arguments: first seed, step, last seed.
import { runSeed } from './run-seed.ts';

const [first = 1, step = 1, last = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed <= last; seed += step) {
  const { hash, findings, events, simulatedMs, counts } = await runSeed(seed);
  process.stdout.write(
    `${JSON.stringify({ seed, hash, findings, events, simulatedMs, counts })}\n`,
  );
}
