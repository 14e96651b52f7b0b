// hub install, hub uninstall: the system starts the hub by itself, or does so no more. The data
// stays unless its owner says otherwise.
import type { Command } from 'commander';
import type { AxonCommand } from '../axon-command.ts';
import { refusal } from '../refusal.ts';
import {
  installService,
  serviceHome,
  startedHome,
  uninstallService,
  type Installed,
  type Uninstalled,
} from '../service.ts';
import { SYSTEM_USER } from '../service-files.ts';
import type { Terminal } from '../terminal.ts';
import { hubFlagsOf, withHubFlags } from './hub-flags.ts';

/** Removes the data of a hub, once it has stopped. */
export type RemoveData = (
  home: string,
  how: { readonly isOfSystem: boolean; readonly stop: () => void },
) => Promise<{ readonly keychain: boolean }>;

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
    (
      { terminal, session, command: typed },
      { system = false }: { system?: boolean },
      command: Command,
    ) => {
      const home = homeOf(session.home, system, command);
      const flags = hubFlagsOf(command).filter((word) => word !== '--no-browser');
      const installed = installService({ home, flags: withoutHome(flags), isForAll: system });
      terminal.result(installed, () => installedLines(installed, system, typed));
      return Promise.resolve();
    },
  );
  hub
    .command('uninstall')
    .description('stop the hub, and have this system start it no more; its data stays')
    .option(...SYSTEM_OPTION)
    .option('--remove-data', 'remove its data, too: identity, hubs, rules, messages and record')
    .option('--yes', 'with --remove-data: without being asked once more')
    .does(async ({ terminal, session }, options: UninstallOptions, command: Command) => {
      const { system = false, removeData: isRemoved = false, yes = false } = options;
      const asked = homeOf(session.home, system, command);
      const home = startedHome(system) ?? asked;
      if (!isRemoved) {
        const done = uninstallService(system);
        terminal.result({ file: done?.file ?? null, home, data: 'kept' }, () => [
          ...takenOutLines(done),
          `The data stays in ${home}`,
        ]);
        return;
      }
      refuseOther(asked, home);
      if (!yes) await makeSure(terminal, home);
      let file: string | null = null;
      const stop = (): void => {
        const done = uninstallService(system);
        file = done?.file ?? null;
        if (!terminal.json) for (const line of takenOutLines(done)) terminal.line(line);
      };
      const { keychain } = await removeData(home, { isOfSystem: system, stop });
      terminal.result({ file, home, data: 'removed' }, () => [
        `Removed: ${home}`,
        ...(keychain ? ['Its key is gone from the keychain, too.'] : []),
        ...(system ? [`Its user stays: userdel ${SYSTEM_USER}`] : []),
      ]);
    });
}

/** @throws AppError bad_request for a folder that is named beside that of the whole computer */
function homeOf(home: string, isForAll: boolean, command: Command): string {
  const ours = serviceHome(home, isForAll);
  if (command.optsWithGlobals<{ home?: string }>().home !== undefined && home !== ours)
    throw refusal(
      'bad_request',
      `The hub of a whole computer keeps its data in ${ours}.`,
      'Leave out --home, or --system.',
    );
  return ours;
}

/** @throws AppError conflict */
function refuseOther(asked: string, home: string): void {
  if (asked === home) return;
  throw refusal(
    'conflict',
    `This system starts the hub of "${home}", not of "${asked}", so nothing was done.`,
    'Name the folder that you mean with --home. "axon hub uninstall" without --remove-data keeps both.',
  );
}

function takenOutLines(done: Uninstalled | null): readonly string[] {
  if (done === null)
    return ['There was nothing to take out: this system does not start a hub by itself.'];
  return [
    `Removed: ${done.file}. This system starts no hub by itself any more.`,
    ...(done.said === null
      ? []
      : [`The hub may still run. The system did not stop it: ${done.said}`]),
  ];
}

/** It is said once, as it is. */
function withoutHome(flags: readonly string[]): readonly string[] {
  const at = flags.indexOf('--home');
  return at === -1 ? flags : flags.toSpliced(at, 2);
}

/** @param typed how the command was typed, with its data folder */
export function installedLines(
  installed: Installed,
  isForAll: boolean,
  typed: string,
): readonly string[] {
  const { file, home, started, said, startLine, notes } = installed;
  const command = isForAll ? `sudo -u ${SYSTEM_USER} axon --home ${home}` : typed;
  return [
    `Written: ${file}`,
    ...(started
      ? ['The hub was started, and starts by itself from now on.']
      : [
          `The hub was not started${said === null || said === '' ? '.' : `: ${said}`}`,
          `To start it: ${startLine}`,
        ]),
    `Its data: ${home}`,
    `To open its pages: ${command} login`,
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
