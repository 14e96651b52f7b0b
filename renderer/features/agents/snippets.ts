// Lines that connect an agent, ready to be copied. No token stands in them: axon keeps it in a file of its owner, and curl is handed it on
// its input, so that no other program of this computer sees it among the arguments.

export type SnippetKind = 'claude' | 'axon' | 'curl';

export function snippetOf(kind: SnippetKind, apiPort: number): string {
  switch (kind) {
    case 'claude':
      return [
        'axon agents connect claude-code',
        `claude "You can reach other hubs of this household. Run 'axon examples' to learn how; use '--as claude-code'."`,
      ].join('\n');
    case 'axon':
      return ['axon agents connect my-agent --domain family.chat', 'axon listen --as my-agent --domain family.chat -- ./my-agent'].join(
        '\n',
      );
    case 'curl':
      return [
        `curl -sS http://127.0.0.1:${apiPort}/v1/agents \\`,
        `  -H 'content-type: application/json' \\`,
        `  -d '{"name":"my-agent","domains":["family.chat"]}'`,
      ].join('\n');
  }
}

/** One line that tries a token, which is typed or pasted when it asks. */
export function tryToken(apiPort: number): string {
  return `read -rsp 'Token: ' T && curl -sS --config - http://127.0.0.1:${apiPort}/v1/whoami <<< "header = \\"Authorization: Bearer $T\\""`;
}
