// The corpus of envelopes: every kind in a valid form, and what has been nasty to programs of this
// kind before.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../fixtures/envelopes');

export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
  readonly isValid: boolean;
}

export function readCorpus(): readonly Sample[] {
  return readdirSync(FOLDER)
    .toSorted()
    .map((name) => ({
      name,
      bytes: readFileSync(join(FOLDER, name)),
      isValid: name.startsWith('valid-'),
    }));
}
