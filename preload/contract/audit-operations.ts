// The part of operations.ts about the record of who did what. For people only, none of it for an agent's token.
import * as v from 'valibot';
import { cursor, limit } from './parameters.ts';

const nothing = v.strictObject({});

export const AUDIT_OPERATIONS = {
  'audit.list': { method: 'GET', path: '/v1/audit', access: 'owner', params: v.object({ limit, cursor }) },
  /** Begins a check of the whole record, or joins the one that runs; `audit.verification` says how far it is and what it came to. */
  'audit.verify': { method: 'POST', path: '/v1/audit/verify', access: 'owner', params: nothing },
  'audit.verification': { method: 'GET', path: '/v1/audit/verify', access: 'owner', params: v.object({}) },
  'audit.cancelVerification': { method: 'DELETE', path: '/v1/audit/verify', access: 'owner', params: nothing },
  /** One piece of the record as text, the oldest row first. All pieces together, in order, are the file. */
  'audit.export': {
    method: 'POST',
    path: '/v1/audit/export',
    access: 'owner',
    params: v.strictObject({ format: v.picklist(['json', 'csv']), cursor }),
  },
  /**
   * The owner says that this record is meant, in spite of the doubt that is shown, and rules may act again. `seen`: the number of `doubt` as
   * `audit.list` gave it, 0 where it gave none; where another row tells of the doubt by now, or none was read, nothing is meant.
   */
  'audit.confirm': {
    method: 'POST',
    path: '/v1/audit/confirm',
    access: 'owner',
    params: v.strictObject({ seen: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) }),
  },
} as const;
