// A hub in memory at which rules are made by hand: it says each as the real one does, by the names
// of its snapshot, and tries it on requests that are given. What fits and what would be decided the
// real hub knows; here it is given, too.
import type { UiSnapshot } from '../../preload/contract/dto.ts';
import type { OperationInput } from '../../preload/contract/operations.ts';
import type { RuleDraftDto, RuleDto, RuleTrialDto } from '../../preload/contract/rules.ts';
import { FakeHubApi } from './fake-hub-api.ts';
import { ruleOf } from './household-rules.ts';
import { NOW, snapshotOf, uuidOf } from './household.ts';

type Answers = NonNullable<ConstructorParameters<typeof FakeHubApi>[1]>;

export function trialOf(seed: string, over: Partial<RuleTrialDto> = {}): RuleTrialDto {
  return {
    task_id: uuidOf(`trial ${seed}`),
    received_at: NOW - 3_600_000,
    kind: 'delegate',
    peer_name: 'Dad’s laptop',
    from_agent: 'openclaw',
    from_name: 'OpenClaw',
    to_agent: 'household-lists',
    to_name: 'Household lists',
    domain: 'logistics.grocery',
    text: seed,
    without: 'ask',
    with: 'ask',
    ground: 'default',
    miss: 'domain',
    ...over,
  };
}

export const TRIALS: readonly RuleTrialDto[] = [
  trialOf('Put oat milk and bread on the list', { with: 'deliver', ground: 'allow', miss: null }),
  trialOf('Add salt for the dishwasher', {
    with: 'deliver',
    ground: 'allow',
    miss: null,
    received_at: NOW - 26 * 3_600_000,
  }),
  ...Array.from({ length: 18 }, (_, index) =>
    trialOf(`another ${index}`, { received_at: NOW - (30 + index) * 3_600_000 }),
  ),
];

export function makingHub(
  over: Partial<UiSnapshot> = {},
  trials: readonly RuleTrialDto[] = TRIALS,
  answers: Answers = {},
): FakeHubApi {
  const hub: FakeHubApi = new FakeHubApi(snapshotOf(over), {
    'rules.preview': (said) => ({ ok: true, value: { rule: draftOf(hub.snapshot, said), trials } }),
    'rules.create': (said) => {
      const rule: RuleDto = {
        ...ruleOf(JSON.stringify(said)),
        ...draftOf(hub.snapshot, said),
        uses: 0,
        last_used_at: null,
      };
      hub.emit({ type: 'rule', rule });
      return { ok: true, value: rule };
    },
    ...answers,
  });
  return hub;
}

export function draftOf(
  { peers, agents }: UiSnapshot,
  said: OperationInput<'rules.create'>,
): RuleDraftDto {
  const peer = said.peer ?? null;
  const hub = peers.find(({ id }) => id === peer);
  const topic = said.topic ?? null;
  const local = peer?.startsWith('local/') === true ? peer.slice('local/'.length) : null;
  const nameOf = (handle: string | null | undefined) =>
    agents.find(({ name }) => name === handle)?.display_name ?? null;
  return ruleOf('draft', {
    effect: said.effect,
    peer_id: hub?.id ?? null,
    peer_name: hub?.name ?? null,
    asking_local: local,
    asking_local_name: nameOf(local),
    agent: said.agent ?? null,
    agent_name: nameOf(said.agent),
    domain: said.domain ?? null,
    kind: said.kind ?? null,
    asking_agent: said.asking_agent ?? null,
    topic,
    risk_max: said.effect !== 'allow' ? null : topic === null ? 'R1' : 'R2',
    made_on: 'rules',
    created_at: NOW,
    expires_at: said.until ?? null,
    ends_at: said.until ?? null,
    uses: 0,
    last_used_at: null,
  });
}
