// What people decide: requests, rules, and when they are asked. For people only, each decision
// bound to what the person was shown.
import type { AttentionDto } from '../../../preload/contract/attention.ts';
import type { DoNotDisturb } from '../../services/attention/do-not-disturb.ts';
import type { Decider } from '../../services/base/audit-trail.ts';
import type { Holds } from '../../services/approvals/holds.ts';
import type { Rules } from '../../services/rules/rules.ts';
import type { Approvals } from '../../services/approvals/approvals.ts';
import type { HandlersOf } from '../caller.ts';
import { personOf } from './who.ts';

/**
 * GET /v1/approvals, the decision, and more time for it: for people only, bound to what the person
 * was shown.
 */
export function approvalsHandlers(deps: {
  readonly approvals: Approvals;
  readonly holds: Holds;
}): HandlersOf<'approvals'> {
  const { approvals, holds } = deps;
  return {
    'approvals.list': async ({ state, limit, cursor }) =>
      state === 'decided'
        ? approvals.decided({ limit, cursor })
        : { items: approvals.pending(), next: null },
    'approvals.get': async ({ id }) => approvals.get(id),
    'approvals.decide': (params, caller) => approvals.decide(params, personOf(caller)),
    'approvals.keepOpen': ({ id, wait_ms }, caller) =>
      holds.keepOpen(id, wait_ms, personOf(caller)),
  };
}

/** GET, POST /v1/rules and what stands below: the household's rules, for people only. */
export function rulesHandlers(deps: { readonly rules: Rules }): HandlersOf<'rules'> {
  const { rules } = deps;
  return {
    'rules.list': async ({ state, limit, cursor }) =>
      state === 'ended' ? rules.ended({ limit, cursor }) : rules.currentPage({ limit, cursor }),
    'rules.get': async ({ id }) => rules.get(id),
    'rules.create': (params, caller) => rules.create(params, personOf(caller)),
    'rules.preview': async (params) => rules.preview(params),
    'rules.update': ({ id, suspended }, caller) =>
      rules.setSuspended(id, suspended, personOf(caller)),
    'rules.remove': ({ id }, caller) => rules.remove(id, personOf(caller)),
    'rules.restore': ({ id }, caller) => rules.restore(id, personOf(caller)),
    'rules.test': async (params) => rules.test(params),
  };
}

/**
 * The operations that say when a person is asked: pause, quiet hours, mutes and snoozed cards. For
 * people only.
 */
export function attentionHandlers({
  doNotDisturb,
  stopEverything,
  holds,
}: {
  readonly doNotDisturb: DoNotDisturb;
  readonly stopEverything: (person: Decider) => Promise<AttentionDto>;
  readonly holds: Holds;
}): HandlersOf<'attention'> {
  return {
    'attention.get': async () => doNotDisturb.dto(),
    'attention.pause': ({ until }, caller) => doNotDisturb.pause(until, personOf(caller)),
    'attention.stop': (_params, caller) => stopEverything(personOf(caller)),
    'attention.resume': (_params, caller) => doNotDisturb.resume(personOf(caller)),
    'attention.setQuietHours': ({ periods, urgent_peers }, caller) =>
      doNotDisturb.setQuietHours(periods, urgent_peers, personOf(caller)),
    'attention.mute': ({ id, until }, caller) => doNotDisturb.mute(id, until, personOf(caller)),
    'attention.unmute': ({ id }, caller) => doNotDisturb.unmute(id, personOf(caller)),
    'attention.hold': ({ id, until }, caller) => holds.snooze(id, until, personOf(caller)),
    'attention.show': async ({ ids }, caller) => ({
      shown: await holds.show(ids, personOf(caller)),
    }),
  };
}
