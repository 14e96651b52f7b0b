// One computer with the built desktop app on it: its window, its local agents over HTTP, and the
// `axon` command. It outlives the app, which can be quit or killed and started again in the same
// data folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { BRIDGE_NAME } from '../../preload/contract/bridge.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { OperationInput, OperationResult } from '../../preload/contract/operations.ts';
import type { WindowOperation } from '../../preload/contract/window-operations.ts';
import { HubApi } from '../lan/hub-process.ts';
import { LoopbackClient } from '../lan/loopback-client.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { DesktopApp } from './desktop-app.ts';
import { HouseholdPage } from './household-pages.ts';

/** Without a session bus there is no keychain: the identity key lies in the data folder. */
const NO_KEYCHAIN = { DBUS_SESSION_BUS_ADDRESS: undefined, XDG_RUNTIME_DIR: undefined };

/** Calls an operation as the window's own script would. Throws for a refusal. */
export async function callFromWindow<Name extends WindowOperation>(
  page: Page,
  name: Name,
  params: OperationInput<Name>,
): Promise<OperationResult<Name>> {
  const outcome: CallOutcome<OperationResult<Name>> = await page.evaluate(
    ([bridge, operation, value]) => {
      const call: unknown = Reflect.get(Object(Reflect.get(window, bridge)), operation);
      return typeof call === 'function'
        ? call(value)
        : Promise.reject(new Error(`the window has no ${operation}`));
    },
    [BRIDGE_NAME, name, params] as const,
  );
  if (!outcome.ok) throw new Error(`${name}: ${outcome.problem.detail}`);
  return outcome.value;
}

interface Start {
  /** See DesktopApp. */
  readonly mayBeReal?: boolean;
  readonly parameters?: readonly string[];
}

export class DesktopComputer {
  readonly home: string;
  readonly computer: ThisComputer;
  readonly #name: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #mayBeReal: boolean;
  readonly #lines: LoopbackClient[] = [];
  #app: DesktopApp;

  private constructor(
    home: string,
    name: string,
    environment: Readonly<Record<string, string>>,
    { mayBeReal, parameters }: Required<Start>,
  ) {
    this.home = home;
    this.#name = name;
    this.#environment = environment;
    this.#mayBeReal = mayBeReal;
    this.computer = new ThisComputer(name);
    this.#app = this.launch(parameters);
  }

  /**
   * A computer whose app has been started; its hub is not looked for by others. The data folder is
   * empty, or as `prepare` leaves it before the app is there; the variables that it returns are
   * those of the app.
   */
  static async start(
    name: string,
    prepare?: (home: string) => Promise<Readonly<Record<string, string>> | void>,
    { mayBeReal = false, parameters = [] }: Start = {},
  ): Promise<DesktopComputer> {
    const home = await mkdtemp(join(tmpdir(), 'axon-desktop-'));
    return new DesktopComputer(home, name, (await prepare?.(home)) ?? {}, {
      mayBeReal,
      parameters,
    });
  }

  get app(): DesktopApp {
    return this.#app;
  }

  /** Starts the app once more, beside the one that may be running. */
  launch(parameters: readonly string[]): DesktopApp {
    const environment = {
      ...NO_KEYCHAIN,
      AXON_DISCOVERY: 'off',
      AXON_NAME: this.#name,
      ELECTRON_DOUBLE_LOCK: join(this.home, 'double.lock'),
      ...this.#environment,
    };
    const mayBeReal = this.#mayBeReal;
    return DesktopApp.launch({ home: this.home, environment, parameters, mayBeReal });
  }

  /** Starts the app again in place of the one before, which has ended. */
  restart(parameters: readonly string[] = []): void {
    this.#app = this.launch(parameters);
  }

  /** The window, with the hub's record drawn. */
  async window(): Promise<HouseholdPage> {
    const page = new HouseholdPage(await this.#app.page());
    await page.shown();
    return page;
  }

  /** The hub's HTTP API, for a local agent with this token. */
  async agent(token: string): Promise<HubApi> {
    const { hub } = await callFromWindow((await this.window()).page, 'hub.whoami', {});
    const line = await LoopbackClient.open(this.computer, hub.api_port);
    this.#lines.push(line);
    return new HubApi(line, token);
  }

  async remove(): Promise<void> {
    for (const line of this.#lines.splice(0)) await line.close();
    await this.#app.quit().catch(() => undefined);
    await this.#app.kill();
    await this.computer.close();
    await rm(this.home, { recursive: true, force: true });
  }
}
