// A child's hub whose dangerous requests an adult decides: leo's tablet, mum's and dad's hubs, and
// a friend's hub that asks leo's for something.
import type { RemoteClass } from '../../preload/contract/closed-lists.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryNetwork } from './memory-messenger.ts';
import { BROWSER, delegation, peerRow, WorkHub, type WorkHubOptions } from './work-hub.ts';

export class RemoteApprovalHouse {
  readonly clock = new ManualClock();
  readonly network = new MemoryNetwork();
  readonly leo = this.#hub('leo');
  readonly mum: WorkHub;
  readonly dad = this.#hub('dad');
  readonly friend = this.#hub('friend');

  /** @param mum of her hub: what it takes, as much as anybody sends when absent, and its gates */
  constructor(mum: Pick<WorkHubOptions, 'rates' | 'moreGates'> = {}) {
    this.mum = this.#hub('mum', mum);
  }

  #hub(name: string, takes: Pick<WorkHubOptions, 'rates' | 'moreGates'> = {}): WorkHub {
    return new WorkHub({ name, network: this.network, clock: this.clock, ...takes });
  }

  get hubs(): readonly WorkHub[] {
    return [this.leo, this.mum, this.dad, this.friend];
  }

  /**
   * Everybody runs and is paired with leo, mum and dad as adults, whose hubs have said what they
   * know. Leo's agent "robot" does home.robot, class R2. Remote approval is off.
   */
  async open(): Promise<this> {
    for (const hub of this.hubs) await hub.start();
    for (const hub of [this.mum, this.dad, this.friend]) await this.leo.pair(hub);
    for (const hub of [this.mum, this.dad]) await this.isAdult(hub);
    await this.leo.agent('robot', ['home.robot']);
    await this.friend.agent('openclaw');
    await this.leo.knows(this.friend);
    return this;
  }

  /** Leo's hub knows it as an adult's, with the extensions that it advertises now. */
  async isAdult(hub: WorkHub): Promise<void> {
    const { ownExtensions: extensions } = hub.messenger;
    await this.leo.store.write((tables) =>
      tables.putPeer({ ...peerRow(hub), role: 'adult', extensions }),
    );
  }

  async close(): Promise<void> {
    await this.clock.settle();
    for (const hub of this.hubs) await hub.close();
  }

  /** Who decides for leo's from now on; from null: the people there. */
  async letDecide(
    hubs: readonly WorkHub[] = [this.mum],
    from: RemoteClass | null = 'R2',
  ): Promise<void> {
    await this.leo.work.remoteApproval.set(
      hubs.map(({ name }) => name),
      from,
      BROWSER,
    );
    await this.clock.settle();
  }

  /** The friend's agent asks leo's robot for something; what the friend is told. */
  async ask(text = 'Mow the lawn', more: Parameters<typeof delegation>[2] = {}) {
    const report = await this.friend.work.sender.delegate(
      delegation('leo', text, { domain: 'home.robot', ...more }),
      'openclaw',
      null,
    );
    await this.clock.settle();
    return report;
  }

  /** What waits before mum, in her words and in their order. */
  asked(): readonly string[] {
    return this.mum.work.approvals.pending().map(({ text }) => text);
  }

  /** How far the first hub that decides is with each of leo's cards. */
  states() {
    return this.leo.work.approvals.pending().map((card) => card.decided_by_hubs?.[0]?.state);
  }

  /** All that leo's hub ever asked another one for, the newest first. */
  questions() {
    return this.leo.store.read
      .tasks({ limit: 200 })
      .filter(({ direction, kind }) => direction === 'outgoing' && kind === 'delegate');
  }

  /** What a person decides on the card there is. */
  async decide(
    hub: WorkHub,
    decision: 'allow' | 'decline',
    more: { reason?: string; last_word?: string } = {},
  ): Promise<ApprovalDto> {
    const decided = await hub.decide(hub.card, decision, BROWSER, more);
    await this.clock.settle();
    return decided;
  }

  /** What became of the friend's request, as the friend knows it. */
  async told(id: string) {
    return this.friend.work.tasks.get(id, { agent: 'openclaw' }, 0, new AbortController().signal);
  }

  audit(hub: WorkHub, action: string) {
    return hub.store.read.audit({ limit: 200 }).filter((row) => row.action === action);
  }
}
