// history, search: what was said, by conversation or by its words. An agent sees what it took part
// in.
import { Option } from 'commander';
import type {
  ConversationDetailDto,
  ConversationDto,
  ConversationEntryDto,
  InspectionDto,
  SearchHitDto,
} from '../../../preload/contract/conversation-dto.ts';
import {
  CONVERSATION_FORMATS,
  type ConversationFormat,
} from '../../../preload/contract/closed-lists.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import {
  kindWords,
  participantWords,
  speakerWords,
} from '../../../preload/contract/strings/records.ts';
import { decisionOf, handedOverOf, headlineOf } from '../../../preload/contract/strings/story.ts';
import type { AxonCommand } from '../axon-command.ts';
import { exportPieces } from '../export-pieces.ts';
import type { HubClient } from '../hub-client.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import { quoted } from '../quoted-text.ts';
import { refusal } from '../refusal.ts';
import { goesOn, beginningOf, table } from '../terminal.ts';

const { conversations: text } = ENGLISH;
/** How often a search looks further back for its first hit. */
const LOOKS_MAX = 100;

export function addHistoryCommand(program: AxonCommand): void {
  const history = program
    .command('history')
    .description('list conversations, newest first, or read one')
    .argument('[id]', 'one conversation')
    .option('--details', 'with all that is known of each message (the person in charge only)')
    .does(async ({ terminal, session }, id: string | undefined, { details }: Details) => {
      const client = details === true ? await session.asOwner() : await session.asPartaker();
      if (id === undefined && details === true)
        throw refusal('bad_request', '--details needs the id of a conversation.');
      if (id === undefined) {
        const page = await client.call('conversations.list', {});
        session.tellList(page, 'Nothing has been said yet.', () => [
          ...listLines(page.items),
          ...goesOn(page),
        ]);
        return;
      }
      const read = await client.call('conversations.get', { id });
      const messages = details === true ? await inspected(client, read) : new Map();
      const told = details === true ? { ...read, details: [...messages.values()] } : read;
      terminal.result(told, () => threadLines(read, messages));
    });
  history
    .command('export')
    .description('a whole conversation as text, the oldest first')
    .argument('<id>', 'the conversation')
    .addOption(
      new Option(
        '--format <format>',
        'Markdown is to be read, CSV is for a spreadsheet, JSON lines hold all there is',
      )
        .choices(CONVERSATION_FORMATS)
        .default('markdown'),
    )
    .option('--output <file>', 'a new file that only you can read, instead of standard output')
    .does(
      async (
        { session, terminal },
        id: string,
        { format, output }: { format: ConversationFormat; output?: string },
      ) => {
        const client = await session.asPartaker();
        return exportPieces(terminal, output, (at, signal) =>
          client.call('conversations.export', { id, format, ...at }, signal),
        );
      },
    );
  history
    .command('remove')
    .description('remove what was said in a conversation that is over')
    .argument('<id>', 'the conversation')
    .doesAsOwner(async (owner, { terminal }, id: string) => {
      const removed = await owner.call('conversations.remove', { id });
      terminal.result(removed, () => [
        'Its words are gone, from search too. Ids, digests and the audit log stay, and so do notices in the feed, backups, and what the other hub keeps.',
      ]);
    });
  program
    .command('search')
    .description('find what was said before, by its words')
    .argument(
      '<words...>',
      'words, a phrase in quotes, and from: to: by: action: outcome: before: after:',
    )
    .does(async ({ session }, words: readonly string[]) => {
      const client = await session.asPartaker();
      const q = words.map(asTyped).join(' ');
      let found = await client.call('history.search', { q });
      for (
        let looks = 1;
        found.items.length === 0 && found.next !== null && looks < LOOKS_MAX;
        looks++
      )
        found = await client.call('history.search', { q, cursor: found.next });
      const none = found.next === null ? text.search.none : text.search.noneYet;
      session.tellList(found, none, () => [
        ...found.items.flatMap((hit, at) => [...(at === 0 ? [] : ['']), ...hitLines(hit)]),
        ...goesOn(found),
      ]);
    });
}

interface Details {
  readonly details?: boolean;
}

/** By the seq of each message. */
async function inspected(
  client: HubClient,
  { entries }: ConversationDetailDto,
): Promise<ReadonlyMap<number, InspectionDto>> {
  const found = new Map<number, InspectionDto>();
  for (const { seq, kind } of entries)
    if (kind !== 'decision') found.set(seq, await client.call('conversations.inspect', { seq }));
  return found;
}

/** The shell took the quotes of a phrase. */
function asTyped(word: string): string {
  const [, filter = '', rest = ''] = /^([a-z]+:)?([^]*)$/.exec(word) ?? [];
  return /\s/.test(rest) && !rest.includes('"') ? `${filter}"${rest}"` : word;
}

function hitLines(hit: SearchHitDto): readonly string[] {
  const { at, kind, from, to, snippet, story, decision, conversation_id: conversation } = hit;
  const came = story === null ? '' : `: ${headlineOf(story)}`;
  return [
    `${localTime(at)}  ${kindWords(kind)}, ${speakerWords(from)} to ${speakerWords(to)}${came}`,
    ...(decision === null ? [] : [headOf(decision)]),
    ...quoted(snippet.map(([piece]) => piece).join('')),
    ...(conversation === null ? [] : [`In conversation ${conversation}`]),
  ];
}

function listLines(items: readonly ConversationDto[]): readonly string[] {
  const rows = items.map((item) => [
    cellTime(item.last_at),
    item.story === null ? null : headlineOf(item.story),
    item.peer_name,
    item.messages,
    item.id,
  ]);
  const titles = items.map(({ title }) => beginningOf(title));
  return table([[inZone('LAST'), 'STATE', 'WITH', 'MESSAGES', 'ID'], ...rows], titles);
}

function threadLines(
  { conversation, participants, entries }: ConversationDetailDto,
  inspected: ReadonlyMap<number, InspectionDto>,
): readonly string[] {
  const takingPart = participantWords(participants);
  return [
    `${conversation.id}  ${conversation.peer_name}`,
    ...(takingPart === null ? [] : [takingPart]),
    ...entries.flatMap((entry) => [
      '',
      headOf(entry),
      ...(entry.text ? quoted(entry.text) : []),
      ...detailLines(entry.kind === 'decision' ? undefined : inspected.get(entry.seq)),
    ]),
  ];
}

function detailLines(of: InspectionDto | undefined): readonly string[] {
  if (of === undefined) return [];
  const { message, payload, bytes, approval, task } = of;
  const { inspect } = text;
  const facts: readonly (readonly [string, string | null])[] = [
    [inspect.message, message.message_id],
    [inspect.answers, message.ref],
    [inspect.size, bytes === null ? null : inspect.bytes(bytes)],
    [inspect.digest, approval?.digest ?? null],
    ['Handed over', task && handedOverOf(task.story, localTime)],
    [inspect.payload, payload === null ? inspect.notKept : ''],
  ];
  return [
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`  ${name}: ${value}`.trimEnd()])),
    ...(payload === null ? [] : quoted(payload)),
  ];
}

function headOf(entry: ConversationEntryDto): string {
  const { at, kind, who, agent_name: agent, story } = entry;
  if (kind === 'decision' && story !== null) return `${localTime(at)}  ${decisionOf(story)}`;
  const from = speakerWords({ hub_name: who, agent_name: agent });
  const came = story === null ? '' : `: ${headlineOf(story)}`;
  return `${localTime(at)}  ${kindWords(kind)}, ${from}${came}`;
}
