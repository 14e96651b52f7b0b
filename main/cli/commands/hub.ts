// status, whoami, login, passphrase, examples, hub: the hub itself.
import type { Command } from 'commander';
import { EXAMPLES } from '../../../preload/contract/examples.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Run } from '../run.ts';
import { timeOf } from '../terminal.ts';

const HUB_FLAGS = ['name', 'api-port', 'peer-port', 'interface', 'discovery', 'log-level', 'request-rate', 'peer-rate-factor'] as const;

export function addHubCommands(program: Command, run: Run, runHub: (flags: readonly string[]) => Promise<void>): void {
  program
    .command('status')
    .description('how the hub of this computer is')
    .action((_options: unknown, command: Command) =>
      run(command, async ({ terminal, session }) => {
        const line = await session.line();
        const token = session.agentToken('any');
        if (token === undefined) {
          const { port, pid } = line.facts;
          terminal.result({ running: true, port, pid }, () => [
            `The hub runs: http://127.0.0.1:${port} (process ${pid}).`,
            'With a connected agent this shows more: axon agents connect NAME',
          ]);
          return;
        }
        const status = await line.withToken(token).call('hub.status', {});
        const { hub, peers, agents, approvals } = status;
        terminal.result(status, () => [
          `${hub.name}: ${hub.state}${hub.state_detail === null ? '' : ` (${hub.state_detail})`}, since ${timeOf(hub.started_at)} UTC`,
          `Agent id  ${hub.agent_id ?? 'not known yet'}`,
          `Ports     API 127.0.0.1:${hub.api_port}, hubs UDP ${hub.peer_port ?? 'closed'}`,
          `Hubs      ${peers.online} of ${peers.paired} paired are online`,
          `Agents    ${agents.online} of ${agents.registered} are online`,
          `Waiting   ${approvals.pending} for a person`,
          ...hub.warnings.map((warning) => `Note      ${warning}`),
        ]);
      }),
    );
  program
    .command('whoami')
    .description('which agent this is, on which hub')
    .action((_options: unknown, command: Command) =>
      run(command, async ({ terminal, session }) => {
        const me = await (await session.asAgent()).call('hub.whoami', {});
        terminal.result(me, () => [
          `${me.token.agent ?? me.token.kind} on ${me.hub.name}`,
          `Scopes: ${me.token.scopes.join(', ') || 'none'}`,
          `Agent id of the hub: ${me.hub.agent_id ?? 'not known yet'}`,
        ]);
      }),
    );
  program
    .command('login')
    .description('print a link that opens the pages of this hub in a browser: once, for 90 seconds')
    .action((_options: unknown, command: Command) =>
      run(command, async ({ terminal, session }) => {
        if (!terminal.showsToPerson && !terminal.json) {
          throw new AppError('bad_request', 'A login link is printed at a terminal only, never into a log or a pipe.', {
            hint: 'Run it at a terminal. A script that wants the link asks for it with --json and --passphrase-file.',
            failedBy: 'input',
          });
        }
        const code = await (await session.asOwner()).call('hub.loginCode', {});
        terminal.result(code, () => [code.url]);
      }),
    );
  program
    .command('passphrase')
    .description('set or change the owner passphrase')
    .action((_options: unknown, command: Command) =>
      run(command, async ({ terminal, session }) => {
        await session.setPassphrase();
        terminal.result({ set: true }, () => ['The owner passphrase is set.']);
      }),
    );
  program
    .command('examples')
    .description('print one complete exchange, annotated')
    .action((_options: unknown, command: Command) =>
      run(command, async ({ terminal }) => {
        terminal.result({ text: EXAMPLES }, () => [EXAMPLES]);
      }),
    );
  const hub = program.command('hub').description('run a hub in this terminal, without a window, until it is stopped');
  for (const flag of HUB_FLAGS) hub.option(`--${flag} <value>`);
  hub.action((options: Record<string, string | undefined>, command: Command) => {
    const { home } = command.optsWithGlobals<{ home?: string }>();
    const flags = HUB_FLAGS.flatMap((flag) => {
      const value = options[flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
      return value === undefined ? [] : [`--${flag}`, value];
    });
    return runHub(home === undefined ? flags : [...flags, '--home', home]);
  });
}
