// /v1/agent-files: agents that are files of a person's. Only people confirm them.
import type { AgentFiles } from '../../services/agents/agent-files.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

export function agentFilesHandlers(deps: {
  readonly agentFiles: AgentFiles;
}): HandlersOf<'agent_files'> {
  const { agentFiles } = deps;
  return {
    'agent_files.list': async () => ({ items: agentFiles.list(), next: null }),
    'agent_files.confirm': (params, caller) => agentFiles.confirm(params, actorOf(caller)),
    'agent_files.remove': async ({ file }, caller) => {
      await agentFiles.remove(file, actorOf(caller));
      return { removed: true };
    },
  };
}
