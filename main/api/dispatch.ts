// Runs an operation by name, for every door alike: checks who may call it, then its parameters
// against the schema of the table, then calls the handler. Must never run a handler on parameters
// that were not parsed.
import * as v from 'valibot';
import { OPERATIONS } from '../../preload/contract/operations.ts';
import type { Access, OperationName } from '../../preload/contract/operations.ts';
import { AppError } from '../lib/app-error.ts';
import { issueWords } from './issue-words.ts';
import type { CallContext, Caller, Handler, Handlers } from './caller.ts';
import { toldTo } from './problem.ts';

type Run = (raw: unknown, caller: Caller, context: CallContext) => Promise<unknown>;

/** Sentences about single fields in one answer: more would only repeat themselves. */
const ISSUES_SHOWN_MAX = 5;

export class Dispatcher {
  readonly #operations: ReadonlyMap<string, Run>;
  readonly #checkOpen: (name: OperationName, caller: Caller) => void;

  /** @param checkOpen throws while the hub is locked and this operation is not for that time */
  constructor(
    handlers: Handlers,
    checkOpen: (name: OperationName, caller: Caller) => void = () => undefined,
  ) {
    this.#checkOpen = checkOpen;
    const names = Object.keys(OPERATIONS).filter(isOperationName);
    this.#operations = new Map(names.map((name) => [name, bind(name, handlers)]));
  }

  /**
   * Runs the operation. @throws AppError not_found, unauthenticated, forbidden, hub_locked,
   * bad_request, and whatever the handler throws
   */
  async call(name: string, raw: unknown, caller: Caller, context: CallContext): Promise<unknown> {
    const run = this.#operations.get(name);
    if (run === undefined || !isOperationName(name))
      throw new AppError('not_found', 'The hub has no such operation.', { failedBy: 'input' });
    this.checkAccess(name, caller);
    try {
      return await run(raw, caller, context);
    } catch (error) {
      throw toldTo(caller, error);
    }
  }

  /**
   * Whether this caller may call it now. @throws AppError unauthenticated, forbidden, hub_locked
   */
  checkAccess(name: OperationName, caller: Caller): void {
    requireAccess(OPERATIONS[name].access, caller);
    this.#checkOpen(name, caller);
  }
}

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/** Throws `unauthenticated` or `forbidden` unless the caller may use operations of this access. */
export function requireAccess(access: Access, caller: Caller): void {
  if (access === 'none') return;
  if (caller.kind === 'anonymous') {
    throw new AppError('unauthenticated', 'This needs a token.', { failedBy: 'input' });
  }
  if (caller.kind !== 'agent' || access === 'any') return;
  if (access === 'owner') {
    throw new AppError('forbidden', 'Only a person may do this; no agent token can.', {
      hint: 'Ask the person in charge of this hub.',
      failedBy: 'input',
    });
  }
  if (!caller.scopes.includes(access)) {
    throw new AppError('forbidden', `This token lacks the scope "${access}".`, {
      hint: `It has: ${caller.scopes.join(', ') || 'none'}.`,
      failedBy: 'input',
    });
  }
}

function bind<Name extends OperationName>(name: Name, handlers: Handlers): Run {
  const handler: Handler<Name> = handlers[name];
  const schema = OPERATIONS[name].params;
  return (raw, caller, context) => {
    const parsed = v.safeParse(schema, raw, { abortPipeEarly: true });
    if (!parsed.success) throw badRequest(parsed.issues, schema);
    return handler(parsed.output, caller, context);
  };
}

/** Parameters that do not fit the schema of their operation. */
export class BadParameters extends AppError {}

function badRequest(issues: readonly v.BaseIssue<unknown>[], schema: v.GenericSchema): AppError {
  const unknown = issues.filter(
    ({ type, expected }) => type === 'strict_object' && expected === 'never',
  );
  const sentences = [...new Set([...unknown, ...issues])]
    .slice(0, ISSUES_SHOWN_MAX)
    .map((issue) => issueWords(issue, v.getDotPath(issue)));
  const more = issues.length > ISSUES_SHOWN_MAX ? '; and more' : '';
  const taken = 'entries' in schema ? Object.keys(schema.entries ?? {}).join(', ') : '';
  const hint = taken === '' ? 'This takes nothing.' : `This takes ${taken}.`;
  return new BadParameters('bad_request', `${sentences.join('; ')}${more}.`, {
    failedBy: 'input',
    ...(unknown.some(({ path }) => path?.length === 1) ? { hint } : {}),
  });
}
