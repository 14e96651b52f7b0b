// The owner's settings and the sessions that are open, as clients get them. Types only.

export interface SessionDto {
  readonly id: string;
  readonly kind: 'ui' | 'owner' | 'agent';
  readonly label: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly current: boolean;
}

export interface SettingsDto {
  readonly name: string;
  readonly person: string | null;
  readonly announce_name: boolean;
  readonly discovery: boolean;
  readonly theme: 'system' | 'light' | 'dark' | 'contrast';
  readonly start_at_login: boolean;
  readonly native_notifications: boolean;
  readonly single_key_shortcuts: boolean;
  /** How long a request waits for a person, unless whoever asked waits less. */
  readonly approvals_wait_minutes: number;
}
