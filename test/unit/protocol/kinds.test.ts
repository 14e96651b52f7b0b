import { describe, expect, it } from 'vitest';
import {
  EXTENSIONS,
  FEATURES,
  isKnownKind,
  KINDS,
  kindEntry,
  mayAnswer,
  mayOpen,
} from '../../../main/protocol/kinds.ts';

describe('kinds', () => {
  it('advertise exactly the optional ones as features', () => {
    expect(FEATURES).toEqual([
      'delegate',
      'ack',
      'result',
      'cancel',
      'discover',
      'capabilities',
      'pair',
    ]);
    const required = Object.entries(KINDS).filter(([, entry]) => entry.required);
    expect(required.map(([kind]) => kind)).toEqual([
      'hello',
      'ping',
      'pong',
      'query',
      'response',
      'notify',
      'error',
    ]);
  });

  it('reply with kinds that exist, on a bidirectional stream only', () => {
    for (const [kind, entry] of Object.entries(KINDS)) {
      if (entry.reply !== null) expect(isKnownKind(entry.reply), kind).toBe(true);
      expect(entry.reply !== null, kind).toBe(entry.opens && entry.stream === 'bidirectional');
    }
  });

  it('begin the stream that is theirs and no other', () => {
    expect(mayOpen('query', 'bidirectional')).toBe(true);
    expect(mayOpen('query', 'unidirectional')).toBe(false);
    expect(mayOpen('notify', 'unidirectional')).toBe(true);
    expect(mayOpen('notify', 'bidirectional')).toBe(false);
    expect(mayOpen('result', 'unidirectional')).toBe(true);
    expect(mayOpen('error', 'unidirectional')).toBe(true);
    for (const reply of ['pong', 'response', 'ack', 'capabilities']) {
      expect(mayOpen(reply, 'bidirectional')).toBe(false);
      expect(mayOpen(reply, 'unidirectional')).toBe(false);
    }
    expect(mayOpen('teleport', 'bidirectional')).toBe(false);
  });

  it('are answered by their own reply or an error', () => {
    expect(mayAnswer('delegate', 'ack')).toBe(true);
    expect(mayAnswer('delegate', 'error')).toBe(true);
    expect(mayAnswer('delegate', 'result')).toBe(false);
    expect(mayAnswer('hello', 'hello')).toBe(true);
    expect(mayAnswer('notify', 'error')).toBe(false);
    expect(mayAnswer('pong', 'error')).toBe(false);
    expect(mayAnswer('teleport', 'error')).toBe(false);
  });

  it('are not found by names that every object has', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      expect(isKnownKind(name)).toBe(false);
      expect(kindEntry(name)).toBeUndefined();
    }
  });

  it('come with extensions that name their version', () => {
    for (const extension of EXTENSIONS) expect(extension).toMatch(/^[a-z]+(-[a-z]+)*\/[0-9]+$/);
    expect(new Set(EXTENSIONS).size).toBe(EXTENSIONS.length);
  });
});
