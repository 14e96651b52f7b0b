// The owner's settings and the sessions that are open, as clients get them. Types only.
import type { Theme } from './closed-lists.ts';

export interface SessionDto {
  readonly id: string;
  readonly kind: 'ui' | 'owner' | 'agent';
  readonly label: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly current: boolean;
}

export type FixedSetting = 'keep_messages_days' | 'keep_feed_days';

export interface SettingsDto {
  readonly name: string;
  readonly person: string | null;
  readonly announce_name: boolean;
  readonly discovery: boolean;
  readonly theme: Theme;
  readonly start_at_login: boolean;
  readonly native_notifications: boolean;
  readonly single_key_shortcuts: boolean;
  /** How long a request waits for a person, unless whoever asked waits less. */
  readonly approvals_wait_minutes: number;
  /** How many days the words of what ended are kept, and notices in the feed. */
  readonly keep_messages_days: number;
  readonly keep_feed_days: number;
  /** What a flag or a variable said for this run: that counts until the hub is started without it, whatever is changed. */
  readonly fixed_at_start: readonly FixedSetting[];
}
