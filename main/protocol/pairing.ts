// The mathematics of pairing and the payloads of its steps (PROTOCOL.md, Pairing). Pure: bytes in,
// bytes out. Chance, time, the state of a pairing and every decision stay with the caller.
import { createHash, hkdfSync } from 'node:crypto';
import { assert } from '../lib/assert.ts';
import { concatBytes, fromBase64Url, toBase64Url, utf8 } from '../lib/bytes.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { shortened } from '../lib/shortened.ts';
import {
  HASH_BYTES,
  INVITATION_ID_BYTES,
  PAIRING_ID_BYTES,
  PAIRING_META_MAX_BYTES,
  PAIRING_NONCE_BYTES,
  PAIRING_REASON_MAX_CHARACTERS,
  SIGNATURE_BYTES,
} from './limits.ts';

/** I, the side that pressed Add, and R, the other one. */
export type PairRole = 'I' | 'R';
/**
 * What a side says of itself, as the whole object that crossed the wire: all of it is hashed, three
 * members of it are shown.
 */
export type PairMeta = JsonObject;

interface PairCommitment {
  readonly pid: Uint8Array;
  readonly key: Uint8Array;
  readonly meta: PairMeta;
  readonly nonce: Uint8Array;
}

interface PairTranscript {
  readonly pid: Uint8Array;
  readonly keyI: Uint8Array;
  readonly metaI: PairMeta;
  readonly keyR: Uint8Array;
  readonly metaR: PairMeta;
  readonly commit: Uint8Array;
  readonly nonceR: Uint8Array;
  readonly nonceI: Uint8Array;
}

/** `pid` in every step is the id's bytes; `pidText` its text on the wire, handy as a key. */
interface StepBase {
  readonly pid: Uint8Array;
  readonly pidText: string;
}
export type PairStep =
  | (StepBase & {
      readonly step: 'offer';
      readonly meta: PairMeta;
      readonly commit: Uint8Array;
      readonly invite: Uint8Array | null;
    })
  | (StepBase & { readonly step: 'answer'; readonly meta: PairMeta; readonly nonce: Uint8Array })
  | (StepBase & { readonly step: 'reveal'; readonly nonce: Uint8Array })
  | (StepBase & {
      readonly step: 'confirm';
      readonly sig: Uint8Array;
      readonly mac: Uint8Array | null;
    })
  | (StepBase & { readonly step: 'abort'; readonly reason: string });

/**
 * Puts a 4-byte big-endian length before each part, so that no two lists of parts share their
 * bytes.
 */
export function frame(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  return concatBytes(
    ...parts.flatMap((part) => {
      const bytes = typeof part === 'string' ? utf8(part) : part;
      const length = new Uint8Array(4);
      new DataView(length.buffer).setUint32(0, bytes.byteLength);
      return [length, bytes];
    }),
  );
}

/** C_I: what the initiator promises before it knows the other nonce. 32 bytes. */
export function commitment({ pid, key, meta, nonce }: PairCommitment): Uint8Array {
  return sha256(frame('AXON-PAIR-COMMIT-v1', pid, key, canonicalJson(meta), nonce));
}

/** T: everything both sides have seen. 32 bytes. */
export function transcript({
  pid,
  keyI,
  metaI,
  keyR,
  metaR,
  commit,
  nonceR,
  nonceI,
}: PairTranscript): Uint8Array {
  return sha256(
    frame(
      'AXON-PAIR-v1',
      pid,
      keyI,
      canonicalJson(metaI),
      keyR,
      canonicalJson(metaR),
      commit,
      nonceR,
      nonceI,
    ),
  );
}

/** The digits people carry between the screens, with leading zeros: six from R to I, two back. */
export function digitsOf(transcriptBytes: Uint8Array): {
  readonly six: string;
  readonly two: string;
} {
  const derived = hkdfSync(
    'sha256',
    transcriptBytes,
    new Uint8Array(),
    utf8('AXON-PAIR-SAS-v1'),
    16,
  );
  const view = new DataView(derived);
  return {
    six: String(view.getBigUint64(0) % 1_000_000n).padStart(6, '0'),
    two: String(view.getBigUint64(8) % 100n).padStart(2, '0'),
  };
}

/** What a side signs with its identity key once its own check has passed. */
export function confirmMessage(role: PairRole, transcriptBytes: Uint8Array): Uint8Array {
  return frame('AXON-PAIR-CONFIRM-v1', role, transcriptBytes);
}

/**
 * First step of I, with the commitment to keep: `nonce` stays secret until `reveal`. `invite` names
 * an invitation.
 */
export function newOffer(
  input: PairCommitment,
  invite?: Uint8Array,
): { readonly commit: Uint8Array; readonly payload: JsonObject } {
  assertLength(input.pid, PAIRING_ID_BYTES);
  assertLength(input.nonce, PAIRING_NONCE_BYTES);
  const commit = commitment(input);
  const payload = {
    step: 'offer',
    pid: toBase64Url(input.pid),
    meta: input.meta,
    commit: toBase64Url(commit),
  };
  return {
    commit,
    payload: invite === undefined ? payload : { ...payload, invite: toBase64Url(invite) },
  };
}

export function answerPayload(pid: Uint8Array, meta: PairMeta, nonce: Uint8Array): JsonObject {
  assertLength(nonce, PAIRING_NONCE_BYTES);
  return { step: 'answer', pid: toBase64Url(pid), meta, nonce: toBase64Url(nonce) };
}

export function revealPayload(pid: Uint8Array, nonce: Uint8Array): JsonObject {
  assertLength(nonce, PAIRING_NONCE_BYTES);
  return { step: 'reveal', pid: toBase64Url(pid), nonce: toBase64Url(nonce) };
}

/** `mac` where an invitation stands for the typing. */
export function confirmPayload(
  pid: Uint8Array,
  signature: Uint8Array,
  mac?: Uint8Array,
): JsonObject {
  assertLength(signature, SIGNATURE_BYTES);
  const payload = { step: 'confirm', pid: toBase64Url(pid), sig: toBase64Url(signature) };
  return mac === undefined ? payload : { ...payload, mac: toBase64Url(mac) };
}

export function abortPayload(pid: Uint8Array, reason: string): JsonObject {
  return {
    step: 'abort',
    pid: toBase64Url(pid),
    reason: shortened(reason, PAIRING_REASON_MAX_CHARACTERS),
  };
}

/** The three members of a meta that are shown; still outside text, to be escaped and quoted. */
export function readPairMeta(meta: PairMeta): {
  readonly hub: string | null;
  readonly person: string | null;
  readonly platform: string | null;
} {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return { hub: text(meta.hub), person: text(meta.person), platform: text(meta.platform) };
}

/** Reads the payload of a `pair` request. The error is a sentence for the answer. */
export function parsePairStep(payload: JsonObject): Result<PairStep, string> {
  const pid = bytesOf(payload.pid, PAIRING_ID_BYTES);
  if (pid === undefined)
    return err(`"pid" must be ${PAIRING_ID_BYTES} bytes in base64url without padding`);
  const base: StepBase = { pid, pidText: toBase64Url(pid) };
  switch (payload.step) {
    case 'offer':
      return withMeta(payload.meta, (meta) =>
        withBytes(payload, 'commit', HASH_BYTES, (commit) =>
          withOptionalBytes(payload, 'invite', INVITATION_ID_BYTES, (invite) =>
            ok({ ...base, step: 'offer', meta, commit, invite }),
          ),
        ),
      );
    case 'answer':
      return withMeta(payload.meta, (meta) =>
        withBytes(payload, 'nonce', PAIRING_NONCE_BYTES, (nonce) =>
          ok({ ...base, step: 'answer', meta, nonce }),
        ),
      );
    case 'reveal':
      return withBytes(payload, 'nonce', PAIRING_NONCE_BYTES, (nonce) =>
        ok({ ...base, step: 'reveal', nonce }),
      );
    case 'confirm':
      return withBytes(payload, 'sig', SIGNATURE_BYTES, (sig) =>
        withOptionalBytes(payload, 'mac', HASH_BYTES, (mac) =>
          ok({ ...base, step: 'confirm', sig, mac }),
        ),
      );
    case 'abort': {
      const reason =
        typeof payload.reason === 'string'
          ? shortened(payload.reason, PAIRING_REASON_MAX_CHARACTERS)
          : '';
      return ok({ ...base, step: 'abort', reason });
    }
    default:
      return err('"step" must be "offer", "answer", "reveal", "confirm" or "abort"');
  }
}

function withMeta(
  value: unknown,
  next: (meta: PairMeta) => Result<PairStep, string>,
): Result<PairStep, string> {
  if (!isJsonObject(value)) return err('"meta" must be a JSON object');
  if (utf8(canonicalJson(value)).byteLength > PAIRING_META_MAX_BYTES)
    return err(`"meta" is longer than ${PAIRING_META_MAX_BYTES} bytes`);
  for (const name of ['hub', 'person', 'platform']) {
    if (value[name] !== undefined && typeof value[name] !== 'string')
      return err(`"meta.${name}" must be text, or absent`);
  }
  return next(value);
}

function withBytes(
  payload: JsonObject,
  name: string,
  length: number,
  next: (bytes: Uint8Array) => Result<PairStep, string>,
): Result<PairStep, string> {
  const bytes = bytesOf(payload[name], length);
  return bytes === undefined
    ? err(`"${name}" must be ${length} bytes in base64url without padding`)
    : next(bytes);
}

function withOptionalBytes(
  payload: JsonObject,
  name: string,
  length: number,
  next: (bytes: Uint8Array | null) => Result<PairStep, string>,
): Result<PairStep, string> {
  return payload[name] === undefined ? next(null) : withBytes(payload, name, length, next);
}

function bytesOf(value: unknown, length: number): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? fromBase64Url(value) : undefined;
  return bytes?.byteLength === length ? bytes : undefined;
}

function assertLength(bytes: Uint8Array, length: number): void {
  assert(bytes.byteLength === length, `these pairing bytes are ${length} long`);
}

function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}
