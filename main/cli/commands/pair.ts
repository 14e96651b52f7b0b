// pair: joining two hubs, with the typing done at a terminal. Digits are typed, never compared by eye.
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { PairingDto, PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import { AppError } from '../../lib/app-error.ts';
import type { HubClient } from '../hub-client.ts';
import type { Run } from '../run.ts';
import { table, timeOf } from '../terminal.ts';
import { wholeNumber } from '../option-values.ts';

/** States that the two hubs leave by themselves. */
const UNSETTLED: ReadonlySet<PairingDto['state']> = new Set(['exchanging', 'confirming']);
const SETTLE_LOOK_AGAIN_MS = 100;
const SETTLE_LOOKS_MAX = 100;

export function addPairCommands(program: Command, run: Run): void {
  const pair = program.command('pair').description('pair this hub with another one (the person in charge only)');
  pair
    .command('list', { isDefault: true })
    .description('pairings under way, and whether hubs may ask to be let in')
    .action((_options: unknown, command: Command) =>
      run(command, async ({ terminal, session }) => {
        const found = await (await session.asOwner()).call('pairings.list', {});
        terminal.result(found, () => [windowLine(found.window), ...(found.items.length === 0 ? [] : table(rows(found.items)))]);
      }),
    );
  pair
    .command('window')
    .description('let hubs ask to be let in, for some minutes')
    .option('--minutes <number>', 'how long, 1 to 30', wholeNumber, 5)
    .option('--close', 'end it now')
    .action((options: { minutes: number; close?: boolean }, command: Command) =>
      run(command, async ({ terminal, session }) => {
        const owner = await session.asOwner();
        const window = await owner.call('pairings.window', { open: options.close !== true, minutes: options.minutes });
        terminal.result(window, () => [windowLine(window)]);
      }),
    );
  pair
    .command('start')
    .description('ask another hub to pair; its window must be open')
    .argument('<hub>', 'its agent id or public key, or its name under "axon peers --nearby"')
    .option('--name <name>', 'what you call it')
    .option('--address <host:port>', 'where it is, when it was not found by itself; the hub is then named by its public key')
    .action((hub: string, options: { name?: string; address?: string }, command: Command) =>
      run(command, async ({ terminal, session, command: typed }) => {
        const owner = await session.asOwner();
        const { address, name } = options;
        const peer = address === undefined ? hub : (await owner.call('peers.add', { address, key: hub, name })).id;
        const pairing = await owner.call('pairings.start', { peer, name });
        terminal.result(pairing, () => pairingLines(pairing, typed));
      }),
    );
  pair
    .command('open')
    .description('open the request of another hub: then digits are shown here')
    .argument('[id]', 'which one, when there are several')
    .action((id: string | undefined, _options: unknown, command: Command) =>
      run(command, async ({ terminal, session, command: typed }) => {
        const owner = await session.asOwner();
        const opened = await owner.call('pairings.open', { id: id ?? (await onlyOne(owner, ['offered'])) });
        const pairing = await settled(owner, opened);
        terminal.result(pairing, () => pairingLines(pairing, typed));
      }),
    );
  pair
    .command('digits')
    .description('type the digits that the other screen shows: six at the hub that asked, then two at the other')
    .argument('<digits>', 'six or two digits')
    .option('--id <id>', 'which pairing, when there are several')
    .action((digits: string, options: { id?: string }, command: Command) =>
      run(command, async ({ terminal, session, command: typed }) => {
        const owner = await session.asOwner();
        const id = options.id ?? (await onlyOne(owner, ['type_six', 'type_two', 'show_six', 'show_two']));
        const typedIn = await owner.call('pairings.digits', { id, digits: digits.replaceAll(/[ -]/g, '') });
        const pairing = await settled(owner, typedIn);
        terminal.result(pairing, () => pairingLines(pairing, typed));
      }),
    );
  pair
    .command('cancel')
    .description('give up a pairing')
    .argument('<id>', 'which one')
    .action((id: string, _options: unknown, command: Command) =>
      run(command, async ({ terminal, session }) => {
        const done = await (await session.asOwner()).call('pairings.cancel', { id });
        terminal.result(done, () => ['Given up.']);
      }),
    );
}

async function onlyOne(owner: HubClient, states: readonly PairingDto['state'][]): Promise<string> {
  const { items } = await owner.call('pairings.list', {});
  const fitting = items.filter(({ state }) => states.includes(state));
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only.id;
  throw new AppError('bad_request', only === undefined ? 'No pairing waits for this.' : 'Several pairings wait: say which one.', {
    hint: '"axon pair list" shows them.',
    failedBy: 'input',
  });
}

/** The pairing once the hubs have exchanged what needs nobody: then digits are shown or asked for. Gives up waiting after a while. */
async function settled(owner: HubClient, pairing: PairingDto): Promise<PairingDto> {
  let now = pairing;
  for (let looks = 0; UNSETTLED.has(now.state) && looks < SETTLE_LOOKS_MAX; looks++) {
    await wait(SETTLE_LOOK_AGAIN_MS);
    const { items } = await owner.call('pairings.list', {});
    now = items.find(({ id }) => id === pairing.id) ?? now;
  }
  return now;
}

function windowLine(window: PairingWindowDto): string {
  if (window.locked_until !== null) return `Pairing is shut until ${timeOf(window.locked_until)} UTC, after too many failures.`;
  return window.open
    ? `Other hubs may ask to be let in until ${timeOf(window.closes_at)} UTC.`
    : 'Other hubs may not ask to be let in now.';
}

function pairingLines(pairing: PairingDto, command: string): readonly string[] {
  const said = [pairing.said_hub, pairing.said_person].filter((word) => word !== null).join(', ');
  const lines = [`${pairing.id}  ${pairing.state}${said === '' ? '' : `  (it calls itself: ${said})`}`];
  if (pairing.six !== null) lines.push(`Type these six digits at the other hub: ${pairing.six}`);
  if (pairing.two !== null) lines.push(`Type these two digits at the other hub: ${pairing.two}`);
  if (pairing.state === 'type_six' || pairing.state === 'type_two')
    lines.push(`Now: ${command} pair digits DIGITS, with those the other screen shows`);
  if (pairing.state === 'waiting_for_answer') lines.push(`A person must open the request at the other hub. Then: ${command} pair list`);
  if (pairing.failure !== null) lines.push(pairing.failure);
  return lines;
}

function rows(items: readonly PairingDto[]): readonly (readonly (string | null)[])[] {
  return [['STATE', 'SHOWN HERE', 'SAYS IT IS', 'ID'], ...items.map((item) => [item.state, item.six ?? item.two, item.said_hub, item.id])];
}
