// What the hub answers by itself, whoever asks: how it is and what it can do. A stranger's pong tells nothing of it (PROTOCOL.md, Envelope).
import type { JsonObject } from '../../lib/json-object.ts';
import type { Incoming } from './incoming.ts';

export interface HubAnswers {
  /** Our own answers to ping and discover, for paired peers. */
  readonly pong: () => JsonObject;
  readonly capabilities: () => JsonObject;
}

export function answerForTheHub(incoming: Incoming, { pong, capabilities }: HubAnswers): void {
  incoming.onOpenRequest('ping', () => Promise.resolve({ kind: 'pong', payload: { status: 'idle', uptime_secs: 0, active_tasks: 0 } }));
  incoming.onRequest('ping', () => Promise.resolve({ kind: 'pong', payload: pong() }));
  incoming.onRequest('discover', () => Promise.resolve({ kind: 'capabilities', payload: capabilities() }));
}
