// Native notifications: fixed words, no action buttons, no remote text. A click opens the card and
// decides nothing.
import type { Notification, NotificationConstructorOptions } from 'electron';
import { requestNotification, stopNotification } from '../../preload/contract/desktop-strings.ts';

/** Bounds the notifications kept open at once; the oldest is closed beyond it. */
const OPEN_MAX = 8;

interface NotificationDeps {
  create(options: NotificationConstructorOptions): Notification;
  isSupported(): boolean;
  enabled(): boolean;
  /** @param approvalId null: what everything stops for stands before all else */
  onOpen(approvalId: string | null): void;
}

export class Notifications {
  readonly #deps: NotificationDeps;
  readonly #open = new Map<string, Notification>();

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
  }

  notify(approvalId: string, peerName: string): void {
    this.#show(approvalId, requestNotification(peerName), () => this.#deps.onOpen(approvalId));
  }

  withdraw(approvalId: string): void {
    this.#close(approvalId);
  }

  notifyStop(peerId: string, peerName: string): void {
    this.#show(stopOf(peerId), stopNotification(peerName), () => this.#deps.onOpen(null));
  }

  withdrawStop(peerId: string): void {
    this.#close(stopOf(peerId));
  }

  stop(): void {
    for (const about of this.#open.keys()) this.#close(about);
  }

  #show(about: string, words: NotificationConstructorOptions, open: () => void): void {
    if (!this.#deps.enabled() || !this.#deps.isSupported()) return;
    const oldest = this.#open.keys().next();
    if (this.#open.size >= OPEN_MAX && !oldest.done) this.#close(oldest.value);
    const notification = this.#deps.create({ ...words, silent: false });
    this.#open.set(about, notification);
    notification.on('click', open);
    notification.on('close', () => this.#open.delete(about));
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
