// A hub that plays the responder of a pairing by hand up to where a person types at the other side,
// and may then keep its word or withhold it.
import { randomBytes } from 'node:crypto';
import { isJsonObject } from '../../../../main/lib/json-object.ts';
import {
  answerPayload,
  parsePairStep,
  transcript,
  type PairStep,
} from '../../../../main/protocol/pairing.ts';
import { keyBytes } from '../../../../main/services/pairing/pairing-session.ts';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import type { RawHub } from '../links/raw-hub.ts';

export interface PlayedResponder {
  /** The transcript as this responder sees it. */
  readonly sealed: Uint8Array;
  readonly pid: Uint8Array;
  readonly connectionId: number;
}

/**
 * Answers what the hub under attack sends until a person may type: acks every step, and sends an
 * answer to its offer.
 */
export async function playResponder(
  clock: ManualClock,
  dad: HubStack,
  relay: RawHub,
): Promise<PlayedResponder> {
  const handled = new Set<number>();
  const nonceR = new Uint8Array(randomBytes(32));
  const metaR = { hub: 'Mum' };
  let offer: Extract<PairStep, { step: 'offer' }> | undefined;
  for (let round = 0; round < 60; round++) {
    for (const event of relay.events) {
      if (event.type !== 'request' || handled.has(event.streamId)) continue;
      handled.add(event.streamId);
      const envelope: unknown = JSON.parse(new TextDecoder().decode(event.bytes));
      if (!isJsonObject(envelope) || !isJsonObject(envelope['payload']))
        throw new Error('no envelope');
      const { connectionId } = event;
      const isHello = envelope['kind'] === 'hello';
      const payload = isHello
        ? { protocol_versions: [1], selected_version: 1, features: ['pair'] }
        : { accepted: true };
      const reply = relay.envelope(dad.agentId, isHello ? 'hello' : 'ack', payload, {
        ref: envelope['id'],
      });
      relay.transport.respond(connectionId, event.streamId, reply);
      const step = isHello ? undefined : parsePairStep(envelope['payload']);
      if (step?.ok !== true) continue;
      if (step.value.step === 'offer') {
        offer = step.value;
        const answer = answerPayload(offer.pid, metaR, nonceR);
        void relay.transport.request(
          connectionId,
          relay.envelope(dad.agentId, 'pair', answer),
          10_000,
        );
      } else if (step.value.step === 'reveal' && offer !== undefined) {
        const { pid, meta: metaI, commit } = offer;
        const [keyI, keyR] = [keyBytes(dad.key), keyBytes(relay.key)];
        await clock.until(() => dad.currentPairing?.state === 'type_six', 'a person may type');
        return {
          sealed: transcript({
            pid,
            keyI,
            metaI,
            keyR,
            metaR,
            commit,
            nonceR,
            nonceI: step.value.nonce,
          }),
          pid,
          connectionId,
        };
      }
    }
    await clock.advance(100);
  }
  throw new Error('the hub revealed nothing');
}
