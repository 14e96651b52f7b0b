// A local agent of a test: its token, and what it does over its hub's HTTP API. Everything it runs
// is written down with what it was told.
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import type { HubApi } from '../lan/hub-process.ts';

const CLAIM_WAIT_MS = 20_000;

/** Takes the next item of one kind; throws when none comes in time. */
export async function nextItem(
  agent: HubApi,
  kind: DeliveryDto['kind'],
  waitMs = CLAIM_WAIT_MS,
): Promise<DeliveryDto> {
  const { items } = await agent.call('inbox.claim', { max: 1, wait_ms: waitMs, kinds: [kind] });
  const [item] = items;
  if (item === undefined) throw new Error(`no ${kind} came within ${waitMs} ms`);
  return item;
}

/** Takes a delegation, accepts it and reports `outcome`; what was handed out. */
export async function doWork(agent: HubApi, outcome: string): Promise<DeliveryDto> {
  const item = await nextItem(agent, 'delegate');
  await agent.call('inbox.ack', { delivery: item.delivery_id });
  await agent.call('inbox.reply', { delivery: item.delivery_id, outcome });
  return item;
}
