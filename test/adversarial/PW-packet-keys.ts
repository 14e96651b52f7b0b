// The seals of QUIC packets (RFC 9001, Section 5), made and opened by hand: keys out of a secret,
// packet and header protection, and the integers on the wire. Only TLS_AES_128_GCM_SHA256.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const TAG_BYTES = 16;
const SAMPLE_BYTES = 16;
/** Every packet made here has its number in four bytes. */
export const NUMBER_BYTES = 4;

export function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

/** HKDF-Expand-Label of TLS 1.3 with SHA-256, up to 32 bytes. */
export function expandLabel(
  secret: Uint8Array,
  label: string,
  length: number,
  context: Uint8Array = Buffer.alloc(0),
): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const information = Buffer.concat([
    Buffer.from([0, length, name.length]),
    name,
    Buffer.from([context.length]),
    context,
    Buffer.from([1]),
  ]);
  return hmac(secret, information).subarray(0, length);
}

/** A variable-length integer in eight bytes (RFC 9000, Section 16). */
export function integer(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE((3n << 62n) | BigInt(value));
  return bytes;
}

/** A variable-length integer at `offset`, and where it ends. */
export function readInteger(
  bytes: Buffer,
  offset: number,
): { readonly value: number; readonly end: number } {
  const width = 1 << (bytes.readUInt8(offset) >> 6);
  let value = BigInt(bytes.readUInt8(offset) & 0x3f);
  for (let at = 1; at < width; at += 1)
    value = (value << 8n) | BigInt(bytes.readUInt8(offset + at));
  return { value: Number(value), end: offset + width };
}

export class PacketKeys {
  readonly #key: Buffer;
  readonly #iv: Buffer;
  readonly #headerKey: Buffer;

  constructor(secret: Uint8Array) {
    this.#key = expandLabel(secret, 'quic key', 16);
    this.#iv = expandLabel(secret, 'quic iv', 12);
    this.#headerKey = expandLabel(secret, 'quic hp', 16);
  }

  /** Seals `payload` behind `header`, whose last four bytes are the packet number. */
  seal(header: Buffer, number: number, payload: Buffer): Buffer {
    const cipher = createCipheriv('aes-128-gcm', this.#key, this.#nonce(number), {
      authTagLength: TAG_BYTES,
    });
    cipher.setAAD(header);
    const sealed = Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
    const mask = this.#mask(sealed.subarray(0, SAMPLE_BYTES));
    const covered = Buffer.from(header);
    covered[0] = (covered[0] ?? 0) ^ ((mask[0] ?? 0) & bitsOf(covered[0] ?? 0));
    for (let at = 0; at < NUMBER_BYTES; at += 1) {
      const place = covered.length - NUMBER_BYTES + at;
      covered[place] = (covered[place] ?? 0) ^ (mask[1 + at] ?? 0);
    }
    return Buffer.concat([covered, sealed]);
  }

  /**
   * The payload of a packet whose number begins at `numberStart`; undefined when these keys do not
   * open it. Numbers must be small.
   */
  open(packet: Buffer, numberStart: number): Buffer | undefined {
    const header = Buffer.from(packet.subarray(0, numberStart + 4));
    const sample = packet.subarray(numberStart + 4, numberStart + 4 + SAMPLE_BYTES);
    if (sample.length < SAMPLE_BYTES) return undefined;
    const mask = this.#mask(sample);
    header[0] = (header[0] ?? 0) ^ ((mask[0] ?? 0) & bitsOf(header[0] ?? 0));
    const width = 1 + ((header[0] ?? 0) & 3);
    for (let at = 0; at < width; at += 1)
      header[numberStart + at] = (header[numberStart + at] ?? 0) ^ (mask[1 + at] ?? 0);
    const number = header.readUIntBE(numberStart, width);
    const start = numberStart + width;
    const decipher = createDecipheriv('aes-128-gcm', this.#key, this.#nonce(number), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(header.subarray(0, start));
    decipher.setAuthTag(packet.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(packet.subarray(start, -TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  #nonce(number: number): Buffer {
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
    return nonce;
  }

  #mask(sample: Uint8Array): Buffer {
    return createCipheriv('aes-128-ecb', this.#headerKey, null).update(sample);
  }
}

/** Which bits of the first byte header protection covers: more of them in a short header. */
function bitsOf(first: number): number {
  return (first & 0x80) === 0 ? 0x1f : 0x0f;
}
