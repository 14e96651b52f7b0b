// DNS messages written and read by hand, independent of the library under test: the writer can lie
// in every field, the reader is for well-formed messages only.

export const TYPES = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 } as const;
type TypeName = keyof typeof TYPES;

interface WireRecord {
  readonly name: string;
  readonly type: TypeName;
  readonly ttl: number;
  readonly data: Uint8Array;
}

/** A query that asks for the pointers of `name`, `times` over. */
export function queryBytes(name: string, times: number): Buffer {
  const question = Buffer.concat([nameBytes(name), Buffer.from([0, TYPES.PTR, 0, 1])]);
  return answerBytes(
    Array.from({ length: times }, () => question),
    { flags: 0, questions: times, answers: 0 },
  );
}

/** A name as a list of labels, uncompressed. A label is what stands between dots. */
export function nameBytes(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.');
  return Buffer.concat([
    ...labels.map((label) =>
      Buffer.concat([Buffer.of(Buffer.byteLength(label)), Buffer.from(label)]),
    ),
    Buffer.of(0),
  ]);
}

export function srvData(port: number, target: string): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(port, 4);
  return Buffer.concat([head, nameBytes(target)]);
}

export function txtData(strings: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    strings.map((text) => {
      const bytes = Buffer.from(text);
      return Buffer.concat([Buffer.of(bytes.byteLength), bytes]);
    }),
  );
}

function addressData(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

export function recordBytes(record: WireRecord): Buffer {
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(TYPES[record.type], 0);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt32BE(record.ttl, 4);
  middle.writeUInt16BE(record.data.byteLength, 8);
  return Buffer.concat([nameBytes(record.name), middle, record.data]);
}

interface MessageHead {
  readonly flags?: number;
  readonly questions?: number;
  readonly answers?: number;
}

/** An answer; `head` may claim other counts than there are records. */
export function answerBytes(records: readonly Uint8Array[], head: MessageHead = {}): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(head.flags ?? 0x8400, 2);
  header.writeUInt16BE(head.questions ?? 0, 4);
  header.writeUInt16BE(head.answers ?? records.length, 6);
  return Buffer.concat([header, ...records]);
}

interface HubAdvert {
  readonly label: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly txt: readonly (string | Uint8Array)[];
  readonly ttl?: number;
}

/** The answer that announces a hub. */
export function advertBytes(advert: HubAdvert): Buffer {
  return answerBytes(advertRecords(advert));
}

/** The records of that answer. */
export function advertRecords(advert: HubAdvert): readonly Buffer[] {
  const service = '_axon._udp.local';
  const instance = `${advert.label}.${service}`;
  const ttl = advert.ttl ?? 120;
  return [
    { name: service, type: 'PTR', ttl, data: nameBytes(instance) } as const,
    { name: instance, type: 'SRV', ttl, data: srvData(advert.port, advert.host) } as const,
    { name: instance, type: 'TXT', ttl, data: txtData(advert.txt) } as const,
    { name: advert.host, type: 'A', ttl, data: addressData(advert.address) } as const,
  ].map(recordBytes);
}

interface ReadRecord {
  readonly name: string;
  readonly type: number;
  readonly ttl: number;
  /** PTR and SRV: the target; A: the address; TXT: the strings. */
  readonly texts: readonly string[];
  readonly port: number | null;
}

interface ReadMessage {
  readonly isAnswer: boolean;
  readonly questions: readonly string[];
  readonly records: readonly ReadRecord[];
}

export function readMessage(bytes: Buffer): ReadMessage {
  let offset = 12;
  const questions: string[] = [];
  for (let index = 0; index < bytes.readUInt16BE(4); index += 1) {
    const { name, end } = readName(bytes, offset);
    questions.push(name);
    offset = end + 4;
  }
  const count = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
  const records: ReadRecord[] = [];
  for (let index = 0; index < count; index += 1) {
    const { name, end } = readName(bytes, offset);
    const type = bytes.readUInt16BE(end);
    const dataAt = end + 10;
    const size = bytes.readUInt16BE(end + 8);
    const port = type === TYPES.SRV ? bytes.readUInt16BE(dataAt + 4) : null;
    records.push({
      name,
      type,
      ttl: bytes.readUInt32BE(end + 4),
      texts: readTexts(bytes, type, dataAt, size),
      port,
    });
    offset = dataAt + size;
  }
  return { isAnswer: (bytes.readUInt16BE(2) & 0x8000) !== 0, questions, records };
}

function readTexts(bytes: Buffer, type: number, at: number, size: number): readonly string[] {
  if (type === TYPES.PTR) return [readName(bytes, at).name];
  if (type === TYPES.SRV) return [readName(bytes, at + 6).name];
  if (type === TYPES.A) return [[...bytes.subarray(at, at + 4)].join('.')];
  if (type !== TYPES.TXT) return [];
  const texts: string[] = [];
  for (let offset = at; offset < at + size; offset += 1 + (bytes[offset] ?? 0)) {
    texts.push(bytes.subarray(offset + 1, offset + 1 + (bytes[offset] ?? 0)).toString());
  }
  return texts;
}

function readName(bytes: Buffer, at: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let offset = at;
  let end: number | null = null;
  for (let size = bytes.readUInt8(offset); size !== 0; size = bytes.readUInt8(offset)) {
    if (size >= 0xc0) {
      end ??= offset + 2;
      offset = bytes.readUInt16BE(offset) & 0x3fff;
    } else {
      labels.push(bytes.subarray(offset + 1, offset + 1 + size).toString());
      offset += 1 + size;
    }
  }
  return { name: labels.join('.'), end: end ?? offset + 1 };
}
