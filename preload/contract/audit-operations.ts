// The part of operations.ts about the audit log. For people only, none of it for an agent's token.
import * as v from 'valibot';
import { cursor, limit } from './parameters.ts';

const nothing = v.strictObject({});

export const AUDIT_OPERATIONS = {
  'audit.list': {
    summary: 'Lists the rows of the audit log, the newest first.',
    method: 'GET',
    path: '/v1/audit',
    access: 'owner',
    params: v.strictObject({ limit, cursor }),
  },
  'audit.verify': {
    summary: 'Begins a check of the whole audit log, or joins the one that runs.',
    method: 'POST',
    path: '/v1/audit/verify',
    access: 'owner',
    whileLocked: true,
    params: nothing,
  },
  'audit.verification': {
    summary: 'Shows how far the check is, and what it came to.',
    method: 'GET',
    path: '/v1/audit/verify',
    access: 'owner',
    params: v.strictObject({}),
  },
  'audit.cancelVerification': {
    summary: 'Cancels the check.',
    method: 'DELETE',
    path: '/v1/audit/verify',
    access: 'owner',
    whileLocked: true,
    params: nothing,
  },
  /** All pieces together, in order, are the file. */
  'audit.export': {
    summary: 'Gives one piece of the audit log as text, the oldest row first.',
    method: 'POST',
    path: '/v1/audit/export',
    access: 'owner',
    whileLocked: true,
    params: v.strictObject({ format: v.picklist(['json', 'csv']), cursor }),
  },
  /**
   * A new signed stretch begins.
   * `row`: the first row that does not fit, as it was shown; where another one was found meanwhile,
   * nothing is acknowledged.
   */
  'audit.acknowledge': {
    summary: 'Acknowledges the tamper finding that was shown. Rules may act again.',
    method: 'POST',
    path: '/v1/audit/acknowledge',
    access: 'owner',
    params: v.strictObject({ row: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) }),
  },
} as const;
