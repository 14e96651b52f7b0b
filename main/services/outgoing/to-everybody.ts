// A message to everybody who has a capability: each gets it by itself, and the answer to the call
// says what became of it at each. A question is only asked by then: each answer comes to the inbox
// of whoever asked, as it comes. Each is stored while it is open: if the hub ends meanwhile, the
// next run tells that.
import type { PostedDto } from '../../../preload/contract/dto.ts';
import { HUB_RESTARTED } from '../../core/story-row.ts';
import { escapeObject } from '../../core/text-escape.ts';
import { objectOf, textOf } from '../../dialects/members.ts';
import { isForAll } from '../../dialects/origin.ts';
import { AppError } from '../../lib/app-error.ts';
import { readObject, type JsonObject } from '../../lib/json-object.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Tables } from '../../ports/store.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import { URGENCY, type Deliveries } from '../inbox/deliveries.ts';
import { partyOfAgent, type Parties } from '../tasks/parties.ts';
import { failureOf, type EndedTask } from '../tasks/task-endings.ts';
import type { Recipient, SentKind } from './candidates.ts';
import { BROADCAST_AGENTS_MAX, COULD_SHOWN_MAX } from './limits.ts';
import type { Recipients, To } from './recipients.ts';

type Each = NonNullable<PostedDto['each']>[number];

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly deliveries: Pick<Deliveries, 'put' | 'putResult'>;
  readonly parties: Pick<Parties, 'trustOf'>;
  readonly recipients: Recipients;
}

/** Who asked, and by which ids it may cancel that. */
interface Question {
  readonly agent: string;
  readonly names: readonly string[];
  readonly over: AbortController;
}

/** What a question came to, as the inbox has it. */
interface Answer {
  readonly id: string | null;
  readonly from: string | null;
  readonly text: string | null;
  readonly payload: JsonObject;
  readonly native: unknown;
}

const TOO_MANY = `A message to all goes to ${BROADCAST_AGENTS_MAX} agents of a hub at most.`;

export class ToEverybody {
  readonly #deps: Deps;
  readonly #open = new Set<Question>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * undefined: nobody has it. @param names by which the agent may cancel it
   * @throws AppError as it was for the first, where it reached nobody, and unknown_domain
   */
  async send(
    to: Exclude<To, string>,
    { agent, names, kind }: Pick<Question, 'agent' | 'names'> & { readonly kind: SentKind },
    send: (to: string, signal: AbortSignal) => Promise<PostedDto>,
  ): Promise<PostedDto | undefined> {
    const everybody = this.#deps.recipients.everybody(to, agent, kind);
    if (everybody.length === 0) return undefined;
    const question = { agent, names, over: new AbortController() };
    const asked: Promise<void>[] = [];
    const failed: AppError[] = [];
    const counts = new Map<string, number>();
    const each = everybody.map(async ({ name, place, isThere }): Promise<Each> => {
      if (!isThere) return { to: name, refused: place.why };
      const hub = place.at === 'local' ? 'local' : place.peer.key;
      const count = (counts.get(hub) ?? 0) + 1;
      counts.set(hub, count);
      if (count > BROADCAST_AGENTS_MAX) return { to: name, refused: TOO_MANY };
      try {
        const sent = send(addressOf(place), question.over.signal);
        if (kind !== 'query') return { to: name, ...(await sent) };
        // What never leaves is said at once.
        await Promise.race([sent, nextTurn()]);
        asked.push(this.#answered(question, place, sent));
        return { to: name, asked: true };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        failed.push(error);
        return { to: name, refused: error.message, untrusted: objectOf(error.data['untrusted']) };
      }
    });
    const all = await Promise.all(each);
    if (all.every(({ refused }) => refused !== undefined)) throw failed[0] ?? noneTakes(all);
    if (asked.length > 0) this.#open.add(question);
    void Promise.all(asked).finally(() => this.#open.delete(question));
    return { each: all };
  }

  /** Whether the agent had asked everybody by that name: whoever has not answered is told. */
  cancel(agent: string, name: string | null): boolean {
    const meant = [...this.#open].filter((one) => one.agent === agent && isCalled(one, name));
    for (const { over } of meant) over.abort();
    return meant.length > 0;
  }

  stop(): void {
    for (const { over } of this.#open) over.abort(new AppError('cancelled', HUB_RESTARTED));
  }

  /** Inside the commit that ends a question of the run before, whose call was answered then. */
  questionEnded(tables: Tables, after: After, { task, result }: EndedTask): void {
    const isOfBefore = task.cancelCause === 'hub_restarted' || task.reason === HUB_RESTARTED;
    if (!isOfBefore || !isForAll(readObject(task.payload))) return;
    const { deliveries, random } = this.#deps;
    // The hub says it, and no agent.
    deliveries.putResult(tables, after, { ...task, toAgent: null }, random.uuid(), { ...result });
  }

  /** Puts the answer into the inbox of whoever asked, unless it was cancelled. */
  async #answered(
    { agent, over }: Question,
    place: Recipient,
    sent: Promise<PostedDto>,
  ): Promise<void> {
    const { unit, deliveries, parties, clock, random, log } = this.#deps;
    try {
      const answer = await sent.then(answerIn, (error: unknown) => failureIn(error, place));
      if (over.signal.aborted) return;
      const trust = parties.trustOf(place.at === 'peer' ? place.peer.key : partyOfAgent(agent));
      const { peer_name, peer_id } = trust;
      const { id, from: from_agent, text, payload, native } = answer;
      await unit.run((tables, after) => {
        if (tables.agent(agent) === undefined) return;
        deliveries.put(tables, after, {
          agent,
          kind: 'result',
          taskId: null,
          urgency: URGENCY.normal,
          body: {
            conversation_id: null,
            trust,
            approval: null,
            envelope: { id: random.uuid(), kind: 'result', ref: id, received_at: clock.wallMs() },
            untrusted: {
              origin: { peer_name, peer_id, from_agent },
              kind: 'result',
              text,
              payload,
              digest: null,
              native,
            },
          },
        });
      });
    } catch (error) {
      log.warn('answer to a question to all not delivered', { error: String(error) });
    }
  }
}

function noneTakes(each: readonly Each[]): AppError {
  const why = [...new Set(each.flatMap(({ refused }) => refused ?? []))];
  const shown = why.slice(0, COULD_SHOWN_MAX).join(' ');
  return new AppError('unknown_domain', shown, { failedBy: 'input' });
}

function isCalled({ names }: Question, name: string | null): boolean {
  return name !== null && names.includes(name);
}

function answerIn({ report, untrusted }: PostedDto): Answer {
  const said = report?.untrusted ?? null;
  const by = said?.answered_by ?? null;
  const payload = { status: 'completed', outcome: said?.summary ?? '', error: null, ...said };
  // What a person says is told in no agent's name.
  const from = by === null ? (report?.chosen.agent ?? null) : null;
  const text = said?.summary ?? null;
  return { id: report?.id ?? null, from, text, payload, native: untrusted?.native };
}

function failureIn(error: unknown, { agent }: Recipient): Answer {
  if (!(error instanceof AppError)) throw error;
  const said = objectOf(error.data['untrusted']);
  const words = textOf(said['message']) ?? error.message;
  const { origin: _, ...payload } = failureOf(error);
  const from = said['ended_by'] === 'agent' ? agent : null;
  return { id: null, from, text: words, payload: escapeObject(payload), native: said['native'] };
}

/** By which an agent or a hub is addressed. */
export function addressOf(place: Recipient): string {
  const hub = place.at === 'local' ? 'local' : place.peer.agentId;
  return place.agent === null ? hub : `${hub}/${place.agent}`;
}
