// Whether a request from a paired hub, or from another agent of this one, goes through or waits for a person. These are the defaults;
// they fail towards asking.
import type { RequestKind, RiskClass } from '../../preload/contract/closed-lists.ts';

export type Decision = 'deliver' | 'ask';

/** A query that can only look (R0) is delivered; every other query and every delegation is asked. */
export function decide({ kind, riskClass }: { readonly kind: RequestKind; readonly riskClass: RiskClass }): Decision {
  return kind === 'query' && riskClass === 'R0' ? 'deliver' : 'ask';
}
