import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainCopy, WindowDoor } from '../../../main/api/ipc/window-door.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { WINDOW_OPERATIONS } from '../../../preload/contract/window-operations.ts';

function door() {
  const calls: unknown[] = [];
  const call = async (...parameters: readonly unknown[]): Promise<unknown> => {
    calls.push(parameters);
    return 'answer';
  };
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    with: () => log,
  };
  return { door: new WindowDoor({ dispatcher: { call } as never, log }), calls };
}

describe('the window’s door', () => {
  test('passes a listed operation on as the person at the window', async () => {
    const { door: window, calls } = door();
    expect(await window.invoke('peers.ping', { id: 'mum' })).toEqual({ ok: true, value: 'answer' });
    expect(calls[0]).toMatchObject([
      'peers.ping',
      { id: 'mum' },
      { kind: 'ui', surface: 'window' },
      { idempotencyKey: null },
    ]);
  });

  test.each([
    'inbox.claim',
    'send.delegate',
    'hub.login',
    'constructor',
    '__proto__',
    '',
    7,
    null,
    undefined,
    {},
    ['peers.ping'],
  ])('RI-03: has no operation %s', async (name) => {
    const { door: window, calls } = door();
    expect(await window.invoke(name, {})).toMatchObject({
      ok: false,
      problem: { code: 'not_found' },
    });
    expect(calls).toEqual([]);
  });

  test('RI-03: refuses what is not plain, bounded JSON on every operation, and never throws', async () => {
    const { door: window, calls } = door();
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), 1);
    const accessor = Object.defineProperty({}, 'id', { get: () => 'x', enumerable: true });
    const hostile: readonly unknown[] = [
      undefined,
      () => 1,
      Symbol('x'),
      1n,
      Number.NaN,
      new Date(0),
      new Map(),
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('trap');
          },
        },
      ),
      accessor,
      JSON.parse('{"__proto__":{"polluted":true}}'),
      { constructor: 1 },
      { [Symbol('x')]: 1 },
      deep,
      { text: 'x'.repeat(50_000_000) },
      Array.from({ length: 5_000 }, () => 1),
      Object.create({ inherited: 1 }),
    ];
    for (const name of WINDOW_OPERATIONS) {
      for (const params of hostile) expect((await window.invoke(name, params)).ok).toBe(false);
    }
    expect(calls).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('copies JSON as it is and throws nothing but AppError', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        try {
          expect(JSON.stringify(plainCopy(value))).toBe(JSON.stringify(value));
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
    );
  });
});
