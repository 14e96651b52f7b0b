// What whoever cancels reads: asking to stop is not stopping.
import { expect, it } from 'vitest';
import { TOOLS } from '../../../main/mcp/tools.ts';
import { cancelledOf } from '../../../preload/contract/strings/story.ts';
import { story } from '../../fakes/stories.ts';

const OURS = { direction: 'outgoing', party: 'dad', fromAgent: 'openclaw' } as const;
const ASKED = { stopAt: 1, stopParty: 'agent:openclaw', cancelCause: 'cancelled' } as const;
const CASES = [
  [{ ...ASKED, state: 'cancelling' }, 'Asked Dad’s laptop to cancel it; no answer yet.'],
  [
    { ...ASKED, state: 'cancelled', endedKind: 'cancelled', endedBy: 'agent' },
    'Cancelled: nobody had begun.',
  ],
  // Of a report that says no more: no news is no news.
  [{ ...ASKED, state: 'cancelled', endedKind: 'cancelled' }, 'Cancelled.'],
  [{ ...ASKED, state: 'cancelled', endedKind: 'cancelled', endedBy: 'hub' }, 'Cancelled.'],
  [
    {
      ...ASKED,
      state: 'cancelled',
      cancelAnswer: 'asked_to_stop',
      endedKind: 'stopped',
      endedBy: 'agent',
      stopObeyed: true,
    },
    'Stopped.',
  ],
  [
    { ...ASKED, state: 'running', cancelAnswer: 'asked_to_stop' },
    'Asked Chat on Dad’s laptop to stop; it had begun.',
  ],
  // By a hub of the version before, which does not say whose failure it is.
  [
    { ...ASKED, state: 'failed', cancelAnswer: 'asked_to_stop', endedKind: 'failed' },
    'Too late: it had ended.',
  ],
  [{ state: 'completed', endedKind: 'completed', endedBy: 'agent' }, 'Too late: it was finished.'],
  [{ state: 'declined', verdict: 'declined' }, 'Declined.'],
] as const;

it.each(CASES)('%o', (row, says) => {
  const told = story({ ...OURS, ...row });
  expect(cancelledOf(told)).toBe(says);
  for (const direction of ['outgoing', 'local'])
    expect(
      JSON.stringify(TOOLS.axon_cancel.enclose?.({ id: 'a', direction, story: told }, {})),
    ).toContain(`{"untrusted":{"came_of_it":"${says}"`);
});
