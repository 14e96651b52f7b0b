// Who did it, in the words of the audit: never a token, only the id that stands for it.
import type { Surface } from '../../preload/contract/dto.ts';
import type { Caller } from './caller.ts';

export interface AuditActor {
  readonly actor: string;
  readonly surface: Surface;
}

export function actorOf(caller: Caller): AuditActor {
  if (caller.kind === 'anonymous') return { actor: 'anonymous', surface: 'hub' };
  if (caller.kind === 'agent') return { actor: `agent:${caller.agent}`, surface: 'agent' };
  return { actor: `${caller.kind}:${caller.tokenId}`, surface: caller.surface };
}
