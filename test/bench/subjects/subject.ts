// What can be measured against what: each subject has a serving half and an asking half, in
// processes of their own. Types only.
import type { Asker } from '../load.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Subject {
  /**
   * Echoes what it is asked, at a free port of `host`. @param told what the runner has to say to
   * this half
   */
  serve(host: string, told?: string): Promise<Address>;
  connect(address: Address, told?: string): Promise<Asker>;
}
