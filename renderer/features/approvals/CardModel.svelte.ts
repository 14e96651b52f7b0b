// One approval on the page: what is shown, whether it may be pressed, and what became of it. Talks
// to nobody; the inbox does.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { isLastWord, lastWord } from '../../../preload/contract/last-word.ts';
import { piecesOf, piecesOfChange, piecesWithLast } from '../../ui/outside-text.ts';
import type { Piece } from '../../ui/outside-text.ts';
import { isOlder } from '../../app/apply-event.ts';
import { ActivationDelay } from '../../app/ActivationDelay.svelte.ts';
import type { WiderKey } from './wider-choices.ts';

/** What "Later" puts a card off by. */
export const LATER_MS = 3_600_000;

/** What a press on a card decides. */
export type CardDecision = 'allow' | 'decline' | 'answer';

/** What somebody has written on a card and not sent yet, and for which request. */
export interface Written {
  readonly digest: string;
  readonly answer: string;
  readonly reason: string;
}

export class CardModel {
  readonly delay = new ActivationDelay();
  #approval: ApprovalDto;
  /** The words before the newest change, while it is pointed out. */
  #textBefore = $state<string | null>(null);
  #readDigest = $state<string | null>(null);
  #sending = $state(false);
  #pressedHere = $state<CardDecision | null>(null);
  #second = $state(false);
  #problem = $state<string | null>(null);
  #drawer = $state<'reason' | 'answer' | 'more' | null>(null);
  /** The choice that is picked in the drawer; null: the first one. */
  widerPicked = $state<WiderKey | null>(null);
  /** It was kept open longer on this page. */
  keptOpen = $state(false);
  typedWord = $state('');
  /** What is being answered; it is kept while its drawer is closed. */
  answerWords = $state('');
  /** A reason in the person's own words; kept likewise. */
  reasonWords = $state('');

  /**
   * @param written on an earlier card of this request; what was written for other words than these
   * is not taken over
   */
  constructor(approval: ApprovalDto, written?: Written) {
    this.#approval = $state.raw(approval);
    if (written?.digest !== approval.digest) return;
    this.answerWords = written.answer;
    this.reasonWords = written.reason;
  }

  /** undefined: nothing. */
  get written(): Written | undefined {
    const { answerWords: answer, reasonWords: reason } = this;
    return answer === '' && reason === ''
      ? undefined
      : { digest: this.#approval.digest, answer, reason };
  }

  get approval(): ApprovalDto {
    return this.#approval;
  }
  get id(): string {
    return this.#approval.id;
  }
  get pending(): boolean {
    return this.#approval.state === 'pending';
  }
  get changed(): boolean {
    return this.#textBefore !== null;
  }
  /** What this page sent to the hub for this card, whether or not it was first. */
  get pressedHere(): CardDecision | null {
    return this.#pressedHere;
  }
  /** This page pressed, but somebody else had been first. */
  get second(): boolean {
    return this.#second;
  }
  get sending(): boolean {
    return this.#sending;
  }
  get problem(): string | null {
    return this.#problem;
  }

  /** One drawer at a time. */
  get reasonOpen(): boolean {
    return this.#drawer === 'reason';
  }
  set reasonOpen(open: boolean) {
    this.#drawer = open ? 'reason' : null;
  }
  get answerOpen(): boolean {
    return this.#drawer === 'answer';
  }
  set answerOpen(open: boolean) {
    this.#drawer = open ? 'answer' : null;
  }
  /** Somebody is writing in a drawer: then only that drawer's own button decides. */
  get writing(): boolean {
    return this.reasonOpen || this.answerOpen;
  }
  /** Whoever asked waits for an answer, so a person may give it. */
  get mayBeAnswered(): boolean {
    const isWork = !this.isRemoteQuestion && this.#approval.permission === null;
    return this.#approval.report_back && !this.isElsewhere && isWork;
  }
  /** An adult's hub decides: here it can only be declined. */
  get isElsewhere(): boolean {
    return this.#approval.decided_by_hubs !== null;
  }
  /** Another hub asks whether it may do this. */
  get isRemoteQuestion(): boolean {
    return this.#approval.remote_question !== null;
  }
  get moreOpen(): boolean {
    return this.#drawer === 'more';
  }
  /** A request that ends before it would be asked again has nothing of being put off. */
  mayBePutOff(now: number): boolean {
    return this.#approval.expires_at - now > LATER_MS && !this.isElsewhere;
  }
  /** Until when it would be kept open; null: nothing is gained by that. */
  keepableUntil(now: number): number | null {
    return this.#approval.expires_at > now ? this.#approval.keep_open_until : null;
  }
  /** There is more to choose than its face shows. */
  hasMore(now: number): boolean {
    return (
      this.#approval.wider.length > 0 ||
      this.mayBeAnswered ||
      this.mayBePutOff(now) ||
      this.keepableUntil(now) !== null
    );
  }
  /** Does nothing while somebody is writing: the text stays open. */
  openMore(first: WiderKey | null): void {
    if (this.writing) return;
    this.widerPicked = first;
    this.#drawer = 'more';
  }
  get drawerOpen(): boolean {
    return this.#drawer !== null;
  }
  closeDrawer(): void {
    this.#drawer = null;
  }

  get pieces(): readonly Piece[] {
    const { text } = this.#approval;
    if (this.#textBefore !== null && this.#textBefore !== text)
      return piecesOfChange(this.#textBefore, text);
    const last = this.needsWord ? lastWord(text) : undefined;
    return last === undefined ? piecesOf(text) : piecesWithLast(text, last.from, last.to);
  }

  get needsWord(): boolean {
    return this.#approval.risk_class === 'R3' && !this.isElsewhere;
  }
  get wordMatches(): boolean {
    return !this.needsWord || isLastWord(this.#approval.text, this.typedWord);
  }
  /** The whole text, to its end, has been in view. */
  get read(): boolean {
    return this.#readDigest === this.#approval.digest;
  }
  /** Nothing on this card may be pressed. `live`: what is shown is what the hub holds. */
  isInert(live: boolean, now: number): boolean {
    return (
      !live ||
      this.delay.inert ||
      this.#sending ||
      !this.pending ||
      now >= this.#approval.expires_at
    );
  }
  /**
   * Never while somebody is writing: whoever goes on by Tab from there must not allow by accident.
   */
  mayAllow(live: boolean, now: number): boolean {
    return (
      !this.isElsewhere &&
      !this.writing &&
      !this.isInert(live, now) &&
      this.read &&
      this.wordMatches
    );
  }

  /** The end of the text with this digest has been in view. */
  markRead(digest: string): void {
    this.#readDigest = digest;
  }

  /** Takes a newer state of the same approval. A change of what is shown arms the buttons anew. */
  take(approval: ApprovalDto): void {
    const before = this.#approval;
    if (isOlder(approval, before)) return;
    if (approval.digest !== before.digest) {
      this.#textBefore = before.text;
      this.#readDigest = null;
      this.#pressedHere = null;
      this.typedWord = '';
      this.#drawer = null;
      this.delay.again();
    }
    // It waits until another time: what may be pressed about that stands elsewhere on the card now.
    if (approval.wait_ms !== before.wait_ms) this.delay.again();
    // Allow appears where a line had stood, or leaves: who may decide is another now.
    if ((approval.decided_by_hubs === null) !== (before.decided_by_hubs === null))
      this.delay.again();
    this.#approval = approval;
    if (approval.state !== 'pending') this.delay.stop();
  }

  beginSending(decision: CardDecision): void {
    this.#sending = true;
    this.#pressedHere = decision;
    this.#problem = null;
  }

  /** @param second somebody else had decided before */
  endSending(second: boolean): void {
    this.#sending = false;
    this.#second = second;
  }

  /** Something else was pressed: what went wrong before is said no more. */
  hush(): void {
    this.#problem = null;
  }

  /** The hub did not take the decision, or nobody knows whether it did: the card stays. */
  failSending(sentence: string): void {
    this.#sending = false;
    this.#pressedHere = null;
    this.#problem = sentence;
    this.delay.again();
  }

  stop(): void {
    this.delay.stop();
  }
}
