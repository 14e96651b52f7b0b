// P13: from a person's "Allow once" to the event at the agent that does the work. Two built hubs on this computer, paired with each other;
// the decision goes in by the owner's HTTP door, and the agent reads its stream.
import { performance } from 'node:perf_hooks';
import type { ApprovalDto, UiEvent } from '../../../preload/contract/dto.ts';
import { pairByApi } from '../../e2e/pair-by-api.ts';
import { HubProcess, type HubApi } from '../../lan/hub-process.ts';
import { ThisComputer } from '../../lan/this-computer.ts';
import type { EventReader, SeenEvent } from '../../support/event-reader.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, quantile, row, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const TITLE = 'allow once to the event at the agent';
const DOMAIN = 'household.chores';
const DECISIONS_A_ROUND = 40;
/** A person reads before allowing: by then the request is on the disk at both hubs. */
const READING_MS = 50;
const EVENT_LIMIT_MS = 20_000;
const FLAGS = ['--discovery', 'off', '--peer-rate-factor', '1000'];

export async function measureP13(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('P13', TITLE, missing);
  const computer = new ThisComputer('bench');
  const hubs: HubProcess[] = [];
  try {
    for (const name of ['asking', 'working']) hubs.push(await HubProcess.start(computer, { name, flags: FLAGS }));
    const [asking, working] = hubs;
    if (asking === undefined || working === undefined) throw new Error('two hubs were started');
    const rounds = await decide(await asking.owner(), await working.owner());
    const sorted = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);
    const detail = `p50 ${median(rounds.flat()).toFixed(1)} ms; p95 of each round of ${DECISIONS_A_ROUND}; --peer-rate-factor 1000`;
    const p95s = rounds.map((values) => quantile(sorted(values), 0.95));
    return row('P13', TITLE, [
      part({ name: 'POST of the decision to the event, p95', unit: 'ms', bound: 'at most', target: 20 }, p95s, detail),
    ]);
  } finally {
    await Promise.all(hubs.map((hub) => hub.remove()));
    await computer.close();
  }
}

/** The times of each round, in ms. */
async function decide(asking: HubApi, working: HubApi): Promise<readonly (readonly number[])[]> {
  await pairByApi(asking, working, { asking: 'Asking', asked: 'Working' });
  const asker = asking.withToken((await asking.call('agents.create', { name: 'asker', domains: [DOMAIN] })).token);
  const worker = working.withToken((await working.call('agents.create', { name: 'worker', domains: [DOMAIN] })).token);
  const [page, inbox] = [await working.follow(), await worker.follow('/v1/inbox/stream')];
  const once = async (): Promise<number> => {
    const asked = next(page, 'the card', (seen) => pendingIn(seen) !== undefined);
    await asker.call('send.delegate', { to: 'Working', task: 'Water the plants on the balcony', domain: DOMAIN });
    const card = pendingIn(await asked);
    if (card === undefined) throw new Error('the card was lost');
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
    const { id, revision, digest } = card;
    const event = next(inbox, 'the event at the agent', ({ data }) => deliveryOf(data) !== undefined);
    const clickedMs = performance.now();
    const decided = working.call('approvals.decide', { id, revision, digest, decision: 'allow' });
    const delivery = deliveryOf((await event).data) ?? '';
    const tookMs = performance.now() - clickedMs;
    await decided;
    await worker.call('inbox.ack', { delivery });
    await worker.call('inbox.reply', { delivery, outcome: 'Done' });
    return tookMs;
  };
  try {
    const rounds: number[][] = [];
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS_MIN; round += 1) {
      const times: number[] = [];
      for (let count = 0; count < DECISIONS_A_ROUND; count += 1) times.push(await once());
      if (round > 0) rounds.push(times);
    }
    return rounds;
  } finally {
    for (const reader of [page, inbox]) reader.close();
  }
}

/** The first event still to come that fits. */
async function next(reader: EventReader, what: string, fits: (seen: SeenEvent) => boolean): Promise<SeenEvent> {
  const before = reader.events.length;
  const limit = setTimeout(() => reader.close(), EVENT_LIMIT_MS);
  try {
    return await reader.next((seen) => reader.events.lastIndexOf(seen) >= before && fits(seen), what);
  } finally {
    clearTimeout(limit);
  }
}

function pendingIn({ data }: SeenEvent): ApprovalDto | undefined {
  return isUiEvent(data) && data.type === 'approval' && data.approval.state === 'pending' ? data.approval : undefined;
}

function isUiEvent(data: unknown): data is UiEvent {
  return typeof data === 'object' && data !== null && 'type' in data;
}

function deliveryOf(data: unknown): string | undefined {
  return typeof data === 'object' && data !== null && 'delivery_id' in data ? String(data.delivery_id) : undefined;
}
