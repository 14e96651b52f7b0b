// An item of the inbox at a terminal: what it is about, and what to do.
import { expect, it } from 'vitest';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { deliveryLines } from '../../../main/cli/commands/inbox.ts';

const CANCEL: DeliveryDto = {
  delivery_id: 'd-2',
  attempt: 1,
  lease_until: null,
  kind: 'cancel',
  task_id: 't-1',
  conversation_id: null,
  stops: 'd-1',
  instruction_from_hub: '',
  trust: { peer_id: null, peer_name: "Dad's laptop", paired_at: null },
  approval: null,
  deadline_at: null,
  envelope: { id: 'm-1', kind: 'cancel', ref: null, received_at: 0 },
  untrusted: {
    origin: { peer_name: "Dad's laptop", peer_id: null, from_agent: null },
    kind: 'cancel',
    text: null,
    payload: { reason: null },
    digest: null,
  },
};
const lines = (item: DeliveryDto) =>
  deliveryLines(item, (verb, rest) => `axon ${verb} ${rest}`).join('\n');

it('names the task that a cancel is about, and says to stop and then to reply that it is cancelled', () => {
  const shown = lines(CANCEL);
  expect(shown).toContain('cancel of t-1  from');
  expect(shown).toContain('Stop task t-1 now. You have it as d-1');
  expect(shown).toMatch(/axon reply d-1 ".*" --status cancelled/);
  expect(shown).toContain('axon ack d-2');
  expect(shown).not.toContain('null');
});

it('names the agent it is from as people read it, and its hub', () => {
  const from_agent = { from_agent: 'chat-2', from_agent_name: 'Chat' };
  const origin = { ...CANCEL.untrusted.origin, ...from_agent };
  const shown = lines({ ...CANCEL, untrusted: { ...CANCEL.untrusted, origin } });
  expect(shown).toContain("from Chat on Dad's laptop\n");
});

it('says how the task of a result ended, as its story does', () => {
  const payload = { status: 'failed', outcome: 'No oven' };
  const said = { kind: 'result', text: 'No oven', payload, came_of_it: 'Chat refused it.' };
  const shown = lines({ ...CANCEL, kind: 'result', untrusted: { ...CANCEL.untrusted, ...said } });
  expect(shown).toMatch(/result of t-1 {2}from .*\n {2}Chat refused it\.\n {2}\| No oven/);
  expect(shown).not.toContain('failed');
});

it('says that a person of this hub stopped the task', () => {
  expect(lines(CANCEL)).toContain('A person on this hub stopped it. Stop task t-1 now.');
});

it('asks for no reply where the task of a cancel is over, and shows the reason', () => {
  const { stops: _, ...over } = CANCEL;
  const shown = lines({ ...over, untrusted: { ...CANCEL.untrusted, text: 'Plans changed' } });
  expect(shown).toContain('Stop task t-1 now. It is over');
  expect(shown).toContain('| Plans changed');
  expect(shown).not.toContain('--status');
});
