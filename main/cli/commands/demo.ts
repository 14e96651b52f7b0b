// demo: a whole household on this computer, to look at; and the hidden command that runs one hub of
// it.
import type { Command } from 'commander';
import { dataFolder } from '../../lib/data-folder.ts';
import { removeHomeOfDemo } from '../demo/demo-folder.ts';
import { runDemo } from '../demo/run-demo.ts';
import type { AxonCommand } from '../axon-command.ts';
import { hubFlagsOf, withHubFlags } from './hub-flags.ts';

const TELL_AGAIN_MS = 200;

export function addDemoCommand(
  program: AxonCommand,
  runHub: (flags: readonly string[]) => Promise<void>,
): void {
  program
    .command('demo')
    .description(
      'start three paired hubs with scripted agents on this computer, and leave requests for you to decide',
    )
    .option('--once', 'end as soon as the requests are placed')
    .does(({ terminal }, options: { readonly once?: true }) =>
      runDemo(terminal, { program: process.argv[1] ?? '', once: options.once === true }),
    );
  withHubFlags(
    program.command('demo-hub', { hidden: true }).description('one hub of the demo'),
  ).action(async (_options: unknown, command: Command) => {
    let telling: NodeJS.Timeout | undefined;
    process.stdin.resume().on('error', () => undefined);
    // Again and again, since a hub that only begins to start does not listen yet.
    process.stdin.on(
      'close',
      () => (telling = setInterval(() => process.emit('SIGTERM', 'SIGTERM'), TELL_AGAIN_MS)),
    );
    await runHub(hubFlagsOf(command));
    const isLeft = telling !== undefined;
    clearInterval(telling);
    // The demo was killed and clears nothing away any more.
    if (isLeft)
      removeHomeOfDemo(dataFolder(command.optsWithGlobals<{ home?: string }>().home, process.env));
    process.stdin.removeAllListeners('close').destroy();
  });
}
