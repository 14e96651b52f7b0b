// The format of a token: axh_<kind>_<id>_<secret>, id 16 hex digits, secret 43 base64url characters
// (256 bits). Pure: makes and reads the text, knows no store. Must never put a secret into an
// error.
import { toBase64Url, toHex } from '../../lib/bytes.ts';
import type { TokenRow } from '../../ports/store.ts';

type TokenKind = TokenRow['kind'];

interface TokenParts {
  readonly kind: TokenKind;
  readonly id: string;
  readonly secret: string;
}

export const TOKEN_ID_SIZE_BYTES = 8;
export const TOKEN_SECRET_SIZE_BYTES = 32;

const TOKEN = /^axh_(agent|ui|owner)_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
/** Finds a token inside other text, to refuse text that carries one where none belongs. */
const TOKEN_INSIDE = /axh_(?:agent|ui|owner)_[0-9a-f]{16}_[A-Za-z0-9_-]{43}/;

/** The parts, or undefined when the text is no token. */
export function readToken(text: string): TokenParts | undefined {
  const [, kind, id, secret] = TOKEN.exec(text) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return kind === 'agent' || kind === 'ui' || kind === 'owner' ? { kind, id, secret } : undefined;
}

export function writeToken(kind: TokenKind, id: Uint8Array, secret: Uint8Array): string {
  return `axh_${kind}_${toHex(id)}_${toBase64Url(secret)}`;
}

export function containsToken(text: string): boolean {
  return text.includes('axh_') && TOKEN_INSIDE.test(text);
}
