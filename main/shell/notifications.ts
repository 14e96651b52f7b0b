// Native notifications: fixed words, no action buttons, no remote text. A click opens the page and
// decides nothing. Few in a minute, whoever asks; and none names anybody while the screen is
// locked, where others may read it.
import type { Notification, NotificationConstructorOptions } from 'electron';
import {
  requestNotification,
  stopNotification,
  waitingNotification,
} from '../../preload/contract/desktop-strings.ts';

/** Bounds the notifications kept open at once; the oldest is closed beyond it. */
const OPEN_MAX = 8;
/** Requests that ring within a minute; beyond it one silent line says that something waits. */
const IN_A_MINUTE_MAX = 3;
const MINUTE_MS = 60_000;
/** A name that no request has. */
const SUMMARY = 'summary';

interface NotificationDeps {
  create(options: NotificationConstructorOptions): Notification;
  isSupported(): boolean;
  enabled(): boolean;
  /** What the system answers now; the event may have come before the app, or not at all. */
  isLocked(): boolean;
  /** Monotonic, ms. */
  now(): number;
  /** @param approvalId null: it is about no request, or about several */
  onOpen(approvalId: string | null): void;
}

export class Notifications {
  readonly #deps: NotificationDeps;
  readonly #open = new Map<string, Notification>();
  #rang: readonly number[] = [];
  #waiting = 0;
  #isLocked = false;
  /** Something was taken away when the screen was locked. */
  #hasTaken = false;

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
  }

  /** How many requests and stops wait now. */
  showCount(count: number): void {
    this.#waiting = count;
    if (count === 0) this.#close(SUMMARY);
  }

  notify(approvalId: string, peerName: string): void {
    const now = this.#deps.now();
    this.#rang = this.#rang.filter((at) => now - at < MINUTE_MS);
    if (this.#rang.length >= IN_A_MINUTE_MAX) {
      if (!this.#open.has(SUMMARY)) this.#summarise();
      return;
    }
    this.#rang = [...this.#rang, now];
    this.#show(approvalId, requestNotification(this.#named(peerName)), approvalId);
  }

  withdraw(approvalId: string): void {
    this.#close(approvalId);
  }

  notifyStop(peerId: string, peerName: string): void {
    this.#show(stopOf(peerId), stopNotification(this.#named(peerName)), null);
  }

  withdrawStop(peerId: string): void {
    this.#close(stopOf(peerId));
  }

  /** The screen is locked: what names a hub must not stand on it. */
  lock(): void {
    this.#isLocked = true;
    this.#hasTaken ||= this.#open.size > 0;
    this.stop();
  }

  /** Says in one silent line what still waits of that. */
  unlock(): void {
    this.#isLocked = false;
    if (this.#hasTaken && this.#waiting > 0) this.#summarise();
    this.#hasTaken = false;
  }

  stop(): void {
    for (const about of this.#open.keys()) this.#close(about);
  }

  #named(peerName: string): string | null {
    return this.#isLocked || this.#deps.isLocked() ? null : peerName;
  }

  #summarise(): void {
    this.#show(SUMMARY, { ...waitingNotification, silent: true }, null);
  }

  #show(about: string, words: NotificationConstructorOptions, approvalId: string | null): void {
    if (!this.#deps.enabled() || !this.#deps.isSupported()) return;
    const oldest = this.#open.keys().next();
    if (this.#open.size >= OPEN_MAX && !oldest.done) this.#close(oldest.value);
    const notification = this.#deps.create({ silent: false, ...words });
    this.#open.set(about, notification);
    notification.on('click', () => this.#deps.onOpen(approvalId));
    notification.on('close', () => {
      if (this.#open.get(about) === notification) this.#open.delete(about);
    });
    notification.show();
  }

  #close(about: string): void {
    const notification = this.#open.get(about);
    this.#open.delete(about);
    notification?.close();
  }
}

/** A name that no request has. */
function stopOf(peerId: string): string {
  return `stop ${peerId}`;
}
