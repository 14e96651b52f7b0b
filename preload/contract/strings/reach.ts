// How an agent comes to know that something waits for it, in a sentence for every surface: the
// page, a terminal, a card, a model. Says nothing that was not seen. English.
import type { Reach, WebhookOutcome, WebhookPreset } from '../closed-lists.ts';
import type { AskedModelDto, ReachedDto, WebhookCallDto } from '../dto.ts';

/** A time as the surface writes it. */
type TimeOf = (at: number) => string;

export const webhookNames: Readonly<Record<WebhookPreset, string>> = {
  opencode: 'opencode',
  openclaw: 'OpenClaw',
  generic: 'Another program',
};

const calls: Readonly<Record<WebhookOutcome, (time: string, status: number) => string>> = {
  taken: (time) => `Its webhook took the last call, ${time}.`,
  not_there: (time) => `Nothing answered at its webhook, ${time}. It was not woken.`,
  refused: (time, status) =>
    `Its webhook refused the last call with status ${status}, ${time}. It was not woken.`,
  unclear: (time) =>
    `Its webhook gave no clear answer, ${time}. Whether it was woken is not known.`,
  limit: (time) =>
    `Its webhook was not called, ${time}: as often as a day allows, it has been woken.`,
  unreadable: () => 'Its webhook is not called: it cannot be read. Set it again.',
};

/** The light of a webhook, in words. */
export function lastCallOf(last: WebhookCallDto | null, time: TimeOf): string {
  if (last === null) return 'Its webhook was not called yet.';
  return calls[last.outcome](time(last.at), last.status ?? 0);
}

const ways: Readonly<Record<Reach, (agent: ReachedDto, time: TimeOf) => string>> = {
  called: ({ presence }) =>
    presence === 'away' ? 'This hub calls it, but cannot just now.' : 'This hub calls it.',
  runner_used: () =>
    'This hub starts its program for each request, but not before tomorrow, by UTC: it was woken as often as a day allows for whoever asks.',
  file: ({ presence, asks_model: asks }) => asksWords(presence === 'online', asks),
  itself: () => 'It looks by itself.',
  runner: ({ presence }) =>
    presence === 'online'
      ? 'This hub starts its program for each request.'
      : 'This hub starts its program for each request, but cannot just now.',
  hook: () => 'A hook of its program waits to wake it.',
  webhook: ({ webhook }, time) => lastCallOf(webhook?.last ?? null, time),
  nothing: ({ presence, last_call_at: at }, time) => {
    if (at === null) return 'It has not been here yet, and gets work when it looks.';
    return presence === 'online'
      ? 'It is connected, and gets work when it looks.'
      : `Away since ${time(at)}. It gets work when it looks.`;
  },
};

const files = {
  runs: 'This hub runs it.',
  cannot: 'This hub runs it, but cannot just now.',
  asksHere: (model: string) => `It asks ${model} on this computer.`,
  asksThere: (model: string, host: string) => `It asks ${model}; what it is asked goes to ${host}.`,
  usedUp: 'Its tokens of today are used up, so it refuses until tomorrow, by UTC.',
};

function asksWords(isThere: boolean, asks: AskedModelDto | null): string {
  const model =
    asks === null
      ? []
      : [
          asks.leaves_to === null
            ? files.asksHere(asks.model)
            : files.asksThere(asks.model, asks.leaves_to),
          ...(asks.used_up ? [files.usedUp] : []),
        ];
  return [isThere ? files.runs : files.cannot, ...model].join(' ');
}

export function reachOf(agent: ReachedDto, time: TimeOf): string {
  return ways[agent.reach](agent, time);
}
