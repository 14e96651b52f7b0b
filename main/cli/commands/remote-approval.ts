// remote-approval: which adults' hubs decide for this one, at a terminal. For the person in charge
// only; the login takes the owner passphrase.
import { Option } from 'commander';
import { REMOTE_CLASSES, type RemoteClass } from '../../../preload/contract/closed-lists.ts';
import type { RemoteApprovalDto } from '../../../preload/contract/remote-approval.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { withInvocation } from '../invocation.ts';
import type { AxonCommand } from '../axon-command.ts';

const NO_HUBS =
  'No paired hub is said to be an adult’s, so none can be named: "axon peers set HUB --role adult" says it.';

const { remoteApproval: text, agents } = ENGLISH;

export function addRemoteApprovalCommands(program: AxonCommand): void {
  const group = program
    .command('remote-approval')
    .description('an adult’s hub decides about risky requests (the person in charge only)');
  group
    .command('list', { isDefault: true })
    .description('which hubs decide, from which class on, and which could')
    .doesAsOwner(async (owner, { terminal, command: typed }) => {
      const setting = await owner.call('remote_approval.get', {});
      terminal.result(setting, () => linesOf(setting, typed));
    });
  group
    .command('set')
    .description('say which hubs decide; here such requests can then only be declined')
    .argument(
      '<hubs...>',
      'their names or agent ids: all that decide from now on, the first answer counts',
    )
    .addOption(
      new Option('--from <class>', 'from which class on').choices(REMOTE_CLASSES).default('R2'),
    )
    .doesAsOwner(
      async (
        owner,
        { terminal, command: typed },
        hubs: readonly string[],
        { from }: { from: RemoteClass },
      ) => {
        const setting = await owner.call('remote_approval.set', { from, hubs: [...hubs] });
        terminal.result(setting, () => linesOf(setting, typed));
      },
    );
  group
    .command('off')
    .description('the people here decide everything again')
    .doesAsOwner(async (owner, { terminal, command: typed }) => {
      const setting = await owner.call('remote_approval.set', { from: null, hubs: [] });
      terminal.result(setting, () => linesOf(setting, typed));
    });
}

/** @param command how a line begins here */
function linesOf({ from, hubs }: RemoteApprovalDto, command: string): readonly string[] {
  const deciding = hubs.filter(({ decides }) => decides).map(({ name }) => name);
  const first =
    from === null
      ? text.nobodyElse
      : deciding.length === 0
        ? text.nobodyLeft
        : `${text.decide(deciding)} ${text.from(`${from}, ${agents.classes[from].toLowerCase()}`)}`;
  return [
    first,
    ...(from === null ? [] : [text.frozen]),
    ...(hubs.length === 0 ? [withInvocation(NO_HUBS, command)] : []),
    ...hubs.filter(({ decides, can }) => !decides && !can).map(({ name }) => text.cannot(name)),
  ];
}
