// What the owner does with the agents of this computer: let one in, say how risky each area is,
// make a token, remove. A token passes through here once, on its way to the screen, and is
// forgotten when the person says so.
import type { AgentFileDto, AgentFileVersionDto } from '../../../preload/contract/agent-files.ts';
import type { WebhookPreset } from '../../../preload/contract/closed-lists.ts';
import type { AgentDto, RegistrationDto, RiskClass } from '../../../preload/contract/dto.ts';
import type { AcpRunnerChoice } from '../../../preload/contract/runners.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { Calls } from '../../app/Calls.svelte.ts';

interface NewAgent {
  readonly name: string;
  readonly displayName: string;
  readonly domains: readonly string[];
}

/** A token just made: shown once. */
export interface ShownToken {
  readonly agent: string;
  readonly token: string;
}

/** What the person says of a file beside "yes". */
export interface FileChoice {
  readonly riskClass: RiskClass;
  readonly key: string;
}

/** Beside what it is said that the files could not be listed. */
export const FILES = 'files';

export class AgentsController {
  #files = $state.raw<readonly AgentFileDto[]>([]);
  #shownToken = $state.raw<ShownToken | null>(null);
  readonly #calls = new Calls();
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  get files(): readonly AgentFileDto[] {
    return this.#files;
  }
  get shownToken(): ShownToken | null {
    return this.#shownToken;
  }
  problem(about: string): string | null {
    return this.#calls.problem(about);
  }
  busy(about: string): boolean {
    return this.#calls.busy(about);
  }

  forgetToken(): void {
    this.#shownToken = null;
  }

  async create({ name, displayName, domains }: NewAgent): Promise<boolean> {
    const outcome = await this.#calls.run('new', () =>
      this.#api.call('agents.create', {
        name,
        domains: [...domains],
        ...(displayName === '' ? {} : { display_name: displayName }),
      }),
    );
    if (!outcome?.ok) return false;
    this.#shownToken = { agent: outcome.value.agent.name, token: outcome.value.token };
    return true;
  }

  async newToken(name: string): Promise<void> {
    const outcome = await this.#calls.run(name, () =>
      this.#api.call('agents.issueToken', { name }),
    );
    if (outcome?.ok) this.#shownToken = { agent: name, token: outcome.value.token };
  }

  async remove(name: string): Promise<void> {
    await this.#calls.run(name, () => this.#api.call('agents.remove', { name }));
    if (this.#shownToken?.agent === name) this.#shownToken = null;
  }

  async rename(name: string, displayName: string): Promise<boolean> {
    const outcome = await this.#calls.run(name, () =>
      this.#api.call('agents.rename', { name, display_name: displayName }),
    );
    return outcome?.ok === true;
  }

  /** The class of the agent itself: what counts where an area has none of its own. */
  async setClass(agent: AgentDto, riskClass: RiskClass): Promise<void> {
    await this.#calls.run(agent.name, () =>
      this.#api.call('agents.setClass', { name: agent.name, risk_class: riskClass }),
    );
  }

  /** The class of one area; null: like the agent. The other areas stay as they are. */
  async setAreaClass(agent: AgentDto, area: string, riskClass: RiskClass | null): Promise<void> {
    const domains = agent.domains.map(({ domain, risk_class }) => ({
      domain,
      risk_class: domain === area ? riskClass : risk_class,
    }));
    await this.#calls.run(agent.name, () =>
      this.#api.call('agents.setClass', {
        name: agent.name,
        risk_class: agent.risk_class,
        domains,
      }),
    );
  }

  /** Gives it one more area, of the agent's own class until the owner says another. */
  async addArea(agent: AgentDto, area: string): Promise<boolean> {
    const outcome = await this.#calls.run(agent.name, () =>
      this.#api.call('agents.addArea', { name: agent.name, area }),
    );
    return outcome?.ok === true;
  }

  /** Takes one area away, with what was said of it. */
  async removeArea(agent: AgentDto, area: string): Promise<void> {
    await this.#calls.run(agent.name, () =>
      this.#api.call('agents.removeArea', { name: agent.name, area }),
    );
  }

  /** What the hub made as its secret; null: it could not be set. */
  async setWebhook(
    name: string,
    preset: WebhookPreset,
    address: string,
    secret: string,
  ): Promise<{ readonly secret: string | null } | null> {
    const given = secret === '' ? {} : { secret };
    const outcome = await this.#calls.run(name, () =>
      this.#api.call('agents.setWebhook', { name, preset, address, ...given }),
    );
    return outcome?.ok === true ? outcome.value : null;
  }

  async removeWebhook(name: string): Promise<boolean> {
    const outcome = await this.#calls.run(name, () =>
      this.#api.call('agents.removeWebhook', { name }),
    );
    return outcome?.ok === true;
  }

  async makeDefault(agent: AgentDto): Promise<void> {
    await this.#calls.run(agent.name, () =>
      this.#api.call('agents.setClass', {
        name: agent.name,
        risk_class: agent.risk_class,
        is_default: true,
      }),
    );
  }

  /** Makes the hub keep a program running that does its work. */
  async setRunner(name: string, runner: AcpRunnerChoice): Promise<boolean> {
    const outcome = await this.#calls.run(name, () =>
      this.#api.call('runners.set', { name, runner }),
    );
    return outcome?.ok === true;
  }

  async endRunner(name: string): Promise<void> {
    await this.#calls.run(name, () => this.#api.call('runners.end', { name }));
  }

  async confirm(registration: RegistrationDto): Promise<void> {
    await this.#calls.run(registration.id, () =>
      this.#api.call('agents.confirm', { id: registration.id, code: registration.code }),
    );
  }

  async listFiles(): Promise<void> {
    const outcome = await this.#calls.run(FILES, () => this.#api.call('agent_files.list', {}));
    if (outcome?.ok) this.#files = outcome.value.items;
  }

  /** Exactly the text that was shown. */
  async confirmFile(
    { file }: AgentFileDto,
    { sha256, leaves_to }: AgentFileVersionDto,
    { riskClass, key }: FileChoice,
  ): Promise<boolean> {
    const outcome = await this.#calls.run(file, () =>
      this.#api.call('agent_files.confirm', {
        file,
        sha256,
        risk_class: riskClass,
        ...(leaves_to === null ? {} : { leaves_to }),
        ...(key === '' ? {} : { key }),
      }),
    );
    await this.listFiles();
    return outcome?.ok === true;
  }

  async removeFile({ file }: AgentFileDto): Promise<void> {
    await this.#calls.run(file, () => this.#api.call('agent_files.remove', { file }));
    await this.listFiles();
  }

  async refuse(registration: RegistrationDto): Promise<void> {
    await this.#calls.run(registration.id, () =>
      this.#api.call('agents.declineRegistration', { id: registration.id }),
    );
  }
}
