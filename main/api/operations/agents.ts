// POST /v1/agents and what belongs to it: a program asks to be connected, a person confirms it and
// decides what it may do.
import { AppError } from '../../lib/app-error.ts';
import type { AgentRegistry } from '../../services/agents/agent-registry.ts';
import type { Registrations } from '../../services/agents/registrations.ts';
import type { Runners } from '../../services/agents/runners.ts';
import type { Webhooks } from '../../services/inbox/webhooks.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import type { HandlersOf } from '../caller.ts';
import { actorOf } from '../actor.ts';

interface AgentsDeps {
  readonly agents: AgentRegistry;
  readonly registrations: Registrations;
  readonly webhooks: Pick<Webhooks, 'set' | 'remove'>;
  readonly tokens: Pick<TokenService, 'issueForAgent' | 'renewForAgent'>;
}

export function agentsHandlers(deps: AgentsDeps): HandlersOf<'agents'> {
  const { agents, registrations, tokens, webhooks } = deps;
  return {
    'agents.register': async ({ name, ...profile }) => {
      const { registration, secret } = await registrations.register(name, profile);
      return { registration, secret, poll: `/v1/agents/registrations/${registration.id}` };
    },
    'agents.registration': ({ id, secret }) => registrations.poll(id, secret),
    'agents.confirm': ({ id, code, risk_class }, caller) =>
      registrations.confirm(id, code, risk_class, actorOf(caller)),
    'agents.declineRegistration': async ({ id }, caller) => {
      await registrations.decline(id, actorOf(caller));
      return { declined: true };
    },
    'agents.create': async ({ name, risk_class, ...profile }, caller) => {
      const { name: handle } = await agents.create(name, profile, risk_class, actorOf(caller));
      const { token } = await tokens.issueForAgent(handle);
      agents.presence.tokenMade(handle);
      return { agent: agents.get(handle), token };
    },
    'agents.list': async () => ({ items: agents.list(), next: null }),
    'agents.get': async ({ name }) => agents.get(name),
    'agents.update': async ({ name, ...profile }, caller) => {
      if (caller.kind === 'agent' && caller.agent !== name) {
        throw new AppError('forbidden', 'An agent changes itself and no other.', {
          failedBy: 'input',
        });
      }
      return agents.update(name, profile, actorOf(caller));
    },
    'agents.setPresence': async ({ name, presence }, caller) => {
      if (caller.kind !== 'agent' || caller.agent !== name) {
        throw new AppError('forbidden', 'An agent says this of itself, and nobody for it.', {
          failedBy: 'input',
        });
      }
      agents.presence.setBusy(name, presence === 'busy');
      return { presence };
    },
    'agents.rename': ({ name, display_name }, caller) =>
      agents.rename(name, display_name, actorOf(caller)),
    'agents.setClass': ({ name, risk_class, domains, is_default }, caller) => {
      const rows = domains?.map((entry) =>
        typeof entry === 'string'
          ? { domain: entry, riskClass: null }
          : { domain: entry.domain, riskClass: entry.risk_class },
      );
      return agents.setClass(
        name,
        { riskClass: risk_class, domains: rows, isDefault: is_default },
        actorOf(caller),
      );
    },
    'agents.addArea': ({ name, area, risk_class }, caller) =>
      agents.addArea(name, { domain: area, riskClass: risk_class ?? null }, actorOf(caller)),
    'agents.removeArea': ({ name, area }, caller) => agents.removeArea(name, area, actorOf(caller)),
    'agents.setWebhook': (params, caller) => webhooks.set(params, actorOf(caller)),
    'agents.removeWebhook': ({ name }, caller) => webhooks.remove(name, actorOf(caller)),
    'agents.issueToken': async ({ name }, caller) => {
      agents.get(name);
      const { token } = await tokens.renewForAgent(name, actorOf(caller));
      agents.presence.tokenMade(name);
      return { token };
    },
    'agents.remove': async ({ name }, caller) => {
      await agents.remove(name, actorOf(caller));
      return { removed: true };
    },
  };
}

/** PUT and DELETE /v1/agents/:name/runner: what the hub keeps running for an agent. */
export function runnersHandlers({
  runners,
}: {
  readonly runners: Pick<Runners, 'list' | 'set' | 'end'>;
}): HandlersOf<'runners'> {
  return {
    'runners.list': async () => ({ items: runners.list(), next: null }),
    'runners.set': ({ name, runner }, caller) => runners.set(name, runner, actorOf(caller)),
    'runners.end': async ({ name }, caller) => {
      await runners.end(name, actorOf(caller));
      return { ended: true };
    },
  };
}
