// audit: who did what, for the person in charge: the newest rows, the check that nothing was
// changed or removed, the export, and the acknowledgement that something was. Beside it
// confirm-restore: the one answer that unlocks a hub that was restored from an older copy.
import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import type { AuditCheckDto, AuditRowDto } from '../../../preload/contract/audit.ts';
import type { RestoredCopyDto } from '../../../preload/contract/dto.ts';
import type { OperationInput } from '../../../preload/contract/operations.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { AppError } from '../../lib/app-error.ts';
import { interruptible } from '../context.ts';
import { exportPieces } from '../export-pieces.ts';
import type { HubClient } from '../hub-client.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import { collect, wholeNumberFrom } from '../option-values.ts';
import type { AxonCommand } from '../axon-command.ts';
import { table, type Terminal } from '../terminal.ts';
import { refusal } from '../refusal.ts';

/** Checks the audit log of a hub that does not run. */
export type CheckStoppedAudit = (home: string) => Promise<AuditCheckDto>;

const { audit: text } = ENGLISH;
/** A token that a person was given at a terminal or on a page; WHERE says which. */
const PERSONS_TOKEN = /^(?:owner|ui):/;
const ROWS_DEFAULT = 20;
const ROWS_MAX = 200;
const LOOK_AGAIN_MS = 200;

export function addAuditCommands(program: AxonCommand, checkStopped: CheckStoppedAudit): void {
  const audit = program
    .command('audit')
    .description(
      'who did what on this hub, and whether that log was changed (the person in charge only)',
    );
  audit
    .command('list', { isDefault: true })
    .description('the newest rows, the newest first')
    .option(
      '--limit <rows>',
      `how many, 1 to ${ROWS_MAX}`,
      wholeNumberFrom(1, ROWS_MAX),
      ROWS_DEFAULT,
    )
    .doesAsOwner(async (owner, { terminal }, { limit }: { limit: number }) => {
      const page = await owner.call('audit.list', { limit });
      const { items: hubs } = await owner.call('peers.list', { trust: 'all' });
      const names = new Map(hubs.map(({ public_key: key, name }) => [key, name]));
      const rows = page.items.map((row) => cellsOf(row, names));
      terminal.result(page, () =>
        table([['ROW', inZone('WHEN'), 'WHO', 'WHERE', 'WHAT', 'OF'], ...rows]),
      );
    });
  audit
    .command('verify')
    .description('check every row and signature; of a hub that is not running, in its data folder')
    .does(async ({ terminal, session }) => {
      const isRunning = await session.line().then(() => true, isNotRunning);
      const tell = (checked: AuditCheckDto): number => {
        terminal.result(checked, () => checkLines(checked));
        return checked.state === 'done' && checked.finding === null ? 0 : 1;
      };
      if (isRunning) {
        const owner = await session.asOwner();
        return interruptible(async (signal) => {
          const exitCode = tell(await checkRunning(owner, signal));
          signal.throwIfAborted();
          return exitCode;
        });
      }
      terminal.note(text.stopped);
      return tell(await checkStopped(session.home));
    });
  audit
    .command('export')
    .description('the whole log as text, the oldest row first')
    .addOption(
      new Option('--format <format>', 'JSON can be checked elsewhere, CSV is for a spreadsheet')
        .choices(['json', 'csv'])
        .default('json'),
    )
    .option('--output <file>', 'a new file that only you can read, instead of standard output')
    .doesAsOwner(
      (owner, { terminal }, { format, output }: { format: 'json' | 'csv'; output?: string }) =>
        exportPieces(terminal, output, (at, signal) =>
          owner.call('audit.export', { format, ...at }, signal),
        ),
    );
  audit
    .command('acknowledge')
    .description(
      'say that you have seen that the log was changed: rules act and it is signed again',
    )
    .doesAsOwner(async (owner, { terminal }) => {
      const { tamper_finding: finding } = (await owner.call('hub.status', {})).hub;
      if (finding !== null) terminal.note(text.finding(finding));
      const acknowledged = await owner.call('audit.acknowledge', { row: finding?.row ?? 0 });
      terminal.result(acknowledged, () => [text.acknowledged]);
    });
  program
    .command('confirm-restore')
    .description('use the older copy that this hub was restored from (the person in charge only)')
    .option(
      '--keep-hub <hub>',
      'a hub of the copy that you still have; may be given several times',
      collect,
    )
    .option(
      '--keep-agent <agent>',
      'an agent of the copy that you still have; may be given several times',
      collect,
    )
    .option('--keep-all', 'keep every hub and agent of the copy')
    .option('--keep-none', 'keep no hub and no agent of the copy')
    .option('--yes', 'for scripts: confirm without being asked')
    .doesAsOwner(async (owner, { terminal }, options: RestoreOptions) => {
      const { restored_copy: copy } = (await owner.call('hub.status', {})).hub;
      const {
        title,
        detail,
        back,
        rules,
        ends,
        terminal: question,
        kept,
        confirmed,
      } = text.restored;
      if (copy !== null) for (const line of [title, detail, back, rules, ends]) terminal.note(line);
      const keep =
        copy === null ? { keep_hubs: [], keep_agents: [] } : await keptOf(terminal, copy, options);
      if (copy !== null && options.yes !== true && !terminal.isInteractive)
        throw refusal('bad_request', 'Nothing was confirmed.', 'In a script, add --yes.');
      if (
        copy !== null &&
        options.yes !== true &&
        (await terminal.ask(question)).trim().toLowerCase() !== 'yes'
      ) {
        throw refusal('cancelled', kept);
      }
      const hub = await owner.call('hub.confirmRestore', keep);
      terminal.result(hub, () => [confirmed]);
    });
}

interface RestoreOptions {
  readonly yes?: true;
  readonly keepHub?: readonly string[];
  readonly keepAgent?: readonly string[];
  readonly keepAll?: true;
  readonly keepNone?: true;
}

/** @throws AppError bad_request where the choice is missing, or names what is not in the copy */
async function keptOf(
  terminal: Terminal,
  { hubs, agents }: RestoredCopyDto,
  { keepHub, keepAgent, keepAll, keepNone }: RestoreOptions,
): Promise<OperationInput<'hub.confirmRestore'>> {
  const named = [...(keepHub ?? []), ...(keepAgent ?? [])].length > 0;
  if ([named, keepAll === true, keepNone === true].filter(Boolean).length > 1)
    throw refusal('bad_request', 'Keep all, none, or those that you name: one of the three.');
  const all = { keep_hubs: hubs.map(({ id }) => id), keep_agents: agents.map(({ id }) => id) };
  if (keepAll === true) return all;
  if (keepNone === true) return { keep_hubs: [], keep_agents: [] };
  if (named)
    return { keep_hubs: idsOf(hubs, keepHub ?? []), keep_agents: idsOf(agents, keepAgent ?? []) };
  if (hubs.length + agents.length === 0) return all;
  if (terminal.json || !terminal.isInteractive) {
    throw refusal(
      'bad_request',
      `Say what of this copy you still have. Hubs: ${namesOf(hubs)}. Agents: ${namesOf(agents)}.`,
      'Name each with --keep-hub or --keep-agent, or say --keep-all or --keep-none.',
    );
  }
  return {
    keep_hubs: await chosen(terminal, hubs, 'hub'),
    keep_agents: await chosen(terminal, agents, 'agent'),
  };
}

const namesOf = (all: RestoredCopyDto['hubs']): string =>
  all.map(({ name }) => name).join(', ') || 'none';

/** Asks for each by itself; an answer that is neither word is asked for again. */
async function chosen(
  terminal: Terminal,
  all: RestoredCopyDto['hubs'],
  what: 'hub' | 'agent',
): Promise<string[]> {
  const kept: string[] = [];
  for (const { id, name } of all) {
    let said = '';
    while (said !== 'yes' && said !== 'no')
      said = (await terminal.ask(`Keep the ${what} ${name}? Type "yes" or "no":`))
        .trim()
        .toLowerCase();
    if (said === 'yes') kept.push(id);
  }
  return kept;
}

function idsOf(all: RestoredCopyDto['hubs'], wanted: readonly string[]): string[] {
  return wanted.map((word) => {
    const found = all.filter(({ id, name }) => id === word || name === word);
    if (found.length === 1 && found[0] !== undefined) return found[0].id;
    throw refusal(
      'bad_request',
      `"${word}" is not one of those in this copy: ${all.map(({ name }) => name).join(', ') || 'none'}.`,
    );
  });
}

/** @param names of hubs, by their keys; what stands for none of them is shown as it is */
function cellsOf(
  { seq, at, actor, surface, action, object }: AuditRowDto,
  names: ReadonlyMap<string, string>,
): readonly (string | number)[] {
  const who = names.get(actor) ?? (PERSONS_TOKEN.test(actor) ? text.person : actor);
  return [seq, cellTime(at), who, surface, action, names.get(object) ?? object];
}

function isNotRunning(error: unknown): false {
  if (error instanceof AppError && error.code === 'hub_unreachable') return false;
  throw error;
}

/** @param signal cancels the check */
async function checkRunning(owner: HubClient, signal: AbortSignal): Promise<AuditCheckDto> {
  let checked = await owner.call('audit.verify', {});
  while (checked.state === 'running') {
    await setTimeout(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    checked = await owner.call(
      signal.aborted ? 'audit.cancelVerification' : 'audit.verification',
      {},
    );
  }
  return checked;
}

function checkLines(checked: AuditCheckDto): readonly string[] {
  if (checked.state === 'cancelled') return [text.cancelled(checked.checked, checked.rows)];
  if (checked.state === 'failed') return [text.failed(checked.problem ?? '')];
  const signed = text.signed(checked.signed_seq, checked.rows);
  const verdict =
    checked.finding === null
      ? [text.whole(checked.rows), signed]
      : [text.broken, text.finding(checked.finding)];
  for (const one of checked.acknowledged)
    verdict.push(text.acknowledgedFinding(one, one.at === null ? null : localTime(one.at)));
  return checked.counted || checked.rows === 0 ? verdict : [...verdict, text.notCounted];
}
