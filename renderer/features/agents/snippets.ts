// What connects a program, to be copied piece by piece. No token stands in it: axon keeps it in a
// file of its owner, and curl is handed it on its input, so that no other program of this computer
// sees it among the arguments.
import { words } from '../../app/words.ts';

/** Those that `axon mcp install` knows go by the name that it knows them by. */
export const PROGRAMS = [
  'claude-code',
  'cursor',
  'openclaw',
  'home-assistant',
  'codex',
  'gemini-cli',
  'qwen-code',
  'copilot-cli',
  'opencode',
  'python',
  'curl',
  'other',
] as const;
export type Program = (typeof PROGRAMS)[number];

interface Snippet {
  /** What it does or where it goes, in our words. */
  readonly does: string;
  readonly text: string;
}

interface WayToConnect {
  /** The name that the agent asks for. */
  readonly agent: string;
  readonly snippets: readonly Snippet[];
  /** What is left to do. */
  readonly next: string;
}

interface Here {
  /** How a line at a terminal of this computer begins; null where there is no such command. */
  readonly command: string | null;
  readonly apiPort: number;
  /** How a line with curl begins that asks this hub, up to the path. */
  readonly curl: string;
}

/** Without the command, curl is left. */
export function programsHere({ command }: Here): readonly Program[] {
  return command === null ? ['curl'] : PROGRAMS;
}

/** @param areas what it works in: each fits DOMAIN_NAME */
export function wayToConnect(
  program: Program,
  here: Here,
  areas: readonly string[] = [],
): WayToConnect {
  const offered = areas.map((area) => ` --domain ${area}`).join('');
  switch (program) {
    case 'home-assistant':
      return homeAssistant(here, offered);
    case 'python':
      return python(here, offered);
    case 'curl':
      return curl(here, areas);
    case 'other':
      return other(here, offered);
    case 'claude-code':
    case 'cursor':
    case 'openclaw':
    case 'codex':
    case 'gemini-cli':
    case 'qwen-code':
    case 'copilot-cli':
    case 'opencode':
      return {
        agent: program,
        snippets: [{ does: does.install, text: `${axon(here)} mcp install ${program}${offered}` }],
        next: connect.thenRestart(connect.programs[program]),
      };
  }
}

/** One line that tries a token, which is typed or pasted when it asks. */
export function tryToken(curl: string): string {
  return `read -rsp 'Token: ' T && ${curl}/v1/whoami -H @- <<< "Authorization: Bearer $T"`;
}

const { connect } = words.agents;
const { does } = connect;
const axon = ({ command }: Here): string => command ?? 'axon';

function homeAssistant(here: Here, offered: string): WayToConnect {
  return {
    agent: 'home-assistant',
    snippets: [
      { does: does.connect, text: `${axon(here)} agents connect home-assistant${offered}` },
      { does: does.secret, text: 'axon_token: "Bearer TOKEN"' },
      {
        does: does.restCommand,
        text: `rest_command:
  axon_notify:
    url: http://127.0.0.1:${here.apiPort}/v1/notify
    method: post
    content_type: application/json
    headers:
      authorization: !secret axon_token
    payload: >-
      {{ {"to": to, "topic": topic,
      "data": message} | to_json }}`,
      },
    ],
    next: connect.thenHomeAssistant,
  };
}

function python(here: Here, offered: string): WayToConnect {
  return {
    agent: 'python-agent',
    snippets: [
      { does: does.connect, text: `${axon(here)} agents connect python-agent${offered}` },
      {
        does: does.pythonFile,
        text: `import json, sys

item = json.load(sys.stdin)
text = item["untrusted"]["text"]
print("Python has read:", text)`,
      },
      { does: does.listen, text: `${axon(here)} listen --as python-agent -- python3 agent.py` },
    ],
    next: connect.thenCode,
  };
}

function curl(here: Here, areas: readonly string[]): WayToConnect {
  return {
    agent: 'curl-agent',
    snippets: [
      {
        does: does.connect,
        text: [
          `${here.curl}/v1/agents \\`,
          `  -H 'content-type: application/json' \\`,
          `  -d '${JSON.stringify({ name: 'curl-agent', ...(areas.length === 0 ? {} : { domains: areas }) })}'`,
        ].join('\n'),
      },
      {
        does: does.fetch,
        text: [
          `read -rp 'poll: ' P && read -rsp 'secret: ' S && ${here.curl}"$P" \\`,
          `  -H 'content-type: application/json' --data @- <<< "{\\"secret\\":\\"$S\\"}"`,
        ].join('\n'),
      },
      { does: does.call, text: tryToken(here.curl) },
    ],
    next: connect.thenCurl,
  };
}

function other(here: Here, offered: string): WayToConnect {
  return {
    agent: 'my-agent',
    snippets: [
      { does: does.connect, text: `${axon(here)} agents connect my-agent${offered}` },
      { does: does.mcpServer, text: `${axon(here)} mcp --as my-agent` },
      { does: does.listen, text: `${axon(here)} listen --as my-agent -- ./my-agent` },
      { does: does.skill, text: `http://127.0.0.1:${here.apiPort}/skill.md` },
      { does: does.language, text: `${axon(here)} examples --language elizaos` },
    ],
    next: connect.thenCode,
  };
}
