// A session of the real Codex, by the protocol that its own terminal speaks with it. Its terminal's
// part is played here: what Codex asks there is remembered, and declined.
import { createInterface } from 'node:readline';
import type { ChildProcess } from 'node:child_process';
import { openClient } from './real-clients.ts';

type Message = Readonly<Record<string, unknown>> & {
  readonly id?: number;
  readonly method?: string;
};
interface CodexHook {
  readonly key: string;
  readonly command: string;
  readonly currentHash: string;
  readonly trustStatus: string;
}

export class CodexSession {
  /** What it asked at its terminal. */
  readonly asked: string[] = [];
  readonly #child: ChildProcess;
  readonly #home: string;
  readonly #waiting = new Map<number, (answer: Message) => void>();
  #ended = (): void => undefined;
  #calls = 0;

  private constructor(child: ChildProcess, home: string) {
    this.#child = child;
    this.#home = home;
    if (child.stdout === null) throw new Error('Codex has no output');
    createInterface({ input: child.stdout }).on('line', (line) => this.#heard(JSON.parse(line)));
  }

  static async open(home: string): Promise<CodexSession> {
    const session = new CodexSession(openClient('codex', ['app-server'], home), home);
    const clientInfo = { name: 'test', title: 'Test', version: '1' };
    await session.#call('initialize', { clientInfo, capabilities: { experimentalApi: true } });
    session.#send({ method: 'initialized' });
    return session;
  }

  async hooks(): Promise<readonly CodexHook[]> {
    const { data } = (await this.#call('hooks/list', { cwds: [this.#home] })) as {
      readonly data: readonly { readonly hooks: readonly CodexHook[] }[];
    };
    return data.flatMap(({ hooks }) => hooks);
  }

  /** As its person does it at the start: "Trust all and continue". */
  async trustHooks(): Promise<void> {
    const edits = (await this.hooks()).map(({ key, currentHash }) => ({
      keyPath: 'hooks.state',
      value: { [key]: { trusted_hash: currentHash } },
      mergeStrategy: 'upsert',
    }));
    await this.#call('config/batchWrite', { edits });
  }

  /** One turn of its model to its end, in a thread of its own. */
  async turn(text: string): Promise<void> {
    const { thread } = (await this.#call('thread/start', {
      cwd: this.#home,
      approvalPolicy: 'on-request',
      sandbox: 'workspace-write',
    })) as { readonly thread: { readonly id: string } };
    const ended = new Promise<void>((resolve) => (this.#ended = resolve));
    await this.#call('turn/start', { threadId: thread.id, input: [{ type: 'text', text }] });
    await ended;
  }

  #call(method: string, params: object): Promise<unknown> {
    const id = ++this.#calls;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    return answered.then(({ result, error }) => {
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    });
  }

  #heard(message: Message): void {
    const { id, method } = message;
    if (method === undefined) this.#waiting.get(id ?? 0)?.(message);
    else if (id !== undefined) {
      this.asked.push(method);
      this.#send({ id, result: { decision: 'decline' } });
    } else if (method === 'turn/completed') this.#ended();
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
