// The owner's settings and the sessions that are open, as clients get them. Types only.
import type { SettingKey, Settings } from './settings.ts';

export interface SessionDto {
  readonly id: string;
  readonly kind: 'ui' | 'owner' | 'agent';
  readonly label: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly current: boolean;
}

/**
 * The settings that count for this run whatever is changed, each with the flag or variable that
 * said so.
 */
export type FixedSettings = { readonly [Key in SettingKey]?: string };

export interface SettingsDto extends Settings {
  readonly fixed_at_start: FixedSettings;
}
