// GET, POST /v1/rules and what stands below: the household's rules, for people only.
import type { Rules } from '../../services/rules/rules.ts';
import type { HandlersOf } from '../caller.ts';
import { personOf } from './who.ts';

export function rulesHandlers(deps: { readonly rules: Rules }): HandlersOf<'rules'> {
  const { rules } = deps;
  return {
    'rules.list': async ({ state, limit, cursor }) =>
      state === 'ended' ? rules.ended({ limit, cursor }) : rules.currentPage({ limit, cursor }),
    'rules.get': async ({ id }) => rules.get(id),
    'rules.create': (params, caller) => rules.create(params, personOf(caller)),
    'rules.preview': async (params) => rules.preview(params),
    'rules.update': ({ id, suspended }, caller) => rules.setSuspended(id, suspended, personOf(caller)),
    'rules.remove': ({ id }, caller) => rules.remove(id, personOf(caller)),
    'rules.restore': ({ id }, caller) => rules.restore(id, personOf(caller)),
    'rules.test': async (params) => rules.test(params),
  };
}
