// status, whoami, login, passphrase, examples, hub: the hub itself.
import { InvalidArgumentError, type Command } from 'commander';
import type { HubDto } from '../../../preload/contract/dto.ts';
import { examples } from '../../../preload/contract/examples.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { withInvocation } from '../invocation.ts';
import { LANGUAGE_PAGES } from '../language-pages.ts';
import { localTime } from '../local-time.ts';
import { restoredLines } from '../locked-words.ts';
import { askedLines } from '../pairing-words.ts';
import type { AxonCommand } from '../axon-command.ts';
import { stopSummary } from '../key-change-warning.ts';
import { inWords } from '../terminal.ts';
import { hubFlagsOf, withHubFlags } from './hub-flags.ts';
import { addServiceCommands, type RemoveData } from './service.ts';

export function addHubCommands(
  program: AxonCommand,
  runHub: (flags: readonly string[]) => Promise<void>,
  removeData: RemoveData,
): void {
  program
    .command('status')
    .description(
      'how the hub of this computer is: name, agent id, public key, ports, where its identity is kept',
    )
    .does(async ({ terminal, session, command: typed }) => {
      const status = await session.status();
      terminal.result(status, () => statusLines(status, session.home, typed));
    });
  program
    .command('whoami')
    .description('which agent this is, on which hub')
    .does(async ({ terminal, session }) => {
      const me = await (await session.asAgent()).call('hub.whoami', {});
      terminal.result(me, () => [
        `${me.token.agent ?? me.token.kind} on ${me.hub.name}`,
        `Scopes: ${me.token.scopes.join(', ') || 'none'}`,
        `Agent id of the hub: ${me.hub.agent_id ?? 'not known yet'}`,
      ]);
    });
  program
    .command('login')
    .description('print a link that opens the pages of this hub in a browser: once, for 90 seconds')
    .does(async ({ terminal, session }) => {
      terminal.expectsReader('A login link');
      const code = await (await session.asOwner()).call('hub.loginCode', {});
      terminal.result(code, () => [code.url]);
    });
  program
    .command('passphrase')
    .description(
      'choose the owner passphrase, or change it; --passphrase-file takes it from a file',
    )
    .does(async ({ terminal, session }) => {
      await session.setPassphrase();
      terminal.result({ set: true }, () => ['The owner passphrase is set.']);
    });
  program
    .command('confirm-date')
    .description(
      'confirm the date after the clock of this computer jumped far ahead: old messages are removed again',
    )
    .doesAsOwner(async (owner, { terminal }) => {
      const { hub } = await owner.call('hub.status', {});
      if (hub.date_in_question === null) {
        terminal.result(hub, () => ['No date is in question.']);
        return;
      }
      terminal.note(ENGLISH.settings.dateInQuestionDetail(localTime(hub.date_in_question)));
      const confirmed = await owner.call('hub.confirmDate', { seen: hub.date_in_question });
      terminal.result(confirmed, () => [ENGLISH.settings.dateConfirmed]);
    });
  program
    .command('examples')
    .description('print one complete exchange, annotated, or what an agent language says here')
    .option(
      '--language <name>',
      `the messages of ${[...LANGUAGE_PAGES.keys()].join(', ')}`,
      languagePage,
    )
    .does(async ({ terminal, command: typed }, { language }: { language?: string }) => {
      const text = language ?? examples(typed);
      terminal.result({ text }, () => text.split('\n'));
    });
  const hub = program
    .command('hub')
    .description('run a hub in this terminal, without a window, until it is stopped');
  withHubFlags(hub).action((_options: unknown, command: Command) => runHub(hubFlagsOf(command)));
  addServiceCommands(hub, removeData);
}

/** @throws InvalidArgumentError */
function languagePage(name: string): string {
  const page = LANGUAGE_PAGES.get(name);
  if (page !== undefined) return page;
  throw new InvalidArgumentError(`There are ${[...LANGUAGE_PAGES.keys()].join(', ')}.`);
}

function statusLines(
  status: OperationResult<'hub.localStatus'>,
  home: string,
  command: string,
): readonly string[] {
  const { hub, peers, agents, approvals, pairing_window: window } = status;
  const detail = hub.state_detail === null ? '' : ` (${hub.state_detail})`;
  return [
    `${hub.name}: ${inWords(hub.state)}${detail}, since ${localTime(hub.started_at)}`,
    `Agent id    ${hub.agent_id ?? 'not known yet'}`,
    `Public key  ${hub.public_key ?? 'not known yet'}`,
    `Nearby as   ${hub.label ?? 'not known yet'}`,
    `Pages       http://127.0.0.1:${hub.api_port}, opened by "${command} login"`,
    `Hubs' port  ${hub.peer_port === null ? 'closed' : `UDP ${hub.peer_port}`}`,
    ...hub.share_tokens.map((token) => `Link to this hub ${token}`),
    `Identity    ${identityWords(hub)}`,
    `Data        ${home}`,
    `Discovery   ${discoveryWords(hub)}`,
    `Hubs        ${peers.online} of ${peers.paired} paired are online`,
    `Agents      ${agents.online} of ${agents.registered} are online`,
    `Waiting     ${waitingWords(approvals)}`,
    ...heldBackLines(status.attention).map((line) => `Held back   ${line}`),
    ...askedLines(window, command).map((line) => `Asking      ${line}`),
    ...status.key_changes
      .flatMap((change) => stopSummary(change, command))
      .map((line) => `STOP        ${line}`),
    ...hub.warnings.map((warning) => `ATTENTION   ${warning}`),
    ...copyLines(hub).map((line) => `ATTENTION   ${line}`),
    ...auditLines(hub, command).map((line) => `ATTENTION   ${line}`),
    ...dateLines(hub, command).map((line) => `ATTENTION   ${line}`),
  ];
}

/** What waits for the people here, as the tray and the pages count it; beside it what does not. */
function waitingWords({
  pending,
  held,
  elsewhere,
}: OperationResult<'hub.localStatus'>['approvals']): string {
  const more = [
    ...(held === 0 ? [] : [`${held} held until later`]),
    ...(elsewhere === 0 ? [] : [`${elsewhere} for an adult’s hub to decide`]),
  ];
  return [`${pending - held - elsewhere} for a person`, ...more].join(', ');
}

/** Why what comes is held: a pause, a quiet hour, muted hubs. */
function heldBackLines({
  paused,
  quiet_now: quiet,
  mutes,
}: OperationResult<'hub.localStatus'>['attention']): readonly string[] {
  const { attention: text } = ENGLISH;
  return [
    ...(paused === null
      ? []
      : [text.paused(paused.until === null ? null : localTime(paused.until))]),
    ...(quiet === null ? [] : [text.quietNow(quiet.name, localTime(quiet.until))]),
    ...mutes.map(({ peer_name: name, until }) => text.muted(name, localTime(until))),
  ];
}

/** That another hub with the key of this one was met. */
function copyLines({ copy_at: at }: HubDto): readonly string[] {
  const { sameKey } = ENGLISH.common;
  return at === null ? [] : [`${sameKey.title(at)} ${sameKey.detail}`];
}

/** That the hub was restored, or its audit log changed, and what the owner can do. */
function auditLines(
  { audit, tamper_finding: finding }: HubDto,
  command: string,
): readonly string[] {
  const { tampered, finding: sentence } = ENGLISH.audit;
  if (audit === 'restored') return restoredLines().map((line) => withInvocation(line, command));
  if (audit !== 'tampered') return [];
  const found = finding === null ? '' : ` ${sentence(finding)}`;
  return [
    `${tampered.title}${found} ${tampered.detail}`,
    `Check it with "${command} audit verify", then "${command} audit acknowledge".`,
  ];
}

/** That the clock jumped, and what the owner can do. */
function dateLines({ date_in_question: date }: HubDto, command: string): readonly string[] {
  if (date === null) return [];
  return [
    ENGLISH.settings.dateInQuestionDetail(localTime(date)),
    `If it is right, say so with "${command} confirm-date".`,
  ];
}

function identityWords({ key_storage: storage }: HubDto): string {
  if (storage === 'keychain') return 'in the keychain of this system';
  if (storage === 'file') return 'in the file identity.key of the data folder';
  return storage === 'memory' ? 'in memory only' : 'not known yet';
}

function discoveryWords({ discovery_status: { state, message, interfaces } }: HubDto): string {
  const where = interfaces.length === 0 ? '' : ` on ${interfaces.join(', ')}`;
  return `${state}${where}${message === null ? '' : `: ${message}`}`;
}
