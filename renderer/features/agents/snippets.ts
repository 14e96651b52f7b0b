// Lines that connect an agent, ready to be copied one by one. No token stands in them: axon keeps
// it in a file of its owner, and curl is handed it on its input, so that no other program of this
// computer sees it among the arguments.
import { words } from '../../app/words.ts';

export type SnippetKind = 'claude' | 'axon' | 'curl';

export interface Snippet {
  /** What the line does, in our words. */
  readonly does: string;
  readonly line: string;
}

/**
 * @param command how a line at a terminal of this computer begins; null where there is no such
 * command, and then curl is left
 */
export function snippetKinds(command: string | null): readonly SnippetKind[] {
  return command === null ? ['curl'] : ['claude', 'axon', 'curl'];
}

export function snippetsOf(
  kind: SnippetKind,
  { command, apiPort }: { command: string | null; apiPort: number },
): readonly Snippet[] {
  const { does } = words.agents.connect;
  const axon = command ?? 'axon';
  switch (kind) {
    case 'claude':
      return [
        { does: does.connect, line: `${axon} agents connect claude-code` },
        {
          does: does.tell,
          line: `claude "${quoted(`You can reach other hubs of this household. To learn how, run: ${axon} examples. Give every such command the option --as claude-code.`)}"`,
        },
      ];
    case 'axon':
      return [
        { does: does.connect, line: `${axon} agents connect my-agent --domain family.chat` },
        {
          does: does.listen,
          line: `${axon} listen --as my-agent --domain family.chat -- ./my-agent`,
        },
      ];
    case 'curl':
      return [
        {
          does: does.connect,
          line: [
            `curl -sS http://127.0.0.1:${apiPort}/v1/agents \\`,
            `  -H 'content-type: application/json' \\`,
            `  -d '{"name":"my-agent","domains":["family.chat"]}'`,
          ].join('\n'),
        },
        {
          does: does.fetch,
          line: [
            `read -rp 'poll: ' P && read -rsp 'secret: ' S && curl -sS "http://127.0.0.1:${apiPort}$P" \\`,
            `  -H 'content-type: application/json' --data @- <<< "{\\"secret\\":\\"$S\\"}"`,
          ].join('\n'),
        },
      ];
  }
}

/** One line that tries a token, which is typed or pasted when it asks. */
export function tryToken(apiPort: number): string {
  return `read -rsp 'Token: ' T && curl -sS --config - http://127.0.0.1:${apiPort}/v1/whoami <<< "header = \\"Authorization: Bearer $T\\""`;
}

/** Between double quotes of a shell nothing of this has a meaning of its own. */
function quoted(text: string): string {
  return text.replaceAll(/["$`\\]/g, (character) => `\\${character}`);
}
