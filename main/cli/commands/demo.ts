// demo: a whole household on this computer, to look at.
import type { Command } from 'commander';
import { runDemo } from '../demo/run-demo.ts';
import type { Run } from '../run.ts';

export function addDemoCommand(program: Command, run: Run): void {
  program
    .command('demo')
    .description('start three paired hubs with scripted agents on this computer, and leave requests for you to decide')
    .option('--once', 'end as soon as the requests are placed')
    .action((options: { readonly once?: true }, command: Command) =>
      run(command, ({ terminal }) => runDemo(terminal, { program: process.argv[1] ?? '', once: options.once === true })),
    );
}
