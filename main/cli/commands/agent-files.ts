// agents files, run-file, end-file: agents that are files in the data folder. Only the person in
// charge confirms one, after having read it; a script names the text by its hash.
import { join } from 'node:path';
import { Option } from 'commander';
import type { AgentFileDto, AgentFileVersionDto } from '../../../preload/contract/agent-files.ts';
import { RISK_CLASSES } from '../../../preload/contract/closed-lists.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import type { AxonCommand } from '../axon-command.ts';
import type { HubClient } from '../hub-client.ts';
import { quoted } from '../quoted-text.ts';
import { refusal } from '../refusal.ts';
import { readSecretFile } from '../session.ts';
import { table, type Terminal } from '../terminal.ts';

const { files: words } = ENGLISH.agents;
const FILE = 'its name in the folder';

interface ConfirmOptions {
  readonly class: RiskClass;
  readonly sha256?: string;
  readonly keyFile?: string;
  readonly leavesTo?: string;
}

export function addAgentFileCommands(agents: AxonCommand): void {
  agents
    .command('files')
    .description('agents that are files in the data folder, and what of each is confirmed')
    .doesAsOwner(async (owner, { terminal, session }) => {
      const page = await owner.call('agent_files.list', {});
      const folder = join(session.home, 'agents');
      terminal.result(page, () =>
        page.items.length === 0
          ? [`No agent stands as a file in ${folder}.`]
          : table(
              [
                ['FILE', 'STATE', 'AGENT', 'MODEL', 'SHA-256 NOW'],
                ...page.items.map(({ file, state, now, confirmed }) => [
                  file,
                  words.states[state],
                  confirmed?.agent ?? now?.agent_name ?? null,
                  (now ?? confirmed)?.model ?? null,
                  now?.sha256 ?? null,
                ]),
              ],
              page.items.map(({ flaw }) => flaw),
            ),
      );
    });
  agents
    .command('run-file')
    .description('run the agent that a file describes, from the text that you have read')
    .argument('<file>', FILE)
    .addOption(
      new Option(
        '--class <class>',
        'R0 look, R1 small and reversible, R2 others see it, R3 dangerous',
      )
        .choices(RISK_CLASSES)
        .makeOptionMandatory(),
    )
    .option(
      '--sha256 <hash>',
      'of the text that was read, for a script; else it is shown and asked',
    )
    .option('--key-file <path>', 'holds the key for the endpoint; the hub keeps it')
    .option('--leaves-to <host>', 'what it is asked may leave this computer, to this host')
    .doesAsOwner(async (owner, { terminal }, file: string, options: ConfirmOptions) => {
      const { sha256, keyFile, leavesTo } = options;
      const shown =
        sha256 === undefined ? await readFirst(owner, terminal, file) : wholeHash(sha256);
      const confirmed = await owner.call('agent_files.confirm', {
        file,
        sha256: shown,
        risk_class: options.class,
        ...(leavesTo === undefined ? {} : { leaves_to: leavesTo }),
        ...(keyFile === undefined ? {} : { key: readSecretFile(keyFile, 'bad_request').trim() }),
      });
      terminal.result(confirmed, () => [
        `Confirmed: ${file} runs as ${confirmed.confirmed?.agent ?? ''}, of class ${options.class}.`,
        `${words.hash}: ${shown}`,
      ]);
    });
  agents
    .command('end-file')
    .description('run the agent of a file no longer; the agent and the file stay')
    .argument('<file>', FILE)
    .doesAsOwner(async (owner, { terminal }, file: string) => {
      const removed = await owner.call('agent_files.remove', { file });
      terminal.result(removed, () => [`Nothing runs from ${file} any more.`]);
    });
}

/** @throws AppError bad_request */
function wholeHash(typed: string): string {
  if (/^[0-9a-f]{64}$/i.test(typed)) return typed.toLowerCase();
  throw refusal(
    'bad_request',
    '--sha256 takes all 64 characters of the hash.',
    '"axon agents files" shows them.',
  );
}

/** Shows the whole text and asks. The hash of what was shown. @throws AppError */
async function readFirst(owner: HubClient, terminal: Terminal, file: string): Promise<string> {
  const { items } = await owner.call('agent_files.list', {});
  const found = items.find((one) => one.file === file);
  if (found === undefined)
    throw refusal('not_found', `The folder "agents" holds no file "${file}".`);
  if (found.now === null) throw refusal('bad_request', flawIn(found));
  if (!terminal.isInteractive)
    throw refusal(
      'bad_request',
      'Nobody is here to read the file.',
      'Run it at a terminal, or name the text that was read: --sha256 HASH.',
    );
  for (const line of quoted(found.now.text)) terminal.note(line);
  for (const line of factsOf(found.now)) terminal.note(line);
  await terminal.confirm('Run exactly this?', 'run', 'Nothing was confirmed.');
  return found.now.sha256;
}

function factsOf(version: AgentFileVersionDto): readonly string[] {
  const { agent_name: agent, model, budget, leaves_to: host, sha256 } = version;
  return [
    words.facts(agent, model, String(budget)),
    host === null ? words.stays : words.leaves(host),
    `${words.hash}: ${sha256}`,
  ];
}

function flawIn({ state, flaw }: AgentFileDto): string {
  return state === 'gone' ? 'That file is gone.' : `The file is broken. ${flaw ?? ''}`;
}
