// The desktop window's door: takes a name and parameters from a page and returns an outcome. Bounds
// them before anything looks inside, allows only the operations a page may call, and never throws.
import type { Problem } from '../../../preload/contract/errors.ts';
import type { CallOutcome } from '../../../preload/contract/hub-api.ts';
import { WINDOW_OPERATIONS } from '../../../preload/contract/window-operations.ts';
import { AppError } from '../../lib/app-error.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { Log } from '../../ports/log.ts';
import type { Caller } from '../caller.ts';
import type { Dispatcher } from '../dispatch.ts';
import { appErrorOf, problemOf } from '../problem.ts';

/** Bounds the depth of parameters; no operation of a page needs more than five levels. */
const DEPTH_MAX = 8;
/** Bounds the values in parameters, keys included. */
const VALUES_MAX = 1_024;
/** Bounds the characters in parameters, over all texts. */
const CHARACTERS_MAX = 256 * 1024;

const PERSON_AT_WINDOW: Caller = { kind: 'ui', tokenId: 'window', surface: 'window' };

export class WindowDoor {
  readonly #dispatcher: Dispatcher;
  readonly #log: Log;
  readonly #closed = new AbortController();

  constructor(deps: { readonly dispatcher: Dispatcher; readonly log: Log }) {
    this.#dispatcher = deps.dispatcher;
    this.#log = deps.log;
  }

  async invoke(name: unknown, params: unknown): Promise<CallOutcome<unknown>> {
    try {
      const operation = WINDOW_OPERATIONS.find((known) => known === name);
      if (operation === undefined)
        throw new AppError('not_found', 'The window has no such operation.', { failedBy: 'input' });
      const parsed = plainCopy(params);
      if (!isJsonObject(parsed)) throw notJson();
      const value = await this.#dispatcher.call(operation, parsed, PERSON_AT_WINDOW, {
        signal: this.#closed.signal,
        idempotencyKey: null,
      });
      return { ok: true, value };
    } catch (error) {
      const problem: Problem = problemOf(appErrorOf(error, this.#log));
      return { ok: false, problem };
    }
  }

  /** Ends every call that still waits. */
  close(): void {
    this.#closed.abort();
  }
}

/**
 * A copy made of plain objects, arrays and JSON scalars only, so that no accessor, prototype or
 * exotic object reaches a handler. Throws AppError bad_request or payload_too_large.
 */
export function plainCopy(value: unknown): unknown {
  let values = 0;
  let characters = 0;
  const count = (text: string): string => {
    characters += text.length;
    if (characters > CHARACTERS_MAX)
      throw new AppError('payload_too_large', 'The request is too long.', { failedBy: 'input' });
    return text;
  };
  const copy = (part: unknown, depth: number): unknown => {
    values += 1;
    if (depth > DEPTH_MAX || values > VALUES_MAX) {
      throw new AppError('payload_too_large', 'The request is too deep or has too many parts.', {
        failedBy: 'input',
      });
    }
    if (part === null || typeof part === 'boolean') return part;
    if (typeof part === 'number' && Number.isFinite(part)) return part;
    if (typeof part === 'string') return count(part);
    if (Array.isArray(part)) return Array.from(part, (item) => copy(item, depth + 1));
    if (typeof part === 'object' && isPlain(part)) return copyObject(part, depth);
    throw notJson();
  };
  const copyObject = (part: object, depth: number): Record<string, unknown> => {
    const entries = Object.entries(Object.getOwnPropertyDescriptors(part));
    if (Object.getOwnPropertySymbols(part).length > 0) throw notJson();
    return Object.fromEntries(
      entries
        .filter(([, descriptor]) => !('value' in descriptor && descriptor.value === undefined))
        .map(([key, descriptor]) => {
          if (
            !('value' in descriptor) ||
            key === '__proto__' ||
            key === 'constructor' ||
            key === 'prototype'
          )
            throw notJson();
          return [count(key), copy(descriptor.value, depth + 1)];
        }),
    );
  };
  return copy(value, 0);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notJson(): AppError {
  return new AppError('bad_request', 'The request is not plain JSON.', { failedBy: 'input' });
}
