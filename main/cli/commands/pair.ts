// pair: joining two hubs, with the typing done at a terminal. Digits are typed, never compared by
// eye.
import { InvalidArgumentError } from 'commander';
import { ERRORS } from '../../../preload/contract/errors.ts';
import type { PeerDto } from '../../../preload/contract/dto.ts';
import type { PairingDto } from '../../../preload/contract/pairing-dto.ts';
import { AppError } from '../../lib/app-error.ts';
import { dataFolder } from '../../lib/data-folder.ts';
import { interruptible } from '../context.ts';
import type { HubClient } from '../hub-client.ts';
import { wholeNumberFrom } from '../option-values.ts';
import { invocation, shellWord } from '../invocation.ts';
import { awaitFirstAnswer, awaitSettled } from '../pairing-waits.ts';
import {
  againLines,
  endedLine,
  lookingLine,
  pairHelp,
  pairingLines,
  pairingTable,
  removedLine,
  removedLines,
  staysLine,
  windowLines,
} from '../pairing-words.ts';
import type { AxonCommand } from '../axon-command.ts';
import { refusal } from '../refusal.ts';

const SHARE_TOKEN_BEGINS = 'axon://';

export function addPairCommands(program: AxonCommand): void {
  const pair = program
    .command('pair')
    .description('pair this hub with another one (the person in charge only)');
  pair.addHelpText('after', ({ command }) =>
    pairHelp(
      invocation(dataFolder(command.optsWithGlobals<{ home?: string }>().home, process.env)),
    ),
  );
  pair
    .command('list', { isDefault: true })
    .description(
      'pairings under way and those that just ended, and whether hubs may ask to be added',
    )
    .doesAsOwner(async (owner, { terminal, command: typed }) => {
      const found = await owner.call('pairings.list', {});
      const after: string[] = [];
      for (const pairing of found.items) after.push(...(await afterFailure(owner, pairing, typed)));
      terminal.result(found, () => [
        ...windowLines(found.window, typed),
        ...pairingTable(found.items),
        ...removedLines(found.items, typed),
        ...after,
      ]);
    });
  pair
    .command('window')
    .description('let hubs ask to be added, for some minutes')
    .option('--minutes <number>', 'how long, 1 to 30', wholeNumberFrom(1, 30), 5)
    .option('--close', 'end it now')
    .doesAsOwner(
      async (
        owner,
        { terminal, command: typed },
        options: { minutes: number; close?: boolean },
      ) => {
        const window = await owner.call('pairings.window', {
          open: options.close !== true,
          minutes: options.minutes,
        });
        terminal.result(window, () => windowLines(window, typed));
      },
    );
  pair
    .command('start')
    .description(
      'ask another hub to pair, and wait until it answers or cannot be reached; Ctrl-C gives up',
    )
    .argument(
      '<hub>',
      'its name under "axon peers --nearby", its agent id or public key, or its share token, axon://KEY@HOST:PORT',
    )
    .option('--name <name>', 'what you call it')
    .option(
      '--address <host:port>',
      'where it is, when it was not found by itself; the hub is then named by its public key',
    )
    .doesAsOwner(
      async (
        owner,
        { terminal, command: typed },
        hub: string,
        options: { name?: string; address?: string },
      ) => {
        const place = placeOf(hub, options);
        const start = async (signal: AbortSignal): Promise<number> => {
          const looking = (): void =>
            terminal.json ? undefined : terminal.note(lookingLine(place.address));
          const pairing = await begin(owner, hub, place, looking, signal);
          if (pairing.state === 'failed')
            throw notAnswered(pairing, againLine(typed, hub, options));
          const { hub: own } = await owner.call('hub.whoami', {});
          terminal.result(pairing, () => pairingLines(pairing, typed, own.label));
          return 0;
        };
        return interruptible(start, () =>
          terminal.json ? undefined : terminal.note('Given up: nothing was paired.'),
        );
      },
    );
  pair
    .command('open')
    .description('open the request of another hub: then digits are shown here')
    .argument('[id]', 'which one, when there are several')
    .option('--again', 'add a hub again that was removed here')
    .doesAsOwner(
      async (
        owner,
        { terminal, command: typed },
        id: string | undefined,
        options: { again?: true },
      ) => {
        const chosen = id ?? (await onlyOne(owner, ['offered']));
        if (options.again !== true) await checkNotRemoved(owner, chosen, typed);
        const opened = await owner.call('pairings.open', { id: chosen });
        const pairing = await awaitSettled(owner, opened);
        const after = await afterFailure(owner, pairing, typed);
        terminal.result(pairing, () => [...pairingLines(pairing, typed, null), ...after]);
        return pairing.state === 'failed' ? ERRORS.rejected.exit : 0;
      },
    );
  pair
    .command('digits')
    .description(
      'type the digits that the other screen shows: six at the hub that asked, then two at the other',
    )
    .argument('<digits>', 'six or two digits', readDigits)
    .option('--id <id>', 'which pairing, when there are several')
    .doesAsOwner(
      async (owner, { terminal, command: typed }, digits: string, options: { id?: string }) => {
        const id =
          options.id ?? (await onlyOne(owner, ['type_six', 'type_two', 'show_six', 'show_two']));
        const typedIn = await owner.call('pairings.digits', { id, digits });
        const pairing = await awaitSettled(owner, typedIn);
        const after = await afterFailure(owner, pairing, typed);
        terminal.result(pairing, () => [...pairingLines(pairing, typed, null), ...after]);
        return pairing.state === 'failed' ? 2 : 0;
      },
    );
  pair
    .command('cancel')
    .description('give up a pairing; of one that has ended, say how, and put it away')
    .argument('[id]', 'which one, when there are several')
    .doesAsOwner(async (owner, { terminal, command: typed }, id: string | undefined) => {
      const done = await owner.call('pairings.cancel', { id: id ?? (await theOneToCancel(owner)) });
      const { items } = await owner.call('peers.list', { trust: 'nearby' });
      const kept = items.find(({ id: peer }) => peer === done.pairing.peer_id);
      terminal.result(done, () => [
        done.cancelled ? 'Given up: nothing was paired.' : endedLine(done.pairing),
        ...(kept !== undefined && isNamedByAddress(kept) ? [staysLine(kept, typed)] : []),
      ]);
    });
}

/**
 * A share token holds the key and the address; else the key is what names the hub, and the address
 * is an option.
 */
function placeOf(
  hub: string,
  { address, name }: { readonly address?: string; readonly name?: string },
) {
  if (!hub.startsWith(SHARE_TOKEN_BEGINS)) return { address, key: hub, name };
  if (address === undefined) return { address: hub, key: undefined, name };
  throw refusal('bad_request', 'A share token holds the address already: leave out --address.');
}

interface HubPlace {
  readonly address: string | undefined;
  readonly key: string | undefined;
  readonly name: string | undefined;
}

/**
 * Our request, once it was answered or has failed. A hub that was named by its address for this
 * alone is forgotten again when the request fails or is given up: its name is free then.
 * @param looking called once the hub here has taken that address
 */
async function begin(
  owner: HubClient,
  hub: string,
  { address, key, name }: HubPlace,
  looking: () => void,
  signal: AbortSignal,
): Promise<PairingDto> {
  const before = address === undefined ? [] : await knownIds(owner);
  const added =
    address === undefined ? null : await owner.call('peers.add', { address, key, name }, signal);
  looking();
  const isNew = added !== null && !before.includes(added.id);
  let isAnswered = false;
  try {
    const begun = await owner.call('pairings.start', { peer: added?.id ?? hub, name });
    const pairing = await awaitFirstAnswer(owner, begun, signal);
    isAnswered = pairing.state !== 'failed';
    return pairing;
  } finally {
    if (isNew && !isAnswered) await forgetUnpaired(owner, added.id);
  }
}

/** Hubs that are paired, or whose address somebody gave. */
async function knownIds(owner: HubClient): Promise<readonly string[]> {
  const { items } = await owner.call('peers.list', { trust: 'all' });
  return items.filter(isKept).map(({ id }) => id);
}

function isKept(peer: PeerDto): boolean {
  return peer.trust === 'paired' || peer.trust === 'suspended' || isNamedByAddress(peer);
}

/** One that is also heard nearby shows only by the name that it has here. */
function isNamedByAddress({ how_found: how, name, label, id }: PeerDto): boolean {
  return how === 'static' || (name !== label && name !== id);
}

/** It may have been paired in another way meanwhile: then it stays. */
async function forgetUnpaired(owner: HubClient, id: string): Promise<void> {
  const { items } = await owner.call('peers.list', { trust: 'nearby' });
  if (items.some((peer) => peer.id === id && isNamedByAddress(peer)))
    await owner.call('peers.remove', { id });
}

/** After a pairing has failed: how to try again, and what of it stays. */
async function afterFailure(
  owner: HubClient,
  { state, role, peer_id: id }: PairingDto,
  command: string,
): Promise<readonly string[]> {
  if (state !== 'failed') return [];
  const { window } = await owner.call('pairings.list', {});
  const { items } = await owner.call('peers.list', { trust: 'nearby' });
  const found = items.find((peer) => peer.id === id);
  return [
    ...againLines(role, found?.id ?? null, window, command),
    ...(found !== undefined && isNamedByAddress(found) ? [staysLine(found, command)] : []),
  ];
}

/** The line that was typed. */
function againLine(
  command: string,
  hub: string,
  { name, address }: { readonly name?: string; readonly address?: string },
): string | null {
  const words = [hub, ...optionOf('--address', address), ...optionOf('--name', name)].map((word) =>
    shellWord(word, process.platform),
  );
  return words.includes(null) ? null : `${command} pair start ${words.join(' ')}`;
}

function optionOf(option: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [option, value];
}

/** As somebody reads them out or writes them down: spaces and hyphens between are nothing. */
function readDigits(text: string): string {
  const digits = text.replaceAll(/[ -]/g, '');
  if (/^(?:[0-9]{6}|[0-9]{2})$/.test(digits)) return digits;
  throw new InvalidArgumentError(
    'It must be the six or the two digits that the other screen shows.',
  );
}

/** @param line to type to ask again; null where no quotes hold it */
function notAnswered({ failure, request }: PairingDto, line: string | null): AppError {
  const sentence = failure ?? 'The pairing failed.';
  const again = line === null ? 'Then ask again.' : `Then ask again: ${line}`;
  if (request !== 'connecting')
    return new AppError('rejected', sentence, {
      hint: `Have the other hub open pairing. ${again}`,
      failedBy: 'peer',
    });
  return new AppError('peer_unreachable', sentence, {
    // At the other computer, whose data folder nobody knows here: no words of this one stand in it.
    hint: `"npx axon status" at the other hub shows its addresses, port and key. ${again}`,
    failedBy: 'peer',
  });
}

/** The pairing under way; where none is, the one that ended. */
async function theOneToCancel(owner: HubClient): Promise<string> {
  const { items } = await owner.call('pairings.list', {});
  const underWay = items.filter(({ state }) => state !== 'paired' && state !== 'failed');
  return pick(underWay.length > 0 ? underWay : items);
}

/**
 * A hub that was removed here is added again only by a person who has read that it was. @throws
 * AppError conflict
 */
async function checkNotRemoved(owner: HubClient, id: string, command: string): Promise<void> {
  const { items } = await owner.call('pairings.list', {});
  const removed = items.find((item) => item.id === id)?.removed ?? null;
  if (removed === null) return;
  throw refusal(
    'conflict',
    removedLine(removed),
    `If that is meant: "${command} pair open ${id} --again". If not: "${command} pair cancel ${id}".`,
  );
}

async function onlyOne(owner: HubClient, states: readonly PairingDto['state'][]): Promise<string> {
  const { items, window } = await owner.call('pairings.list', {});
  const fitting = items.filter(({ state }) => states.includes(state));
  if (fitting.length === 0 && states.includes('offered') && !window.open) {
    throw refusal(
      'bad_request',
      'No request can come in, because pairing is closed here.',
      'Open it with "axon pair window"; the other hub asks again by itself.',
    );
  }
  return pick(fitting);
}

function pick(fitting: readonly PairingDto[]): string {
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only.id;
  throw refusal(
    'bad_request',
    only === undefined ? 'No pairing waits for this.' : 'Several pairings wait: say which one.',
    `"axon pair list" shows how each one stands${only === undefined ? ', "axon pair start HUB" begins one' : ' and its id'}.`,
  );
}
