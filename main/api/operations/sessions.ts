// Operations on sessions and tokens: what is logged in, and ending it.
import type { SessionDto } from '../../../preload/contract/settings-dto.ts';
import type { TokenRow } from '../../ports/store.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import { actorOf } from '../actor.ts';
import type { Caller, HandlersOf } from '../caller.ts';

export function sessionsHandlers({ tokens }: { readonly tokens: TokenService }): HandlersOf<'sessions'> {
  return {
    'sessions.list': async (_params, caller) => ({ items: tokens.list().map((row) => toDto(row, caller)), next: null }),
    'sessions.revoke': async ({ id }, caller) => {
      await tokens.revoke(id, actorOf(caller));
      return { revoked: true };
    },
  };
}

function toDto(row: TokenRow, caller: Caller): SessionDto {
  return {
    id: row.id,
    kind: row.kind,
    label: row.label,
    created_at: row.createdAt,
    last_used_at: row.lastUsedAt,
    current: caller.kind !== 'anonymous' && caller.tokenId === row.id,
  };
}
