// How an operation of the table looks as an HTTP request: path parameters, query and JSON body.
// Used by pages, the command line and tests alike, so that client and server read the same table.
// Knows no network.
import { OPERATIONS } from './operations.ts';
import type { OperationName } from './operations.ts';

export interface HttpRequestForm {
  readonly method: string;
  /** Path and query, starting with "/". */
  readonly path: string;
  /** JSON text, or null where the method carries no body. */
  readonly body: string | null;
}

/** Throws TypeError when a path parameter is missing: a bug of the caller. */
export function httpRequestOf(
  name: OperationName,
  params: Readonly<Record<string, unknown>>,
): HttpRequestForm {
  const { method, path } = OPERATIONS[name];
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:([a-z_]+)/g, (_, key: string) => {
    const value = rest.get(key);
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs "${key}"`);
    rest.delete(key);
    return encodeURIComponent(value);
  });
  if (method === 'DELETE' && rest.size === 0) return { method, path: filled, body: null };
  if (method !== 'GET')
    return { method, path: filled, body: JSON.stringify(Object.fromEntries(rest)) };
  const query = new URLSearchParams([...rest].map(([key, value]) => [key, String(value)]));
  return { method, path: rest.size === 0 ? filled : `${filled}?${query.toString()}`, body: null };
}
