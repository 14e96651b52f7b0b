// Two hubs with real stores, as the tests of the household's rules need them: Dad's agents ask,
// Mum's decide. Opened before and closed after each test of the file that calls `ruledHubs`.
import { afterEach, beforeEach } from 'vitest';
import { AppError } from '../../main/lib/app-error.ts';
import type { PairedTrustState, RuleChoice } from '../../preload/contract/closed-lists.ts';
import type { ManualClock } from './manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from './two-work-hubs.ts';
import { BROWSER, delegation, OWNER, type WorkHub } from './work-hub.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const DONE = { status: 'completed', outcome: 'Done', truncated: false } as const;
/** What a rule about everything and everybody leaves open. */
export const ANYBODY = {
  peer: null,
  agent: null,
  domain: null,
  kind: null,
  asking_agent: null,
  topic: null,
} as const;

export class RuledHubs {
  readonly clock: ManualClock;
  readonly dad: WorkHub;
  readonly mum: WorkHub;

  constructor(parts: Awaited<ReturnType<typeof openTwoHubs>>) {
    this.clock = parts.clock;
    this.dad = parts.dad;
    this.mum = parts.mum;
  }

  static async open(): Promise<RuledHubs> {
    const hubs = new RuledHubs(await openTwoHubs());
    const { dad, mum } = hubs;
    await mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
    await mum.agent('lists', ['family.lists'], { risk: 'R1' });
    await dad.agent('helper');
    await mum.knows(dad);
    return hubs;
  }

  close(): Promise<void> {
    return closeTwoHubs(this);
  }

  /**
   * Dad's agent sends (null: Dad himself); the state it is told, or "declined" where the other hub
   * says so.
   */
  async send(
    text: string,
    more: Parameters<typeof delegation>[2] = {},
    from: string | null = 'openclaw',
  ): Promise<string> {
    try {
      const report = await this.dad.work.sender.delegate(
        delegation('mum', text, { domain: 'family.chat', ...more }),
        from,
        null,
      );
      await this.clock.settle();
      return report.state;
    } catch (error) {
      if (error instanceof AppError && error.code === 'rejected') return 'declined';
      throw error;
    }
  }

  /** Decides the one card that waits at Mum's. */
  async choose(scope: RuleChoice, until?: number): Promise<void> {
    const { id, revision, digest } = this.mum.card;
    await this.mum.work.approvals.decide(
      { id, revision, digest, decision: scope === 'never' ? 'decline' : 'allow', scope, until },
      BROWSER,
    );
    await this.clock.settle();
  }

  waiting(): readonly string[] {
    return this.mum.work.approvals.pending().map(({ text }) => text);
  }

  async clear(): Promise<void> {
    for (const card of this.mum.work.approvals.pending()) await this.mum.decide(card, 'decline');
  }

  /** Works off what waits for the agent. */
  async work(agent = 'claude'): Promise<readonly string[]> {
    const texts: string[] = [];
    const { inbox } = this.mum.work;
    for (let items = await inbox.claim(agent, 1); items[0]; items = await inbox.claim(agent, 1)) {
      texts.push(items[0].untrusted.text ?? '');
      await inbox.reply(agent, items[0].delivery_id, DONE);
    }
    return texts;
  }

  /** Dad's hub is paired anew, suspended or removed; pairing writes the moment, too. */
  async trust(state: PairedTrustState | 'revoked'): Promise<void> {
    await this.mum.store.write((tables) => {
      const row = tables.peer(this.dad.key);
      if (row)
        tables.putPeer({
          ...row,
          trust: state,
          pairedAt: state === 'paired' ? this.clock.wallMs() : row.pairedAt,
        });
    });
  }
}

/** The hubs of the test that runs. */
export function ruledHubs(): () => RuledHubs {
  let hubs: RuledHubs | undefined;
  beforeEach(async () => {
    hubs = await RuledHubs.open();
  });
  afterEach(() => hubs?.close());
  return () => {
    if (hubs === undefined) throw new Error('hubs are there within a test only');
    return hubs;
  };
}
