// The one guard in front of HTTP, SSE and everything else at the localhost door. It looks only at
// the raw request line and headers, before routing and before any token is read. It stops web
// pages, rebound DNS names and forms from doing what only a local program may do. It must never
// read a body, and never trust a parsed or normalised form of what it checks.
import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../../preload/contract/errors.ts';
import { HEADERS_MAX, URL_LENGTH_MAX } from './limits.ts';

interface GuardRefusal {
  readonly code: ErrorCode;
  /** Some refusals are a 400 although their code usually is another status. */
  readonly status?: 400;
  readonly sentence: string;
}

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'>;

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;
/** Query names that clients put tokens into elsewhere. */
const TOKEN_QUERY = /[?&](?:access_token|token|api_key|apikey|authorization|bearer)=/i;

/** The names this door answers to, exactly as they must stand in Host. */
export function allowedHosts(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
}

/** The reason to refuse the request, or undefined when it may go on to its token. */
export function checkRequest(
  request: RequestHead,
  hosts: ReadonlySet<string>,
): GuardRefusal | undefined {
  return (
    checkHost(request, hosts) ??
    checkOrigin(request) ??
    checkTokenPlace(request) ??
    checkContent(request)
  );
}

/** Counts the raw headers: of two Hosts the parsed form shows only one. */
function checkHost(request: RequestHead, hosts: ReadonlySet<string>): GuardRefusal | undefined {
  if (request.rawHeaders.length >= 2 * HEADERS_MAX)
    return { code: 'headers_too_large', sentence: `At most ${HEADERS_MAX - 1} headers.` };
  const given = rawValues(request.rawHeaders, 'host');
  if (given.length !== 1)
    return { code: 'bad_host', status: 400, sentence: 'Exactly one Host header is needed.' };
  const [host] = given;
  if (host === undefined || !hosts.has(host)) {
    return {
      code: 'bad_host',
      sentence: `The Host header must be one of: ${[...hosts].join(', ')}.`,
    };
  }
  const url = request.url ?? '';
  if (!url.startsWith('/') || url.startsWith('//') || url.length > URL_LENGTH_MAX) {
    return { code: 'bad_request', sentence: 'The request target must be a path.' };
  }
  return undefined;
}

/**
 * A page of another site, another port or a file may never speak to the hub; a program that sends
 * no Origin may.
 */
function checkOrigin(request: RequestHead): GuardRefusal | undefined {
  if (!METHODS.has(request.method ?? ''))
    return { code: 'bad_origin', sentence: 'This hub shares nothing with other origins.' };
  const [host = ''] = rawValues(request.rawHeaders, 'host');
  const origins = rawValues(request.rawHeaders, 'origin');
  if (origins.length > 1 || origins.some((origin) => origin !== `http://${host}`)) {
    return { code: 'bad_origin', sentence: 'Only pages of this hub may ask it.' };
  }
  const sites = rawValues(request.rawHeaders, 'sec-fetch-site');
  if (
    sites.length > 1 ||
    sites.some((site) => site !== 'same-origin' && !opensPage(request, site))
  ) {
    return { code: 'bad_origin', sentence: 'Only pages of this hub may ask it.' };
  }
  return undefined;
}

/**
 * From the address bar, or by a link in a whole window. The page that is started with the browser
 * is a file, and counts as another site. Any page may do the same: what it opens is not logged in,
 * cannot be framed, and it cannot reach into it.
 */
function opensPage({ method, url, rawHeaders }: RequestHead, site: string): boolean {
  if (method !== 'GET') return false;
  if (site === 'none') return pathOf(url) === '/';
  const isOnly = (name: string, value: string): boolean => {
    const values = rawValues(rawHeaders, name);
    return values.length === 1 && values[0] === value;
  };
  return (
    site === 'cross-site' &&
    url === '/' &&
    isOnly('sec-fetch-mode', 'navigate') &&
    isOnly('sec-fetch-dest', 'document')
  );
}

/** A token in an address or a cookie would end in histories and logs, or reach other ports. */
function checkTokenPlace(request: RequestHead): GuardRefusal | undefined {
  const query = (request.url ?? '').slice(pathOf(request.url).length);
  const cookies = rawValues(request.rawHeaders, 'cookie').join(';');
  if (TOKEN_QUERY.test(query) || mentionsToken(request.url ?? '') || mentionsToken(cookies)) {
    return { code: 'bad_request', sentence: 'A token belongs in the Authorization header only.' };
  }
  if (rawValues(request.rawHeaders, 'authorization').length > 1) {
    return { code: 'bad_request', sentence: 'At most one Authorization header.' };
  }
  return undefined;
}

function checkContent(request: RequestHead): GuardRefusal | undefined {
  const encodings = rawValues(request.rawHeaders, 'content-encoding');
  if (encodings.length > 0)
    return {
      code: 'unsupported_media_type',
      sentence: 'Send the body as it is, without Content-Encoding.',
    };
  const types = rawValues(request.rawHeaders, 'content-type');
  const mustBeJson =
    WRITES.has(request.method ?? '') || (hasBody(request) && request.method === 'DELETE');
  if (mustBeJson && (types.length !== 1 || !JSON_TYPE.test(types[0] ?? ''))) {
    return {
      code: 'unsupported_media_type',
      sentence: 'Send JSON with the header "Content-Type: application/json".',
    };
  }
  if (!mustBeJson && hasBody(request))
    return { code: 'bad_request', sentence: 'This method takes no body.' };
  return undefined;
}

/** True when the request says that a body follows. */
export function hasBody(request: Pick<IncomingMessage, 'headers'>): boolean {
  const length = request.headers['content-length'];
  return (
    request.headers['transfer-encoding'] !== undefined ||
    (length !== undefined && Number(length) !== 0)
  );
}

/** The target up to its query, exactly as it was sent. */
export function pathOf(url: string | undefined): string {
  const target = url ?? '';
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

function mentionsToken(text: string): boolean {
  if (/axh_/i.test(text)) return true;
  if (!text.includes('%')) return false;
  try {
    return /axh_/i.test(decodeURIComponent(text));
  } catch {
    // Not decodable as a whole; the percent form of the four characters is looked for by hand.
    return /(?:a|%61|%41)(?:x|%78|%58)(?:h|%68|%48)(?:_|%5f)/i.test(text);
  }
}

function rawValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1];
    if (value !== undefined && rawHeaders[index]?.toLowerCase() === name) values.push(value);
  }
  return values;
}
