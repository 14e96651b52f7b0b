// What local agents and people send: finds who it is for, and takes the way there, over the wire or
// within this hub. Between two agents of this hub the same rules hold, with the asking agent as the
// peer (PROTOCOL.md, Extensions).
import type { ChosenDto, RouteDto, SendReportDto } from '../../../preload/contract/dto.ts';
import type { OperationParams } from '../../../preload/contract/operations.ts';
import { wholeOf } from '../../../preload/contract/strings/story.ts';
import { AppError } from '../../lib/app-error.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { PeerRow, Reads, Store, TaskRow } from '../../ports/store.ts';
import { encodeEnvelope } from '../../protocol/encode-envelope.ts';
import { errorPayload, readError } from '../../protocol/error-payload.ts';
import { DIALECTS_EXTENSION, isHubTopic } from '../../protocol/kinds.ts';
import { DEADLINE_MAX_MS } from '../../protocol/limits.ts';
import { isOfferOver, OFFER_OVER, termsOf } from '../tasks/acceptance.ts';
import { parseDelegate, parseNotify, parseResponse } from '../../protocol/payloads.ts';
import type { Actor } from '../base/audit-trail.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import type { DelegationKeys, IdempotencyClaim } from '../tasks/delegation-keys.ts';
import type { IncomingNotices } from '../admission/incoming-notices.ts';
import type { Admission } from '../admission/admission.ts';
import { openTaskOf, type Turns } from '../admission/turns.ts';
import { LOCAL_RATE } from './limits.ts';
import type { OutgoingDelegations } from './outgoing-delegations.ts';
import {
  delegatePayload,
  notifyPayload,
  queryPayload,
  type NativeMembers,
} from './outgoing-payloads.ts';
import type { OutgoingQueries } from './outgoing-queries.ts';
import { OWNER_PARTY, partyOfAgent, type Parties } from '../tasks/parties.ts';
import { DECLINED } from '../tasks/task-endings.ts';
import type { QueryService } from '../admission/query-service.ts';
import type { Recipient } from './candidates.ts';
import { needOf, type Recipients } from './recipients.ts';
import {
  answeredReport,
  chosenOf,
  peerAway,
  repeatedReport,
  reportOf,
  type Chosen,
  type Failed,
  type SendReport,
} from './send-reports.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import { readWorkRequest, type WorkRequest } from '../tasks/work-request.ts';
import type { PartyKey } from '../../ports/transport.ts';

/** The agent that sends, or null for a person at this hub. */
export type Asker = string | null;
type Local = Extract<Recipient, { at: 'local' }>;

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly hubName: () => string;
  readonly parties: Parties;
  readonly recipients: Recipients;
  readonly delegations: OutgoingDelegations;
  readonly queries: OutgoingQueries;
  readonly notices: IncomingNotices;
  readonly queryService: QueryService;
  readonly admission: Admission;
  readonly idempotency: DelegationKeys;
  readonly turns: Pick<Turns, 'took'>;
  readonly views: Pick<TaskViews, 'story'>;
}

export class Sender {
  readonly #deps: Deps;
  readonly #buckets: TokenBuckets;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#buckets = new TokenBuckets(deps.clock);
  }

  async query(
    params: OperationParams<'send.query'> & NativeMembers,
    asker: Asker,
    signal: AbortSignal,
    by = actorFor(asker),
  ): Promise<SendReportDto> {
    return this.#told(await this.#query(this.#inTime(params), asker, signal, by), asker);
  }

  /**
   * @param idempotencyKey the same key and request within 24 hours: the same delegation, across
   * restarts
   */
  async delegate(
    params: OperationParams<'send.delegate'> & NativeMembers,
    asker: Asker,
    idempotencyKey: string | null,
    by = actorFor(asker),
  ): Promise<SendReportDto> {
    return this.#told(await this.#delegate(params, asker, idempotencyKey, by), asker);
  }

  async notify(
    params: OperationParams<'send.notify'> & NativeMembers,
    asker: Asker,
  ): Promise<SendReportDto> {
    return this.#told(await this.#notify(params, asker), asker);
  }

  /** Who would get it now, and who else could. @throws AppError unknown_domain, peer_not_found */
  route({ to, kind }: OperationParams<'send.route'>, asker: Asker): RouteDto {
    const { recipients, hubName } = this.#deps;
    const { recipient, others } =
      typeof to === 'string'
        ? { recipient: recipients.resolve(to, asker, kind), others: [] }
        : recipients.pick(needOf(to), asker, kind);
    const shown = (one: Recipient): ChosenDto => this.#shown(chosenOf(one, hubName()));
    return { chosen: shown(recipient), others: others.map(shown) };
  }

  /** @throws AppError: why it came to nothing */
  #told(sent: SendReport | Failed, asker: Asker): SendReportDto {
    if ('error' in sent) throw this.#failure(sent, asker);
    const { chosen, task, ...report } = sent;
    const story = task === null ? null : this.#deps.views.story({ ...task, seq: 0 }, asker);
    const { agents } = report;
    const named = agents?.map((agent) => this.#deps.parties.agentName(OWNER_PARTY, agent));
    return {
      ...report,
      ...(named === undefined ? {} : { agent_names: named }),
      chosen: this.#shown(chosen),
      story,
    };
  }

  /** In the sentence of its story. What fails at this hub itself keeps the hub's own. */
  #failure({ error, task }: Failed, asker: Asker): AppError {
    const story = this.#deps.views.story({ ...task, seq: 0 }, asker);
    const { code, hint, failedBy, data, cause } = error;
    if (story.end?.by === 'hub' && failedBy !== 'peer') return error;
    const sentence = wholeOf(story);
    const said = isJsonObject(data['untrusted']) ? data['untrusted'] : {};
    return new AppError(code, sentence, {
      failedBy,
      data: { ...data, untrusted: { came_of_it: sentence, ...said } },
      cause,
      ...(hint === undefined ? {} : { hint }),
    });
  }

  #shown(chosen: Chosen): ChosenDto {
    const { peer_id: peer, agent } = chosen;
    const party = peer ?? OWNER_PARTY;
    return {
      ...chosen,
      agent_name: agent === null ? null : this.#deps.parties.agentName(party, agent),
    };
  }

  async #query(
    params: OperationParams<'send.query'>,
    asker: Asker,
    signal: AbortSignal,
    by: Actor,
  ): Promise<SendReport | Failed> {
    const recipient = this.#deps.recipients.resolve(params.to, asker, 'query');
    if (recipient.at === 'peer') {
      this.#tookTurn(recipient, asker);
      return this.#deps.queries.ask(params, recipient, asker, signal);
    }
    const receivedMonotonicMs = this.#deps.clock.monotonicMs();
    const request = this.#localRequest(
      'query',
      queryPayload(params, recipient, asker),
      asker,
      by,
      receivedMonotonicMs,
    );
    const { outcome, task } = await this.#deps.queryService.answer(request, signal);
    if (outcome instanceof AppError) return { error: foreign(outcome), task };
    const response = parseResponse(outcome);
    if (!response.ok)
      throw new AppError('not_understood', 'The agent gave an answer that is no response.', {
        failedBy: 'peer',
      });
    return answeredReport(
      request.messageId,
      chosenOf(recipient, this.#deps.hubName()),
      response.value,
      task,
    );
  }

  async #delegate(
    said: OperationParams<'send.delegate'> & NativeMembers,
    asker: Asker,
    idempotencyKey: string | null,
    by: Actor,
  ): Promise<SendReport | Failed> {
    const { idempotency, store, recipients, delegations } = this.#deps;
    const receivedMonotonicMs = this.#deps.clock.monotonicMs();
    const claim =
      idempotencyKey === null ? null : idempotency.claim(partyOfAgent(asker), idempotencyKey, said);
    const made = this.#madeUnder(store.read, claim);
    if (made) return this.#repeated(made);
    const recipient = recipients.resolve(said.to, asker, 'delegate');
    const params = this.#accepting(this.#inTime(said), recipient, asker);
    const payload = delegatePayload(params, recipient, asker);
    checkEscalation(params, payload);
    if (recipient.at === 'peer') {
      this.#tookTurn(recipient, asker);
      return delegations.send(params, recipient, asker, by, claim);
    }
    return this.#delegateHere(
      this.#localRequest('delegate', payload, asker, by, receivedMonotonicMs),
      recipient,
      claim,
    );
  }

  /**
   * An acceptance carries the request and the offer, and goes to whoever made it.
   * @throws AppError bad_request, not_found, conflict
   */
  #accepting<Params extends OperationParams<'send.delegate'>>(
    params: Params,
    recipient: Recipient,
    asker: Asker,
  ): Params & NativeMembers {
    if (params.accepts === undefined) return params;
    const { store, messenger } = this.#deps;
    const task = store.read.task(params.accepts);
    if (task === undefined || task.direction === 'incoming' || task.fromAgent !== asker)
      throw notAccepted('not_found', 'This agent asked for no such task.');
    const terms = termsOf(task);
    if (terms === undefined) throw notAccepted('conflict', 'That task did not end with an offer.');
    if (isOfferOver(task, this.#deps.clock.wallMs())) throw notAccepted('conflict', OFFER_OVER);
    const isThere =
      recipient.at === 'local'
        ? task.direction === 'local'
        : task.direction === 'outgoing' && task.party === recipient.peer.key;
    const isOfferer = recipient.agent === task.toAgent || recipient.agent === null;
    if (!isThere || !isOfferer)
      throw notAccepted('bad_request', 'An acceptance goes to whoever made the offer.');
    if (params.options !== undefined)
      throw notAccepted('bad_request', 'An acceptance asks nobody to choose.');
    if (
      recipient.at === 'peer' &&
      !messenger.extensions(recipient.peer.key).includes(DIALECTS_EXTENSION)
    )
      throw new AppError('conflict', 'That hub would not see what is accepted.', {
        failedBy: 'peer',
        hint: 'Update that hub, or send it as an ordinary request.',
      });
    return { ...params, terms, conversation: { id: task.conversationId } };
  }

  /** With the time that is left until the moment that it names. @throws AppError bad_request */
  #inTime<Params extends NativeMembers & { readonly deadline_ms?: number | undefined }>(
    params: Params,
  ): Params {
    const { until, deadline_ms: within = DEADLINE_MAX_MS } = params;
    if (until === undefined) return params;
    const leftMs = until - this.#deps.clock.wallMs();
    if (leftMs > 0) return { ...params, deadline_ms: Math.min(leftMs, within) };
    throw new AppError('bad_request', 'Its deadline is over: nothing was sent.', {
      failedBy: 'input',
      hint: 'Send it with a later deadline, under another id.',
    });
  }

  async #notify(params: OperationParams<'send.notify'>, asker: Asker): Promise<SendReport> {
    const { recipients, messenger, random, hubName } = this.#deps;
    checkTopic(params.topic);
    if (params.to === EVERY_HUB) return this.#notifyEveryHub(params, asker);
    const recipient = recipients.resolve(params.to, asker, 'notify');
    const payload = notifyPayload(params, recipient, asker);
    const message = { id: random.uuid(), kind: 'notify', ref: params.ref ?? null, payload };
    const report = {
      id: message.id,
      task_url: null,
      chosen: chosenOf(recipient, hubName()),
      estimated_ms: null,
      untrusted: null,
      task: null,
    };
    if (recipient.at === 'local') {
      const agents = await this.#notifyHere(message, asker);
      return { ...report, state: 'delivered', agents };
    }
    const { peer } = recipient;
    const raw = messenger.encode(peer.key, message);
    const isShutOut = messenger.isShutOut(peer.key);
    if (isShutOut || !messenger.isOnline(peer.key)) throw peerAway(peer.petname, isShutOut);
    const sent = await messenger.sendEncoded(peer.key, raw);
    if (!sent.ok) throw sent.error;
    this.#tookTurn(recipient, asker, message.ref);
    this.#recordNotify(message, peer.key, asker, recipient.agent ?? params.route?.to ?? null);
    return { ...report, state: 'sent' };
  }

  #tookTurn(
    { peer, agent: agentThere }: Extract<Recipient, { at: 'peer' }>,
    asker: Asker,
    ref: string | null = null,
  ): void {
    if (asker === null) return;
    const { turns, store } = this.#deps;
    const asking = { party: peer.key, agentThere, agentHere: asker, way: 'out' } as const;
    if (openTaskOf(store.read, asking, ref) === undefined) turns.took(asking);
  }

  /**
   * The same message to each paired hub that can be reached, and to this one; nothing is kept for
   * the others.
   */
  async #notifyEveryHub(params: OperationParams<'send.notify'>, asker: Asker): Promise<SendReport> {
    const { store, random } = this.#deps;
    const id = random.uuid();
    const here: Recipient = { at: 'local', agent: null, why: '' };
    const payload = notifyPayload(params, here, asker);
    // First, because what this hub refuses goes nowhere.
    const agents = await this.#notifyHere({ id, ref: params.ref ?? null, payload }, asker);
    const peers = store.read.peers().filter(({ trust }) => trust !== 'revoked');
    const recipients = await Promise.all(
      peers.map(async (peer) => ({
        peer_id: peer.agentId,
        peer_name: peer.petname,
        state: await this.#notifyOneOfAll(id, peer, params, asker),
      })),
    );
    return {
      id,
      state: 'sent',
      task_url: null,
      agents,
      chosen: { peer_id: null, peer_name: 'Every hub', agent: null, why: 'It is for every hub.' },
      recipients,
      estimated_ms: null,
      untrusted: null,
      task: null,
    };
  }

  async #notifyOneOfAll(
    id: string,
    peer: PeerRow,
    params: OperationParams<'send.notify'>,
    asker: Asker,
  ): Promise<'sent' | 'offline' | 'blocked'> {
    const { messenger } = this.#deps;
    if (peer.trust !== 'paired' || messenger.isShutOut(peer.key)) return 'blocked';
    const agent = params.route?.to ?? null;
    const payload = notifyPayload(params, { at: 'peer', peer, agent, why: '' }, asker);
    const message = { id, kind: 'notify', ref: params.ref ?? null, payload };
    // Throws where it is too large.
    const raw = messenger.encode(peer.key, message);
    const sent = messenger.isOnline(peer.key) && (await messenger.sendEncoded(peer.key, raw)).ok;
    if (!sent) return 'offline';
    this.#recordNotify(message, peer.key, asker, agent);
    return 'sent';
  }

  async #delegateHere(
    request: WorkRequest,
    recipient: Local,
    claim: IdempotencyClaim | null,
  ): Promise<SendReport | Failed> {
    const { admission, unit, idempotency, hubName } = this.#deps;
    const { task, isRepeat } = await unit.run((tables, after) => {
      // The same may have come in with this very commit.
      const first = this.#madeUnder(tables, claim);
      if (first !== undefined) return { task: first, isRepeat: true };
      const admitted = admission.admit(tables, after, request, admission.assess(tables, request));
      if (claim !== null) idempotency.keep(tables, claim, admitted.id);
      return { task: admitted, isRepeat: false };
    });
    if (isRepeat) return this.#repeated(task);
    if (task.state === 'declined') return declinedByRule(task);
    return reportOf(task, recipient, hubName());
  }

  #repeated(task: TaskRow): SendReport | Failed {
    if (this.#isDeclined(task)) return declinedByRule(task);
    return repeatedReport(task, this.#deps.parties);
  }

  /** What was made of it already, under its key. @throws AppError idempotency_mismatch */
  #madeUnder(reads: Reads, claim: IdempotencyClaim | null): TaskRow | undefined {
    const made = claim === null ? undefined : this.#deps.idempotency.taskOf(claim, reads);
    return made === undefined ? undefined : reads.task(made);
  }

  /**
   * True for a delegation within this hub that a rule refused when it was sent: whoever sends it
   * again is told the same.
   */
  #isDeclined(task: TaskRow): boolean {
    if (task.direction !== 'local' || task.state !== 'declined') return false;
    return this.#deps.store.read.decisionOfTask(task.id)?.surface === 'rule';
  }

  #localRequest(
    kind: WorkRequest['kind'],
    payload: JsonObject,
    asker: Asker,
    by: Actor,
    receivedMonotonicMs: number,
  ): WorkRequest {
    const { random } = this.#deps;
    const party = partyOfAgent(asker);
    this.#checkRate('work', party, 'This agent asks too much in a short time.');
    const messageId = random.uuid();
    checkSize(messageId, kind, payload);
    const read = readWorkRequest({
      kind,
      direction: 'local',
      party,
      by,
      messageId,
      payload,
      receivedMonotonicMs,
    });
    if (!read.ok)
      throw new AppError('bad_request', `The request does not fit: ${read.error}.`, {
        failedBy: 'input',
      });
    return read.value;
  }

  async #notifyHere(
    message: { readonly id: string; readonly ref: string | null; readonly payload: JsonObject },
    asker: Asker,
  ): Promise<readonly string[]> {
    this.#checkRate('notify', partyOfAgent(asker), 'This agent tells too much in a short time.');
    checkSize(message.id, 'notify', message.payload);
    const parsed = parseNotify(message.payload);
    if (!parsed.ok)
      throw new AppError('bad_request', `The notification does not fit: ${parsed.error}.`, {
        failedBy: 'input',
      });
    const { id, ref, payload } = message;
    return this.#deps.notices.publish({
      party: partyOfAgent(asker),
      messageId: id,
      ref,
      fromAgent: asker,
      payload: parsed.value,
      sent: payload,
    });
  }

  /** @throws AppError rate_limited */
  #checkRate(what: 'work' | 'notify', party: PartyKey, sentence: string): void {
    const waitMs = this.#buckets.take(`${what} ${party}`, LOCAL_RATE);
    if (waitMs > 0)
      throw new AppError('rate_limited', sentence, { failedBy: 'input', retryAfterMs: waitMs });
  }

  /** Of the task that a notice is about, which was asked by that hub or of it. */
  #conversationOf(ref: string | null, party: string): string | null {
    const { read } = this.#deps.store;
    if (ref === null) return null;
    const task =
      read.taskByMessage('incoming', party, ref) ?? read.taskByMessage('outgoing', party, ref);
    return task?.conversationId ?? null;
  }

  #recordNotify(
    message: { readonly id: string; readonly ref: string | null; readonly payload: JsonObject },
    party: string,
    asker: Asker,
    toAgent: string | null,
  ): void {
    const at = this.#deps.clock.wallMs();
    this.#deps.store.writeBehind((tables) =>
      tables.insertMessage({
        messageId: message.id,
        direction: 'out',
        party,
        kind: 'notify',
        ref: message.ref,
        conversationId: this.#conversationOf(message.ref, party),
        taskId: null,
        fromAgent: asker,
        toAgent,
        payload: JSON.stringify(message.payload),
        at,
      }),
    );
  }
}

/** Of an agent here; of a person, where the door does not say which. */
function actorFor(asker: Asker): Actor {
  return { actor: partyOfAgent(asker), surface: 'agent' };
}

/** Stands for every paired hub where one is named. */
const EVERY_HUB = '*';

/** This hub itself refused. */
function declinedByRule(task: TaskRow): Failed {
  return { error: new AppError(DECLINED.code, DECLINED.reason), task };
}

/** The words of the agent that could not answer are as foreign as its answer would be. */
function foreign(error: AppError): AppError {
  return error.data['ended_by'] === 'agent' ? readError(errorPayload(error)) : error;
}

/** Options that make no valid escalation are refused here. @throws AppError bad_request */
function checkEscalation(
  { options, recommendation }: OperationParams<'send.delegate'>,
  payload: JsonObject,
): void {
  if (options === undefined && recommendation === undefined) return;
  const read = parseDelegate(payload);
  if (read.ok && read.value.escalation !== null) return;
  const why = read.ok ? 'a recommendation needs options to choose from' : read.error;
  throw new AppError('bad_request', `This choice does not fit: ${why}.`, { failedBy: 'input' });
}

/** Another hub would take it as this hub's own word. @throws AppError bad_request */
function checkTopic(topic: string): void {
  if (!isHubTopic(topic)) return;
  throw new AppError('bad_request', 'Topics that begin with "axon." are the hubs\' own.', {
    failedBy: 'input',
    hint: 'Use a topic that begins with another word.',
  });
}

function notAccepted(code: 'not_found' | 'conflict' | 'bad_request', sentence: string): AppError {
  return new AppError(code, sentence, { failedBy: 'input' });
}

const NOBODY = `ed25519.${'0'.repeat(32)}`;

/**
 * What no hub would take from another is not taken within one either. @throws AppError
 * payload_too_large, bad_request
 */
function checkSize(id: string, kind: string, payload: JsonObject): void {
  encodeEnvelope({ v: 1, id, from: NOBODY, to: NOBODY, ts: 0, kind, ref: null, payload });
}
