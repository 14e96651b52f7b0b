// A door with words of its own below a path of the HTTP door. The guard, the token, the places and
// the bounds of a body come before it, and the same 401 for everybody without a token.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '../../lib/app-error.ts';
import type { Caller } from '../caller.ts';
import type { EventStream } from './event-streams.ts';
import type { Answer } from './respond.ts';

export interface MountCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Exclude<Caller, { kind: 'anonymous' }>;
  /** The JSON object that came; undefined: nothing did. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Makes the answer a stream, which ends with its token. @throws AppError rate_limited */
  readonly stream: () => EventStream;
}

export interface Mount {
  /** Whether this path, without its query, is its own. */
  takes(path: string): boolean;
  /** What to do about a token that does not work; undefined: as at any other path. */
  readonly tokenHint?: string;
  /** How an agent is told that its request is not taken; undefined: as at any other path. */
  refusal?(error: AppError): Answer;
  /** Answers one request. @throws AppError, which is answered as a refusal */
  answer(call: MountCall): Promise<void>;
}
