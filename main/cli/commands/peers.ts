// peers, discover, ping: who is there and what they do; peers show: one hub, and how it came to be
// paired; peers add: a hub that its owner names by address and key.
import type { PeerDto } from '../../../preload/contract/dto.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { plural } from '../../../preload/contract/strings/shared-words.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import { isUnpaired, stateOf, trustOf } from '../peer-words.ts';
import { askPresent, capabilityLines } from '../present-agents.ts';
import type { AxonCommand } from '../axon-command.ts';
import { stopLines } from '../key-change-warning.ts';
import { addMuteCommands } from './attention.ts';
import { addSetCommand, whoseLines } from './peer-change.ts';
import { addRemoveCommand } from './peer-remove.ts';
import { table } from '../terminal.ts';

export function addPeerCommands(program: AxonCommand): void {
  const peers = program
    .command('peers')
    .description('list the hubs this one knows')
    .option('--nearby', 'only hubs that were found and are not paired')
    .option('--all', 'paired and nearby')
    .does(async ({ session, command: typed }, options: { nearby?: boolean; all?: boolean }) => {
      const trust = options.all === true ? 'all' : options.nearby === true ? 'nearby' : 'paired';
      const { items } = await (await session.asAnyone()).call('peers.list', { trust });
      const { attention } = await session.status();
      const muted = new Set(attention.mutes.map(({ peer_id: id }) => id));
      const none = trust === 'nearby' ? nobodyNearby(typed) : noHubs(typed);
      session.tellList({ items }, none, () => [
        ...table(peerRows(items, muted)),
        ...pairingLine(items, typed),
        ...items.flatMap((peer) => stopLines(peer, typed)),
      ]);
    });
  addShowCommand(peers);
  addTokensCommand(peers);
  addAddCommand(peers);
  addSetCommand(peers);
  addKeepCommand(peers);
  addRemoveCommand(peers);
  addMuteCommands(peers);
  program
    .command('discover')
    .description(
      'ask a hub what its agents can do; without a name, ask every paired hub. Where one does not answer, its last answer is shown, with its age',
    )
    .argument('[hub]', 'its name or agent id')
    .does(async ({ terminal, session, command: typed }, hub: string | undefined) => {
      const client = await session.asAnyone();
      if (hub !== undefined) {
        const found = await askNamed(client, hub);
        terminal.result(found, () => capabilityLines(hub, found, null));
        return;
      }
      const { items } = await client.call('peers.list', { trust: 'paired' });
      const told = await Promise.all(items.map((peer) => askPresent(client, peer)));
      session.tellList({ items: told.map(({ peer }) => peer) }, noHubs(typed), () =>
        told.flatMap(({ peer, whyOld }) => capabilityLines(peer.name, peer.capabilities, whyOld)),
      );
    });
  program
    .command('ping')
    .description('see whether a hub answers, and how fast')
    .argument('<hub>', 'its name or agent id')
    .does(async ({ terminal, session }, hub: string) => {
      const pong = await (await session.asAnyone()).call('peers.ping', { id: hub });
      terminal.result(pong, () => [
        `${hub} answers in ${pong.round_trip_ms.toFixed(1)} ms: ${pong.status}, ${plural(pong.active_tasks, { one: '{n} task', other: '{n} tasks' })} under way`,
      ]);
    });
}

function addShowCommand(peers: AxonCommand): void {
  peers
    .command('show')
    .description('one hub: where it is, its key, and how it came to be paired')
    .argument('<hub>', 'its name or agent id')
    .does(async ({ terminal, session, command: typed }, hub: string) => {
      const peer = await (await session.asAnyone()).call('peers.get', { id: hub });
      terminal.result(peer, () => peerLines(peer, typed));
    });
}

function addTokensCommand(peers: AxonCommand): void {
  peers
    .command('tokens')
    .description('what questions and tasks used in the last 30 days, by the agents’ own count')
    .argument('<hub>', 'its name or agent id')
    .doesAsOwner(async (owner, { terminal }, hub: string) => {
      const used = await owner.call('peers.tokens', { id: hub });
      terminal.result(used, () => [ENGLISH.people.tokens(used)]);
    });
}

function addAddCommand(peers: AxonCommand): void {
  peers
    .command('add')
    .description('keep a hub by its address and key (the person in charge only)')
    .argument('<address>', 'its share token, axon://KEY@HOST:PORT, or HOST:PORT with --key')
    .option('--key <key>', 'its public key, when the address holds none')
    .option('--name <name>', 'what you call it')
    .option(
      '--trust',
      'trust this very key without typing digits: for a program that knows none, such as the public AXON daemon',
    )
    .does(
      async (
        { terminal, session, command: typed },
        address: string,
        { key, name, trust }: { key?: string; name?: string; trust?: boolean },
      ) => {
        const peer = await (
          await session.asOwner()
        ).call('peers.add', { address, key, name, trust });
        terminal.result(peer, () =>
          peer.trust === 'paired'
            ? [
                `Trusted: ${peer.name}, ${peer.id}.`,
                'It has to trust this hub too: give it the link that "status" shows.',
              ]
            : [`Saved: ${peer.name}, ${peer.id}. Now pair the two: ${typed} pair start ${peer.id}`],
        );
      },
    );
}

function addKeepCommand(peers: AxonCommand): void {
  peers
    .command('keep')
    .description(
      'keep the key of a hub in whose place another one answers (the person in charge only)',
    )
    .argument('<hub>', 'its name or agent id')
    .doesAsOwner(async (owner, { terminal, command: typed }, hub: string) => {
      const before = await owner.call('peers.get', { id: hub });
      const seen = before.key_change?.seen_key;
      const peer =
        seen === undefined ? before : await owner.call('peers.keepKey', { id: before.id, seen });
      terminal.result(peer, () => [
        ...stopLines(before, typed),
        seen === undefined
          ? `Nothing stands in the place of ${peer.name}.`
          : `Kept: the old key of ${peer.name}. The other one stays outside.`,
      ]);
    });
}

/**
 * Throws what the hub says, for one that cannot be asked with where to find what it told before.
 */
async function askNamed(client: HubClient, hub: string) {
  try {
    return await client.call('peers.capabilities', { id: hub, refresh: true });
  } catch (error) {
    if (!(error instanceof HubProblem) || error.problem.code !== 'peer_unreachable') throw error;
    const { hint } = error.problem;
    throw new HubProblem({
      ...error.problem,
      hint: [hint, '"axon discover" lists what it told before.'].join(' ').trim(),
    });
  }
}

function nobodyNearby(command: string): string {
  return `No hub nearby that is not paired. "${command} status" says how finding hubs goes; one can be added by its address, too.`;
}

/** What to do with one that is not paired. Exported for tests. */
export function pairingLine(peers: readonly PeerDto[], command: string): readonly string[] {
  const unpaired = peers.find(isUnpaired);
  return unpaired === undefined
    ? []
    : ['', `To pair with ${unpaired.name}: ${command} pair start ${unpaired.id}`];
}

function noHubs(command: string): string {
  return `No hubs yet. "${command} peers --nearby" lists those in sight. A person pairs them in the app, or with "${command} pair".`;
}

function peerLines(peer: PeerDto, command: string): readonly string[] {
  return [
    `${peer.name}: ${stateOf(peer)}, ${trustOf(peer)}`,
    ...whoseLines(peer),
    `Last seen      ${peer.online ? 'now' : localTime(peer.last_seen_at)}`,
    `Address        ${peer.address ?? '-'}`,
    `Agent id       ${peer.id}`,
    `Public key     ${peer.public_key}`,
    `Safety number  ${peer.safety_number ?? '-'}`,
    ...pairedLines(peer),
    ...stopLines(peer, command),
  ];
}

/** The sentence of the page, at the minute. */
function pairedLines({ introduced_by: introduction }: PeerDto): readonly string[] {
  return introduction === null
    ? []
    : [ENGLISH.people.paired(localTime(introduction.at), introduction)];
}

/** @param muted the ids of hubs that a person muted */
function peerRows(
  peers: readonly PeerDto[],
  muted: ReadonlySet<string>,
): readonly (readonly (string | null)[])[] {
  return [
    ['NAME', 'STATE', 'TRUST', inZone('LAST SEEN'), 'AGENT ID'],
    ...peers.map((peer) => [
      peer.name,
      muted.has(peer.id) ? `${stateOf(peer)}, muted` : stateOf(peer),
      trustOf(peer),
      peer.online ? 'now' : cellTime(peer.last_seen_at),
      peer.id,
    ]),
  ];
}
