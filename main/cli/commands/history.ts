// history: what was said, by conversation. An agent sees what it took part in.
import type {
  ConversationDetailDto,
  ConversationDto,
  ConversationEntryDto,
} from '../../../preload/contract/conversation-dto.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import type { AxonCommand } from '../axon-command.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import { quoted } from '../quoted-text.ts';
import { stateWords } from '../state-words.ts';
import { beginningOf, table } from '../terminal.ts';

const { conversations: text } = ENGLISH;

export function addHistoryCommand(program: AxonCommand): void {
  program
    .command('history')
    .description('find what was said before: list conversations, newest first, or read one')
    .argument('[id]', 'one conversation')
    .does(async ({ terminal, session }, id?: string) => {
      const client = await session.asAnyone();
      if (id === undefined) {
        const page = await client.call('conversations.list', {});
        terminal.result(page, () =>
          page.items.length === 0 ? ['Nothing has been said yet.'] : listLines(page.items),
        );
        return;
      }
      const read = await client.call('conversations.get', { id });
      terminal.result(read, () => threadLines(read));
    });
}

function listLines(items: readonly ConversationDto[]): readonly string[] {
  const rows = items.map((item) => [
    cellTime(item.last_at),
    item.state === null ? null : stateWords(item.state),
    item.peer_name,
    item.messages,
    item.id,
  ]);
  const titles = items.map(({ title }) => beginningOf(title));
  return table([[inZone('LAST'), 'STATE', 'WITH', 'MESSAGES', 'ID'], ...rows], titles);
}

function threadLines({ conversation, entries }: ConversationDetailDto): readonly string[] {
  return [
    `${conversation.id}  ${conversation.peer_name}`,
    ...entries.flatMap((entry) => ['', headOf(entry), ...(entry.text ? quoted(entry.text) : [])]),
  ];
}

function headOf(entry: ConversationEntryDto): string {
  const { at, kind, who, agent_name: agent, state } = entry;
  const kinds: Readonly<Record<string, string>> = text.kinds;
  const what = kind === 'decision' ? 'a decision' : (kinds[kind] ?? kinds['other'] ?? kind);
  const from = agent === null || kind === 'decision' ? who : `${who}, ${agent}`;
  return `${localTime(at)}  ${what}, ${from}${state === null ? '' : `: ${stateWords(state)}`}`;
}
