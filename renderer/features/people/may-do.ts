// What a hub may do here without asking: by the classes of the agents and the rules in force. Pure.
import type { AgentDto } from '../../../preload/contract/dto.ts';
import type { RuleDto } from '../../../preload/contract/rules.ts';
import { areaName } from '../../../preload/contract/strings/shared-words.ts';

const ORDER: readonly RuleDto['effect'][] = ['allow', 'never', 'ask'];

/** The areas that only look, by name. An agent without areas is always asked for. */
export function onlyLooks(agents: readonly AgentDto[]): readonly string[] {
  const names = agents.flatMap(({ risk_class, domains }) =>
    domains
      .filter((area) => area.offered !== false && (area.risk_class ?? risk_class) === 'R0')
      .map(({ domain }) => areaName(domain)),
  );
  return [...new Set(names)];
}

/** Those in force that are about this hub or about every hub: what they allow first. */
export function rulesAbout(
  peerId: string,
  rules: readonly RuleDto[],
  now: number,
): readonly RuleDto[] {
  return rules
    .filter(
      ({ peer_id, asking_local }) =>
        peer_id === peerId || (peer_id === null && asking_local === null),
    )
    .filter(
      ({ suspended, ended_at, ends_at }) =>
        !suspended && ended_at === null && (ends_at === null || ends_at > now),
    )
    .toSorted((one, other) => ORDER.indexOf(one.effect) - ORDER.indexOf(other.effect));
}
