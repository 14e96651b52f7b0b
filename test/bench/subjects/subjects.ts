// The subjects by the names the runner and its processes call them.
import { a2aHop } from './a2a.ts';
import { delegationToAck, delegationToResult, messageToAck } from './hub-delegation.ts';
import { hubPing } from './hub-ping.ts';
import { hubQuery } from './hub-query.ts';
import { endpointAlone, mainToMain } from './hub-transport.ts';
import { http2OverTls } from './http2.ts';
import { udp } from './udp.ts';

export const SUBJECTS = {
  udp,
  http2: http2OverTls,
  endpoint: endpointAlone,
  'main-to-main': mainToMain,
  'hub-query': hubQuery,
  'hub-ping': hubPing,
  'hub-delegation-ack': delegationToAck,
  'hub-delegation-result': delegationToResult,
  'hub-message-ack': messageToAck,
  a2a: a2aHop,
} as const;

export type SubjectName = keyof typeof SUBJECTS;

export function isSubjectName(text: string | undefined): text is SubjectName {
  return text !== undefined && Object.hasOwn(SUBJECTS, text);
}
