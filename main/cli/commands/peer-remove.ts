// peers remove: a hub goes for good. What that ends is said first, in the words of its page, and a
// person confirms it, or a script by --yes.
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { lastDecider } from '../last-decider.ts';
import type { AxonCommand } from '../axon-command.ts';
import type { Terminal } from '../terminal.ts';
import { refusal } from '../refusal.ts';

const { people, remoteApproval } = ENGLISH;

export function addRemoveCommand(peers: AxonCommand): void {
  peers
    .command('remove')
    .description(
      'remove a hub for good: what waits from it expires, and its link is closed (the person in charge only)',
    )
    .argument('<hub>', 'its name or agent id')
    .option('--yes', 'without being asked once more')
    .doesAsOwner(async (owner, { terminal }, hub: string, { yes = false }: { yes?: boolean }) => {
      const { id, name, trust } = await owner.call('peers.get', { id: hub });
      const isLast = await lastDecider(owner, id);
      // One that is only kept by its address ends nothing.
      if (!yes && (trust === 'paired' || trust === 'suspended'))
        await makeSure(terminal, name, isLast);
      const removed = await owner.call('peers.remove', { id });
      terminal.result({ ...removed, id, name }, () => [
        `Removed: ${name}.`,
        ...(isLast ? [remoteApproval.nobodyLeft] : []),
      ]);
    });
}

/**
 * @throws AppError bad_request where nobody can be asked, cancelled where the answer was another
 */
async function makeSure(terminal: Terminal, name: string, isLast: boolean): Promise<void> {
  const ends = [people.removeDetail, ...(isLast ? [remoteApproval.there.last(name)] : [])];
  if (terminal.json || !terminal.isInteractive) {
    throw refusal(
      'bad_request',
      `${people.removeAsk(name)} ${ends.join(' ')}`,
      'Add --yes if you mean it.',
    );
  }
  for (const sentence of ends) terminal.note(sentence);
  await terminal.confirm(people.removeAsk(name), 'remove', `Nothing was removed: ${name} is kept.`);
}
