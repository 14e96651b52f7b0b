// Operations on the hub as a whole: who it is, how it is, logging in, and the one picture a page
// starts from.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AttentionDto } from '../../../preload/contract/attention.ts';
import type { PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import { examples } from '../../../preload/contract/examples.ts';
import { AGENT_SCOPES, FIRST_PASSPHRASE_ON_A_PAGE } from '../../../preload/contract/operations.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import { utf8 } from '../../lib/bytes.ts';
import type { Secret } from '../../lib/secret.ts';
import type { LoginService } from '../../services/auth/login-service.ts';
import type { PassphraseLine, PassphraseService } from '../../services/auth/passphrase-service.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import type { Retention } from '../../services/retention/retention.ts';
import type { HubStatus } from '../../services/pages/hub-status.ts';
import { actorOf, type AuditActor } from '../actor.ts';
import type { CallContext, Caller, HandlersOf } from '../caller.ts';

interface HubHandlersDeps {
  readonly hub: HubStatus;
  readonly tokens: TokenService;
  readonly login: LoginService;
  readonly passphrase: PassphraseService;
  /** This start's secret: stands in hub.json, for its owner's tools alone. */
  readonly bootSecret: Secret<string>;
  /** Tries the keychain again, and opens what is locked with it when that worked. */
  readonly unlock: (signal: AbortSignal) => Promise<void>;
  readonly confirmRestore: (
    by: AuditActor,
    kept: { readonly hubs: readonly string[]; readonly agents: readonly string[] },
  ) => Promise<void>;
  readonly retention: Retention;
  readonly snapshot: () => OperationResult<'hub.snapshot'>;
  readonly pairingWindow: () => PairingWindowDto;
  readonly attention: () => AttentionDto;
  readonly hasAgents: () => boolean;
  readonly counts: () => Promise<Omit<OperationResult<'hub.status'>, 'hub'>>;
}

interface PassphraseChange {
  readonly wanted: string;
  readonly current?: string | undefined;
  readonly boot_secret?: string | undefined;
}

export function hubHandlers(deps: HubHandlersDeps): HandlersOf<'hub'> {
  const { hub, tokens, login, passphrase } = deps;
  return {
    'hub.proof': async ({ n }, _caller, { host = '' }) => ({
      // For an `axon` of the version before that still runs.
      proof: createHmac('sha256', deps.bootSecret.expose()).update(utf8(n)).digest('hex'),
      // Good at this place alone: whoever passes the question on to the hub from another port gets
      // nothing to answer with.
      proof_here: createHmac('sha256', `${deps.bootSecret.expose()} ${host}`)
        .update(utf8(n))
        .digest('hex'),
    }),
    'hub.whoami': async (_params, caller) => ({ hub: hub.current(), token: describe(caller) }),
    'hub.status': async () => ({ hub: hub.current(), ...(await deps.counts()) }),
    'hub.localStatus': async ({ boot_secret }) => {
      if (!sameSecret(boot_secret, deps.bootSecret.expose())) {
        throw new AppError('unauthenticated', 'That is not the secret of this start of the hub.', {
          failedBy: 'input',
        });
      }
      const { paused, quiet_now, mutes } = deps.attention();
      const attention = { paused, quiet_now, mutes };
      return {
        hub: hub.current(),
        ...(await deps.counts()),
        pairing_window: deps.pairingWindow(),
        attention,
      };
    },
    'hub.examples': async () => ({
      text: examples(hub.current().command ?? 'axon', hub.current().api_port),
    }),
    'hub.snapshot': async () => deps.snapshot(),
    'hub.unlock': async (_params, _caller, context) => {
      await deps.unlock(context.signal);
      return hub.current();
    },
    'hub.confirmRestore': async ({ keep_hubs: hubs, keep_agents: agents }, caller) => {
      await deps.confirmRestore(actorOf(caller), { hubs, agents });
      return hub.current();
    },
    'hub.confirmDate': async ({ seen }, caller) => {
      await deps.retention.confirmDate(seen, actorOf(caller));
      return hub.current();
    },
    'hub.login': async (given, caller, context) => {
      // Who was let in by what was right until just now would stay in.
      const unchanged = passphrase.unchanged();
      if ('code' in given) {
        login.spend(given.code);
        return session(await tokens.issueForPage('Browser', unchanged));
      }
      const line = lineOf(deps, given.boot_secret, caller);
      await passphrase.check(given.passphrase, context.signal, line, actorOf(caller));
      return session(
        context.fromPage === true
          ? await tokens.issueForPage('Browser', unchanged)
          : await tokens.issueForOwner('Command line', unchanged),
      );
    },
    'hub.loginCode': async () => {
      const { code, expiresAt } = login.makeCode();
      return { url: loginUrl(hub.current().api_port, code), expires_at: expiresAt };
    },
    'hub.setPassphrase': async (given, caller, context) => {
      await setPassphrase(deps, { ...given, wanted: given.passphrase }, caller, context);
      hub.changed();
      return { set: true };
    },
  };
}

/** The link that logs a browser in: the code stands in the fragment, which never travels. */
export function loginUrl(port: number, code: string): string {
  return `http://127.0.0.1:${port}/#c=${code}`;
}

async function setPassphrase(
  deps: HubHandlersDeps,
  given: PassphraseChange,
  caller: Caller,
  context: CallContext,
): Promise<void> {
  if (deps.passphrase.isSet()) return changePassphrase(deps, given, caller, context);
  allowFirstPassphrase(deps, given.boot_secret, caller);
  return deps.passphrase.setFirst(given.wanted, actorOf(caller));
}

/**
 * For whoever knows the one before. Who was logged in with that one is not any more, but for the
 * caller, and no login link from before works.
 */
async function changePassphrase(
  deps: HubHandlersDeps,
  given: PassphraseChange,
  caller: Caller,
  context: CallContext,
): Promise<void> {
  const { wanted, current, boot_secret } = given;
  if (current === undefined) {
    throw new AppError(
      'passphrase_required',
      'This hub has an owner passphrase already; to change it, give the present one too.',
      {
        failedBy: 'input',
      },
    );
  }
  await deps.passphrase.change(
    current,
    wanted,
    actorOf(caller),
    context.signal,
    lineOf(deps, boot_secret, caller),
    (tables, after) => {
      deps.login.forget();
      const own = caller.kind === 'anonymous' ? null : caller.tokenId;
      deps.tokens.revokeSessionsBut(tables, after, own, actorOf(caller));
    },
  );
}

/**
 * For a logged-in page. For whoever can read hub.json only while no agent is connected: an agent
 * that runs as the owner's user can read it, too, and must not become the owner by being first.
 * Throws `unauthenticated`.
 */
function allowFirstPassphrase(
  deps: HubHandlersDeps,
  given: string | undefined,
  caller: Caller,
): void {
  const line = lineOf(deps, given, caller);
  if (line === 'page') return;
  if (deps.hasAgents()) {
    throw new AppError('unauthenticated', FIRST_PASSPHRASE_ON_A_PAGE.message, {
      hint: FIRST_PASSPHRASE_ON_A_PAGE.hint,
      failedBy: 'input',
    });
  }
  if (line === 'owner') return;
  throw new AppError(
    'unauthenticated',
    'The first owner passphrase is set at a terminal of this computer or on a page that is logged in.',
    {
      hint: 'Run "axon login" at a terminal.',
      failedBy: 'input',
    },
  );
}

/** Who can read hub.json, or is logged in, waits for nobody else's guesses. */
function lineOf(
  { bootSecret }: HubHandlersDeps,
  given: string | undefined,
  caller: Caller,
): PassphraseLine {
  if (caller.kind === 'owner' || (given !== undefined && sameSecret(given, bootSecret.expose())))
    return 'owner';
  return caller.kind === 'ui' ? 'page' : 'anyone';
}

function sameSecret(given: string, expected: string): boolean {
  const mac = (text: string): Buffer => createHmac('sha256', 'compare').update(utf8(text)).digest();
  return timingSafeEqual(mac(given), mac(expected));
}

function session(issued: {
  readonly token: string;
  readonly expiresAt: number | null;
}): OperationResult<'hub.login'> {
  return { token: issued.token, expires_at: issued.expiresAt ?? 0 };
}

function describe(caller: Caller): OperationResult<'hub.whoami'>['token'] {
  if (caller.kind === 'agent') return { kind: 'agent', agent: caller.agent, scopes: caller.scopes };
  if (caller.kind === 'anonymous')
    throw new AppError('unauthenticated', 'This needs a token.', { failedBy: 'input' });
  return { kind: caller.kind, agent: null, scopes: AGENT_SCOPES };
}
