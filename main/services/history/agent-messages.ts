// What one agent said and was given, in its own language, for that agent alone. First what it was
// given, the oldest first, as its inbox handed it out; then what it sent, the newest first.
import type { OwnMessageDto } from '../../../preload/contract/conversation-dto.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import { PROGRESS_TOPIC } from '../../protocol/kinds.ts';
import { inputError } from '../../lib/app-error.ts';
import { readObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MessageRow, Store, TaskRow } from '../../ports/store.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { readCursor, type Page } from '../base/paging.ts';
import type { DurableItems } from '../inbox/durable-items.ts';
import type { NativeItems } from '../inbox/native-items.ts';
import type { Parties } from '../tasks/parties.ts';
import { ownMessages } from './own-messages.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly natives: NativeItems;
  readonly items: Pick<DurableItems, 'list' | 'dto'>;
  readonly parties: Pick<Parties, 'nameOf'>;
}

type Answer = OperationResult<'history.messages'>;

/** Behind all that was said: where what was sent begins. */
const END_SEQ = 2 ** 46;
const GIVEN = ['done', 'claimed', 'running'] as const;
const SENT_KINDS = {
  query: 'query',
  delegate: 'delegate',
  notify: 'notify',
  cancel: 'cancel',
} as const;
const ANSWER_KINDS = { result: 'result', response: 'result' } as const;
const KINDS: Readonly<Record<string, OwnMessageDto['kind']>> = { ...SENT_KINDS, ...ANSWER_KINDS };

export class AgentMessages {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws AppError conflict where the agent speaks no language */
  async list(agent: string, { limit, cursor }: Page, signal: AbortSignal): Promise<Answer> {
    const dialect = this.#deps.natives.dialectOf(agent);
    if (dialect === undefined)
      throw inputError('conflict', 'This agent speaks no language of its own.', {
        hint: 'Say at registration which one it speaks, or read its tasks and conversations.',
      });
    const at = readCursor(cursor) ?? 0;
    const seq = Math.floor(at / 2);
    const page =
      at % 2 === 0
        ? this.#given(agent, dialect, seq, limit)
        : await this.#sent(agent, dialect, seq, limit, signal);
    return { dialect: dialect.name, ...page };
  }

  #given(
    agent: string,
    dialect: Dialect,
    afterSeq: number,
    limit: number,
  ): Omit<Answer, 'dialect'> {
    const { store, items, natives } = this.#deps;
    const rows = store.read.deliveriesOfAgent(agent, GIVEN, { limit, afterSeq });
    const shown = rows.flatMap((row): readonly OwnMessageDto[] => {
      const task = row.taskId === null ? undefined : store.read.task(row.taskId);
      // What ended before its agent took it is closed as well.
      const dto = row.attempt === 0 ? undefined : items.dto(row);
      if (dto === undefined) return [];
      const native = natives.nativeOf(dialect, agent, dto);
      const { origin } = dto.untrusted;
      const { kind, taskId, createdAt: at } = row;
      return [
        {
          at,
          kind,
          sent: false,
          ...stateOf(taskId, task),
          native: null,
          untrusted: { native, origin },
        },
      ];
    });
    const last = rows.length < limit ? END_SEQ * 2 + 1 : (rows.at(-1)?.seq ?? 0) * 2;
    return { items: shown, next: String(last) };
  }

  async #sent(
    agent: string,
    dialect: Dialect,
    beforeSeq: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<Omit<Answer, 'dialect'>> {
    const items: OwnMessageDto[] = [];
    for await (const row of ownMessages(this.#deps, agent, { beforeSeq, signal })) {
      const item = row.fromAgent === agent ? this.#own(row, agent, dialect) : undefined;
      if (item !== undefined) items.push(item);
      if (items.length === limit) return { items, next: String(row.seq * 2 + 1) };
    }
    return { items, next: null };
  }

  #own(row: MessageRow, agent: string, dialect: Dialect): OwnMessageDto | undefined {
    const { store, natives, parties } = this.#deps;
    const kind = KINDS[row.kind];
    if (row.direction === 'in' || kind === undefined) return undefined;
    const task = row.taskId === null ? undefined : store.read.task(row.taskId);
    const payload = readObject(row.payload ?? wordsOf(task, kind));
    if (kind === 'notify' && payload['topic'] === PROGRESS_TOPIC) return undefined;
    const to = row.toAgent ?? parties.nameOf(row.party);
    const isAbout = kind === 'result' || kind === 'cancel';
    const native = natives.writtenBy(dialect, {
      kind,
      id: row.messageId,
      at: row.at,
      from: agent,
      to,
      conversation: row.conversationId ?? row.messageId,
      payload,
      about: isAbout ? task : undefined,
    });
    const { at, taskId } = row;
    return { at, kind, sent: true, ...stateOf(taskId, task), native, untrusted: null };
  }
}

/** An exchange keeps both texts with its task. */
function wordsOf(task: TaskRow | undefined, kind: OwnMessageDto['kind']): string {
  return (kind === 'result' ? task?.result : task?.payload) ?? '';
}

function stateOf(
  taskId: string | null,
  task: TaskRow | undefined,
): Pick<OwnMessageDto, 'task_id' | 'state'> {
  return { task_id: taskId, state: task?.state ?? null };
}
