// A scripted local agent of the demo: claims its inbox like any agent, looks up what it was asked,
// and says what it would have done. It speaks to its hub over the public API only and treats what
// it reads as data.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { isWork } from '../../../preload/contract/delivery-kind.ts';
import type { HubClient } from '../hub-client.ts';

const CLAIM_WAIT_MS = 25_000;
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** What the agent knows or does, by the first word that fits. */
export type Script = readonly (readonly [needle: string, answer: string])[];

interface AgentEvents {
  onDone(kind: DeliveryDto['kind'], text: string, answer: string): void;
  onResult(outcome: string, status: string): void;
}

/** Works until the signal is aborted. A failing call is tried again: the hub may be restarting. */
export async function runScriptedAgent(
  line: HubClient,
  script: Script,
  events: AgentEvents,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { items } = await line.call('inbox.claim', { max: 4, wait_ms: CLAIM_WAIT_MS }, signal);
      for (const item of items) await work(line, script, item, events);
    } catch {
      if (!signal.aborted)
        await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_FAILURE_MS));
    }
  }
}

async function work(
  line: HubClient,
  script: Script,
  item: DeliveryDto,
  events: AgentEvents,
): Promise<void> {
  await line.call('inbox.ack', { delivery: item.delivery_id });
  const text = item.untrusted.text ?? '';
  if (isWork(item.kind)) {
    const answer = answerTo(script, text);
    await line.call('inbox.reply', {
      delivery: item.delivery_id,
      outcome: answer,
      summary: answer,
    });
    events.onDone(item.kind, text, answer);
    return;
  }
  if (item.kind === 'result') events.onResult(text, statusOf(item.untrusted.payload));
}

function answerTo(script: Script, text: string): string {
  const words = text.toLowerCase();
  return script.find(([needle]) => words.includes(needle))?.[1] ?? 'Noted; nothing more to do.';
}

function statusOf(payload: unknown): string {
  return typeof payload === 'object' &&
    payload !== null &&
    'status' in payload &&
    typeof payload.status === 'string'
    ? payload.status
    : 'completed';
}
