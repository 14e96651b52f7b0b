// Hints of the hub name its command as "axon ..." in double quotes. What stands here puts the words
// in its place that work at a terminal of the hub's computer, for every answer a page gets; where
// there is no such command, or none is known yet, a page does without it.
import type { Problem } from '../../preload/contract/errors.ts';
import type { HubApi } from '../../preload/contract/hub-api.ts';

const COMMAND = /"axon /g;
/** The other way beside a page's own: `..., or run "axon pair".` */
const OR_COMMAND = /,? or [^,.;:"]*"axon [^"]*"/g;

/**
 * @param command how a line at a terminal begins there, as "npx axon"; null: none is known, and
 * what only a command does is left out
 */
export function withOwnHint(problem: Problem, command: string | null): Problem {
  const { hint, ...rest } = problem;
  if (hint === undefined) return problem;
  if (command !== null) return { ...rest, hint: hint.replaceAll(COMMAND, () => `"${command} `) };
  const left = hint.replaceAll(OR_COMMAND, '');
  return left.includes('"axon ') ? rest : { ...rest, hint: left };
}

/**
 * The same line to the hub, with hints that work where they are read. @param command asked at every
 * failure, since it is told late
 */
export function withOwnHints(api: HubApi, command: () => string | null): HubApi {
  return {
    surface: api.surface,
    subscribe: (fromSeq, handlers) => api.subscribe(fromSeq, handlers),
    call: async (name, params) => {
      const outcome = await api.call(name, params);
      return outcome.ok ? outcome : { ok: false, problem: withOwnHint(outcome.problem, command()) };
    },
  };
}
