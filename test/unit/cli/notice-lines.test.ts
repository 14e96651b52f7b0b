// What `axon notify` says of who gets a notice: names, or that nobody does, and of other hubs no
// more than is known.
import { expect, it } from 'vitest';
import { sentOf } from '../../../preload/contract/strings/receipts.ts';
import { OWNER } from '../../fakes/work-hub.ts';
import { closeOneHub, openOneHub } from '../../fakes/two-work-hubs.ts';

const REPORT = {
  id: 'm-1',
  state: 'sent',
  task_url: null,
  chosen: { peer_id: 'p', peer_name: 'Mum', agent: null, agent_name: null, why: '' },
  story: null,
  estimated_ms: null,
  untrusted: null,
};

it('names the agents of this hub that get it, or says that none does', async () => {
  const one = await openOneHub();
  const tell = async (topic: string, to = 'local') =>
    sentOf(
      await one.hub.work.sender.notify({ to, topic, data: 'Ready', importance: 'low' }, 'claude'),
      topic,
    ).join('\n');
  try {
    expect(await tell('dinner', 'local/lists')).toBe('These agents here get it: Lists.');
    expect(await tell('dinner')).toMatch(/^No agent here gets it: none is subscribed to dinner/);
    await one.hub.work.agents.update('lists', { topics: ['dinner'] }, OWNER);
    await one.hub.work.agents.rename('lists', 'Shopping', OWNER);
    expect(await tell('dinner.ready')).toBe('These agents here get it: Shopping.');
  } finally {
    await closeOneHub(one);
  }
});

it('says of another hub, and of all of them, that only they know', () => {
  expect(sentOf(REPORT, 'dinner').join()).toContain('only Mum knows');
  const chosen = { ...REPORT.chosen, agent: 'chat-2', agent_name: 'Chat' };
  expect(sentOf({ ...REPORT, chosen }).join()).toContain('Sent to Mum for its agent Chat.');
  const recipients = [{ peer_id: 'p', peer_name: 'Mum', state: 'sent' }] as const;
  const lines = sentOf({ ...REPORT, recipients }, 'dinner').join('\n');
  expect(lines).toContain('Sent to Mum.');
  expect(lines).toContain('only those hubs know');
  expect(lines).toContain('No agent here gets it.');
  expect(
    sentOf({ ...REPORT, recipients, agents: ['chat'], agent_names: ['Chat'] }, 'dinner').at(-1),
  ).toBe('These agents here get it: Chat.');
  expect(sentOf({ ...REPORT, recipients: [] }, 'dinner')).toEqual([
    'No hub is paired.',
    'No agent here gets it.',
  ]);
});
