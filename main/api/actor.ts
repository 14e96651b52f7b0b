// Who did it, as the audit log writes it in every row: `ui:<token id>`, `owner:<token id>`,
// `agent:<name>` or `anonymous`. Never the token itself.
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
