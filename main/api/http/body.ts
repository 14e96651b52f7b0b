// Reads a request body: counted while it comes in, then strict JSON, then an object. Must never
// hold more than the limit.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../lib/app-error.ts';
import { BODY_SIZE_MAX_BYTES, tooLarge } from '../../lib/body-size.ts';
import { concatBytes } from '../../lib/bytes.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import { containsToken } from '../../services/auth/token-format.ts';
import { JSON_DEPTH_MAX, JSON_KEYS_PER_OBJECT_MAX, JSON_NODES_MAX } from './limits.ts';

/**
 * The body's bytes. Throws `payload_too_large` as soon as there are too many, `bad_request` when
 * the client went away.
 * @param begin called before the first byte is read, unless the declared length is too much already
 */
export function readBody(request: IncomingMessage, begin: () => void): Promise<Uint8Array> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > BODY_SIZE_MAX_BYTES) return Promise.reject(tooLarge());
  begin();
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let size = 0;
    const stop = (): void => {
      request.off('data', take).off('end', end).off('error', gone).off('close', gone);
    };
    const take = (part: Uint8Array): void => {
      size += part.byteLength;
      if (size <= BODY_SIZE_MAX_BYTES) {
        parts.push(part);
        return;
      }
      stop();
      request.pause();
      reject(tooLarge());
    };
    const end = (): void => {
      stop();
      resolve(concatBytes(...parts));
    };
    const gone = (): void => {
      stop();
      reject(
        new AppError('bad_request', 'The request ended before its body was whole.', {
          failedBy: 'input',
        }),
      );
    };
    request.on('data', take).on('end', end).on('error', gone).on('close', gone);
  });
}

/** The JSON object in `bytes`; nothing at all counts as an empty one. Throws `bad_request`. */
export function parseBody(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.byteLength === 0) return {};
  const parsed = parseStrictJson(bytes, {
    sizeMaxBytes: BODY_SIZE_MAX_BYTES,
    depthMax: JSON_DEPTH_MAX,
    nodesMax: JSON_NODES_MAX,
    keysPerObjectMax: JSON_KEYS_PER_OBJECT_MAX,
  });
  if (!parsed.ok)
    throw new AppError('bad_request', `The body is not what it should be: ${parsed.error}.`, {
      failedBy: 'input',
    });
  if (!isJsonObject(parsed.value))
    throw new AppError('bad_request', 'The body must be a JSON object.', { failedBy: 'input' });
  if (containsToken(Buffer.from(bytes).toString('latin1'))) {
    throw new AppError(
      'bad_request',
      'A token belongs in the Authorization header only; this body holds one.',
      { failedBy: 'input' },
    );
  }
  return parsed.value;
}
