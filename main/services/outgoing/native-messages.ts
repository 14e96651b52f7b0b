// POST /v1/messages: a message in a dialect. It becomes the AXON request that the same agent could
// have made (a query, a delegation, a notice, a reply, a cancel), with the message whole beside it.
// An agent speaks only for itself, and refers to earlier messages by ids that it gave or was given.
import * as v from 'valibot';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import type { StopState, StoryDto } from '../../../preload/contract/story.ts';
import { repliedOf } from '../../../preload/contract/strings/receipts.ts';
import { cancelledOf } from '../../../preload/contract/strings/story.ts';
import {
  asNotice,
  DEADLINE_MAX_MS,
  EVERYBODY,
  followsOf,
  type Follows,
} from '../../dialects/dialect.ts';
import type { Acknowledgement, Dialect, Offer, Reading } from '../../dialects/dialect.ts';
import { dialectOf } from '../../dialects/index.ts';
import { VOTE_TOPIC } from '../../dialects/crunch.ts';
import { isNameOf, objectOf, wholeOf } from '../../dialects/members.ts';
import { originOf, readOrigin } from '../../dialects/origin.ts';
import { escapeGiven, escapeJson } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import { readObject, type JsonObject } from '../../lib/json-object.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { readCapabilities } from '../admission/asking-agents.ts';
import type { Capabilities } from '../agents/capabilities.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { NativeItems } from '../inbox/native-items.ts';
import { ACCEPT_PROPOSAL, HAND_OFF } from '../../protocol/escalation.ts';
import { parsePong } from '../../protocol/payloads.ts';
import { DIALECTS_EXTENSION } from '../../protocol/kinds.ts';
import { ACK_TIMEOUT_MS } from './limits.ts';
import type { Recipient, SentKind } from './candidates.ts';
import { EarlierMessages, type Earlier } from './earlier-messages.ts';
import { isHubId, NamedRecipients } from './named-recipients.ts';
import { NativeAnswers, type Spoken } from './native-answers.ts';
import { offerOf, offerThere, together } from './native-offers.ts';
import type { Recipients, To } from './recipients.ts';
import type { Sender } from './sender.ts';
import { isOpen } from '../tasks/task-moves.ts';
import type { Tasks } from './tasks.ts';
import type { ToEverybody } from './to-everybody.ts';

type Sent = OperationResult<'send.message'>;

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly agents: AgentRegistry;
  /** By which the first draft names who sends; null: not known yet. */
  readonly hubId?: () => string | null;
  readonly messenger: Pick<PeerMessenger, 'extensions' | 'request'>;
  readonly capabilities: Pick<Capabilities, 'pong'>;
  readonly inbox: Inbox;
  readonly natives: NativeItems;
  readonly recipients: Recipients;
  readonly sender: Sender;
  readonly everybody: Pick<ToEverybody, 'send' | 'cancel'>;
  readonly tasks: Tasks;
  readonly random: Random;
  readonly refreshCapabilities: (peer: KeyHex) => Promise<unknown>;
}

const NO_DIALECT =
  'This is a message of no language that is known here: it has no "mcp_version" (elizaos), no "type" with an "id" that begins with MSG- (claude-crunch), no "kind" (acp-draft) and no "performative" (fipa-acl).';

interface Post extends Spoken {
  readonly reading: Reading;
  readonly earlier: Earlier | undefined;
  readonly signal: AbortSignal;
  /** What the message asks for by capability or area, though its receiver is named. */
  readonly need?: Exclude<To, string>;
}

/** States of a task that nobody has to be asked about any more. */
const SETTLED: ReadonlySet<string> = new Set(['queued', 'claimed', 'running']);
/** Of a cancel that nobody has answered, and of one by which the work stops, or is asked to. */
const UNANSWERED: ReadonlySet<StopState> = new Set(['on_its_way', 'not_told', 'not_taken']);
const TAKEN: ReadonlySet<StopState> = new Set(['nothing_begun', 'asked', 'obeyed']);
/** Of agents, capabilities, messages and conversations. */
const NAME_MAX_CHARACTERS = 256;
const NOTHING: Partial<Earlier> = {};
const CANCELLED_AT_ALL = 'It is cancelled at all who have not answered.';
const MEANS_MORE = 'That hub reads no message of this kind, and would not see what this one means.';

export class NativeMessages {
  readonly #deps: Deps;
  readonly #earlier: EarlierMessages;
  readonly #named: NamedRecipients;
  readonly #answers: NativeAnswers;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#earlier = new EarlierMessages(deps);
    this.#named = new NamedRecipients(deps);
    this.#answers = new NativeAnswers(deps);
  }

  /**
   * An error has itself as a message of the language.
   * @throws AppError bad_request, forbidden, and what sending and replying throw
   */
  async post(agent: string, message: JsonObject, signal: AbortSignal): Promise<Sent> {
    const dialect = this.#deps.natives.dialectOf(agent) ?? dialectOf(message);
    if (dialect === undefined) throw refused(NO_DIALECT);
    const spoken = { agent, dialect, message };
    try {
      return await this.#do(this.#read(spoken, signal));
    } catch (error) {
      throw this.#answers.withNative(error, spoken, agent);
    }
  }

  #read(spoken: Spoken, signal: AbortSignal): Post {
    const { agent, dialect, message } = spoken;
    const alone = readBy(dialect, message, false);
    this.#checkSender(agent, alone);
    const asFollowed = readBy(dialect, message, true);
    // Whatever somebody else calls by the same id, its own requests are its to end.
    const ended =
      asFollowed.kind === 'cancel' ? this.#earlier.of(agent, dialect, asFollowed) : undefined;
    const earlier = ended ?? this.#earlier.of(agent, dialect, alone);
    const follows = followsOf(earlier?.item?.untrusted.payload);
    const followed = earlier === undefined ? alone : readBy(dialect, message, follows);
    // Its own requests are its to cancel, and what it has in hand is its to answer.
    const ends = followed.kind === 'cancel' ? earlier?.task : earlier?.item;
    const isEnd = ['cancel', 'result', 'accept'].includes(followed.kind);
    const isTold = isEnd && ends === undefined;
    if (!isTold && earlier !== undefined && this.#lasts(spoken, followed, earlier))
      // It goes to whoever asked, as any answer does.
      return { ...spoken, reading: { ...asNotice(followed), to: null }, earlier, signal };
    // A second answer to what is over is none, and only a failure to read it is told.
    // What it offered was accepted, so it has it to do.
    const isTaken = earlier?.task !== undefined && isAccepted(earlier.task);
    const isSaid = alone.isStatement === true && isOpenOf(earlier);
    const isAbout =
      isTaken || isSaid || earlier?.notice !== undefined || alone.payload['status'] === 'failed';
    const isNotice = isTold && earlier !== undefined && isAbout;
    const reading = isTold ? (isNotice ? asNotice(alone) : alone) : followed;
    return { ...spoken, reading, earlier, signal };
  }

  /** Whether it answers a request that goes on after it, or until it is cancelled or fails. */
  #lasts({ agent, dialect }: Spoken, reading: Reading, { item }: Earlier): boolean {
    const { kind, payload, endsNoTask } = reading;
    if (item?.kind !== 'delegate' || kind !== 'result' || payload['status'] === 'failed')
      return false;
    if (endsNoTask === true) return true;
    const asked = dialect.read(this.#deps.natives.nativeOf(dialect, agent, item));
    return asked.ok && asked.value.isLasting === true;
  }

  #do(post: Post): Promise<Sent> {
    const { kind } = post.reading;
    switch (kind) {
      case 'query':
      case 'delegate':
      case 'notify':
        return this.#send(post, kind);
      case 'result':
        return this.#reply(post);
      case 'accept':
        return this.#accept(post);
      case 'cancel':
        return this.#cancel(post);
      case 'discover':
        return this.#discover(post);
      case 'ping':
        return this.#ping(post);
    }
  }

  async #send(post: Post, kind: SentKind): Promise<Sent> {
    const { reading, earlier } = post;
    if (reading.payload['act'] === ACCEPT_PROPOSAL) {
      if (earlier?.task === undefined) throw nothingThere(reading);
      return this.#sendTo(this.#whoHas(earlier.task), post, kind, earlier.task);
    }
    const isBack = earlier !== undefined && this.#earlier.isBack(earlier, reading);
    const { task, notice, item } = isBack ? earlier : NOTHING;
    if (kind === 'notify' && task !== undefined)
      return this.#sendTo(this.#whoHas(task), post, kind, task);
    const came = notice ?? item;
    if (came !== undefined && (kind === 'notify' || isAskedBack(reading)))
      return this.#sendTo(senderOf(came), post, kind);
    return this.#sendOn(kind === 'notify' ? { ...post, earlier: undefined } : post, kind);
  }

  /** To whom it names, or to all who can where it is for them. */
  async #sendOn(post: Post, kind: SentKind): Promise<Sent> {
    const { agent, reading } = post;
    const to = this.#named.of(agent, reading, kind);
    if (to === EVERYBODY) checkAffected(reading);
    if (reading.isForAll !== true || typeof to === 'string') return this.#sendTo(to, post, kind);
    const { ids, conversation } = reading;
    const names = [...ids, conversation].flatMap((name) => name ?? []);
    const sent = this.#deps.everybody.send(to, { agent, names, kind }, (one, signal) =>
      this.#sendTo(one, { ...post, need: to, ...(kind === 'query' ? { signal } : {}) }, kind),
    );
    return (await sent) ?? this.#sendTo(to, post, kind);
  }

  async #sendTo(to: To, post: Post, kind: SentKind, about?: TaskRow): Promise<Sent> {
    const { agent, dialect, reading, earlier, signal } = post;
    const held = this.#handedOn(reading, earlier);
    const until = Math.min(reading.until ?? Infinity, held?.deadline_at ?? Infinity);
    const inTime = Number.isFinite(until) ? { until } : {};
    const extra = { ...needIn(post, to, kind), ...this.#extra(to, kind, post), ...inTime };
    const id = reading.conversation ?? earlier?.conversation ?? undefined;
    const parent = held === undefined ? {} : { parent: held.envelope.id };
    const conversation = id === undefined ? {} : { conversation: { id, ...parent } };
    const asked = { to, ...reading.payload, ...conversation };
    // Nobody else is given it meanwhile.
    if (held !== undefined)
      await this.#deps.inbox.ack(agent, held.delivery_id, null, held.attempt, false);
    if (kind === 'notify') {
      const params = parsed(OPERATIONS['send.notify'].params, {
        to,
        ...reading.payload,
        ref: about?.messageId ?? (earlier?.notice ?? earlier?.item)?.envelope.id,
      });
      return { report: await this.#deps.sender.notify({ ...params, ...extra }, agent) };
    }
    if (kind === 'query') {
      const params = parsed(OPERATIONS['send.query'].params, asked);
      // Whoever offers it may be another one, or nobody, once it has failed.
      const recipient = this.#deps.recipients.resolve(to, agent, kind);
      const answer = this.#deps.sender.query({ ...params, ...extra }, agent, signal);
      const report = await answer.catch((error: unknown) => {
        throw this.#answers.refused(error, post, recipient);
      });
      const native = this.#answers.ofQuery(post, report);
      return native === undefined ? { report } : { report, untrusted: { native } };
    }
    const accepts = about?.id;
    // The end of what it goes on with is the end of this.
    const report = held === undefined ? {} : { report_back: true };
    const params = parsed(OPERATIONS['send.delegate'].params, { ...asked, ...report, accepts });
    const place = reading.isForAll === true && typeof to === 'string' ? [to] : [];
    const key =
      reading.ids[0] === undefined ? null : [dialect.name, reading.ids[0], ...place].join(' ');
    try {
      const report = await this.#deps.sender.delegate({ ...params, ...extra }, agent, key);
      const { estimated_ms: estimatedMs, chosen } = report;
      const ack = SETTLED.has(report.state) ? { accepted: true, estimatedMs, reason: null } : null;
      return { report, ...this.#answers.settled(post, chosen.agent, ack) };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'idempotency_mismatch') throw error;
      throw new AppError(
        'conflict',
        `The id "${escapeGiven(reading.ids[0] ?? '')}" was used before.`,
        {
          failedBy: 'input',
          hint: 'Give each message an id of its own.',
        },
      );
    }
  }

  /** The task in hand that a hand-off passes on. */
  #handedOn({ payload }: Reading, earlier: Earlier | undefined): DeliveryDto | undefined {
    const item = payload['act'] === HAND_OFF ? earlier?.item : undefined;
    return item?.kind === 'delegate' ? item : undefined;
  }

  /** The message beside its fields; of a task always, since its answers name the ids in it. */
  #extra(to: To, kind: SentKind, { agent, dialect, message, reading }: Post): JsonObject {
    const { act, topic } = reading.payload;
    const extra = { origin: originOf({ dialect, message }), ...(act === HAND_OFF ? { act } : {}) };
    if (to === EVERYBODY) return extra;
    const chosen = this.#deps.recipients.resolve(to, agent, kind);
    if (chosen.at === 'local') return extra;
    if (this.#deps.messenger.extensions(chosen.peer.key).includes(DIALECTS_EXTENSION)) return extra;
    if (act === HAND_OFF || topic === VOTE_TOPIC)
      throw new AppError('conflict', MEANS_MORE, {
        failedBy: 'peer',
        hint: 'Update that hub, or send it as an ordinary request.',
      });
    return kind === 'delegate' ? extra : {};
  }

  async #reply({ agent, dialect, message, reading, earlier }: Post): Promise<Sent> {
    const item = earlier?.item;
    if (item === undefined) throw nothingInHand(reading, earlier);
    if (item.kind === 'cancel') return this.#answerCancel(agent, item, reading);
    const reply = parsed(OPERATIONS['inbox.reply'].params, {
      delivery: item.delivery_id,
      ...reading.payload,
      ...(item.kind === 'query' ? { summary: reading.payload['outcome'] } : {}),
    });
    const origin = originOf({ dialect, message });
    const answer = { ...reply, origin };
    return repliedWith(await this.#deps.inbox.reply(agent, item.delivery_id, answer));
  }

  /**
   * No language has a word for work that was stopped. The answer to a cancel, where it is no
   * failure, says it.
   */
  async #answerCancel(agent: string, cancel: DeliveryDto, { payload }: Reading): Promise<Sent> {
    const { stops, delivery_id: delivery } = cancel;
    const { status, outcome, data } = payload;
    const hasStopped = stops !== undefined && status !== 'failed';
    const reply = { delivery: stops, status: 'cancelled', outcome, data };
    const replied = hasStopped
      ? await this.#deps.inbox.reply(agent, stops, parsed(OPERATIONS['inbox.reply'].params, reply))
      : undefined;
    await this.#deps.inbox.ack(agent, delivery, null);
    return replied === undefined ? {} : repliedWith(replied);
  }

  /** The hub tells the other hub. The agent that asked gets a notice, if it is known. */
  async #accept(post: Post): Promise<Sent> {
    const { agent, reading, earlier } = post;
    const item = earlier?.item;
    if (item === undefined) throw nothingInHand(reading, earlier);
    const estimated = objectOf(reading.payload['data'])['estimated_ms'];
    await this.#deps.inbox.ack(agent, item.delivery_id, wholeOf(estimated, 0, DEADLINE_MAX_MS));
    // It has read it, and not stopped yet.
    if (item.kind === 'cancel') return {};
    // Then the hub of whoever asked says it.
    const hasWord = this.#deps.natives.dialectOf(agent)?.hasAcceptance === true;
    if (!hasWord && this.#hasAcceptance(item)) return {};
    const { from_agent: asker, peer_id: hub } = item.untrusted.origin;
    if (asker === null) return {};
    const { topic, data } = reading.payload;
    const notice = { to: `${hub ?? 'local'}/${asker}`, topic, data, ref: item.envelope.id };
    const params = parsed(OPERATIONS['send.notify'].params, notice);
    const extra = this.#extra(notice.to, 'notify', post);
    return { report: await this.#deps.sender.notify({ ...params, ...extra }, agent) };
  }

  /** Whether the language that it was asked in has a word for that it was taken on. */
  #hasAcceptance({ kind, task_id: id }: DeliveryDto): boolean {
    const task = kind !== 'delegate' || id === null ? undefined : this.#deps.store.read.task(id);
    const origin = task?.reportBack === true ? readOrigin(readObject(task.payload)) : undefined;
    return origin?.dialect.hasAcceptance === true;
  }

  async #cancel(post: Post): Promise<Sent> {
    const { agent, reading, earlier } = post;
    const { replyTo, conversation } = reading;
    if (this.#deps.everybody.cancel(agent, replyTo ?? conversation))
      return { untrusted: { came_of_it: CANCELLED_AT_ALL } };
    const task = earlier?.task;
    if (task === undefined) throw nothingThere(reading);
    const own = reading.replyTo === null ? [task] : this.#earlier.requests(agent, reading);
    const open = own.filter(isOpen);
    if (open.length < 2) return this.#cancelOne(post, open[0] ?? task);
    // What went to several by one message is taken back from all who have it.
    const failed: AppError[] = [];
    const told = open.map(async (one) => {
      const to = this.#nameOf(one);
      try {
        return { to, ...(await this.#cancelOne(post, one)) };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        failed.push(error);
        return { to, refused: error.message };
      }
    });
    const each = await Promise.all(told);
    if (failed.length === each.length && failed[0] !== undefined) throw failed[0];
    return { each };
  }

  async #cancelOne(
    post: Post,
    task: TaskRow,
  ): Promise<Required<Pick<Sent, 'cancelled' | 'untrusted'>>> {
    const { agent, dialect, message, reading } = post;
    const { reason } = reading.payload;
    const words = typeof reason === 'string' ? reason : null;
    const origin = originOf({ dialect, message });
    const { id, state, story } = await this.#deps.tasks.cancel(task.id, { agent }, words, origin);
    const came = cancelledOf(story);
    const { untrusted } = this.#answers.settled(post, task.toAgent, settledBy(story));
    return { cancelled: { id, state }, untrusted: { came_of_it: came, ...untrusted } };
  }

  /** Who has a request, as people name it. */
  #nameOf({ party, toAgent }: TaskRow): string {
    const hub = this.#deps.store.read.peer(party)?.petname ?? 'local';
    return toAgent === null ? hub : `${hub}/${toAgent}`;
  }

  async #discover({ agent, dialect, message, reading }: Post): Promise<Sent> {
    const to = this.#named.of(agent, reading, 'query');
    const found = this.#deps.recipients.resolve(to, agent, 'query');
    const asked = await this.#offers(found);
    const from = found.agent ?? (found.at === 'peer' ? found.peer.petname : agent);
    const native = dialect.offer?.(this.#answers.addressing(from, agent), together(asked), message);
    return native === undefined ? {} : { untrusted: { native: escapeJson(native) } };
  }

  /**
   * The other hub's capabilities, asked for anew; for agents here, what they offer.
   * @throws AppError unknown_domain: there is no such agent
   */
  async #offers(found: Recipient): Promise<readonly Offer[]> {
    const { refreshCapabilities, store, agents } = this.#deps;
    if (found.at === 'peer') await refreshCapabilities(found.peer.key);
    const told =
      found.at === 'peer' ? readCapabilities(store.read.peer(found.peer.key)) : undefined;
    const known =
      found.at === 'peer' ? (told?.agents ?? []).map(offerThere) : agents.active().map(offerOf);
    const { agent } = found;
    const asked = known.filter(({ name }) => agent === null || name === agent);
    // It may tell of some of its agents only, or of none.
    const isAll = found.at === 'local' || told?.more_agents === 0;
    if (agent !== null && asked.length === 0 && isAll)
      throw noAgent(agent, found.at === 'peer' ? found.peer.petname : null);
    return asked;
  }

  /** How an agent here is; for another hub and all of its agents, what that hub says of itself. */
  async #ping({ agent, dialect, message, reading, signal }: Post): Promise<Sent> {
    const { recipients, capabilities } = this.#deps;
    const found = recipients.resolve(this.#named.of(agent, reading, 'query'), agent, 'query');
    if (found.agent !== null)
      await (found.at === 'local' ? this.#checkHere(found.agent) : this.#offers(found));
    const [from, pong] =
      found.at === 'local'
        ? [found.agent ?? agent, capabilities.pong(found.agent)]
        : [found.peer.petname, await this.#pongOf(found.peer.key, signal)];
    const native = dialect.pong?.(this.#answers.addressing(from, agent), pong, message);
    return native === undefined ? {} : { untrusted: { native: escapeJson(native) } };
  }

  /** @throws AppError what asking throws, and not_understood */
  async #pongOf(peer: KeyHex, signal: AbortSignal): Promise<JsonObject> {
    const { messenger, random } = this.#deps;
    const message = { id: random.uuid(), kind: 'ping', ref: null, payload: {} };
    const answered = await messenger.request(peer, message, ACK_TIMEOUT_MS, signal);
    if (!answered.ok) throw answered.error;
    const pong = parsePong(answered.value.payload);
    if (pong.ok) return { ...pong.value };
    throw new AppError('not_understood', 'The pong of the other hub does not read.', {
      failedBy: 'peer',
    });
  }

  /** @throws AppError unknown_domain, unhandled */
  #checkHere(agent: string): void {
    const { agents } = this.#deps;
    const row = agents.active().find(({ name }) => name === agent);
    if (row === undefined) throw noAgent(agent, null);
    if (agents.presence.load(row) === 'absent')
      throw new AppError('unhandled', `${row.displayName} is away.`, { failedBy: 'input' });
  }

  #checkSender(agent: string, { from }: Reading): void {
    const isAnothers =
      from !== agent && this.#deps.agents.active().some(({ name }) => name === from);
    if (from === null || (isNameOf(from, agent) && !isAnothers)) return;
    const own = this.#deps.hubId?.() ?? null;
    if (own !== null && isHubId(from, own)) return;
    throw new AppError(
      'forbidden',
      `This token is that of "${agent}", not of "${escapeGiven(from)}".`,
      {
        failedBy: 'input',
        hint: 'Leave out who sends it, or say the name that the agent has here.',
      },
    );
  }

  #whoHas({ direction, party, toAgent }: TaskRow): string {
    const hub = direction === 'outgoing' ? this.#deps.store.read.peer(party)?.agentId : 'local';
    return toAgent === null ? (hub ?? '') : `${hub}/${toAgent}`;
  }
}

/**
 * Each hub looks for them among its own agents, and does not know what others call it.
 * @throws AppError bad_request
 */
function checkAffected({ affects = [] }: Reading): void {
  const elsewhere = affects.find((name) => name.includes('/'));
  if (elsewhere === undefined) return;
  throw new AppError(
    'bad_request',
    `A message to all names whom it affects without a hub, unlike "${escapeGiven(elsewhere)}".`,
    { failedBy: 'input', hint: 'Send it to that one alone.' },
  );
}

/** A request that goes to whoever sent what it names, and not to whoever else can do it. */
function isAskedBack({ to, replyTo, isForAll, payload }: Reading): boolean {
  return to === null && replyTo !== null && isForAll !== true && payload['act'] !== HAND_OFF;
}

function senderOf({ untrusted: { origin } }: DeliveryDto): string {
  const hub = origin.peer_id ?? 'local';
  return origin.from_agent === null ? hub : `${hub}/${origin.from_agent}`;
}

/** @throws AppError bad_request */
function readBy(dialect: Dialect, message: JsonObject, follows: Follows): Reading {
  const read = dialect.read(message, follows);
  if (!read.ok) throw refused(`This is no message of ${dialect.name}: ${read.error}.`);
  const { from, to, capability, ids, replyTo, conversation } = read.value;
  for (const name of [from, to, capability, replyTo, conversation, ...ids])
    if (name !== null && name.length > NAME_MAX_CHARACTERS)
      throw refused(`A name or an id has at most ${NAME_MAX_CHARACTERS} characters.`);
  return read.value;
}

/** Whether it was an offer, and ended by its acceptance. */
function isAccepted({ payload, result }: TaskRow): boolean {
  const { decision } = objectOf(readObject(result ?? '')['data']);
  return decision === 'accept' && followsOf(readObject(payload)) === 'offer';
}

/** A reading may say more than the call knows, such as an act. */
function parsed<const Entries extends v.ObjectEntries>(
  { entries }: v.StrictObjectSchema<Entries, undefined>,
  value: unknown,
): v.InferOutput<v.ObjectSchema<Entries, undefined>> {
  const read = v.safeParse(v.object(entries), value);
  if (read.success) return read.output;
  throw refused(`The message does not fit: ${v.summarize(read.issues).split('\n')[0] ?? ''}`);
}

/** What the agent that cancelled is told at once; null: nobody has answered yet. */
function settledBy(story: StoryDto): Acknowledgement | null {
  const state = story.stop?.state;
  if (state === undefined ? story.end === null : UNANSWERED.has(state)) return null;
  const accepted = state !== undefined && TAKEN.has(state);
  return { accepted, estimatedMs: null, reason: accepted ? null : cancelledOf(story) };
}

/** @param hub by its name; null: this one */
function noAgent(agent: string, hub: string | null): AppError {
  const name = `agent "${escapeGiven(agent)}"`;
  return new AppError(
    'unknown_domain',
    hub === null ? `No ${name} is here.` : `${hub} has no ${name}.`,
    {
      failedBy: 'input',
    },
  );
}

/** What it is wanted for. Beside a receiver's name a capability still has its area and rules. */
function needIn({ need, reading: { capability } }: Post, to: To, kind: SentKind): Post['need'] {
  const isNamed = typeof to === 'string' && to !== EVERYBODY && kind !== 'notify';
  return need ?? (isNamed && capability !== null ? { capability } : undefined);
}

function refused(sentence: string): AppError {
  return new AppError('bad_request', sentence, { failedBy: 'input' });
}

function repliedWith(report: OperationResult<'inbox.reply'>): Sent {
  const { state, sent_to } = report;
  return { replied: { state, sent_to }, untrusted: { came_of_it: repliedOf(report) } };
}

/** Whether it is about a request of its own that nobody has answered. */
function isOpenOf(earlier: Earlier | undefined): boolean {
  return earlier?.task !== undefined && isOpen(earlier.task);
}

function nothingInHand(reading: Reading, earlier: Earlier | undefined): AppError {
  if (!isOpenOf(earlier)) return nothingThere(reading);
  return new AppError('conflict', 'This agent asked for that, and does not answer it itself.', {
    failedBy: 'input',
    hint: 'Cancel the request, or tell whoever has it something by a message that is no answer.',
  });
}

function nothingThere({ kind, replyTo, conversation }: Reading): AppError {
  const named = replyTo ?? conversation;
  const about =
    named === null ? 'It names no earlier message' : `"${escapeGiven(named)}" is unknown`;
  return new AppError('not_found', `${about}, or what it was about is over.`, {
    failedBy: 'input',
    hint:
      kind === 'cancel' ? 'Name the id of your request.' : 'Claim the item from the inbox first.',
  });
}
