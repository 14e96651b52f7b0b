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
import { isOpen } from '../tasks/task-moves.ts';

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
    const offer = this.#offer(agent, reading);
    if (offer !== undefined) return { task: offer, conversation: offer.conversationId };
    const item = reading.kind === 'cancel' ? undefined : this.#inHand(agent, dialect, reading);
    if (item !== undefined) return { item, conversation: item.conversation_id };
    const notice = this.#noticeInHand(agent, dialect, reading);
    if (notice !== undefined) return { notice, conversation: notice.conversation_id };
    const { replyTo, conversation } = reading;
    const isAcceptance = reading.payload['act'] === ACCEPT_PROPOSAL;
    if (replyTo === null && (conversation === null || !isAcceptance)) return undefined;
    const [task, ...others] = this.requests(agent, reading);
    if (task === undefined) return this.#seen(agent, dialect, reading);
    // A word about one of several answers is for one of those who gave them, and one about a
    // request of one's own for one of those who have it.
    const isTold = asNotice(reading).kind === 'notify' && this.#isFor(task, reading);
    if (isTold && others.some((one) => isOfAnother(one, task)))
      throw severalMeant(isOpen(task) ? 'agent' : 'answer');
    return { task, conversation: task.conversationId };
  }

  /** Its own requests that it names, the newest first: those of the receiver, where it has any. */
  requests(agent: string, reading: Reading): readonly TaskRow[] {
    const own = this.#deps.natives.own(agent, reading);
    const named = own.filter((one) => this.#isFor(one, reading));
    const isAcceptance = reading.payload['act'] === ACCEPT_PROPOSAL;
    return named.length > 0 || isAcceptance ? named : own;
  }

  /** Whether a message is for whoever sent or has the earlier one, and not for somebody else. */
  isBack({ task, notice, item }: Earlier, reading: Reading): boolean {
    const came = notice ?? item;
    if (task !== undefined) return this.#isFor(task, reading);
    return came !== undefined && (reading.to === null || isOf(came, reading.to));
  }

  /**
   * The answer with an offer that it accepts, before what somebody else may call by the same id.
   * @throws AppError conflict
   */
  #offer(agent: string, reading: Reading): TaskRow | undefined {
    if (reading.payload['act'] !== ACCEPT_PROPOSAL) return undefined;
    const own = this.#deps.natives.own(agent, reading);
    const [offer, ...others] = own.filter(
      (one) => termsOf(one) !== undefined && this.#isFor(one, reading),
    );
    if (others.length > 0) throw severalMeant('offer');
    return offer;
  }

  /** Whether the receiver, where there is one, is who has the request, or its hub. */
  #isFor({ party, toAgent }: TaskRow, { to }: Reading): boolean {
    if (to === null) return true;
    const peer = this.#deps.store.read.peer(party);
    return isCalled(to, toAgent, peer === undefined ? ['local'] : [peer.petname, peer.agentId]);
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
    const meant = this.#deps.inbox
      .open(agent)
      .filter((one) => one.kind === 'notify' && this.#isCalled(dialect, agent, one, replyTo));
    // Whoever tells something under the id of its request is not told what it says of that.
    const isOwn = meant.length > 0 && this.requests(agent, reading).some(isOpen);
    return isOwn && reading.to === null ? undefined : this.#meant(meant, dialect, agent, reading);
  }

  /** A notice or a result that it is done with, of which it says that it makes no sense. */
  #seen(agent: string, dialect: Dialect, reading: Reading): Earlier | undefined {
    const { replyTo, payload } = reading;
    if (replyTo === null || reading.kind !== 'result' || payload['status'] !== 'failed')
      return undefined;
    const meant = this.#deps.inbox
      .seen(agent)
      .filter(({ kind }) => kind === 'notify' || kind === 'result')
      .filter((one) => this.#isCalled(dialect, agent, one, replyTo));
    const notice = this.#meant(meant, dialect, agent, reading);
    return notice && { notice, conversation: notice.conversation_id };
  }

  #isCalled(dialect: Dialect, agent: string, item: DeliveryDto, id: string): boolean {
    if (item.envelope.id === id) return true;
    const read = dialect.read(this.#deps.natives.nativeOf(dialect, agent, item), true);
    return read.ok && read.value.ids.includes(id);
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
  const { from_agent: agent, peer_name: hub, peer_id: id } = origin;
  return isCalled(name, agent, [hub, id ?? 'local']);
}

/** Whether a message that names this means the agent, with its hub or without, or the hub. */
function isCalled(said: string, agent: string | null, hubs: readonly string[]): boolean {
  const [last = '', ...before] = said.split('/').toReversed();
  const isAgents = agent !== null && isNameOf(last, agent);
  const [hub] = before;
  if (hub === undefined) return isAgents || hubs.some((name) => isHub(last, name));
  return isAgents && hubs.some((name) => isHub(hub, name));
}

/** By its name or its id, which the first draft writes without the type of its key. */
function isHub(said: string, name: string): boolean {
  return isNameOf(said, name) || `ed25519.${said}` === name;
}

/** What a hub would not take, and somebody else then got under the same id, is no answer. */
function isOfAnother(one: TaskRow, { party, toAgent }: TaskRow): boolean {
  return one.endedBy !== 'hub' && (one.party !== party || one.toAgent !== toAgent);
}

function severalMeant(what: 'offer' | 'answer' | 'agent'): AppError {
  const byId = `Name the ${what} by its own id, or the agent that made it as the receiver.`;
  return new AppError('conflict', `More than one ${what} may be meant.`, {
    failedBy: 'input',
    hint: what === 'agent' ? 'Name the agent as the receiver.' : byId,
  });
}

/** Whether one agent, or none, asked for all of them. */
function areOfOne(items: readonly DeliveryDto[]): boolean {
  const askers = items.map(({ untrusted: { origin } }) => `${origin.peer_id}/${origin.from_agent}`);
  return new Set(askers).size < 2;
}
