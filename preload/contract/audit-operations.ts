// The part of operations.ts about the audit log. For people only, none of it for an agent's token.
import * as v from 'valibot';
import { cursor, limit } from './parameters.ts';

const nothing = v.strictObject({});

export const AUDIT_OPERATIONS = {
  'audit.list': {
    method: 'GET',
    path: '/v1/audit',
    access: 'owner',
    params: v.object({ limit, cursor }),
  },
  /**
   * Begins a check of the whole log, or joins the one that runs; `audit.verification` says how far
   * it is and what it came to.
   */
  'audit.verify': {
    method: 'POST',
    path: '/v1/audit/verify',
    access: 'owner',
    whileLocked: true,
    params: nothing,
  },
  'audit.verification': {
    method: 'GET',
    path: '/v1/audit/verify',
    access: 'owner',
    params: v.object({}),
  },
  'audit.cancelVerification': {
    method: 'DELETE',
    path: '/v1/audit/verify',
    access: 'owner',
    whileLocked: true,
    params: nothing,
  },
  /**
   * One piece of the log as text, the oldest row first. All pieces together, in order, are the
   * file.
   */
  'audit.export': {
    method: 'POST',
    path: '/v1/audit/export',
    access: 'owner',
    whileLocked: true,
    params: v.strictObject({ format: v.picklist(['json', 'csv']), cursor }),
  },
  /**
   * The owner has seen the tamper finding: a new signed stretch begins, and rules may act again.
   * `row`: the first row that does not fit, as it was shown; where another one was found meanwhile,
   * nothing is acknowledged.
   */
  'audit.acknowledge': {
    method: 'POST',
    path: '/v1/audit/acknowledge',
    access: 'owner',
    params: v.strictObject({ row: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) }),
  },
} as const;
