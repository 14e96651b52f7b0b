// What this hub says of itself to others: its owner's words. Decides nothing.

export interface HubProfile {
  readonly name: string;
  readonly person: string | null;
  readonly platform: string;
  /** The owner agreed to show the name to hubs that are not paired. */
  readonly announceName: boolean;
}
