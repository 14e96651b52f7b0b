// The two identities of a bench: fixed seeds, so that each side knows the other's key without a
// word.
import { createHash } from 'node:crypto';
import { mintCredentials, type Credentials } from '../../../main/adapters/quic/certificate.ts';

export type Side = 'server' | 'client';

export function seedOf(side: Side): Uint8Array {
  return createHash('sha256').update(`bench ${side}`).digest();
}

export function credentialsOf(side: Side): Credentials {
  return mintCredentials(seedOf(side));
}
