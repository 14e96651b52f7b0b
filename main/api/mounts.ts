// The doors that stand below a path of the HTTP door, each once. A further one is a line here.
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { A2aDoor } from './a2a/a2a-door.ts';
import type { Door } from './door/door.ts';
import type { Mount } from './http/mount.ts';
import { McpDoor } from './mcp/mcp-door.ts';

interface MountDeps {
  readonly door: Door;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Calls `changed` after each change of the task, until the returned function is called. */
  readonly followTask: (taskId: string, changed: () => void) => () => void;
}

export function mountsOf(deps: MountDeps): readonly Mount[] {
  return [new McpDoor(deps), new A2aDoor(deps)];
}
