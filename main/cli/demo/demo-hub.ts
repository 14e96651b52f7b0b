// One hub of the demo household: a real headless hub in a process and a data folder of its own, and
// the owner's line to it.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { AxonClient } from '../../../resources/examples/axon-client.ts';
import { HubClient } from '../hub-client.ts';

const START_LIMIT_MS = 20_000;
const LOOK_AGAIN_MS = 100;
const HUB_FLAGS = '--api-port 0 --peer-port 0 --discovery off --log-level error'.split(' ');
/** An orderly stop takes a second; a hub that does not come to it is ended. */
const STOP_LIMIT_MS = 10_000;

interface DemoAgent {
  readonly name: string;
  readonly displayName: string;
  readonly riskClass: RiskClass;
  readonly domains: readonly {
    readonly domain: string;
    readonly riskClass: RiskClass;
    readonly example: string;
  }[];
}

export interface DemoHubPlan {
  readonly folder: string;
  readonly name: string;
  readonly person: string;
  readonly agents: readonly DemoAgent[];
}

export class DemoHub {
  readonly plan: DemoHubPlan;
  readonly home: string;
  readonly #child: ChildProcess;
  readonly #passphrase = randomBytes(18).toString('base64url');
  readonly #agents = new Map<string, AxonClient>();
  #line: HubClient | undefined;
  #owner: HubClient | undefined;
  #ownerUntil = 0;

  private constructor(plan: DemoHubPlan, home: string, child: ChildProcess) {
    this.plan = plan;
    this.home = home;
    this.#child = child;
    // A hub that could not be started, and one that ended before its input was closed, are found by
    // asking it.
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
  }

  /**
   * Begins to start the hub with `program` (this very command); it ends with this process, and its
   * data folder with it.
   */
  static spawn(plan: DemoHubPlan, folder: string, program: string): DemoHub {
    const home = join(folder, plan.folder);
    const settings = ['--home', home, '--name', plan.name, ...HUB_FLAGS];
    // Nothing is ever written to its standard input: that it closes tells the hub that this process
    // is gone.
    const child = spawn(process.execPath, [...process.execArgv, program, 'demo-hub', ...settings], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    return new DemoHub(plan, home, child);
  }

  /** Waits until the hub answers, and sets it up. Throws `hub_unreachable`. */
  async ready(): Promise<void> {
    await this.#answering();
    await this.#setUp();
  }

  /** The line of the person in charge of this hub; its token is renewed when it runs out. */
  async owner(): Promise<HubClient> {
    const line = this.#connected();
    if (this.#owner === undefined || Date.now() > this.#ownerUntil - 30_000) {
      const { token, expires_at } = await line.call('hub.login', { passphrase: this.#passphrase });
      this.#owner = line.withToken(token);
      this.#ownerUntil = expires_at;
    }
    return this.#owner;
  }

  agent(name: string): AxonClient {
    const client = this.#agents.get(name);
    if (client === undefined)
      throw new AppError('not_found', `The demo has no agent "${name}" at ${this.plan.name}.`);
    return client;
  }

  async loginLink(): Promise<string> {
    return (await (await this.owner()).call('hub.loginCode', {})).url;
  }

  async stop(): Promise<void> {
    this.#line?.close();
    if (this.#hasEnded()) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const tooLong = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited.finally(() => clearTimeout(tooLong));
  }

  #hasEnded(): boolean {
    return (
      this.#child.pid === undefined ||
      this.#child.exitCode !== null ||
      this.#child.signalCode !== null
    );
  }

  async #answering(): Promise<void> {
    const limit = Date.now() + START_LIMIT_MS;
    for (;;) {
      try {
        this.#line = await HubClient.connect(this.home);
        return;
      } catch (error) {
        if (this.#hasEnded() || Date.now() > limit) {
          throw new AppError('hub_unreachable', `${this.plan.name} did not start.`, {
            cause: error,
            hint: 'Its own words stand above.',
          });
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
    }
  }

  async #setUp(): Promise<void> {
    const line = this.#connected();
    await line.call('hub.setPassphrase', {
      passphrase: this.#passphrase,
      boot_secret: line.facts.bootSecret,
    });
    const owner = await this.owner();
    await owner.call('settings.update', { name: this.plan.name, person: this.plan.person });
    for (const { name, displayName, riskClass, domains } of this.plan.agents) {
      const { token } = await owner.call('agents.create', {
        name,
        display_name: displayName,
        domains: domains.map(({ domain, example }) => ({ domain, example })),
        risk_class: riskClass,
      });
      await owner.call('agents.setClass', {
        name,
        risk_class: riskClass,
        domains: domains.map((entry) => ({ domain: entry.domain, risk_class: entry.riskClass })),
      });
      this.#agents.set(name, new AxonClient(token, this.home));
    }
  }

  #connected(): HubClient {
    if (this.#line === undefined)
      throw new AppError('hub_unreachable', `${this.plan.name} is not running.`);
    return this.#line;
  }
}
