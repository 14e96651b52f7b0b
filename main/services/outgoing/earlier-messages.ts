// Which earlier message a message in a dialect refers to, by ids that its agent gave or was given.
// Somebody elsewhere may choose the same id: then the agent has to say which one it means.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { escapeGiven } from '../../core/text-escape.ts';
import { asNotice, type Dialect, type Reading } from '../../dialects/dialect.ts';
import { isNameOf } from '../../dialects/members.ts';
import { AppError } from '../../lib/app-error.ts';
import { readObject } from '../../lib/json-object.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import { ACCEPT_PROPOSAL, HAND_OFF } from '../../protocol/escalation.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { NativeItems } from '../inbox/native-items.ts';
import { acceptedTask, idsOf, termsOf } from '../tasks/acceptance.ts';

interface Deps {
  readonly store: Store;
  readonly inbox: Inbox;
  readonly natives: NativeItems;
}

/** An earlier message that this one refers to: an item of the inbox, or a request of its own. */
export interface Earlier {
  readonly item?: DeliveryDto;
  readonly task?: TaskRow;
  /** A notice in hand, which ends by no answer. */
  readonly notice?: DeliveryDto;
  readonly conversation: string | null;
}

export class EarlierMessages {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * An answer refers to a request or a cancel in hand, a cancel to a request of its own; anything
   * else may follow either.
   * @throws AppError conflict
   */
  of(agent: string, dialect: Dialect, reading: Reading): Earlier | undefined {
    const item = reading.kind === 'cancel' ? undefined : this.#inHand(agent, dialect, reading);
    if (item !== undefined) return { item, conversation: item.conversation_id };
    const notice = this.#noticeInHand(agent, dialect, reading);
    if (notice !== undefined) return { notice, conversation: notice.conversation_id };
    const { replyTo, conversation } = reading;
    const isAcceptance = reading.payload['act'] === ACCEPT_PROPOSAL;
    if (replyTo === null && (conversation === null || !isAcceptance)) return undefined;
    const own = this.#deps.natives.own(agent, reading);
    const named = isAcceptance ? own.filter((one) => this.#isNamed(one, reading)) : own;
    const offers = isAcceptance ? named.filter((one) => termsOf(one) !== undefined) : [];
    const [task, ...others] = offers.length > 0 ? offers : named;
    if (offers.length > 0 && others.length > 0)
      throw new AppError('conflict', 'More than one offer may be meant.', {
        failedBy: 'input',
        hint: 'Name the offer by its own id, or the agent that made it as the receiver.',
      });
    return task === undefined ? undefined : { task, conversation: task.conversationId };
  }

  /** Whether the receiver, where there is one, is who has the request, or its hub. */
  #isNamed({ party, toAgent }: TaskRow, { to }: Reading): boolean {
    if (to === null) return true;
    const peer = this.#deps.store.read.peer(party);
    const said = to.split('/').at(-1) ?? '';
    return [toAgent, peer?.petname, peer?.agentId].some(
      (name) => name !== null && name !== undefined && isNameOf(said, name),
    );
  }

  /** Of an acceptance: those of the request that it goes on with, and of the offer. */
  #acceptedIds({ task_id: id }: DeliveryDto): readonly string[] {
    const { read } = this.#deps.store;
    const task = id === null ? undefined : read.task(id);
    if (task === undefined) return [];
    const { party, payload } = task;
    const accepted = acceptedTask(read, { party, payload: readObject(payload) });
    return accepted === undefined ? [] : idsOf(accepted);
  }

  #noticeInHand(agent: string, dialect: Dialect, reading: Reading): DeliveryDto | undefined {
    const { replyTo } = reading;
    if (replyTo === null || asNotice(reading).kind !== 'notify') return undefined;
    const meant = this.#deps.inbox.open(agent).filter((one) => {
      if (one.kind !== 'notify') return false;
      const read = dialect.read(this.#deps.natives.nativeOf(dialect, agent, one));
      return one.envelope.id === replyTo || (read.ok && read.value.ids.includes(replyTo));
    });
    return this.#meant(meant, dialect, agent, reading);
  }

  /** Whoever asked chose the ids: where two chose alike, the name of the asker decides. */
  #inHand(agent: string, dialect: Dialect, reading: Reading): DeliveryDto | undefined {
    const { replyTo, conversation, to } = reading;
    const meant = this.#deps.inbox.open(agent).filter((one) => {
      const isCancel = one.kind === 'cancel' && replyTo !== null;
      if (one.kind !== 'query' && one.kind !== 'delegate' && !isCancel) return false;
      const read = dialect.read(this.#deps.natives.nativeOf(dialect, agent, one));
      if (replyTo !== null)
        return (
          one.envelope.id === replyTo ||
          (read.ok && read.value.ids.includes(replyTo)) ||
          // An answer to what was handed on is one to the hand-off.
          (read.ok && read.value.payload['act'] === HAND_OFF && read.value.replyTo === replyTo) ||
          this.#acceptedIds(one).includes(replyTo)
        );
      return conversation !== null && read.ok && read.value.conversation === conversation;
    });
    // In a conversation somebody else may be spoken to.
    if (replyTo === null && to !== null && !meant.some((one) => isOf(one, to))) return undefined;
    return this.#meant(meant, dialect, agent, reading);
  }

  /**
   * Of items with one id: those of one agent, of the conversation, or of whom the message is for.
   * @throws AppError conflict
   */
  #meant(
    meant: readonly DeliveryDto[],
    dialect: Dialect,
    agent: string,
    { replyTo, conversation, to }: Reading,
  ): DeliveryDto | undefined {
    if (areOfOne(meant)) return meant.at(-1);
    const inIt = meant.filter((one) => {
      const read = dialect.read(this.#deps.natives.nativeOf(dialect, agent, one));
      return read.ok && conversation !== null && read.value.conversation === conversation;
    });
    if (inIt.length > 0 && areOfOne(inIt)) return inIt.at(-1);
    const asked = meant.filter((one) => isOf(one, to ?? ''));
    if (asked.length > 0 && areOfOne(asked)) return asked.at(-1);
    const id = replyTo ?? conversation ?? '';
    throw new AppError('conflict', `More than one agent used the id "${escapeGiven(id)}".`, {
      failedBy: 'input',
      hint: 'Answer with the envelope.id of the item.',
    });
  }
}

/** Whether it came from the agent or the hub of this name. */
function isOf({ untrusted: { origin } }: DeliveryDto, name: string): boolean {
  return [origin.from_agent, origin.peer_name].some((one) => one !== null && isNameOf(name, one));
}

/** Whether one agent, or none, asked for all of them. */
function areOfOne(items: readonly DeliveryDto[]): boolean {
  const askers = items.map(({ untrusted: { origin } }) => `${origin.peer_id}/${origin.from_agent}`);
  return new Set(askers).size < 2;
}
