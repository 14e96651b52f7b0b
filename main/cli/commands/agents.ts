// agents: the programs of this computer that may speak through the hub. `connect` is for a program
// (a person confirms it), the others are for the person in charge.
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import {
  RISK_CLASSES,
  WEBHOOK_PRESETS,
  type AgentDoor,
  type WebhookPreset,
} from '../../../preload/contract/closed-lists.ts';
import type { AgentDto, RegistrationDto, RiskClass } from '../../../preload/contract/dto.ts';
import {
  ACP_PROGRAM_NAMES,
  type AcpProgram,
  type RunnerDto,
} from '../../../preload/contract/runners.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { reachOf } from '../../../preload/contract/strings/reach.ts';
import { titleOf, todayOf } from '../../../preload/contract/strings/runners.ts';
import { addAgentFileCommands } from './agent-files.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import type { AxonCommand } from '../axon-command.ts';
import { domainName } from '../option-values.ts';
import { quoted } from '../quoted-text.ts';
import { handleHere } from '../agent-handle.ts';
import type { HubClient } from '../hub-client.ts';
import { refusal } from '../refusal.ts';
import {
  connectAgent,
  handleLine,
  profileOf,
  withProfile,
  type ProfileOptions,
} from '../connect-agent.ts';
import { checkAgentName, readSecretFile } from '../session.ts';
import { CLASS_LEGEND, table } from '../terminal.ts';
import { addA2aCommands } from './a2a-agents.ts';

const CLASSES =
  'R0 look, R1 small and reversible, R2 others see it, R3 dangerous; R2 until you say one';
const AREA_CLASSES =
  'R0 look, R1 small and reversible, R2 others see it, R3 dangerous; as the agent until you say one';
const AGENT = 'the agent, by its name or its handle';

export function addAgentCommands(program: AxonCommand): void {
  const agents = program
    .command('agents')
    .description('programs of this computer that speak through the hub');
  agents
    .command('list', { isDefault: true })
    .description('who is connected')
    .does(async ({ session, command: typed }) => {
      const page = await (await session.asAnyone()).call('agents.list', {});
      const none = `No agent is connected yet: ${typed} agents connect NAME`;
      session.tellList(page, none, () => [
        ...table(rows(page.items), page.items.map(saidOf)),
        '',
        ...page.items.map((agent) => `${agent.display_name}: ${reachOf(agent, localTime)}`),
        '',
        CLASS_LEGEND,
      ]);
    });
  withProfile(agents.command('connect'))
    .description(
      'connect a program: shows a code that the person confirms in the app, then keeps its token',
    )
    .argument('<name>', 'lower-case letters, digits, ".", "_" and "-"')
    .does(async (context, name: string, options: ProfileOptions) => {
      const { handle, file } = await connectAgent(context, name, options);
      context.terminal.result({ name: handle, token_file: file }, () => [
        `Connected. The token is in ${file}.`,
        ...handleLine(handle, name),
      ]);
    });
  agents
    .command('confirm')
    .description('confirm a program that waits to be connected, by the code that it shows')
    .argument('<code>', 'the six digits that the program shows')
    .addOption(new Option('--class <class>', CLASSES).choices(RISK_CLASSES))
    .doesAsOwner(async (owner, { terminal }, typed: string, options: { class?: RiskClass }) => {
      const { id, code } = await askedWith(owner, typed);
      const agent = await owner.call('agents.confirm', { id, code, risk_class: options.class });
      const areas = agent.domains.map(({ domain }) => domain).join(', ');
      terminal.result(agent, () => [
        `Confirmed: ${agent.display_name}, of class ${agent.risk_class}${areas === '' ? '' : `, for ${areas}`}. It is connected once its program says so.`,
        ...handleLine(agent.name, agent.connected_as),
      ]);
    });
  withProfile(agents.command('add'))
    .description('connect a program at once, as the person in charge')
    .argument('<name>', 'its name')
    .addOption(new Option('--class <class>', CLASSES).choices(RISK_CLASSES))
    .does(
      async (
        { terminal, session },
        name: string,
        options: ProfileOptions & { class?: RiskClass },
      ) => {
        checkAgentName(name);
        const owner = await session.asOwner();
        const { agent, token } = await owner.call('agents.create', {
          ...profileOf(name, options),
          ...(options.class === undefined ? {} : { risk_class: options.class }),
        });
        const file = session.storeToken(name, token);
        terminal.result({ agent, token_file: file }, () => [
          `Connected ${agent.display_name}. Its token is in ${file}.`,
          ...handleLine(agent.name, name),
        ]);
      },
    );
  agents
    .command('rename')
    .description('give an agent the name that people read')
    .argument('<agent>', AGENT)
    .argument('<name>', 'its new name; what programs type, its handle, stays')
    .doesAsOwner(async (owner, { terminal }, agent: string, name: string) => {
      const renamed = await owner.call('agents.rename', {
        name: await handleHere(owner, agent),
        display_name: name,
      });
      terminal.result(renamed, () => [
        `${renamed.name} is called ${renamed.display_name} from now on.`,
      ]);
    });
  agents
    .command('class')
    .description('say how much harm an agent could do')
    .argument('<agent>', AGENT)
    .addArgument(
      new Argument(
        '<class>',
        'R0 look, R1 small and reversible, R2 others see it, R3 dangerous',
      ).choices(RISK_CLASSES),
    )
    .option('--default', 'it also takes what no other agent claims')
    .doesAsOwner(
      async (
        owner,
        { terminal },
        typed: string,
        riskClass: RiskClass,
        options: { default?: boolean },
      ) => {
        const name = await handleHere(owner, typed);
        const agent = await owner.call('agents.setClass', {
          name,
          risk_class: riskClass,
          is_default: options.default,
        });
        terminal.result(agent, () => [`${agent.display_name} is of class ${agent.risk_class}.`]);
      },
    );
  agents
    .command('add-area')
    .description('give an agent one more area; rules can be made for it')
    .argument('<agent>', AGENT)
    .argument('<domain>', 'the area, like family.calendar', domainName)
    .addOption(new Option('--class <class>', AREA_CLASSES).choices(RISK_CLASSES))
    .doesAsOwner(
      async (owner, { terminal }, typed: string, area: string, options: { class?: RiskClass }) => {
        const agent = await owner.call('agents.addArea', {
          name: await handleHere(owner, typed),
          area,
          ...(options.class === undefined ? {} : { risk_class: options.class }),
        });
        const added = agent.domains.find(({ domain }) => domain === area);
        terminal.result(agent, () => [
          `${agent.display_name} has ${area} from now on, of class ${added?.risk_class ?? agent.risk_class}.`,
        ]);
      },
    );
  agents
    .command('remove-area')
    .description('take one area from an agent, and its risk class with it; the others stay')
    .argument('<agent>', AGENT)
    .argument('<domain>', 'the area, like family.calendar')
    .doesAsOwner(async (owner, { terminal }, typed: string, area: string) => {
      const agent = await owner.call('agents.removeArea', {
        name: await handleHere(owner, typed),
        area,
      });
      terminal.result(agent, () => [
        `${agent.display_name} has ${area} no longer, and ${countOfAreas(agent)}.`,
      ]);
    });
  addRunCommand(agents);
  addWebhookCommands(agents);
  addA2aCommands(agents);
  addAgentFileCommands(agents);
  agents
    .command('remove')
    .description('disconnect an agent; its tokens end at once')
    .argument('<agent>', AGENT)
    .doesAsOwner(async (owner, { terminal, session }, typed: string) => {
      const name = await handleHere(owner, typed);
      const { connected_as: asked } = await owner.call('agents.get', { name });
      const removed = await owner.call('agents.remove', { name });
      session.forgetToken(asked);
      terminal.result(removed, () => [`${typed} is disconnected.`]);
    });
}

/** What the hub keeps running for an agent, so that it is woken without anybody at a terminal. */
function addRunCommand(agents: AxonCommand): void {
  agents
    .command('run')
    .description(
      'have the hub start a program for each request that an agent may do; without an agent, show which it starts (the person in charge only)',
    )
    .argument('[agent]', AGENT)
    .addArgument(
      new Argument('[program]', 'which one: it speaks the Agent Client Protocol').choices(
        ACP_PROGRAM_NAMES,
      ),
    )
    .option('--folder <folder>', 'where the program works (default: an empty folder of its own)')
    .option('--off', 'start none for this agent any more')
    .doesAsOwner(
      async (
        owner,
        { terminal },
        typed: string | undefined,
        program: AcpProgram | undefined,
        options: { folder?: string; off?: true },
      ) => {
        if (typed === undefined) {
          const list = await owner.call('runners.list', {});
          const most = (await owner.call('settings.get', {})).wakes_max;
          const none = 'The hub starts no program for any agent.';
          terminal.result(list, () =>
            list.items.length === 0
              ? [none]
              : list.items.flatMap((runner) => runnerLines(runner, most)),
          );
          return;
        }
        const name = await handleHere(owner, typed);
        if (options.off === true) {
          const ended = await owner.call('runners.end', { name });
          terminal.result(ended, () => [`The hub starts no program for ${typed} any more.`]);
          return;
        }
        if (program === undefined)
          throw refusal('bad_request', 'Name the program, or --off.', ACP_PROGRAM_NAMES.join(', '));
        const folder = options.folder === undefined ? null : resolve(options.folder);
        const runner = { kind: 'acp', program, folder } as const;
        const set = await owner.call('runners.set', { name, runner });
        const most = (await owner.call('settings.get', {})).wakes_max;
        terminal.result(set, () => [...runnerLines(set, most), ENGLISH.agents.runner.unasked]);
      },
    );
}

function runnerLines(runner: RunnerDto, most: number): readonly string[] {
  const { agent, state, why } = runner;
  const { states } = ENGLISH.agents.runner;
  return [
    `${agent}: ${states[state](titleOf(runner))} ${todayOf(runner, most)}`,
    ...(why === null ? [] : quoted(why)),
  ];
}

/** What wakes an agent while its program is open, and nobody looks. */
function addWebhookCommands(agents: AxonCommand): void {
  agents
    .command('webhook')
    .description(
      'call a program of this computer when something waits for an agent; it is told that, and never what',
    )
    .argument('<agent>', AGENT)
    .addArgument(new Argument('<kind>', 'whose form the call has').choices(WEBHOOK_PRESETS))
    .argument('<url>', 'where it listens, beginning with http://127.0.0.1:')
    .option(
      '--secret-file <file>',
      'a file with its password or token on the first line; "generic" has one made without it',
    )
    .doesAsOwner(
      async (
        owner,
        { terminal },
        typed: string,
        preset: WebhookPreset,
        address: string,
        options: { secretFile?: string },
      ) => {
        const { agent, secret } = await owner.call('agents.setWebhook', {
          name: await handleHere(owner, typed),
          preset,
          address,
          ...(options.secretFile === undefined
            ? {}
            : { secret: readSecretFile(options.secretFile) }),
        });
        terminal.result({ agent, secret }, () => [
          `${agent.webhook?.address ?? address} is called when something waits for ${agent.display_name} and nobody takes it.`,
          ...(secret === null
            ? []
            : [`Each call is signed with this secret, which is shown once: ${secret}`]),
        ]);
      },
    );
  agents
    .command('remove-webhook')
    .description('call nobody for an agent any more')
    .argument('<agent>', AGENT)
    .doesAsOwner(async (owner, { terminal }, typed: string) => {
      const agent = await owner.call('agents.removeWebhook', {
        name: await handleHere(owner, typed),
      });
      terminal.result(agent, () => [`Nobody is called for ${agent.display_name} any more.`]);
    });
}

/** The program that shows this code. @throws AppError not_found, conflict where several do */
async function askedWith(owner: HubClient, typed: string): Promise<RegistrationDto> {
  const digits = typed.replaceAll(/[ -]/g, '');
  const { registrations } = await owner.call('hub.snapshot', {});
  const [asked, ...others] = registrations.filter(({ code }) => code === digits);
  if (asked !== undefined && others.length === 0) return asked;
  if (asked !== undefined)
    throw refusal(
      'conflict',
      'Several programs show this code.',
      'Confirm the one that you mean on the pages, under Agents: "axon login" opens them.',
    );
  const names = registrations.map(({ display_name: name }) => name);
  throw refusal(
    'not_found',
    `No program that waits to be connected shows the code "${typed}".`,
    names.length === 0
      ? 'None waits: "axon agents connect NAME" asks, and shows its code for ten minutes.'
      : `These wait: ${names.join(', ')}. Type the code as the program shows it.`,
  );
}

function countOfAreas({ domains }: AgentDto): string {
  return domains.length === 0
    ? 'no other'
    : domains.length === 1
      ? 'one other'
      : `${domains.length} others`;
}

const DOORS = { http: 'HTTP', mcp: 'MCP', a2a: 'A2A', terminal: 'axon' } as const satisfies Record<
  AgentDoor,
  string
>;

/** Which program it says it is. */
function saidOf({ line }: AgentDto): string | null {
  return line?.program ?? null;
}

function rows(items: readonly AgentDto[]): readonly (readonly (string | null)[])[] {
  return [
    ['NAME', 'HANDLE', 'STATE', 'CLASS', 'DOOR', inZone('SINCE'), 'LAST CALL', 'DOMAINS'],
    ...items.map((agent) => [
      agent.display_name,
      agent.name,
      agent.busy ? 'busy' : agent.presence.replace('_', ' '),
      agent.risk_class,
      agent.line === null ? null : DOORS[agent.line.door],
      cellTime(agent.line?.since ?? null),
      cellTime(agent.last_call_at),
      agent.domains.map(({ domain }) => domain).join(', ') || null,
    ]),
  ];
}
