// The caller as its door identified it, and the form of every operation's handler. Doors (HTTP,
// IPC) make a Caller; handlers trust it.
import type { PeopleSurface } from '../../preload/contract/closed-lists.ts';
import type {
  OperationName,
  OperationParams,
  OperationResult,
} from '../../preload/contract/operations.ts';

export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'agent';
      readonly tokenId: string;
      readonly agent: string;
      readonly scopes: readonly string[];
    }
  /**
   * A person: at the desktop window, in a logged-in browser page, or at a terminal with the owner
   * passphrase.
   */
  | { readonly kind: 'ui' | 'owner'; readonly tokenId: string; readonly surface: PeopleSurface };

export interface CallContext {
  /** Aborted when the caller went away. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | null;
  /**
   * True when a browser page of ours asked (decides which kind of session a login gives, nothing
   * else).
   */
  readonly fromPage?: boolean;
  /** What stands in Host, which the guard found to name the very port or socket that was asked. */
  readonly host?: string;
}

/** Throws AppError for operating errors; the door turns it into a problem document. */
export type Handler<Name extends OperationName> = (
  params: OperationParams<Name>,
  caller: Caller,
  context: CallContext,
) => Promise<OperationResult<Name>>;
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };
/** The part of the table whose names begin with this. */
export type HandlersOf<Prefix extends string> = {
  readonly [
    Name in OperationName as Name extends `${Prefix}.${string}` ? Name : never
  ]: Handler<Name>;
};
