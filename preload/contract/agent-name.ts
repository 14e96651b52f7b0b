// How an agent's handle reads where nobody gave the agent a name. One place, so that pages, terminals and the hub say the same. Pure.
import { AGENT_NAME } from './formats.ts';

/** "claude-code" as "Claude Code". What is no handle stands as it is. */
export function readableHandle(handle: string): string {
  if (!AGENT_NAME.test(handle)) return handle;
  const words = handle.split(/[._-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
