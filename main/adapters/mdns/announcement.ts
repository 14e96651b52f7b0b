// What this hub says of itself on the network, and how the same is read from others: instance
// label, SRV, TXT and addresses of PROTOCOL.md, Discovery, and nothing else: no person's or
// machine's name. Values to values; no I/O. An adapter takes no code from the protocol, so the
// agent id is recomputed here from the key (PROTOCOL.md, Identity).
import { createHash } from 'node:crypto';
import { fromBase64, fromHex, toBase64, toHex } from '../../lib/bytes.ts';
import type { Advertisement } from '../../ports/discovery.ts';
import {
  LABEL_SIZE_MAX_BYTES,
  POINTER_TTL_S,
  RECORD_TTL_S,
  TXT_SIZE_MAX_BYTES,
  TXT_STRINGS_MAX,
} from './limits.ts';

export const SERVICE_NAME = '_axon._udp.local';
const SERVICE_LIST_NAME = '_services._dns-sd._udp.local';
const SERVICE_SUFFIX = `.${SERVICE_NAME}`;
/**
 * The TXT key that changes with every announcement: `<start>-<count>`, where `start` is drawn anew
 * at each start.
 */
const FRESH_KEY = 'fresh';
const AGENT_ID = /^ed25519\.[0-9a-f]{32}$/;
const START = /^([0-9a-f]{8})-\d{1,10}$/;
const KEY_SIZE_BYTES = 32;
const AGENT_ID_HASH_BYTES = 16;
/** Hex digits of the agent id in the host name and the instance label. */
const NEUTRAL_DIGITS = 16;
/**
 * Control, format, private, unassigned and separator characters: nothing a label needs. U+FFFD
 * stands for invalid UTF-8.
 */
const UNFIT_IN_LABEL = /[\p{C}\p{Zl}\p{Zp}\uFFFD]/u;

/** A record in the form that the mDNS library registers and encodes. */
export interface OwnRecord {
  readonly name: string;
  readonly type: 'PTR' | 'SRV' | 'TXT' | 'A' | 'AAAA';
  readonly ttl: number;
  /** The cache-flush bit: this replaces what was known of a name that is ours alone. */
  readonly flush: boolean;
  data: string | { readonly port: number; readonly target: string } | Buffer[];
}

export interface Identity {
  readonly agentId: string;
  readonly keyHex: string;
  /** Differs after each start of the announcing hub; null when it announces none. */
  readonly start: string | null;
}

/**
 * The records of this hub on a link with `addresses`. `freshness` is the value of the changing key.
 */
export function recordsOf(
  advertisement: Advertisement,
  addresses: readonly string[],
  freshness: string,
): readonly OwnRecord[] {
  const instance = `${neutralLabel(advertisement.agentId)}${SERVICE_SUFFIX}`;
  const host = `${neutralLabel(advertisement.agentId)}.local`;
  const key = fromHex(advertisement.keyHex) ?? new Uint8Array();
  const strings = [
    `agent_id=${advertisement.agentId}`,
    `pubkey=${toBase64(key)}`,
    'v=1',
    `${FRESH_KEY}=${freshness}`,
  ];
  const own = { ttl: RECORD_TTL_S, flush: true } as const;
  return [
    { name: SERVICE_NAME, type: 'PTR', ttl: POINTER_TTL_S, flush: false, data: instance },
    { name: instance, type: 'SRV', ...own, data: { port: advertisement.peerPort, target: host } },
    { name: instance, type: 'TXT', ...own, data: strings.map((text) => Buffer.from(text)) },
    ...addresses.map((address): OwnRecord => ({
      name: host,
      type: address.includes(':') ? 'AAAA' : 'A',
      ...own,
      data: address,
    })),
    { name: SERVICE_LIST_NAME, type: 'PTR', ttl: POINTER_TTL_S, flush: false, data: SERVICE_NAME },
  ];
}

/**
 * The same records with lifetime 0: the goodbye. The list of service types is shared with others
 * and stays.
 */
export function goodbyeOf(records: readonly OwnRecord[]): readonly OwnRecord[] {
  return records
    .filter((record) => record.name !== SERVICE_LIST_NAME)
    .map((record) => ({ ...record, ttl: 0 }));
}

/**
 * The label of an instance name of our service type, as announced; undefined for any other name.
 */
export function labelIn(instance: string): string | undefined {
  const end = instance.length - SERVICE_SUFFIX.length;
  return end > 0 && instance.slice(end).toLowerCase() === SERVICE_SUFFIX
    ? instance.slice(0, end)
    : undefined;
}

/**
 * A found hub's label fit to be handed on: within one DNS label and free of control characters,
 * else the neutral label.
 */
export function fitLabel(label: string, agentId: string): string {
  const fit =
    Buffer.byteLength(label) <= LABEL_SIZE_MAX_BYTES &&
    !UNFIT_IN_LABEL.test(label) &&
    label.trim() !== '';
  return fit ? label : neutralLabel(agentId);
}

/**
 * Who a TXT record says it is, when all of it fits together: version 1, a 32-byte key and the id
 * that belongs to it.
 */
export function readIdentity(strings: readonly Uint8Array[]): Identity | undefined {
  const size = strings.reduce((sum, part) => sum + part.byteLength, 0);
  if (strings.length > TXT_STRINGS_MAX || size > TXT_SIZE_MAX_BYTES) return undefined;
  const values = new Map<string, string>();
  for (const part of strings) {
    const text = Buffer.from(part).toString('latin1');
    const equals = text.indexOf('=');
    const name = text.slice(0, equals).toLowerCase();
    // The first of several equal keys counts (RFC 6763, 6.4).
    if (equals > 0 && !values.has(name)) values.set(name, text.slice(equals + 1));
  }
  const agentId = values.get('agent_id') ?? '';
  const keyText = values.get('pubkey') ?? '';
  const key = fromBase64(keyText);
  if (values.get('v') !== '1' || !AGENT_ID.test(agentId)) return undefined;
  if (key === undefined || key.byteLength !== KEY_SIZE_BYTES || toBase64(key) !== keyText)
    return undefined;
  if (agentIdOf(key) !== agentId) return undefined;
  return {
    agentId,
    keyHex: toHex(key),
    start: START.exec(values.get(FRESH_KEY) ?? '')?.[1] ?? null,
  };
}

function agentIdOf(key: Uint8Array): string {
  return `ed25519.${createHash('sha256')
    .update(key)
    .digest('hex')
    .slice(0, AGENT_ID_HASH_BYTES * 2)}`;
}

function neutralLabel(agentId: string): string {
  return `axon-${digitsOf(agentId).slice(0, NEUTRAL_DIGITS)}`;
}

function digitsOf(agentId: string): string {
  return agentId.slice(agentId.indexOf('.') + 1);
}
