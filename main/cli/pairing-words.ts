// What `axon` says of pairings: as far as one came, and what to do next on which computer. Pure.
import type { PeerDto } from '../../preload/contract/dto.ts';
import type {
  PairingDto,
  PairingRequestState,
  PairingWindowDto,
} from '../../preload/contract/pairing-dto.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { localTime } from './local-time.ts';
import { withInvocation } from './invocation.ts';
import { quoted } from './quoted-text.ts';
import { inWords, table } from './terminal.ts';

/** Whether hubs may ask now, and whether one does although they may not. */
export function windowLines(window: PairingWindowDto, command: string): readonly string[] {
  if (window.locked_until !== null)
    return [`Pairing is shut until ${localTime(window.locked_until)}, after too many failures.`];
  if (window.open) return [`Other hubs may ask to be added until ${localTime(window.closes_at)}.`];
  return ['Other hubs can’t ask to be added now.', ...askedLines(window, command)];
}

/** One line while a hub asks although pairing is closed. */
export function askedLines({ asked }: PairingWindowDto, command: string): readonly string[] {
  if (asked === null) return [];
  const who = asked.label === null ? 'Hubs ask' : `A hub that shows as "${asked.label}" asks`;
  return [
    `${who} to be added. If someone in your home is doing that now: ${command} pair window, then ${command} pair open`,
  ];
}

/** @param label as the other hub lists this one; null where that does not matter */
export function pairingLines(
  pairing: PairingDto,
  command: string,
  label: string | null,
): readonly string[] {
  const said = saidBy(pairing);
  const lines = [
    `${pairing.id}  ${inWords(pairing.state)}`,
    ...(said === null ? [] : ['It calls itself, not checked:', ...quoted(said)]),
  ];
  if (pairing.lookalike !== null) lines.push(ENGLISH.people.lookalike(pairing.lookalike));
  if (pairing.six !== null)
    lines.push(
      `Type these six digits at the other hub: ${pairing.six}`,
      `After that: ${command} pair digits DIGITS, with the two it shows`,
    );
  if (pairing.two !== null) lines.push(`Type these two digits at the other hub: ${pairing.two}`);
  if (pairing.state === 'type_six' || pairing.state === 'type_two')
    lines.push(`Now: ${command} pair digits DIGITS, with those the other screen shows`);
  if (pairing.state === 'waiting_for_answer')
    lines.push(...requestLines(pairing.request, command, label));
  if (pairing.state === 'confirming')
    lines.push(
      `The other hub has not answered yet; it is asked again by itself. See: ${command} pair list`,
    );
  if (pairing.state === 'paired') lines.push(`The two hubs are paired. See: ${command} peers`);
  if (pairing.failure !== null) lines.push(withInvocation(pairing.failure, command));
  return lines;
}

/**
 * How a pairing that has failed is begun again.
 * @param peer the id of the other hub, where it is found here; else null
 */
export function againLines(
  role: PairingDto['role'],
  peer: string | null,
  window: PairingWindowDto,
  command: string,
): readonly string[] {
  if (window.locked_until !== null) return windowLines(window, command);
  if (role === 'initiator')
    return peer === null ? [] : [`To try again: ${command} pair start ${peer}`];
  const ask = `The other hub asks again; then, here: ${command} pair open`;
  return window.open
    ? [...windowLines(window, command), ask]
    : [`Pairing is closed here. To let hubs ask again: ${command} pair window`, ask];
}

/** Of a hub that people here named by its address, after a pairing with it has failed. */
export function staysLine({ id, name }: Pick<PeerDto, 'id' | 'name'>, command: string): string {
  return `${name} stays in the list, with its address. To forget it: ${command} peers remove ${id}`;
}

/** Of those that wait, each hub that was removed here: when that was, and how it is added again. */
export function removedLines(items: readonly PairingDto[], command: string): readonly string[] {
  return items.flatMap(({ id, state, removed }) =>
    state === 'offered' && removed !== null
      ? [`${removedLine(removed)} To add it again: ${command} pair open ${id} --again`]
      : [],
  );
}

/** What people here did with that hub, and what letting it in again does. */
export function removedLine({ name, at }: NonNullable<PairingDto['removed']>): string {
  const { here, asNew } = ENGLISH.people.pairing.removed;
  return `${here(name, at === null ? null : localTime(at))} ${asNew}`;
}

/** @param address as it was typed: HOST:PORT, a share token, or nothing */
export function lookingLine(address: string | undefined): string {
  const at = address?.slice(address.lastIndexOf('@') + 1);
  return `Looking for the hub${at === undefined ? '' : ` at ${at}`}. Ctrl-C gives up.`;
}

/** The whole way through a pairing, at two terminals. */
export function pairHelp(command: string): string {
  const steps = table([
    ['  there', 'npx axon pair window', 'lets hubs ask for five minutes'],
    ['  here', `${command} pair start HUB`, 'waits until it answers'],
    ['  there', 'npx axon pair open', 'shows six digits'],
    ['  here', `${command} pair digits SIX`, 'shows two digits'],
    ['  there', 'npx axon pair digits TWO', 'and the two hubs are paired'],
  ]);
  return [
    '',
    'Two people, or one who walks, at two terminals; "there" is the other hub:',
    '',
    ...steps,
    '',
    `HUB is its name under "${command} peers --nearby",`,
    'or the link that "npx axon status" shows there.',
    '"start" may come before "window": it goes on asking for five minutes.',
  ].join('\n');
}

/** How a pairing ended that is cancelled too late. */
export function endedLine({ state, failure }: PairingDto): string {
  return state === 'paired'
    ? 'It had ended: the two hubs are paired.'
    : `It had ended: ${failure ?? 'nothing was paired.'}`;
}

export function pairingTable(items: readonly PairingDto[]): readonly string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ state, six, two, label, id, failure }) => [
    inWords(state),
    six ?? two,
    label,
    id,
    failure,
  ]);
  return table(
    [['STATE', 'SHOWN HERE', 'HUB, AND WHAT IT CALLS ITSELF', 'ID', 'WHY IT ENDED'], ...rows],
    items.map(saidBy),
  );
}

/** What the other hub says of itself, which nobody checked. */
function saidBy({ said_hub: hub, said_person: person }: PairingDto): string | null {
  const words = [hub, person].filter((word) => word !== null);
  return words.length === 0 ? null : words.join(', ');
}

function requestLines(
  request: PairingRequestState | null,
  command: string,
  label: string | null,
): readonly string[] {
  const listed = label === null ? '' : ` It lists this hub as "${label}".`;
  const then = `Then, here: ${command} pair digits DIGITS, with the six it shows`;
  switch (request) {
    case 'closed':
      return [
        `The other hub answers, but pairing is closed there. Press "Add a hub" on it, or type "npx axon pair window", then open the request.${listed}`,
        then,
      ];
    case 'busy':
      return [
        'The other hub answers, but other requests wait there. It is asked again by itself for five minutes.',
        then,
      ];
    case 'taken':
      return [
        `The request is at the other hub: press "Show the code" there, or type "npx axon pair open".${listed}`,
        then,
      ];
    default:
      return [`The other hub has not answered yet. See: ${command} pair list`];
  }
}
