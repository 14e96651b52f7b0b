// The node: one hub from start to stop. The desktop, the headless hub and the tests run the same
// one. It joins doors to services, and holds no rule of its own.
import { join } from 'node:path';
import { openStore } from '../adapters/sqlite/open-store.ts';
import type { Handlers } from '../api/caller.ts';
import { Dispatcher } from '../api/dispatch.ts';
import { Door } from '../api/door/door.ts';
import { HttpDoor } from '../api/http/http-door.ts';
import { StaticFiles } from '../api/http/static-files.ts';
import { WindowDoor } from '../api/ipc/window-door.ts';
import { mountsOf } from '../api/mounts.ts';
import { loginUrl } from '../api/operations/hub.ts';
import { curlWords } from '../cli/invocation.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import { VERSION } from '../lib/version.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import { LOGIN_CODE_MAX_MS } from '../services/auth/limits.ts';
import type { EventBus } from '../services/base/event-bus.ts';
import type { Config } from './config.ts';
import { EventLoopLag } from './event-loop-lag.ts';
import { composeHandlers } from './handlers.ts';
import { Home } from './home.ts';
import { composeServices } from './services.ts';
import type { NodeDeps, Services } from './services.ts';

export type { NodeDeps } from './services.ts';

/** What every system takes as the path of a socket. */
const SOCKET_PATH_MAX_BYTES = 103;

/**
 * Makes the hub of this data folder and takes the folder's lock; start() opens its doors. Throws
 * `home_in_use`, `storage_failed`.
 */
export async function createNode(config: Config, deps: NodeDeps): Promise<HubNode> {
  const home = Home.open(config.home);
  try {
    const store = openStore({
      path: join(config.home, 'hub.db'),
      clock: deps.clock,
      log: deps.log,
    });
    return new HubNode(config, deps, {
      home,
      store,
      files: await StaticFiles.of(deps.rendererDirectory),
    });
  } catch (error) {
    home.close();
    throw error;
  }
}

interface Ground {
  readonly home: Home;
  readonly store: Store;
  readonly files: StaticFiles;
}

export class HubNode {
  readonly services: Services;
  readonly handlers: Handlers;
  readonly #config: Config;
  readonly #deps: NodeDeps;
  readonly #ground: Ground;
  readonly #http: HttpDoor;
  readonly #window: WindowDoor;
  readonly #opened = new Disposables();
  readonly #stopping = new AbortController();
  #apiPort = 0;
  #wasUp = false;
  #starting: Promise<void> | undefined;
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(config: Config, deps: NodeDeps, ground: Ground) {
    this.#config = config;
    this.#deps = deps;
    this.#ground = ground;
    this.#opened.add(() => ground.home.close());
    this.#opened.add(() => ground.store.close());
    this.services = composeServices(config, deps, ground.store);
    if (deps.committed !== undefined) ground.store.onCommit(deps.committed);
    const lag = new EventLoopLag(deps.clock);
    this.#opened.add(() => lag.stop());
    this.handlers = composeHandlers(this.services, deps.clock, lag);
    const { log, clock } = deps;
    const { tokens, events, work, hub, opening } = this.services;
    const dispatcher = new Dispatcher(this.handlers, (name, caller) => opening.check(name, caller));
    this.#window = new WindowDoor({ dispatcher, log });
    const door = new Door({
      clock,
      random: deps.random,
      tokens,
      dispatcher,
      agentCalled: (agent, line) => work.agents.presence.touch(agent, line),
      requestsPerSecond: config.requestsPerSecond,
    });
    this.#http = new HttpDoor({
      clock,
      log,
      tokens,
      door,
      events,
      inbox: work.inbox,
      mounts: mountsOf({ door, clock, log, version: VERSION, followTask: work.followTask }),
      files: ground.files,
      health: () => ({ status: 'ok', state: hub.current().state }),
    });
  }

  get events(): EventBus {
    return this.services.events;
  }

  get log(): Log {
    return this.#deps.log;
  }

  /** The TCP port of the localhost API; 0 before start. */
  get apiPort(): number {
    return this.#apiPort;
  }

  /**
   * Opens the localhost API; then, unless the hub is locked, goes on with the work of the run
   * before and opens the port between hubs. Throws `address_in_use` and what else keeps a hub from
   * working; everything is closed again then. Idempotent.
   */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    this.#started ??= this.#starting.catch(async (error: unknown) => {
      await this.stop();
      throw error;
    });
    return this.#started;
  }

  /**
   * Closes the doors, then everything else in reverse order, after a start that is still under way.
   * Idempotent.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** A link that logs a browser in, once, for 90 seconds. For a person's eyes only. */
  makeLoginUrl(): string {
    return loginUrl(this.#apiPort, this.services.login.makeCode().code);
  }

  /**
   * A page in the data folder that leads to a login link, for a browser that is started with it: so
   * no code stands on a command line, which every program can read. It goes when the code is over.
   * Returns its path. Call it once in a run.
   */
  makeLoginPage(): string {
    const { home } = this.#ground;
    const remove = (): void => {
      try {
        home.removeLoginPage();
      } catch (error) {
        this.#deps.log.warn('the login page could not be removed', { error: String(error) });
      }
    };
    const { code } = this.services.login.makeCode();
    const over = this.#deps.clock.setTimer(LOGIN_CODE_MAX_MS, remove);
    this.#opened.add(() => over.cancel());
    return home.writeLoginPage(loginUrl(this.#apiPort, code));
  }

  /** One operation for the person at the desktop's window. Never throws. */
  invoke(name: unknown, params: unknown): Promise<CallOutcome<unknown>> {
    return this.#window.invoke(name, params);
  }

  async #start(): Promise<void> {
    const { hub, tokens, work, webhooks, a2a, retention, peers, audit, opening, bootSecret } =
      this.services;
    const { home } = this.#ground;
    this.#opened.add(() => audit.stop());
    audit.start();
    this.#opened.add(() => tokens.stop());
    peers.load();
    const { port } = await this.#http.start(this.#config.apiPort);
    this.#apiPort = port;
    hub.apiOpened(port, curlWords(port, await this.#openSocket()));
    home.writeRuntimeFile({ port, pid: process.pid, boot_secret: bootSecret.expose() });
    this.#opened.add(() => work.stop());
    this.#opened.add(() => webhooks.stop());
    this.#opened.add(() => a2a.stop());
    this.#opened.add(() => retention.stop());
    this.#opened.add(() => peers.close());
    this.#opened.add(() => opening.stop());
    // Agents, timers and other hubs wait for the check of the audit log, people do not.
    await opening.open(this.#stopping.signal);
    hub.started();
    this.#wasUp = true;
    this.#deps.log.info('hub started', { api_port: port, peer_port: peers.port });
  }

  /** Returns its path; null where there can be none, and the port is enough. */
  async #openSocket(): Promise<string | null> {
    if (process.platform === 'win32') return null;
    try {
      const path = this.#ground.home.freeSocketPath();
      if (Buffer.byteLength(path) > SOCKET_PATH_MAX_BYTES)
        throw new RangeError(`${path} is too long for a socket`);
      await this.#http.listenAt(path);
      return path;
    } catch (error) {
      this.#deps.log.warn('the hub has no socket, only its port', { error: String(error) });
      return null;
    }
  }

  async #stop(): Promise<void> {
    this.services.hub.stopping();
    this.#stopping.abort();
    await this.#starting?.catch(() => undefined);
    // While the door is open they tell what became of their work.
    await this.services.runners.stop();
    this.#window.close();
    await this.#http.stop();
    for (const failure of await this.#opened.disposeAll()) {
      this.#deps.log.error('a part did not close in order', {
        error: failure instanceof Error ? failure.message : String(failure),
      });
    }
    // One that never was up has said why.
    if (this.#wasUp) this.#deps.log.info('hub stopped');
  }
}

type Dispose = () => void | Promise<void>;

/**
 * What is opened is registered here on the next line, and closed in reverse order, once. A failing
 * close never hides the others.
 */
class Disposables {
  readonly #stack: Dispose[] = [];

  add(dispose: Dispose): void {
    this.#stack.push(dispose);
  }

  /**
   * Runs every registered close in reverse order. Idempotent. Returns what was thrown on the way.
   */
  async disposeAll(): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    for (let dispose = this.#stack.pop(); dispose; dispose = this.#stack.pop()) {
      try {
        await dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }
}
