// Two hubs whose stories are told at both: dad's agent asks, mum's does it, and what every surface
// says of it is read at each.
import type { OperationParams } from '../../preload/contract/operations.ts';
import { AppError } from '../../main/lib/app-error.ts';
import { wholeOf } from '../../preload/contract/strings/story.ts';
import type { ManualClock } from './manual-clock.ts';
import { surfacesOf, type Surfaces } from './story-surfaces.ts';
import { closeTwoHubs, newest, openPairedHubs, type TwoHubs } from './two-work-hubs.ts';
import { BROWSER, delegation, type WorkHub, type WorkHubOptions } from './work-hub.ts';

type Reply = Parameters<WorkHub['work']['inbox']['reply']>[2];
type Delegation = Partial<OperationParams<'send.delegate'>>;
type Query = Partial<OperationParams<'send.query'>>;

const never = new AbortController().signal;

/** What every surface of that hub says of its newest request; null: it has none. */
export async function toldAt(hub: WorkHub, clock: ManualClock): Promise<Surfaces | null> {
  // What nobody waits for is written a moment later.
  await clock.advance(100);
  if (hub.store.read.tasks({ limit: 1 }).length === 0) return null;
  const { story } = await hub.work.tasks.get(newest(hub).id, { person: BROWSER }, 0, never);
  return surfacesOf(story);
}

export class ToldHubs implements TwoHubs {
  readonly clock: ManualClock;
  readonly dad: WorkHub;
  readonly mum: WorkHub;
  /** Of the question that is asked now. */
  readonly line = new AbortController();
  /** What the asker was told at once of what came to nothing. */
  #refusal: unknown;

  private constructor({ clock, dad, mum }: TwoHubs) {
    this.clock = clock;
    this.dad = dad;
    this.mum = mum;
  }

  static async open(ofMum: Partial<WorkHubOptions> = {}): Promise<ToldHubs> {
    const hubs = new ToldHubs(await openPairedHubs({}, ofMum));
    const { dad, mum } = hubs;
    await dad.agent('openclaw');
    await mum.agent('claude', ['family.chat']);
    await mum.agent('looks', ['family.photos'], { risk: 'R0' });
    await dad.knows(mum);
    await mum.knows(dad);
    return hubs;
  }

  /**
   * What both hubs say. Throws where another hub's refusal was told in other words than its story's.
   */
  async told(): Promise<Readonly<Record<'mum' | 'dad', Surfaces | null>>> {
    const told = {
      mum: await toldAt(this.mum, this.clock),
      dad: await toldAt(this.dad, this.clock),
    };
    const refusal = this.#refusal;
    if (!(refusal instanceof AppError) || refusal.failedBy === 'local') return told;
    const asker = { agent: 'openclaw' };
    const { story } = await this.dad.work.tasks.get(newest(this.dad).id, asker, 0, never);
    if (refusal.message !== wholeOf(story))
      throw new Error(`The asker reads "${refusal.message}", its story says "${wholeOf(story)}".`);
    return told;
  }

  close(): Promise<void> {
    return closeTwoHubs(this);
  }

  /** Dad's agent gives mum's a task. */
  async send(more: Delegation = {}): Promise<void> {
    const task = delegation('mum', 'Dinner is at 7', { domain: 'family.chat', ...more });
    await this.dad.work.sender.delegate(task, 'openclaw', null).catch((error: unknown) => {
      this.#refusal = error;
      throw error;
    });
    await this.clock.settle();
  }

  /** Dad's agent asks mum's; what is refused, it is told. */
  async ask(more: Query = {}): Promise<void> {
    const question = { to: 'mum', question: 'Who is in?', domain: 'family.chat', ...more };
    void this.dad.work.sender
      .query(question, 'openclaw', this.line.signal)
      .catch((error: unknown) => (this.#refusal = error));
    await this.clock.advance(100);
  }

  async decide(decision: 'allow' | 'decline' | 'answer', more = {}): Promise<void> {
    const { id, revision, digest } = this.mum.card;
    const decided = { id, revision, digest, decision, ...more };
    await this.mum.work.approvals.decide(decided, BROWSER);
    await this.clock.settle();
  }

  /** Mum allows it, and her agent gets it. */
  async handed(agent = 'claude'): Promise<string> {
    await this.send();
    await this.decide('allow');
    return (await this.mum.claim(agent)).delivery_id;
  }

  /** Her agent has said that it works on it. */
  async begun(): Promise<string> {
    const delivery = await this.handed();
    await this.mum.work.inbox.ack('claude', delivery, null);
    await this.clock.settle();
    return delivery;
  }

  async reply(delivery: string, reply: Partial<Reply>, agent = 'claude'): Promise<void> {
    const whole: Reply = { status: 'completed', truncated: false, ...reply };
    await this.mum.work.inbox.reply(agent, delivery, whole, null);
    await this.clock.settle();
  }

  /** Dad's agent takes it back. */
  async cancel(): Promise<void> {
    await this.dad.work.tasks.cancel(newest(this.dad).id, { agent: 'openclaw' }, null);
    await this.clock.settle();
  }

  /** A person at mum's stops it. */
  async stop(): Promise<void> {
    await this.mum.work.tasks.cancel(newest(this.mum).id, { person: BROWSER }, null);
    await this.clock.settle();
  }

  /** Mum's hub ends as in a crash, and starts again. */
  async restart(): Promise<void> {
    await this.mum.restart();
    this.mum.connect(this.dad);
    await this.clock.settle();
  }
}
