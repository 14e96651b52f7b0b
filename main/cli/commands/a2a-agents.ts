// agents ...-a2a: agents of elsewhere that the hub calls over A2A. The person in charge sees the
// card before anything is sent, and again whenever it has changed.
import { Option } from 'commander';
import type { A2aAgentDto, A2aCardDto } from '../../../preload/contract/a2a.ts';
import { RISK_CLASSES, type RiskClass } from '../../../preload/contract/closed-lists.ts';
import { handleHere } from '../agent-handle.ts';
import type { AxonCommand } from '../axon-command.ts';
import type { HubClient } from '../hub-client.ts';
import { shellWord } from '../invocation.ts';
import { quoted } from '../quoted-text.ts';
import { checkAgentName, readSecretFile } from '../session.ts';
import { table } from '../terminal.ts';

const URL_WORDS = 'where its card stands, such as http://127.0.0.1:4000';
const TOKEN_WORDS = 'a file with the token that it wants, on the first line';
const DIGEST_WORDS = 'the digest of the card, as "a2a-look" shows it';

interface CardOptions {
  readonly digest: string;
  readonly tokenFile?: string;
}

export function addA2aCommands(agents: AxonCommand): void {
  agents
    .command('a2a-look')
    .description('show the card of an A2A agent; nothing else is sent to it')
    .argument('<url>', URL_WORDS)
    .option('--token-file <file>', TOKEN_WORDS)
    .doesAsOwner(async (owner, { terminal, command: typed }, url: string, options) => {
      const { tokenFile } = options as { tokenFile?: string };
      const card = await owner.call('a2a.look', { url, ...tokenIn(tokenFile) });
      terminal.result(card, () => [
        ...cardLines(card),
        '',
        'To make it an agent of this hub:',
        `  ${typed} agents a2a-add NAME ${shellWord(card.url, process.platform) ?? 'URL'} --digest ${card.digest}${card.leaves_computer ? ' --leaves-computer' : ''}`,
      ]);
    });
  agents
    .command('a2a-add')
    .description('make an A2A agent an agent of this hub, which calls it')
    .argument('<name>', 'what it is called here')
    .argument('<url>', URL_WORDS)
    .requiredOption('--digest <digest>', DIGEST_WORDS)
    .option('--leaves-computer', 'what it is given may leave this computer')
    .option('--token-file <file>', TOKEN_WORDS)
    .addOption(
      new Option('--class <class>', 'how much harm it could do (default: R2)').choices(
        RISK_CLASSES,
      ),
    )
    .doesAsOwner(
      async (
        owner,
        { terminal },
        name: string,
        url: string,
        options: CardOptions & { leavesComputer?: true; class?: RiskClass },
      ) => {
        checkAgentName(name);
        const agent = await owner.call('a2a.add', {
          name,
          url,
          digest: options.digest,
          leaves_computer: options.leavesComputer === true,
          ...tokenIn(options.tokenFile),
          ...(options.class === undefined ? {} : { risk_class: options.class }),
        });
        const { host } = await rowOf(owner, agent.name);
        terminal.result(agent, () => [
          `${agent.display_name} is an agent here, of class ${agent.risk_class}. What it is given goes to ${host}.`,
        ]);
      },
    );
  agents
    .command('a2a-list')
    .description('the A2A agents that this hub calls')
    .doesAsOwner(async (owner, { terminal }) => {
      const page = await owner.call('a2a.list', {});
      terminal.result(page, () =>
        page.items.length === 0
          ? ['This hub calls no A2A agent.']
          : table([
              ['AGENT', 'STATE', 'HOST', 'CARD', 'WHY NOT'],
              ...page.items.map(({ agent, state, host, url, trouble }) => [
                agent,
                state,
                host,
                url,
                trouble,
              ]),
            ]),
      );
    });
  agents
    .command('a2a-confirm')
    .description('confirm the changed card of an A2A agent, or give it another token')
    .argument('<agent>', 'its name or its handle')
    .requiredOption('--digest <digest>', DIGEST_WORDS)
    .option('--token-file <file>', TOKEN_WORDS)
    .doesAsOwner(async (owner, { terminal }, typed: string, options: CardOptions) => {
      const confirmed = await owner.call('a2a.confirm', {
        name: await handleHere(owner, typed),
        digest: options.digest,
        ...tokenIn(options.tokenFile),
      });
      terminal.result(confirmed, () => [`${typed} is called at ${confirmed.host} again.`]);
    });
}

function tokenIn(file: string | undefined): { readonly token?: string } {
  return file === undefined ? {} : { token: readSecretFile(file, 'bad_request').trim() };
}

async function rowOf(owner: HubClient, name: string): Promise<Pick<A2aAgentDto, 'host'>> {
  const { items } = await owner.call('a2a.list', {});
  return items.find(({ agent }) => agent === name) ?? { host: 'its host' };
}

function skillsOf({
  skills,
  more_skills: more,
}: Pick<A2aCardDto, 'skills' | 'more_skills'>): string {
  return `Skills: ${skills.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function cardLines({ host, leaves_computer: leaves, ...card }: A2aCardDto): readonly string[] {
  return [
    'Its card says, not checked:',
    ...quoted(card.name),
    ...(card.description === null ? [] : quoted(card.description)),
    ...(card.skills.length === 0 ? [] : quoted(skillsOf(card))),
    leaves
      ? `What it is given leaves this computer, to ${host}.`
      : `What it is given goes to ${host}, on this computer.`,
    `Digest of the card: ${card.digest}`,
  ];
}
