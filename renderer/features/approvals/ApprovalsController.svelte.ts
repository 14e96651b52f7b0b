// The inbox of a page: which cards stand in which order, when they may be pressed, and the one call
// that decides. A press counts for the card, revision and digest that were shown, never for what
// happens to stand there now. Holds no authority: the hub decides what counts.
import type { AttentionDto } from '../../../preload/contract/attention.ts';
import type { ApprovalDto, UiSnapshot } from '../../../preload/contract/dto.ts';
import type { RuleChoice } from '../../../preload/contract/rules.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { HubState } from '../../app/HubState.svelte.ts';
import { Calls } from '../../app/Calls.svelte.ts';
import { problemWords } from '../../app/problem-words.ts';
import { words } from '../../app/words.ts';
import { Spoken } from '../../ui/Spoken.svelte.ts';
import { Batches, companyOf, type Drawn } from './Batches.svelte.ts';
import { CardFocus } from './CardFocus.ts';
import { CardModel, LATER_MS, type CardDecision, type Written } from './CardModel.svelte.ts';
import { MadeRule } from './MadeRule.svelte.ts';
import { outcomeOf } from './sentences.ts';

/** A decided card says what happened for at least this long, then leaves. */
export const DECIDED_STAYS_MS = 5_000;
const DAY_MS = 86_400_000;

/** What a decision may carry beyond yes and no. */
export interface MoreThanOnce {
  readonly reason?: string;
  readonly answer?: string;
  /** The id of an option. */
  readonly choice?: string;
  readonly scope?: RuleChoice;
  readonly until?: number;
}

interface ApprovalsDeps {
  readonly api: HubApi;
  readonly hub: HubState;
}

export class ApprovalsController {
  readonly made: MadeRule;
  #cards = $state.raw<readonly CardModel[]>([]);
  readonly #spoken = new Spoken();
  readonly #deps: ApprovalsDeps;
  readonly #leaving = new Map<string, ReturnType<typeof setTimeout>>();
  #stopListening: (() => void)[] = [];
  #busy = false;
  #pointerInside = $state(false);
  /** How the cards of hubs that flood stand, by peer id. */
  #behind = $state.raw<ReadonlyMap<string, 'folded' | 'open' | 'below'>>(new Map());
  #muted = $state<string | null>(null);
  readonly #calls = new Calls();
  readonly #batches = new Batches();
  /** What was being written on cards whose requests are held now, by the request. */
  readonly #written = new Map<string, Written>();
  readonly #focus = new CardFocus();

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
    this.made = new MadeRule(deps, () => this.delayAll());
  }

  get cards(): readonly CardModel[] {
    return this.#cards;
  }

  /**
   * Those that stand open, in their order: what floods stands behind one line, or below all others
   * once a person wants to see it.
   */
  get shown(): readonly CardModel[] {
    const open = this.#cards.filter((card) => !this.isFolded(card.approval.peer_id));
    const isBelow = (card: CardModel): boolean =>
      this.#behind.get(card.approval.peer_id ?? '') === 'below';
    return [...open.filter((card) => !isBelow(card)), ...open.filter(isBelow)];
  }

  /** The same, with small requests of one kind as groups. */
  get drawn(): readonly Drawn[] {
    return this.#batches.drawn(this.shown);
  }

  isFolded(peerId: string | null): boolean {
    return peerId !== null && this.#behind.get(peerId) === 'folded';
  }

  /** Requests of this hub that wait behind its line. */
  foldedCount(peerId: string): number {
    return this.isFolded(peerId)
      ? this.#cards.filter((card) => card.pending && card.approval.peer_id === peerId).length
      : 0;
  }

  /** Hubs that flood. While somebody is among the cards none is folded away under the hand. */
  setFlooding(peerIds: readonly string[]): void {
    const kept = [...this.#behind].filter(([id]) => peerIds.includes(id));
    const fresh = peerIds
      .filter((id) => !this.#behind.has(id))
      .map((id) => [id, this.#busy ? 'open' : 'folded'] as const);
    if (fresh.length > 0 || kept.length < this.#behind.size)
      this.#behind = new Map([...kept, ...fresh]);
  }

  /** A person wants to see them all the same: they stand below the others. */
  unfold(peerId: string): void {
    this.#behind = new Map([...this.#behind, [peerId, 'below']]);
    this.delayAll();
  }

  /** The hub that was muted here last, while undoing that is offered. */
  get muted(): AttentionDto['mutes'][number] | undefined {
    const id = this.#muted;
    return id === null
      ? undefined
      : this.#deps.hub.snapshot.attention.mutes.find(({ peer_id }) => peer_id === id);
  }

  problem(about: string): string | null {
    return this.#calls.problem(about);
  }
  busy(about: string): boolean {
    return this.#calls.busy(about);
  }

  /** @param card on which it was pressed: there it is said, too, when it does not work */
  async muteForADay(peerId: string, now: number, card?: CardModel): Promise<void> {
    card?.hush();
    const mute = () => this.#deps.api.call('attention.mute', { id: peerId, until: now + DAY_MS });
    const outcome = await this.#calls.run(peerId, mute, card?.id);
    if (outcome?.ok) this.#muted = peerId;
  }

  async undoMute(): Promise<void> {
    const peerId = this.#muted;
    if (peerId === null) return;
    const outcome = await this.#calls.run('undo-mute', () =>
      this.#deps.api.call('attention.unmute', { id: peerId }),
    );
    if (outcome?.ok) this.forgetMuted();
  }

  /**
   * The bar that offered it leaves; a press meant for it must not reach a card that stood behind.
   */
  forgetMuted(): void {
    this.#muted = null;
    this.delayAll();
  }

  /** Asks now about what is held. @param ids null: all of it */
  async show(ids: readonly string[] | null): Promise<void> {
    await this.#calls.run('held', () =>
      this.#deps.api.call('attention.show', { ids: ids === null ? 'all' : [...ids] }),
    );
  }

  /** Puts a card off for an hour. */
  async putOff(card: CardModel, now: number): Promise<void> {
    card.hush();
    await this.#calls.run(card.id, () =>
      this.#deps.api.call('attention.hold', { id: card.id, until: now + LATER_MS }),
    );
  }

  /**
   * Lets it wait longer. What was shown goes with it, so that a second press for the same counts
   * for nothing.
   */
  async keepOpen({ id, wait_ms }: Pick<ApprovalDto, 'id' | 'wait_ms'>): Promise<void> {
    const card = this.#cards.find((other) => other.id === id);
    card?.hush();
    const outcome = await this.#calls.run(id, () =>
      this.#deps.api.call('approvals.keepOpen', { id, wait_ms }),
    );
    if (!outcome?.ok) return;
    if (card !== undefined) card.keptOpen = true;
    this.#deps.hub.putApproval(outcome.value);
  }

  /** Reads one card again, as after a stop of its task: what its story says by now. */
  async readAgain(id: string): Promise<void> {
    const newest = await this.#deps.api.call('approvals.get', { id });
    if (newest.ok) this.#deps.hub.putApproval(newest.value);
  }

  get live(): boolean {
    return this.#deps.hub.live;
  }

  /** What happens to a card, in words, for whoever does not see it. */
  get announcement(): string {
    return this.#spoken.text;
  }

  start(): void {
    this.#cards = this.#deps.hub.snapshot.approvals
      .filter(({ held }) => held === null)
      .sort(byExpiryThenArrival)
      .map((approval) => new CardModel(approval));
    this.#batches.regroup(this.shown);
    this.#stopListening = [
      this.#deps.hub.onApproval((approval) => this.#take(approval)),
      this.#deps.hub.onSnapshot((snapshot) => void this.#reconcile(snapshot)),
    ];
  }

  stop(): void {
    for (const stop of this.#stopListening) stop();
    this.#stopListening = [];
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    this.#leaving.clear();
    for (const card of this.#cards) card.stop();
    this.#written.clear();
    this.#spoken.stop();
    this.#cards = [];
  }

  /** How to find the heading of a card, or of the page when there is no card. The view knows. */
  setHeadings(headingOf: (card: CardModel | undefined) => HTMLElement | null): void {
    this.#focus.headingOf = headingOf;
  }

  /**
   * While the pointer or the focus is among the cards a new card goes to the end and pushes
   * nothing.
   */
  setBusy(pointer: boolean, focus: boolean): void {
    this.#busy = pointer || focus;
    this.#pointerInside = pointer;
    if (!pointer)
      for (const card of this.#cards)
        if (!card.pending && !this.#leaving.has(card.id)) this.#remove(card);
    this.#regroup();
  }

  /** What is decided keeps its room, and its place, until the pointer has left the cards. */
  get pointerInside(): boolean {
    return this.#pointerInside;
  }

  /** Puts together what came to belong together, while nobody is among the cards. */
  #regroup(): void {
    if (!this.#busy && this.#batches.regroup(this.shown)) this.delayAll();
  }

  /** Takes one out of its group, to be seen with all that a card offers. */
  setApart(card: CardModel): void {
    this.#batches.setApart(card);
    this.delayAll();
    void this.#focus.moveTo(card);
  }

  /** The window gained focus: whatever made it come forward must not press a button. */
  delayAll(): void {
    for (const card of this.#cards) if (card.pending) card.delay.again();
  }

  /** `card` and all after it stand somewhere else now. */
  delayFrom(index: number): void {
    for (const card of this.#cards.slice(Math.max(0, index))) if (card.pending) card.delay.again();
  }

  /** @param more a reason or an answer that is told, or a wider choice that is remembered */
  async decide(
    card: CardModel,
    decision: CardDecision,
    now: number,
    more: MoreThanOnce = {},
  ): Promise<void> {
    const needsReading = decision === 'allow' || more.choice !== undefined;
    const may = needsReading ? card.mayAllow(this.live, now) : !card.isInert(this.live, now);
    if (!may) {
      if (this.live && card.delay.inert) {
        // Whoever presses too early is pressing without reading: the wait begins again.
        card.delay.again();
        this.#spoken.say(words.now.opensSoon);
      }
      return;
    }
    await this.#send(card, card.approval, decision, more);
  }

  /** @param shown what was pressed about, whatever stands on the card by now */
  async #send(
    card: CardModel,
    shown: ApprovalDto,
    decision: CardDecision,
    more: MoreThanOnce,
  ): Promise<void> {
    const { id, revision, digest, risk_class } = shown;
    card.beginSending(decision);
    this.#calls.say(id, null);
    const outcome = await this.#deps.api.call('approvals.decide', {
      id,
      revision,
      digest,
      decision,
      ...more,
      ...(decision === 'allow' && risk_class === 'R3' ? { last_word: card.typedWord } : {}),
    });
    if (outcome.ok) {
      card.endSending(false);
      if (more.scope !== undefined) this.made.with(id);
      this.#deps.hub.putApproval(outcome.value);
      return;
    }
    const { code } = outcome.problem;
    // Somebody may have been first, the time may be over, or the request may be another one now:
    // the hub's newest word counts.
    const newest =
      code === 'hub_unreachable' ? undefined : await this.#deps.api.call('approvals.get', { id });
    if (newest?.ok && (newest.value.state !== 'pending' || newest.value.digest !== digest)) {
      card.endSending(code === 'already_decided');
      this.#deps.hub.putApproval(newest.value);
      return;
    }
    const why = problemWords(outcome.problem);
    card.failSending(newest?.ok ? `${words.now.notSent} ${why}` : `${why} ${words.now.notKnown}`);
  }

  /**
   * One press about all of a group: for each its own call, with what was shown of it, so that one
   * that has changed is refused by itself. None is sent unless every one of them may be pressed.
   */
  async decideTogether(
    cards: readonly CardModel[],
    decision: 'allow' | 'decline',
    now: number,
  ): Promise<void> {
    const may = (card: CardModel): boolean =>
      decision === 'allow' ? card.mayAllow(this.live, now) : !card.isInert(this.live, now);
    if (!cards.every((card) => companyOf(card.approval) !== null && may(card))) {
      if (this.live && cards.some((card) => card.delay.inert)) {
        for (const card of cards) card.delay.again();
        this.#spoken.say(words.now.opensSoon);
      }
      return;
    }
    this.#batches.settle(cards);
    const shown = cards.map((card) => ({ card, approval: card.approval }));
    await Promise.all(shown.map(({ card, approval }) => this.#send(card, approval, decision, {})));
    const hadFocus = cards.some((card) => this.#focus.isInGroupOf(card));
    this.#batches.settled(cards);
    this.#regroup();
    this.delayAll();
    const wanted = decision === 'allow' ? 'approved' : 'declined';
    const left = cards.filter((card) => card.second || card.approval.state !== wanted);
    this.#spoken.say(words.now.together.told(decision, cards.length - left.length, left.length));
    const index = Math.max(...cards.map((card) => this.#cards.indexOf(card)));
    if (hadFocus)
      await this.#focus.moveTo(left.find((card) => card.pending) ?? this.#nextPending(index));
  }

  #take(approval: ApprovalDto): void {
    const index = this.#cards.findIndex((card) => card.id === approval.id);
    const card = this.#cards[index];
    const isHeld = approval.state === 'pending' && approval.held !== null;
    if (card === undefined) {
      if (approval.state === 'pending' && !isHeld) this.#insert(approval);
      if (!isHeld) this.#written.delete(approval.id);
      return;
    }
    // What is held is asked later: it stands among the held ones now.
    if (isHeld && !card.sending) return this.#setAside(card);
    const wasPending = card.pending;
    const companions = this.#companionsOf(card);
    // Where a whole group is decided the focus moves once, when all of it is.
    const hadFocus = !this.#batches.isSettling(card) && this.#focus.isOn(card);
    const beside = this.#focus.beside(card, companions);
    const wasOpen = card.drawerOpen;
    const digestBefore = card.approval.digest;
    card.take(approval);
    if (card.pending && card.approval.digest !== digestBefore) {
      for (const companion of companions) companion.delay.again();
      this.#spoken.say(words.now.changedSaid(approval.peer_name));
    }
    // What had the focus may be gone: it stood in a drawer that is closed now, or is not offered
    // any more.
    if (card.pending && hadFocus) void this.#focus.restoreTo(card);
    if (beside !== undefined) void this.#focus.restoreTo(beside);
    if (!wasPending || card.pending) return;
    // The card becomes a row. What is below it moves up, unless the pointer is among the cards.
    this.delayFrom(index + 1);
    // A group is smaller now: what one press would decide is not what it was.
    for (const companion of companions) companion.delay.again();
    const elsewhere = card.pressedHere === null;
    if (elsewhere && (hadFocus || wasOpen)) {
      const { title } = outcomeOf(approval);
      this.#spoken.say(words.now.decidedSaid(approval.peer_name, title));
    }
    if (hadFocus)
      void this.#focus.moveTo(elsewhere || card.second ? card : this.#nextPending(index));
    this.#leaving.set(
      card.id,
      setTimeout(() => this.#leave(card), DECIDED_STAYS_MS),
    );
  }

  /** After a gap: a card the hub no longer holds as pending was decided unheard. */
  async #reconcile(snapshot: UiSnapshot): Promise<void> {
    const held = new Set(
      [...snapshot.approvals, ...snapshot.recently_decided].map((approval) => approval.id),
    );
    for (const card of this.#cards.filter((card) => card.pending && !held.has(card.id))) {
      const newest = await this.#deps.api.call('approvals.get', { id: card.id });
      if (newest.ok) this.#take(newest.value);
      else if (newest.problem.code === 'not_found' || newest.problem.code === 'gone')
        this.#remove(card);
    }
  }

  #insert(approval: ApprovalDto): void {
    const card = new CardModel(approval, this.#written.get(approval.id));
    const index = this.#busy
      ? -1
      : this.#cards.findIndex(
          (other) => other.pending && byExpiryThenArrival(approval, other.approval) < 0,
        );
    this.#cards = index === -1 ? [...this.#cards, card] : this.#cards.toSpliced(index, 0, card);
    if (index !== -1) this.delayFrom(index + 1);
    this.#regroup();
  }

  /** A card leaves while its request is held; what was being written on it waits for it. */
  #setAside(card: CardModel): void {
    const { written, writing } = card;
    if (written !== undefined) this.#written.set(card.id, written);
    if (written !== undefined && writing)
      this.#spoken.say(words.now.heldSaid(card.approval.peer_name));
    this.#remove(card);
  }

  #leave(card: CardModel): void {
    this.#leaving.delete(card.id);
    if (!this.#pointerInside) this.#remove(card);
  }

  #remove(card: CardModel): void {
    const index = this.#cards.indexOf(card);
    if (index === -1) return;
    this.#calls.say(card.id, null);
    const hadFocus = this.#focus.isOn(card);
    const beside = this.#focus.beside(card, this.#companionsOf(card));
    const next = this.#nextPending(index);
    this.#leaving.delete(card.id);
    this.#batches.forget(card);
    card.stop();
    this.#cards = this.#cards.toSpliced(index, 1);
    this.delayFrom(index);
    if (hadFocus) void this.#focus.moveTo(next);
    else if (beside !== undefined) void this.#focus.restoreTo(beside);
  }

  #nextPending(index: number): CardModel | undefined {
    const isNext = (card: CardModel): boolean =>
      card.pending && !this.isFolded(card.approval.peer_id);
    return this.#cards.slice(index + 1).find(isNext) ?? this.#cards.find(isNext);
  }

  /** Those that wait in the same group. */
  #companionsOf(card: CardModel): readonly CardModel[] {
    return this.#batches
      .companions(card, this.shown)
      .filter((other) => other !== card && other.pending);
  }
}

/** Soonest end first, then first come. */
function byExpiryThenArrival(one: ApprovalDto, other: ApprovalDto): number {
  return (
    one.expires_at - other.expires_at ||
    one.received_at - other.received_at ||
    (one.id < other.id ? -1 : 1)
  );
}
