// POST /v1/query, /v1/delegate and /v1/notify: what agents and people send. The calling agent is always the sender.
import type { Sender } from '../../services/work/sender.ts';
import type { HandlersOf } from '../caller.ts';
import { askerOf } from './who.ts';

export function sendHandlers(deps: { readonly sender: Sender }): HandlersOf<'send'> {
  const { sender } = deps;
  return {
    'send.query': (params, caller, context) => sender.query(params, askerOf(caller), context.signal),
    'send.delegate': (params, caller, context) => sender.delegate(params, askerOf(caller), context.idempotencyKey),
    'send.notify': (params, caller) => sender.notify(params, askerOf(caller)),
  };
}
