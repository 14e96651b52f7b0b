// What the hub and its QUIC process say to each other. The hub reads the process's words as outside
// input: that process meets strangers.
import { isErrorCode, type ErrorCode } from '../../../preload/contract/errors.ts';
import type { Result } from '../../lib/result.ts';
import type {
  Admission,
  CloseCode,
  ConnectionInfo,
  DialFailure,
  DialTarget,
  KeyHex,
  TransportEvent,
  TransportFailure,
  TransportStatistics,
} from '../../ports/transport.ts';
import type { SignOfLife } from './watchdog.ts';

/** Frame types. Each names its body; numbers are big-endian, a stream id is a double. */
export const FRAMES = {
  /** JSON of a Command or a Report. */
  control: 1,
  /** To the process: first connection id u32, port u16, 32 seed bytes, host. */
  start: 10,
  /** call u32, connection u32, timeout in ms u32, message. */
  request: 11,
  /** call u32, connection u32, message. */
  send: 12,
  /** connection u32, stream f64, message. */
  respond: 13,
  /** call u32. */
  abort: 14,
  /** From the process: call u32, answer (empty for a one-way message). */
  answer: 20,
  /** connection u32, stream f64, message. */
  requestEvent: 21,
  /** connection u32, message. */
  messageEvent: 22,
} as const;

export type Command =
  | { readonly type: 'admission'; readonly admission: Admission }
  | { readonly type: 'keep-places'; readonly keys: readonly KeyHex[] }
  | { readonly type: 'dial'; readonly call: number; readonly target: DialTarget }
  | {
      readonly type: 'close';
      readonly connectionId: number;
      readonly code: CloseCode;
      readonly reason: string;
    }
  | { readonly type: 'checkAlive'; readonly connectionId: number }
  | {
      readonly type: 'reset';
      readonly connectionId: number;
      readonly streamId: number;
      readonly code: CloseCode;
    }
  | { readonly type: 'statistics'; readonly call: number }
  | { readonly type: 'heartbeat' }
  | { readonly type: 'stop' };

export type Report =
  | { readonly type: 'started'; readonly port: number }
  | {
      readonly type: 'start-failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string | undefined;
    }
  | {
      readonly type: 'event';
      readonly event: Exclude<TransportEvent, { type: 'request' | 'message' | 'restarted' }>;
    }
  | {
      readonly type: 'dialled';
      readonly call: number;
      readonly result: Result<ConnectionInfo, DialFailure>;
    }
  | { readonly type: 'failed'; readonly call: number; readonly failure: TransportFailure }
  | { readonly type: 'statistics'; readonly call: number; readonly statistics: TransportStatistics }
  | { readonly type: 'heartbeat'; readonly sign: SignOfLife }
  /** Something threw inside; the sentence is for the log. */
  | { readonly type: 'fault'; readonly message: string }
  | { readonly type: 'stopped' };

type Fields = Readonly<Record<string, unknown>>;

/** Reads a report of the process; undefined when it is none. */
export function parseReport(json: string): Report | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) && isReport(value) ? (value as Report) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a command of the hub, which is this very program: only its shape as JSON can be wrong. */
export function parseCommand(json: string): Command {
  return JSON.parse(json) as Command;
}

function isReport(report: Fields): boolean {
  switch (report['type']) {
    case 'started':
      return isCount(report['port']);
    case 'start-failed':
      return (
        isErrorCode(report['code']) && isText(report['message']) && isOptionalText(report['hint'])
      );
    case 'event':
      return isFields(report['event']) && isEvent(report['event']);
    case 'dialled':
      return (
        isCount(report['call']) && isFields(report['result']) && isDialResult(report['result'])
      );
    case 'failed':
      return isCount(report['call']) && isFields(report['failure']) && isFailure(report['failure']);
    case 'statistics':
      return (
        isCount(report['call']) &&
        isFields(report['statistics']) &&
        isStatistics(report['statistics'])
      );
    case 'heartbeat':
      return isFields(report['sign']) && isSignOfLife(report['sign']);
    case 'fault':
      return isText(report['message']);
    case 'stopped':
      return true;
    default:
      return false;
  }
}

const RULES = ['too-large', 'too-slow', 'too-many-streams'];

function isEvent(event: Fields): boolean {
  switch (event['type']) {
    case 'connected':
    case 'path-changed':
      return isConnection(event['connection']);
    case 'disconnected':
      return isConnection(event['connection']) && isEnd(event);
    case 'violation':
      return isCount(event['connectionId']) && RULES.some((rule) => rule === event['rule']);
    default:
      return false;
  }
}

function isDialResult(result: Fields): boolean {
  if (result['ok'] === true) return isConnection(result['value']);
  const failure = result['error'];
  if (result['ok'] !== false || !isFields(failure)) return false;
  if (failure['type'] === 'refused') return isText(failure['reason']);
  if (failure['type'] === 'wrong-key') return isKey(failure['keyHex']);
  return ['timeout', 'busy', 'aborted'].some((type) => type === failure['type']);
}

function isFailure(failure: Fields): boolean {
  if (failure['type'] === 'closed') return isEnd(failure);
  if (failure['type'] === 'reset') return isCount(failure['code']);
  return ['timeout', 'overloaded', 'too-large', 'aborted'].some((type) => type === failure['type']);
}

function isStatistics(statistics: Fields): boolean {
  const { connections, roundTripMs, counters } = statistics;
  return isCount(connections) && areCounts(roundTripMs) && areCounts(counters);
}

function isSignOfLife({ memoryBytes, atMs, processorMs, activeMs, work }: Fields): boolean {
  return (
    isCount(memoryBytes) &&
    [atMs, processorMs, activeMs, work].every(
      (value) => typeof value === 'number' && Number.isFinite(value),
    )
  );
}

function isConnection(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { connectionId, keyHex, direction, host, port } = value;
  return (
    isCount(connectionId) &&
    isKey(keyHex) &&
    (direction === 'incoming' || direction === 'outgoing') &&
    isText(host) &&
    isCount(port)
  );
}

function isEnd(value: Fields): boolean {
  const { code, by, reason } = value;
  return (
    (code === null || isCount(code)) &&
    (by === 'local' || by === 'peer' || by === 'network') &&
    isText(reason)
  );
}

function areCounts(value: unknown): boolean {
  return isFields(value) && Object.values(value).every((count) => typeof count === 'number');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || isText(value);
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
