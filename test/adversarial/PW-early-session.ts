// A session ticket as a client without manners keeps it: bent so that it says early data was
// allowed, whatever the hub said (RFC 8446, Section 4.6.1; RFC 9001, Section 4.6.1). The form is
// that of BoringSSL's own session, behind the length that quiche writes before it.

const LENGTH_BYTES = 8;
/**
 * Context tag 24 of the session, constructed: how much early data the ticket allows. In QUIC it is
 * always the largest number.
 */
const EARLY_DATA_TAG = 0xb8;
const EARLY_DATA = Buffer.from([EARLY_DATA_TAG, 0x07, 0x02, 0x05, 0x00, 0xff, 0xff, 0xff, 0xff]);
const SEQUENCE_TAG = 0x30;

/**
 * The session with early data allowed. @throws Error when it is none, or allows it already: then
 * the hub gave a ticket it must not give
 */
export function allowingEarlyData(session: Buffer): Buffer {
  const end = LENGTH_BYTES + Number(session.readBigUInt64BE());
  const whole = element(session, LENGTH_BYTES);
  if (whole.tag !== SEQUENCE_TAG || whole.end !== end) throw new Error('that is no session');
  let at = whole.start;
  while (at < end) {
    const { tag, end: next } = element(session, at);
    if (tag === EARLY_DATA_TAG) throw new Error('the hub gave a ticket that allows early data');
    if (tag > EARLY_DATA_TAG) break;
    at = next;
  }
  const content = Buffer.concat([
    session.subarray(whole.start, at),
    EARLY_DATA,
    session.subarray(at, end),
  ]);
  const head = Buffer.from([SEQUENCE_TAG, 0x82, content.length >> 8, content.length & 0xff]);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeBigUInt64BE(BigInt(head.length + content.length));
  return Buffer.concat([length, head, content, session.subarray(end)]);
}

function element(
  bytes: Buffer,
  at: number,
): { readonly tag: number; readonly start: number; readonly end: number } {
  const first = bytes.readUInt8(at + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  return { tag: bytes.readUInt8(at), start, end: start + length };
}
