// All tables of the port over one connection: reads alone, and reads with writes for a unit of
// work.
import type { Reads, Tables } from '../../../ports/store.ts';
import type { Statements } from '../statements.ts';
import { agentReads, agentWrites } from './agents.ts';
import { approvalReads, approvalWrites } from './approvals.ts';
import { auditReads, auditWrites } from './audit.ts';
import { deliveryReads, deliveryWrites } from './deliveries.ts';
import { feedReads, feedWrites } from './feed.ts';
import { messageReads, messageWrites } from './messages.ts';
import { metaReads, metaWrites } from './meta.ts';
import { muteReads, muteWrites } from './mutes.ts';
import { outboxReads, outboxWrites } from './outbox.ts';
import { peerReads, peerWrites } from './peers.ts';
import { retentionWrites } from './retention.ts';
import { ruleReads, ruleWrites } from './rules.ts';
import { searchReads, searchWrites } from './search.ts';
import { taskReads, taskWrites } from './tasks.ts';
import { tokenUseReads, tokenUseWrites } from './token-use.ts';

export function allReads(statements: Statements): Reads {
  return {
    ...metaReads(statements),
    ...peerReads(statements),
    ...agentReads(statements),
    ...taskReads(statements),
    ...approvalReads(statements),
    ...deliveryReads(statements),
    ...messageReads(statements),
    ...feedReads(statements),
    ...outboxReads(statements),
    ...ruleReads(statements),
    ...muteReads(statements),
    ...auditReads(statements),
    ...searchReads(statements),
    ...tokenUseReads(statements),
  };
}

/**
 * Only for use inside a unit of work of the commit queue. @param monotonicMs the clock of this
 * process, for the audit
 */
export function allTables(statements: Statements, monotonicMs: () => number): Tables {
  return {
    ...allReads(statements),
    ...metaWrites(statements),
    ...peerWrites(statements),
    ...agentWrites(statements),
    ...taskWrites(statements),
    ...approvalWrites(statements),
    ...deliveryWrites(statements),
    ...messageWrites(statements),
    ...feedWrites(statements),
    ...outboxWrites(statements),
    ...ruleWrites(statements),
    ...muteWrites(statements),
    ...auditWrites(statements, monotonicMs),
    ...retentionWrites(statements),
    ...searchWrites(statements),
    ...tokenUseWrites(statements),
  };
}
