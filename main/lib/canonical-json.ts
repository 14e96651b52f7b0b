// The one canonical text of a JSON value (RFC 8785): what digests and signatures are made over. It
// refuses what JSON cannot say instead of leaving it out, so that two different values never share
// a text.
import canonicalize from 'canonicalize';
import { assert } from './assert.ts';

/**
 * @param value plain JSON data: null, booleans, finite numbers, well-formed strings, arrays,
 * objects
 * @throws when anything else is inside (undefined, functions, NaN, lone surrogates, class
 * instances, a value inside itself)
 */
export function canonicalJson(value: unknown): string {
  // First the text, since canonicalize ends a value that contains itself with an error; then what
  // it would have left out silently.
  const text = canonicalize(value);
  assertJson(value);
  assert(text !== undefined, 'a JSON value has a canonical text');
  return text;
}

function assertJson(root: unknown): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value === 'boolean') continue;
    if (typeof value === 'number')
      assert(Number.isFinite(value), 'a number in canonical JSON is finite');
    else if (typeof value === 'string')
      assert(value.isWellFormed(), 'a string in canonical JSON is well-formed');
    else if (Array.isArray(value)) open.push(...value);
    else {
      assert(isPlainObject(value), 'canonical JSON holds only JSON values');
      for (const [key, member] of Object.entries(value)) {
        assert(key.isWellFormed(), 'a key in canonical JSON is well-formed');
        open.push(member);
      }
    }
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    !('toJSON' in value && typeof value.toJSON === 'function')
  );
}
