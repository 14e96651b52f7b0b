// The doors that stand below a path of the HTTP door, each once. A further one is a line here.
import type { Log } from '../ports/log.ts';
import type { Door } from './door/door.ts';
import type { Mount } from './http/mount.ts';
import { McpDoor } from './mcp/mcp-door.ts';

interface MountDeps {
  readonly door: Door;
  readonly log: Log;
  readonly version: string;
}

export function mountsOf(deps: MountDeps): readonly Mount[] {
  return [new McpDoor(deps)];
}
