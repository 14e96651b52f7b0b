// A hub that is killed between its cancel and the answer to it. The other hub has that cancel, so
// after the restart both tell the same story: that it was asked to stop, and how it ended.
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { AxonClient } from '../../resources/examples/axon-client.ts';
import type { ApprovalDto, DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import type { StoryDto } from '../../preload/contract/story.ts';
import { headlineOf, stopOf } from '../../preload/contract/strings/story.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { endPrograms, startHeadless, type HeadlessHub } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const homes: string[] = [];
afterEach(async () => {
  await endPrograms();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

interface Side {
  readonly person: AxonClient;
  readonly agent: AxonClient;
  start(): Promise<HeadlessHub>;
}

async function sideOf(hub: TestHub, handle: string): Promise<Side> {
  const port = String(hub.node.services.peers.port);
  const [page, agent] = [await hub.page(), await hub.agent(handle)];
  await hub.node.stop();
  homes.push(hub.home);
  return {
    person: new AxonClient(page, hub.home),
    agent: new AxonClient(agent, hub.home),
    start: () => startHeadless(hub.home, ['--peer-port', port]),
  };
}

const only = async <T>(client: AxonClient, path: string, body?: object): Promise<T> =>
  until(`something at ${path}`, 20_000, async () => {
    const page = await client.call(path, body).catch(() => ({ items: [] }));
    return (page as { readonly items: readonly T[] }).items[0];
  });

test('is on record at both all the same', async () => {
  const [one, other] = [await TestHub.start(), await TestHub.start()];
  await pairHubs(one, other, ['Mum', 'Dad']);
  const [dad, mum] = [await sideOf(one, 'asker'), await sideOf(other, 'doer')];
  const [here, there] = [await dad.start(), await mum.start()];

  await until('the two to be connected', 20_000, () =>
    dad.agent.call('/v1/delegate', { to: 'Mum/doer', task: 'Paint the fence.' }),
  );
  const { id, revision, digest } = await only<ApprovalDto>(mum.person, '/v1/approvals');
  await mum.person.call(`/v1/approvals/${id}/decide`, { revision, digest, decision: 'allow' });
  const work = await only<DeliveryDto>(mum.agent, '/v1/inbox/claim', { max: 1 });
  await mum.agent.call(`/v1/inbox/${work.delivery_id}/ack`, { attempt: work.attempt });

  // Mum's hub gets the cancel, and its answer finds nobody.
  there.program.kill('SIGSTOP');
  const task = await only<TaskDto>(dad.person, '/v1/tasks');
  const cancelling = dad.agent.call(`/v1/tasks/${task.id}/cancel`, {}).catch(() => undefined);
  await setTimeout(1_000);
  here.program.kill('SIGKILL');
  await Promise.all([here.program.ended(), cancelling]);
  there.program.kill('SIGCONT');
  const stop = await only<DeliveryDto>(mum.agent, '/v1/inbox/claim', { max: 1 });
  expect(stop.kind).toBe('cancel');
  await mum.agent.call(`/v1/inbox/${work.delivery_id}/reply`, { status: 'cancelled' });

  await dad.start();
  const [told, known] = [await ended(dad), await ended(mum)];
  expect([headlineOf(told), headlineOf(known)]).toEqual(['Stopped.', 'Stopped.']);
  expect(stopOf(told)).not.toBeNull();
}, 90_000);

const ended = (side: Side): Promise<StoryDto> =>
  until('its end', 30_000, async () => {
    const { story } = await only<TaskDto>(side.person, '/v1/tasks');
    return story.end === null ? undefined : story;
  });
