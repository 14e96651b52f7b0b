// Whether finding hubs works, for a person: the condition of the computer's networks as one state
// and one sentence that says what to do. Pure.
import type { DiscoveryDto } from '../../../preload/contract/dto.ts';
import type { DiscoveryCondition, UnusableWhy } from '../../ports/discovery.ts';

export const DISCOVERY_OFF: DiscoveryDto = { state: 'off', message: null, interfaces: [] };
export const DISCOVERY_OFF_THIS_RUN: DiscoveryDto = {
  state: 'off',
  message:
    'This hub was started with finding hubs off: until it is started without that, it announces nothing and finds nobody.',
  interfaces: [],
};
export const DISCOVERY_STARTING: DiscoveryDto = {
  state: 'starting',
  message: null,
  interfaces: [],
};
export const DISCOVERY_FAILED: DiscoveryDto = {
  state: 'unusable',
  message:
    'This hub could not announce itself on the home network. Other hubs can still be added by address.',
  interfaces: [],
};

const BY_ADDRESS = 'Hubs can still be added by address.';
/**
 * Most telling first. A VPN or a public address beside a network that works is nothing to speak of.
 */
const REASONS: readonly {
  readonly why: UnusableWhy;
  readonly impairs: boolean;
  readonly sentence: (names: string) => string;
}[] = [
  {
    why: 'absent',
    impairs: true,
    sentence: (names) =>
      `This hub is told to use ${names}, and this computer has no such network now. ${BY_ADDRESS}`,
  },
  {
    why: 'port-taken',
    impairs: true,
    sentence: (names) =>
      `Another program keeps UDP port 5353 to itself, so hubs cannot find each other on ${names}. Close it. ${BY_ADDRESS}`,
  },
  {
    why: 'blocked',
    impairs: true,
    sentence: (names) =>
      `This computer lets no announcements out on ${names}, so hubs cannot find each other there. Allow UDP port 5353 in its firewall. ${BY_ADDRESS}`,
  },
  {
    why: 'no-home-address',
    impairs: false,
    sentence: (names) =>
      `${names} has no home-network address (such as 192.168.1.20), so nothing is announced there. Connect to the home network. ${BY_ADDRESS}`,
  },
  {
    why: 'point-to-point',
    impairs: false,
    sentence: (names) =>
      `${names} is a VPN or a direct line, on which hubs cannot find each other. Connect to the home network. ${BY_ADDRESS}`,
  },
];

/** The state and the sentence for a condition that the discovery reported. */
export function discoveryStatus({ working, unusable }: DiscoveryCondition): DiscoveryDto {
  const isUsable = working.length > 0;
  const reason = REASONS.find(
    ({ why, impairs }) => (impairs || !isUsable) && unusable.some((one) => one.why === why),
  );
  if (reason !== undefined) {
    const names = unusable.filter(({ why }) => why === reason.why).map(({ name }) => name);
    return {
      state: isUsable ? 'impaired' : 'unusable',
      message: reason.sentence(names.join(' and ')),
      interfaces: working,
    };
  }
  if (isUsable) return { state: 'working', message: null, interfaces: working };
  const message = `This computer is on no network just now, so hubs cannot find each other. ${BY_ADDRESS}`;
  return { state: 'unusable', message, interfaces: [] };
}
