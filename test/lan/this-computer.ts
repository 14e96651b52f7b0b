// This very computer in the place of one of the test network: several hubs share its loopback, with
// nothing between them and the test.
import { join } from 'node:path';
import { LineProcess, type Environment } from './line-process.ts';
import { NODE_BINARY, REPOSITORY_ROOT, type Computer } from './namespaces.ts';

export class ThisComputer implements Computer {
  readonly isThisOne = true;
  readonly name: string;
  readonly #processes: LineProcess[] = [];

  /** @param name only for messages */
  constructor(name: string) {
    this.name = name;
  }

  start(command: string, args: readonly string[], environment: Environment = {}): LineProcess {
    const started = new LineProcess(command, args, environment);
    this.#processes.push(started);
    return started;
  }

  reach(command: readonly string[]): readonly string[] {
    return command;
  }

  nodeCommand(script: string): readonly [string, ...string[]] {
    return [NODE_BINARY, '--no-warnings', join(REPOSITORY_ROOT, script)];
  }

  /** Ends every program that was started here. */
  async close(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map((started) => started.kill()));
  }
}
