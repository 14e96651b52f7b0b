// P4e: what the size of a household and of a conversation adds to a query: naming an agent among 8
// hubs of 10 agents against the only one of the only hub, and asking in a conversation of 300
// messages against asking in a new one.
import { randomUUID } from 'node:crypto';
import { until } from '../../support/until.ts';
import { BenchHousehold, BenchHubs, RAISED } from '../bench-hubs.ts';
import { BenchPair } from '../bench-process.ts';
import { sized } from '../effort.ts';
import type { Load, Measured } from '../load.ts';
import { refusal } from '../requirements.ts';
import { absentRow, part, row, type Part, type Row } from '../results.ts';
import { alternate, behind, p50, ratios, takeTurns } from '../rounds.ts';

const TITLE = 'query in a large household, and in a long conversation';
const ROUNDS = sized({ full: 9, quick: 1 });
const LOAD: Load = { count: sized({ full: 300, quick: 5 }), inFlight: 1, gapMs: 0 };
const WRITTEN_WITHIN_MS = 10_000;
const HUBS = 8;
const AGENTS = 10;
/** A question and its answer are two messages. */
const MESSAGES = sized({ full: 300, quick: 20 });
const EARLIER: Load = { count: MESSAGES / 2, inFlight: 8, gapMs: 0 };
/** Few, so that the conversation stays about as long. */
const LOAD_IN_IT: Load = { ...LOAD, count: sized({ full: 50, quick: 5 }) };

export async function measureP4e(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('P4e', TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const household = await hubs.household();
    const baseline = await hubs.keep(BenchPair.open('hub-query', { told: household.toldEach }));
    const large = await openLarge(hubs);
    const subject = await hubs.keep(BenchPair.open('hub-query', { told: large.toldEach }));
    const rounds = await alternate({ subject, baseline, load: LOAD, rounds: ROUNDS });
    const name = `naming hub/agent at ${HUBS} hubs of ${AGENTS} agents, p50`;
    const goal = { name, unit: 'x at 1 x 1', bound: 'at most', target: 1.3 } as const;
    const naming = part(
      goal,
      ratios(rounds, p50),
      `${behind(rounds, p50, 'ms', 2)}; ${RAISED.join(' ')}`,
    );
    return row('P4e', TITLE, [naming, await conversationPart(baseline, household)]);
  });
}

/** The hub that answers is one of them; the others do nothing but be there. */
async function openLarge(hubs: BenchHubs): Promise<BenchHousehold> {
  const asking = await hubs.start('asking');
  await hubs.connect(asking, HUBS - 1, AGENTS);
  return await BenchHousehold.of(asking, await hubs.start('working'), { idleAgents: AGENTS - 1 });
}

async function conversationPart(pair: BenchPair, { hubs }: BenchHousehold): Promise<Part> {
  let last = '';
  const asked = async (conversation: string | undefined): Promise<Measured> => {
    const its = conversation === undefined ? {} : { conversation };
    await pair.load({ ...EARLIER, ...its });
    return await pair.load({ ...LOAD_IN_IT, ...its });
  };
  const rounds = await takeTurns(ROUNDS, {
    subject: () => asked((last = randomUUID())),
    baseline: () => asked(undefined),
  });
  const expected = MESSAGES + 2 * LOAD_IN_IT.count;
  for (const hub of hubs) {
    const owner = await hub.owner();
    // What was said is written down after it was answered.
    await until(`${expected} messages in one conversation`, WRITTEN_WITHIN_MS, async () => {
      const { conversation } = await owner.call('conversations.get', { id: last });
      return conversation.messages === expected ? conversation : undefined;
    });
  }
  const name = `in a conversation of ${MESSAGES} messages, p50`;
  const goal = { name, unit: 'x in a new one', bound: 'at most', target: 1.3 } as const;
  return part(goal, ratios(rounds, p50), `${behind(rounds, p50, 'ms', 2)}; ${RAISED.join(' ')}`);
}
