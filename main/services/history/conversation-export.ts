// One conversation as text to keep or pass on, oldest first, in pieces. JSON lines hold all that
// was sent, Markdown is for reading, CSV is for a spreadsheet. No message can act as Markdown or as
// a formula there.
import type {
  ConversationEntryDto,
  SpeakerDto,
} from '../../../preload/contract/conversation-dto.ts';
import type { ConversationFormat } from '../../../preload/contract/closed-lists.ts';
import type { TextPiece } from '../../../preload/contract/results.ts';
import { kindWords, speakerWords } from '../../../preload/contract/strings/records.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import { decisionOf, headlineOf } from '../../../preload/contract/strings/story.ts';
import { csvLine, CSV_START, utcTime } from '../../lib/csv.ts';
import { escapeHiddenInJson, showHidden } from '../../lib/hidden-characters.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { saidIn, textIn } from '../../ports/said-words.ts';
import type { MessageRow, Store } from '../../ports/store.ts';
import { readCursor } from '../base/paging.ts';
import type { Parties } from '../tasks/parties.ts';
import { stateOf, type Conversations } from './conversations.ts';
import { EXPORT_MESSAGES } from './limits.ts';
import { speakersOf } from './speakers.ts';

interface Deps {
  readonly store: Store;
  readonly parties: Parties;
  readonly conversations: Pick<Conversations, 'decision' | 'story' | 'absent' | 'isThere'>;
}

interface Said {
  readonly at: number;
  readonly kind: string;
  readonly from: SpeakerDto;
  readonly to: SpeakerDto;
  readonly message_id: string;
  /** Of a request: where its task is. */
  readonly state: string | null;
  readonly story: StoryDto | null;
  readonly payload: JsonObject;
  readonly text: string;
}
type Entry = Said | ConversationEntryDto;

const REQUESTS = ['query', 'delegate'];
const CSV_COLUMNS = ['time_utc', 'kind', 'from', 'to', 'words', 'state', 'message_id'];

export class ConversationExport {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * @param cursor absent for the first piece
   * @param agent whose part of it is meant; null: all, for a person
   * @throws AppError bad_request, not_found, gone (what was said there was removed)
   */
  piece(
    id: string,
    format: ConversationFormat,
    cursor: string | undefined,
    agent: string | null,
  ): TextPiece {
    const { store, conversations } = this.#deps;
    const isFirst = cursor === undefined;
    if (isFirst && !conversations.isThere(id, agent)) throw conversations.absent(id, agent);
    const messages = store.read.messagesAfter(id, readCursor(cursor) ?? 0, EXPORT_MESSAGES);
    const entries = messages
      .filter(({ seq }) => store.read.messageAt(seq, agent) !== undefined)
      .flatMap((message) => this.#entries(message, agent));
    const form = FORMS[format];
    const head = isFirst ? form.head(id) : '';
    return {
      text: head + entries.map(form.entry).join(''),
      next: messages.length < EXPORT_MESSAGES ? null : String(messages.at(-1)?.seq),
    };
  }

  /** A message, and behind a request what was decided about it. */
  #entries(message: MessageRow, agent: string | null): readonly Entry[] {
    const { store, parties, conversations } = this.#deps;
    const { at, kind, taskId, messageId } = message;
    const task = taskId === null ? undefined : store.read.task(taskId);
    const isRequest = REQUESTS.includes(kind) && task !== undefined;
    const said = saidIn(message, task);
    const decision = isRequest ? conversations.decision(task, agent) : undefined;
    return [
      {
        at,
        kind,
        ...speakersOf(parties, message),
        message_id: messageId,
        state: isRequest ? stateOf(task) : null,
        story: isRequest ? conversations.story(task, agent) : null,
        payload: said.payload,
        text: textIn(said),
      },
      ...(decision === undefined ? [] : [decision]),
    ];
  }
}

/** Who decided it and where, or how it stands. */
function decisionSentence(story: StoryDto | null): string {
  return story === null ? '' : decisionOf(story);
}

interface Form {
  readonly head: (id: string) => string;
  readonly entry: (entry: Entry) => string;
}

const FORMS: Readonly<Record<ConversationFormat, Form>> = {
  jsonl: {
    head: () => '',
    entry: (entry) => `${escapeHiddenInJson(JSON.stringify(record(entry)))}\n`,
  },
  csv: { head: () => CSV_START + csvLine(CSV_COLUMNS), entry: csvEntry },
  markdown: { head: (id) => `# Conversation ${inline(id)}\n`, entry: markdownEntry },
};

function isDecision(entry: Entry): entry is ConversationEntryDto {
  return 'surface' in entry;
}

function record(entry: Entry): object {
  if (isDecision(entry)) {
    const { at, kind, state, surface, who, person, text, digest, story } = entry;
    return { at, kind, state, surface, who, person, text, digest, story };
  }
  const { at, kind, from, to, message_id, state, story, payload } = entry;
  return { at, kind, from, to, message_id, state, story, payload };
}

function csvEntry(entry: Entry): string {
  const { at, kind, story } = entry;
  const stands = story === null ? null : headlineOf(story);
  if (isDecision(entry))
    return csvLine([utcTime(at), kind, null, null, decisionSentence(story), stands, null]);
  const { from, to, text, message_id: id } = entry;
  return csvLine([utcTime(at), kind, speakerWords(from), speakerWords(to), text, stands, id]);
}

function markdownEntry(entry: Entry): string {
  const at = `${utcTime(entry.at)} UTC`;
  if (isDecision(entry)) {
    const reason = entry.text === null || entry.text === '' ? '' : `\n${fenced(entry.text)}`;
    return `\n**${at}, ${inline(decisionSentence(entry.story))}**\n${reason}`;
  }
  const { kind, from, to, text, story } = entry;
  const stands = story === null ? '' : `\n${inline(headlineOf(story))}\n`;
  const sides = inline(`${speakerWords(from)} to ${speakerWords(to)}`);
  const head = `**${at}, ${kindWords(kind)}: ${sides}**`;
  return `\n${head}\n${text === '' ? '' : `\n${fenced(text)}`}${stands}`;
}

/** A name, as nothing but letters. */
function inline(text: string): string {
  return showHidden(text).replaceAll(/[\\`*_[\]<>&\n]/g, '\\$&');
}

/** What was said, in a fence that it cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${showHidden(text)}\n${fence}\n`;
}
