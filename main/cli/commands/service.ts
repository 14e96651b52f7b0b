// hub install, hub uninstall: the system starts the hub by itself, or does so no more. The data
// stays unless its owner says otherwise.
import type { Command } from 'commander';
import type { AxonCommand } from '../axon-command.ts';
import { refusal } from '../refusal.ts';
import { installService, serviceHome, uninstallService, type Installed } from '../service.ts';
import { SYSTEM_USER } from '../service-files.ts';
import type { Terminal } from '../terminal.ts';
import { hubFlagsOf, withHubFlags } from './hub-flags.ts';

/** Removes the data of a hub that does not run. */
export type RemoveData = (home: string) => Promise<{ readonly keychain: boolean }>;

interface UninstallOptions {
  readonly system?: boolean;
  readonly removeData?: boolean;
  readonly yes?: boolean;
}

const SYSTEM_OPTION = ['--system', 'Linux, as root: for the whole computer'] as const;

export function addServiceCommands(hub: AxonCommand, removeData: RemoveData): void {
  const install = hub
    .command('install')
    .description('have this system start the hub by itself: by systemd, or launchd on macOS')
    .option(...SYSTEM_OPTION);
  withHubFlags(install);
  install.does(
    ({ terminal, session }, { system = false }: { system?: boolean }, command: Command) => {
      const home = serviceHome(session.home, system);
      const flags = hubFlagsOf(command).filter((word) => word !== '--no-browser');
      const installed = installService({ home, flags: withoutHome(flags), isForAll: system });
      terminal.result(installed, () => installedLines(installed, system));
      return Promise.resolve();
    },
  );
  hub
    .command('uninstall')
    .description('stop the hub, and have this system start it no more; its data stays')
    .option(...SYSTEM_OPTION)
    .option('--remove-data', 'remove its data, too: identity, hubs, rules, messages and record')
    .option('--yes', 'with --remove-data: without being asked once more')
    .does(async ({ terminal, session }, options: UninstallOptions) => {
      const { system = false, removeData: isRemoved = false, yes = false } = options;
      const home = serviceHome(session.home, system);
      if (isRemoved && !yes) await makeSure(terminal, home);
      const file = uninstallService(system);
      const removed = isRemoved ? await removeData(home) : null;
      const result = { file, home, data: removed === null ? 'kept' : 'removed' };
      terminal.result(result, () => [
        file === null
          ? 'There was nothing to take out: this system does not start a hub by itself.'
          : `Removed: ${file}. This system starts no hub by itself any more.`,
        removed === null ? `The data stays in ${home}` : `Removed: ${home}`,
        ...(removed?.keychain === true ? ['Its key is gone from the keychain, too.'] : []),
      ]);
    });
}

/** It is said once, as it is. */
function withoutHome(flags: readonly string[]): readonly string[] {
  const at = flags.indexOf('--home');
  return at === -1 ? flags : flags.toSpliced(at, 2);
}

function installedLines(installed: Installed, isForAll: boolean): readonly string[] {
  const { file, home, started, said, startLine, notes } = installed;
  const command = isForAll ? `sudo -u ${SYSTEM_USER} axon --home ${home}` : null;
  return [
    `Written: ${file}`,
    ...(started
      ? ['The hub was started, and starts by itself from now on.']
      : [
          `The hub was not started${said === null || said === '' ? '.' : `: ${said}`}`,
          `To start it: ${startLine}`,
        ]),
    `Its data: ${home}`,
    ...(command === null ? [] : [`To open its pages: ${command} login`]),
    ...notes,
  ];
}

/**
 * @throws AppError bad_request where nobody can be asked, cancelled where the answer was another
 */
async function makeSure(terminal: Terminal, home: string): Promise<void> {
  const ends = `This removes ${home}: the identity of this hub, its hubs, rules, messages and record.`;
  if (terminal.json || !terminal.isInteractive)
    throw refusal('bad_request', ends, 'Add --yes if you mean it.');
  terminal.note(ends);
  await terminal.confirm('Remove the data?', 'remove', 'Nothing was removed.');
}
