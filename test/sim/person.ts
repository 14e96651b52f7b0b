// The person at one hub: looks at the cards now and then, allows, declines, leaves some alone, and
// now and then decides in two places at once or about what is no longer there. Knows only what the
// hub shows.
import { AppError } from '../../main/lib/app-error.ts';
import type { Decision } from '../../main/services/approvals/approvals.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import type { Household } from './agent-program.ts';
import type { Chance } from './chance.ts';
import { HubGone, type SimHub } from './sim-hub.ts';
import type { Decider } from '../../main/services/base/audit-trail.ts';

const BROWSER: Decider = { actor: 'ui:1', surface: 'browser' };
const WINDOW: Decider = { actor: 'ui:2', surface: 'window' };
const LOOK_PAUSE_MS = 5_000;

export class Person {
  readonly #household: Household;
  readonly #hub: SimHub;
  readonly #chance: Chance;
  readonly #leftAlone = new Set<string>();

  constructor(household: Household, hub: SimHub) {
    this.#household = household;
    this.#hub = hub;
    this.#chance = household.world.chance.fork();
  }

  start(): void {
    this.#look().catch((error: unknown) =>
      this.#household.world.found(`the person at ${this.#hub.name}: ${String(error)}`),
    );
  }

  async #look(): Promise<void> {
    const { world } = this.#household;
    for (;;) {
      await world.sleep(this.#chance.wait(LOOK_PAUSE_MS));
      const cards = await this.#hub
        .call('cards', (work) => Promise.resolve(work.approvals.pending()))
        .catch(nothing);
      for (const card of cards ?? []) if (!this.#leftAlone.has(card.id)) await this.#decide(card);
      if (this.#chance.maybe(0.05)) await this.#cancel();
      if (this.#chance.maybe(0.05))
        await this.#hub.call('page', (work) => Promise.resolve(work.snapshot())).catch(nothing);
    }
  }

  /** Stops something that goes on here, whoever asked for it. */
  async #cancel(): Promise<void> {
    const open = this.#hub.reads.tasksInStates([
      'awaiting_approval',
      'queued',
      'claimed',
      'running',
    ]);
    const here = open.filter(
      ({ direction, kind }) => direction !== 'outgoing' && kind === 'delegate',
    );
    if (here.length === 0) return;
    const { id } = this.#chance.pick(here);
    await this.#hub
      .call('call off', (work) => work.tasks.cancel(id, { person: BROWSER }, 'not now'))
      .catch(nothing);
  }

  async #decide(card: ApprovalDto): Promise<void> {
    const chance = this.#chance;
    const plan = chance.weighted({ allow: 68, decline: 12, leave: 8, both: 10, stale: 2 });
    if (plan === 'leave') return void this.#leftAlone.add(card.id);
    if (plan === 'stale') return this.#decideAnother(card);
    if (plan !== 'both') return this.#say(card, plan, BROWSER);
    await Promise.all([
      this.#say(card, chance.pick(['allow', 'decline']), BROWSER),
      this.#say(card, chance.pick(['allow', 'decline']), WINDOW),
    ]);
  }

  async #say(card: ApprovalDto, decision: Decision['decision'], decider: Decider): Promise<void> {
    const { ledger } = this.#household;
    const isDangerous = card.risk_class === 'R3';
    const lastWord =
      isDangerous && this.#chance.maybe(0.9)
        ? { last_word: String(card.text).split(' ').at(-1) ?? '' }
        : {};
    if (decision === 'allow') ledger.allows(card.id);
    const request: Decision = {
      id: card.id,
      revision: card.revision,
      digest: card.digest,
      decision,
      ...lastWord,
    };
    const decided = await this.#hub
      .call(decision, (work) => work.approvals.decide(request, decider))
      .catch(nothing);
    if (decided !== undefined)
      ledger.decided(this.#hub, card.id, decision === 'allow' ? 'approved' : 'declined');
  }

  /** What was decided is not what is there: it must not count. */
  async #decideAnother(card: ApprovalDto): Promise<void> {
    const request: Decision = {
      id: card.id,
      revision: card.revision,
      digest: '0'.repeat(64),
      decision: 'allow',
    };
    const decided = await this.#hub
      .call('allow another', (work) => work.approvals.decide(request, BROWSER))
      .catch(nothing);
    if (decided !== undefined)
      this.#household.world.found(`${this.#hub.name} took a decision about something else`);
  }
}

function nothing(error: unknown): undefined {
  if (error instanceof HubGone || error instanceof AppError) return undefined;
  throw error;
}
