// Messages of the languages, as short as their documents allow.
import type { JsonObject } from '../../../main/lib/json-object.ts';

let count = 0;
export const fresh = (): number => ++count;
export const crunch = (from: string, type: string, payload: JsonObject, more: JsonObject = {}) => ({
  id: `MSG-1705234567890-${fresh()}`,
  type,
  from,
  timestamp: '2025-01-14T10:30:00Z',
  priority: 'NORMAL',
  payload,
  ...more,
});
export const eliza = (
  from: string,
  performative: string,
  payload: JsonObject,
  more: JsonObject = {},
) => ({
  mcp_version: '0.1.0',
  message_id: `m-${fresh()}`,
  performative,
  sender: { agent_id: from },
  payload,
  ...more,
});
export const fipa = (performative: string, content: unknown, more: JsonObject = {}) => ({
  performative,
  content,
  ...more,
});
export const acp = (kind: string, payload: JsonObject, more: JsonObject = {}) => ({
  id: `d-${fresh()}`,
  kind,
  payload,
  ...more,
});
export const inAMoment = (ms: number): string => new Date(Date.now() + ms).toISOString();
export const PAST = '2025-01-14T10:30:00Z';
