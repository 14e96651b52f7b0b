// What a terminal says where another key answers in the place of a hub: the words of the page that
// stops for it, and the commands that answer it. It asks and decides nothing.
import type { PeerDto } from '../../preload/contract/dto.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { localTime } from './local-time.ts';

const { keyChanged: text } = ENGLISH.people;

/**
 * Under the table of hubs: all that the page shows, and what to do; nothing once a person has
 * answered.
 */
export function stopLines(
  { id, name, person, safety_number, key_change }: PeerDto,
  command: string,
): readonly string[] {
  if (key_change === null || key_change.kept_at !== null) return [];
  return [
    '',
    `STOP: ${text.title(name)}.`,
    `${text.detailAt(name, key_change.address)} ${text.stopped}`,
    text.why,
    `  ${text.old}: ${safety_number ?? ''}`,
    `  ${text.seen(localTime(key_change.seen_at))}: ${key_change.seen_safety_number}`,
    person === null ? text.askSomebody(name) : text.ask(person),
    `To keep the old one: ${command} peers keep ${id}`,
    'If it was set up again, remove the old one under People & hubs, and pair the two anew with digits.',
  ];
}

/** For the state of the hub: that it stops, and where all of it is said. */
export function stopSummary(
  { name, address }: { readonly name: string; readonly address: string },
  command: string,
): readonly string[] {
  return [
    `${text.title(name)}. ${text.detailAt(name, address)} ${text.stopped}`,
    `Both safety numbers and what to do: "${command} peers".`,
  ];
}
