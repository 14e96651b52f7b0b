// The cursors of an agent's lists. A cursor says how many messages or tasks the hub has had, those
// of others among them, so an agent gets it enciphered under a key of this start of the hub,
// together with what it goes on with: it is of use to no other agent, list or filter.
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { OperationName } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';

/** One block: the beginning of the digest of the list, and the number. */
const CIPHER = 'aes-128-ecb';
export const CURSOR_KEY_BYTES = 16;
const BLOCK_BYTES = 16;
const NUMBER_AT = 8;

/** What an agent reads in pages. */
interface ListCall {
  readonly agent: string;
  readonly operation: OperationName;
  readonly params: unknown;
}

export class SealedCursors {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** The parameters with the cursor as the services know it. @throws AppError bad_request */
  opened(call: ListCall): unknown {
    const { params } = call;
    if (!isJsonObject(params) || typeof params['cursor'] !== 'string') return params;
    return { ...params, cursor: this.#open(params['cursor'], listOf(call)) };
  }

  /** The answer with its cursor sealed. */
  sealed(call: ListCall, answer: unknown): unknown {
    if (!isJsonObject(answer) || typeof answer['next'] !== 'string') return answer;
    const block = Buffer.alloc(BLOCK_BYTES);
    listOf(call).copy(block);
    block.writeBigUInt64BE(BigInt(answer['next']), NUMBER_AT);
    const cipher = createCipheriv(CIPHER, this.#key, null).setAutoPadding(false);
    return {
      ...answer,
      next: Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url'),
    };
  }

  #open(cursor: string, list: Buffer): string {
    const sealed = Buffer.from(cursor, 'base64url');
    if (sealed.length === BLOCK_BYTES) {
      const decipher = createDecipheriv(CIPHER, this.#key, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(sealed), decipher.final()]);
      if (block.subarray(0, NUMBER_AT).equals(list))
        return String(block.readBigUInt64BE(NUMBER_AT));
    }
    throw new AppError('bad_request', 'This hub gave out no such cursor for this list.', {
      failedBy: 'input',
      hint: 'A cursor goes on with the list, the filters and the agent that it was given for. Start again without one.',
    });
  }
}

/** Of the agent and all that says which list it is; how long a page is may change. */
function listOf({ agent, operation, params }: ListCall): Buffer {
  const {
    cursor: _cursor,
    limit: _limit,
    ...filters
  }: JsonObject = isJsonObject(params) ? params : {};
  const list = JSON.stringify([agent, operation, Object.entries(filters).toSorted()]);
  return createHash('sha256').update(list).digest().subarray(0, NUMBER_AT);
}
