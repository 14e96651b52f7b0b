// The real programs that speak MCP, from the packages of test/clients. Each is started as a person
// starts it, with a home folder of its own and nothing else of this computer's settings. The way
// out leads to a port where nobody listens, so that whatever wants the network fails at once.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'smol-toml';
import { endAfterTest, type Ended } from './programs.ts';

const PACKAGES = join(import.meta.dirname, '../clients/node_modules');
const NOWHERE = 'http://127.0.0.1:9';
const PATIENCE_MS = 150_000;

/**
 * Native programs are started directly: no package may run a script here, and some would first have
 * to.
 */
const PROGRAMS = {
  'claude-code': ['@anthropic-ai/claude-code-linux-x64/claude'],
  codex: [process.execPath, '@openai/codex/bin/codex.js'],
  'gemini-cli': [process.execPath, '@google/gemini-cli/bundle/gemini.js'],
  opencode: ['opencode-linux-x64-baseline/bin/opencode'],
  openclaw: [process.execPath, 'openclaw/openclaw.mjs'],
} as const;

const SETTINGS = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  GEMINI_CLI_NO_RELAUNCH: 'true',
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
};

export type RealClient = keyof typeof PROGRAMS;

const CLAUDE = join(PACKAGES, PROGRAMS['claude-code'][0]);
const CODEX = 'vendor/x86_64-unknown-linux-musl/bin/codex';

/**
 * Programs that speak the Agent Client Protocol, with the words that start each, and what leads it
 * to a model elsewhere. They run the Claude Code and Codex of above, and no second copy of them.
 */
export const ACP = {
  'claude-agent-acp': {
    words: [join(PACKAGES, '.bin/claude-agent-acp')],
    variables: (model: string) => ({
      CLAUDE_CODE_EXECUTABLE: CLAUDE,
      // Claude Code reads it as nothing but 1, its adapter as anything.
      IS_SANDBOX: '',
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      ENABLE_TOOL_SEARCH: 'false',
    }),
  },
  'codex-acp': {
    words: [join(PACKAGES, '.bin/codex-acp')],
    variables: (model: string) => ({
      CODEX_PATH: join(PACKAGES, '@openai/codex-linux-x64', CODEX),
      CODEX_CONFIG: JSON.stringify({
        model: 'scripted',
        model_provider: 'scripted',
        model_providers: {
          scripted: { name: 'scripted', base_url: `${model}/v1`, wire_api: 'responses' },
        },
      }),
      MODEL_PROVIDER: 'scripted',
    }),
  },
  opencode: {
    words: [join(PACKAGES, PROGRAMS.opencode[0]), 'acp'],
    variables: (model: string, { command, args, env }: OtherServer) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        mcp: { axon: { type: 'local', command: [command, ...args], environment: env } },
        model: 'scripted/one',
        small_model: 'scripted/one',
        provider: {
          scripted: {
            npm: '@ai-sdk/anthropic',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: { one: { name: 'one', tool_call: true } },
          },
        },
      }),
    }),
  },
} as const;
export type AcpClient = keyof typeof ACP;

/** A server that its person has given it, under a name that is not ours. */
export interface OtherServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What a program is started with: a home folder of its own, the model at this address, and a server
 * of its person's that calls itself axon.
 */
export function acpEnvironment(
  client: AcpClient,
  home: string,
  model: string,
  axon: OtherServer,
): NodeJS.ProcessEnv {
  if (client === 'claude-agent-acp')
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: { axon } }));
  if (client === 'codex-acp') {
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), stringify({ mcp_servers: { axon } }));
  }
  return environment(home, ACP[client].variables(model, axon));
}

/** Programs that try a server out, and end with a code that says how it went. */
const CHECKERS = {
  inspector: '.bin/mcp-inspector',
  conformance: '.bin/conformance',
} as const;

/**
 * An interactive session of Claude Code in its home folder, at a terminal of its own, in which
 * nobody types. It knows its folder and its key already, as after its first start. `endPrograms`
 * ends it.
 */
export function openClaudeCode(
  home: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): void {
  const file = join(home, '.claude.json');
  const settings: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const known = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [variables['ANTHROPIC_API_KEY']], rejected: [] },
    projects: { [home]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(file, JSON.stringify({ ...(settings as object), ...known }));
  const line = [join(PACKAGES, PROGRAMS['claude-code'][0]), ...words].join(' ');
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd: home,
    env: { ...environment(home, variables), TERM: 'xterm' },
    // Open to the end: nobody types, and nobody closes the terminal.
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  endAfterTest(child);
}

/** A program that goes on running in its home folder. `endPrograms` ends it. */
export function openClient(
  client: RealClient,
  words: readonly string[],
  home: string,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  const [program = '', ...first] = PROGRAMS[client].map((word) =>
    word === process.execPath ? word : join(PACKAGES, word),
  );
  const env = environment(home, variables);
  const child = spawn(program, [...first, ...words], { cwd: home, env, stdio: 'pipe' });
  child.stderr.resume();
  endAfterTest(child);
  return child;
}

/** Whether every one of them is installed here. */
export function hasRealClients(): boolean {
  const files = [
    ...Object.values(PROGRAMS).map((words) => words.at(-1) ?? ''),
    '.bin/claude-agent-acp',
    '.bin/codex-acp',
    ...Object.values(CHECKERS),
  ];
  return files.every((file) => existsSync(join(PACKAGES, file)));
}

/** Runs a checker to its end, in its home folder. */
export async function runChecker(
  checker: keyof typeof CHECKERS,
  home: string,
  words: readonly string[],
): Promise<Ended> {
  const child = spawn(process.execPath, [join(PACKAGES, CHECKERS[checker]), ...words], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endAfterTest(child);
  const said = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said.error += part));
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}

/**
 * Runs a program to its end in its home folder, and resolves with what it printed. `endPrograms`
 * ends it before.
 * @throws Error with all that it said, when it failed or took too long
 */
export function runClient(
  client: RealClient,
  words: readonly string[],
  home: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly out: string; readonly error: string }> {
  const [program = '', ...first] = PROGRAMS[client].map((word) =>
    word === process.execPath ? word : join(PACKAGES, word),
  );
  const env = environment(home, variables);
  const options = { cwd: home, env, timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...first, ...words], options, (cause, out, error) => {
      if (cause === null) resolve({ out, error });
      else reject(new Error(`${client} ${words.join(' ')}\n${out}\n${error}`, { cause }));
    });
    endAfterTest(child);
    child.stdin?.end();
  });
}

function environment(home: string, variables: Readonly<Record<string, string>>) {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    NO_COLOR: '1',
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: '127.0.0.1',
    ...SETTINGS,
    ...variables,
  };
}
