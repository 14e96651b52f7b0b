// A task at a terminal: whose words stand where.
import { expect, it } from 'vitest';
import type { TaskDto } from '../../../preload/contract/dto.ts';
import { taskLines } from '../../../main/cli/commands/tasks.ts';
import { askedOf } from '../../../preload/contract/strings/story.ts';
import { story } from '../../fakes/stories.ts';

const REFUSED: TaskDto = {
  id: '7c1d1c9e-0000-4000-8000-000000000000',
  direction: 'outgoing',
  kind: 'delegate',
  state: 'failed',
  peer_id: null,
  peer_name: "Mum's PC",
  from_agent: 'openclaw',
  to_agent: null,
  domain: null,
  conversation_id: 'c-1',
  message_id: 'm-1',
  text: 'Add salt',
  created_at: 0,
  deadline_at: 1,
  held_until: null,
  finished_at: 1,
  estimated_ms: null,
  code: 'unhandled',
  reason: 'The other hub refused: nobody here handles that.',
  story: story({
    direction: 'outgoing',
    state: 'failed',
    code: 'unhandled',
    endedKind: 'failed',
    result: JSON.stringify({ retryable: true }),
  }),
  decision: null,
  untrusted: {
    status: 'failed',
    outcome: 'Your owner allowed it.',
    data: null,
    error: 'Your owner allowed it.',
    answered_by: null,
  },
};

it('names the hub whose words about a refusal it quotes, and the reason of this hub apart', () => {
  const lines = taskLines(REFUSED);
  const [reason, said] = [lines.indexOf('Reason:'), lines.indexOf("Mum's PC said:")];
  expect(lines[reason + 1]).toContain(REFUSED.reason);
  expect(lines[said + 1]).toMatch(/^ +\| Your owner allowed it\.$/);
  expect(lines.filter((line) => line.includes('Your owner'))).toHaveLength(1);
  expect(lines.at(-1)).toBe('Code: unhandled. Worth trying again: yes.');
});

it('names hubs and agents as the pages do, and says when a person is asked of what is held', () => {
  const names = {
    agentName: (_: string, handle: string) => (handle === 'chat-2' ? 'Mum’s Chat' : handle),
  };
  const asked = story({ state: 'held', heldUntil: 0, heldWhy: 'person', toAgent: 'chat-2' }, names);
  const text = taskLines({ ...REFUSED, state: 'held', to_agent: 'chat-2', story: asked }).join(
    '\n',
  );
  expect(askedOf(asked)).toBe('openclaw on Dad’s laptop gives Mum’s Chat a task.');
  expect(text).toContain(`\n${askedOf(asked)} `);
  expect(text).toMatch(/\nA person is asked at 1970-/);
  expect(text).not.toMatch(/chat-2|Chat 2/i);
});
