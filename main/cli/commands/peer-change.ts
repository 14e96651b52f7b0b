// peers set: what the person in charge says of a hub, its name, whose it is and its role in the
// household. Never whom its key belongs to.
import { Option } from 'commander';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import type { PeerDto } from '../../../preload/contract/dto.ts';
import { ROLES, type Role } from '../../../preload/contract/role.ts';
import type { AppError } from '../../lib/app-error.ts';
import { lastDecider } from '../last-decider.ts';
import type { AxonCommand } from '../axon-command.ts';
import { refusal } from '../refusal.ts';

const { people, remoteApproval } = ENGLISH;
const NONE = 'none';

interface Said {
  readonly name?: string;
  readonly person?: string;
  readonly role?: Role | typeof NONE;
}

export function addSetCommand(peers: AxonCommand): void {
  peers
    .command('set')
    .description(
      'say what a hub is called, whose it is, and its role in the household (the person in charge only)',
    )
    .argument('<hub>', 'its name or agent id')
    .option('--name <name>', 'what you call it')
    .option('--person <person>', 'who uses it; "" for nobody')
    .addOption(
      new Option(
        '--role <role>',
        'only an adult’s hub can be chosen by "remote-approval set"',
      ).choices([...ROLES, NONE]),
    )
    .does(async ({ terminal, session }, hub: string, said: Said) => {
      const { name, person, role } = said;
      if (name === undefined && person === undefined && role === undefined) throw nothingSaid();
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(person === undefined ? {} : { person: person.trim() === '' ? null : person.trim() }),
        ...(role === undefined ? {} : { role: role === NONE ? null : role }),
      };
      const owner = await session.asOwner();
      const { id } = await owner.call('peers.get', { id: hub });
      const isLast = role !== undefined && role !== 'adult' && (await lastDecider(owner, id));
      const peer = await owner.call('peers.update', { id, ...change });
      terminal.result(peer, () => [
        `Saved: ${peer.name}.`,
        ...whoseLines(peer),
        ...(isLast ? [remoteApproval.nobodyLeft] : []),
      ]);
    });
}

/** Whose a hub is, and what it is in the household. */
export function whoseLines({ person, role }: Pick<PeerDto, 'person' | 'role'>): readonly string[] {
  return [
    `Person         ${person ?? '-'}`,
    `Role           ${role === null ? '-' : people.role.facts[role]}`,
  ];
}

function nothingSaid(): AppError {
  return refusal('bad_request', 'Nothing to change was said.', 'Give --name, --person or --role.');
}
