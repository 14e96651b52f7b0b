// GET /v1/tasks and its tasks, waiting for one to end, calling one off.
import type { Tasks } from '../../services/work/tasks.ts';
import type { HandlersOf } from '../caller.ts';
import { viewerOf } from './who.ts';

export function tasksHandlers(deps: { readonly tasks: Tasks }): HandlersOf<'tasks'> {
  const { tasks } = deps;
  return {
    'tasks.list': async ({ limit, cursor, conversation }, caller) => tasks.list({ limit, cursor }, viewerOf(caller), conversation),
    'tasks.get': ({ id, wait }, caller, context) => tasks.get(id, viewerOf(caller), wait, context.signal),
    'tasks.cancel': ({ id, reason }, caller) => tasks.cancel(id, viewerOf(caller), reason ?? null),
  };
}
