// What the hub keeps and says about itself: settings, sessions, the audit log and its counters.
import type { OperationResult } from '../../../preload/contract/operations.ts';
import type { SessionDto } from '../../../preload/contract/settings-dto.ts';
import type { TokenRow } from '../../ports/store.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Audit } from '../../services/audit/audit.ts';
import type { SettingsService } from '../../services/auth/settings-service.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import type { AuditRequests } from '../../services/history/audit-requests.ts';
import { actorOf } from '../actor.ts';
import type { Caller, HandlersOf } from '../caller.ts';
import { metricsText, type ProcessUsage } from '../metrics-text.ts';

/** Operations on the settings a person may change while the hub runs. */
export function settingsHandlers({
  settings,
}: {
  readonly settings: SettingsService;
}): HandlersOf<'settings'> {
  return {
    'settings.get': async () => settings.current(),
    'settings.update': async (change, caller) => settings.update(change, actorOf(caller)),
  };
}

/** Operations on sessions and tokens: what is logged in, and ending it. */
export function sessionsHandlers({
  tokens,
}: {
  readonly tokens: TokenService;
}): HandlersOf<'sessions'> {
  return {
    'sessions.list': async (_params, caller) => ({
      items: tokens.list().map((row) => sessionDto(row, caller)),
      next: null,
    }),
    'sessions.revoke': async ({ id }, caller) => {
      if (caller.kind === 'agent' && caller.tokenId !== id)
        throw new AppError('not_found', 'An agent can end its own token and no other.', {
          failedBy: 'input',
        });
      await tokens.revoke(id, actorOf(caller));
      return { revoked: true };
    },
  };
}

function sessionDto(row: TokenRow, caller: Caller): SessionDto {
  return {
    id: row.id,
    kind: row.kind,
    label: row.label,
    created_at: row.createdAt,
    last_used_at: row.lastUsedAt,
    current: caller.kind !== 'anonymous' && caller.tokenId === row.id,
  };
}

/**
 * GET /v1/audit and what stands below: who did what, whether the log was changed, and the log as a
 * file. For people only.
 */
export function auditHandlers({
  audit,
  auditRequests,
}: {
  readonly audit: Audit;
  readonly auditRequests: Pick<AuditRequests, 'withRequest'>;
}): HandlersOf<'audit'> {
  return {
    'audit.list': async ({ limit, cursor }) => {
      const { items, next } = audit.list({ limit, cursor });
      return { items: items.map((row) => auditRequests.withRequest(row)), next };
    },
    'audit.verify': async (_params, caller) => audit.verify(actorOf(caller)),
    'audit.verification': async () => audit.verification(),
    'audit.cancelVerification': () => audit.cancelVerification(),
    'audit.export': ({ format, cursor }, caller) =>
      audit.exportPiece(format, cursor, actorOf(caller)),
    'audit.acknowledge': async ({ row }, caller) => {
      await audit.acknowledge(actorOf(caller), row);
      return { state: audit.state };
    },
  };
}

interface MetricsHandlersDeps {
  readonly status: () => Promise<OperationResult<'hub.status'>>;
  readonly usage: () => ProcessUsage;
}

/** The operation behind GET /metrics: the same numbers as the status, for a collector. */
export function metricsHandlers({ status, usage }: MetricsHandlersDeps): HandlersOf<'metrics'> {
  return { 'metrics.read': async () => ({ text: metricsText(await status(), usage()) }) };
}
