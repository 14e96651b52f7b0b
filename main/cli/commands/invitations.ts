// invite, join: pairing by a link that one person gives another. The link is a secret: it is
// printed once for the person who asked, never into a log or a pipe, and read from a terminal or a
// file, never from the command line.
import { renderUnicodeCompact } from 'uqr';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import type { PairingDto } from '../../../preload/contract/pairing-dto.ts';
import { AppError } from '../../lib/app-error.ts';
import { withId } from '../ids.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import { awaitInvited } from '../pairing-waits.ts';
import type { AxonCommand } from '../axon-command.ts';
import { readSecretFile } from '../session.ts';
import { table, type Terminal } from '../terminal.ts';
import { refusal } from '../refusal.ts';

export function addInvitationCommands(program: AxonCommand): void {
  const invite = program
    .command('invite')
    .description(
      'make a link with which one other hub can join this one without digits (the person in charge only)',
    )
    .option('--qr', 'draw the link as a picture, too')
    .does(async ({ terminal, session, command: typed }, options: { qr?: boolean }) => {
      terminal.expectsReader('The link of an invitation');
      const made = await (await session.asOwner()).call('invitations.create', {});
      terminal.result(made, () => madeLines(made, typed, options.qr === true));
    });
  invite
    .command('list')
    .description('invitations that still hold')
    .doesAsOwner(async (owner, { session }) => {
      const found = await owner.call('invitations.list', {});
      session.tellList(found, 'No invitation is out.', () =>
        table([
          [inZone('HOLDS UNTIL'), 'ID'],
          ...found.items.map(({ expires_at, id }) => [cellTime(expires_at), id]),
        ]),
      );
    });
  invite
    .command('revoke')
    .description('revoke an invitation')
    .argument('<id>', 'the invitation')
    .doesAsOwner(async (owner, { terminal }, id: string) => {
      const done = await withId('invitation', id, (invitation) =>
        owner.call('invitations.revoke', { id: invitation }),
      );
      terminal.result(done, () => ['Revoked. The link no longer works.']);
    });
  program
    .command('join')
    .description(
      'join another hub with the link of an invitation; asks for it, since it is a secret (the person in charge only)',
    )
    .option('--link-file <file>', 'a file that holds the link, for scripts')
    .option('--name <name>', 'what you call the other hub')
    .does(
      async (
        { terminal, session, command: typed },
        options: { linkFile?: string; name?: string },
      ) => {
        const link = await linkFrom(options.linkFile, terminal);
        const owner = await session.asOwner();
        const begun = await owner.call('pairings.join', { link, name: options.name });
        const pairing = await awaitInvited(owner, begun);
        if (pairing.state === 'failed') throw notJoined(pairing);
        const peer =
          pairing.state === 'paired'
            ? await owner.call('peers.get', { id: pairing.peer_id })
            : undefined;
        terminal.result(pairing, () => [
          peer === undefined
            ? `The other hub is still asked. See: ${typed} pair list`
            : `Paired with ${peer.name}. See: ${typed} peers`,
        ]);
      },
    );
}

function madeLines(
  { invitation, link }: OperationResult<'invitations.create'>,
  command: string,
  isDrawn: boolean,
): readonly string[] {
  return [
    `For one hub, until ${localTime(invitation.expires_at)}. Whoever has this link can join: give it by a way that others do not read.`,
    '',
    link,
    ...(isDrawn ? ['', ...renderUnicodeCompact(link, { border: 2 }).split('\n')] : []),
    '',
    `There: "npx axon join", or paste it under People & hubs, Add a hub. To revoke it: ${command} invite revoke ${invitation.id}`,
  ];
}

async function linkFrom(file: string | undefined, terminal: Terminal): Promise<string> {
  if (file !== undefined) return readSecretFile(file, 'bad_request').trim();
  if (terminal.isInteractive) return terminal.askHidden('Paste the invitation (it is not shown): ');
  throw refusal(
    'bad_request',
    'An invitation is read at a terminal or from a file.',
    'Run "axon join" at a terminal, or pass --link-file FILE.',
  );
}

function notJoined({ failure }: PairingDto): AppError {
  return new AppError('rejected', failure ?? 'Nothing was paired.', { failedBy: 'peer' });
}
