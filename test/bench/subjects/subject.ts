// What can be measured against what: each subject has a serving half and an asking half, in processes of their own. Types only.
import type { Asker } from '../load.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Subject {
  /** Echoes what it is asked, at a free port of `host`. */
  serve(host: string): Promise<Address>;
  connect(address: Address): Promise<Asker>;
}
