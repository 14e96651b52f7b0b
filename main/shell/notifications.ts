// Native notifications: fixed words, no action buttons, no remote text. A click opens the card and decides nothing.
import type { Notification, NotificationConstructorOptions } from 'electron';
import { requestNotification } from '../../preload/contract/desktop-strings.ts';

/** Bounds the notifications kept open at once; the oldest is closed beyond it. */
const OPEN_MAX = 8;

export interface NotificationDeps {
  create(options: NotificationConstructorOptions): Notification;
  isSupported(): boolean;
  enabled(): boolean;
  onOpen(approvalId: string): void;
}

export class Notifications {
  readonly #deps: NotificationDeps;
  readonly #open = new Map<string, Notification>();

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
  }

  notify(approvalId: string, peerName: string): void {
    if (!this.#deps.enabled() || !this.#deps.isSupported()) return;
    const oldest = this.#open.keys().next();
    if (this.#open.size >= OPEN_MAX && !oldest.done) this.withdraw(oldest.value);
    const notification = this.#deps.create({ ...requestNotification(peerName), silent: false });
    this.#open.set(approvalId, notification);
    notification.on('click', () => this.#deps.onOpen(approvalId));
    notification.on('close', () => this.#open.delete(approvalId));
    notification.show();
  }

  withdraw(approvalId: string): void {
    const notification = this.#open.get(approvalId);
    this.#open.delete(approvalId);
    notification?.close();
  }

  stop(): void {
    for (const approvalId of this.#open.keys()) this.withdraw(approvalId);
  }
}
