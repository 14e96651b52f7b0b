// This hub's description of itself to others: its owner's words. Decides nothing.

export interface HubProfile {
  readonly name: string;
  readonly person: string | null;
  readonly platform: string;
  /** A person here has pairing open: hubs that are not paired are told the name, too. */
  readonly namesItself: boolean;
}
