// A scripted local agent of the demo: takes its inbox like any agent, looks up what it was asked,
// and says what it would have done. It speaks to its hub by the client that agents can copy, and
// treats what it reads as data.
import type { AxonClient, Item } from '../../../resources/examples/axon-client.ts';

/** What the agent knows or does, by the first word that fits. */
export type Script = readonly (readonly [needle: string, answer: string])[];

interface AgentEvents {
  onDone(kind: Item['kind'], text: string, answer: string): void;
  onResult(outcome: string, status: string): void;
}

/** Works until the signal is aborted. */
export function runScriptedAgent(
  client: AxonClient,
  script: Script,
  events: AgentEvents,
  signal: AbortSignal,
): Promise<void> {
  return client.listen(async ({ kind, untrusted }) => {
    const text = untrusted.text ?? '';
    if (kind === 'result') events.onResult(text, statusOf(untrusted.payload));
    if (kind !== 'delegate' && kind !== 'query') return undefined;
    const answer = answerTo(script, text);
    events.onDone(kind, text, answer);
    return answer;
  }, signal);
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
