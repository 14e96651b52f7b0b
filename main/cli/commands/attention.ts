// pause, stop, resume, quiet, peers mute and unmute, approvals later and now: when a person is
// asked, at a terminal. For the person in charge only.
import { InvalidArgumentError } from 'commander';
import type { AttentionDto, QuietPeriodDto } from '../../../preload/contract/attention.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { plural } from '../../../preload/contract/strings/shared-words.ts';
import { TIME_OF_DAY } from '../../../preload/contract/formats.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { idOf, requestOf, withId } from '../ids.ts';
import { lengthMs, localTime } from '../local-time.ts';
import type { AxonCommand } from '../axon-command.ts';
import type { Terminal } from '../terminal.ts';
import { refusal } from '../refusal.ts';
import { stopTask } from './tasks.ts';

const { attention: text } = ENGLISH;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY_WORDS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

export function addAttentionCommands(program: AxonCommand): void {
  program
    .command('pause')
    .description(
      'hold everything other hubs ask for, and what rules would allow, until "resume" (the person in charge only)',
    )
    .option('--for <time>', 'resume by itself after this, such as 30m, 2h or 1d', lengthMs)
    .doesAsOwner(async (owner, { terminal }, options: { for?: number }) => {
      const until = options.for === undefined ? null : Date.now() + options.for;
      const attention = await owner.call('attention.pause', { until });
      await tell(owner, terminal, attention);
    });
  program
    .command('stop')
    .description(
      'stop what runs here: one task, or with --everything all of it, and let nothing in until "resume" (the person in charge only)',
    )
    .argument('[id]', 'one task')
    .option('--everything', 'ask what runs to stop, decline what waits, and let nothing in')
    .doesAsOwner(
      async (owner, { terminal }, id: string | undefined, options: { everything?: true }) => {
        if ((id === undefined) === (options.everything === undefined))
          throw refusal(
            'bad_request',
            'Say what to stop: one task, or everything.',
            'Such as "axon stop ID", with the ID from "axon tasks", or "axon stop --everything".',
          );
        if (id !== undefined) return stopHere(owner, terminal, id);
        await tell(owner, terminal, await owner.call('attention.stop', {}));
        return 0;
      },
    );
  program
    .command('resume')
    .description('end the pause or the stop, and ask about what was held')
    .doesAsOwner(async (owner, { terminal }) => {
      const attention = await owner.call('attention.resume', {});
      await tell(owner, terminal, attention, 'Everything goes on.');
    });
  addQuietCommands(program);
}

/** A person's Stop of work that runs here. */
async function stopHere(owner: HubClient, terminal: Terminal, id: string): Promise<number> {
  try {
    return await withId('task', id, (called) => stopTask(owner, terminal, called));
  } catch (error) {
    if (!(error instanceof HubProblem) || error.problem.code !== 'not_found') throw error;
    throw refusal(
      'not_found',
      error.problem.detail,
      'It takes the id of a task, from "axon tasks". A request that waits has another id, and is declined with "axon approvals decline ID".',
    );
  }
}

function addQuietCommands(program: AxonCommand): void {
  const quiet = program
    .command('quiet')
    .description('the hours in which nobody is asked (the person in charge only)');
  quiet
    .command('list', { isDefault: true })
    .description('quiet hours, who may disturb them, pause and mutes')
    .doesAsOwner(async (owner, { terminal }) => {
      const attention = await owner.call('attention.get', {});
      await tell(owner, terminal, attention);
    });
  quiet
    .command('set')
    .description('make quiet hours, or change those of that name')
    .argument('<name>', 'what they are called, such as Night')
    .requiredOption(
      '--from <time>',
      'when they begin, such as 21:30, by the clock of the hub',
      readTimeOfDay,
    )
    .requiredOption(
      '--to <time>',
      'when they end; at or before --from: on the next day',
      readTimeOfDay,
    )
    .option(
      '--days <days>',
      'on which they begin, such as mon,tue,wed (default: every day)',
      readDays,
    )
    .option('--off', 'keep them, but do not hold anything')
    .does(
      async (
        { terminal, session },
        name: string,
        options: { from: string; to: string; days?: readonly number[]; off?: boolean },
      ) => {
        const { from, to, days = EVERY_DAY, off } = options;
        const owner = await session.asOwner();
        const attention = await changePeriods(owner, (periods) => [
          ...periods.filter((period) => period.name !== name),
          { name, from, to, days, on: off !== true },
        ]);
        await tell(owner, terminal, attention);
      },
    );
  quiet
    .command('remove')
    .description('remove quiet hours')
    .argument('<name>', 'those of this name')
    .doesAsOwner(async (owner, { terminal }, name: string) => {
      const attention = await changePeriods(owner, (periods) => {
        const kept = periods.filter((period) => period.name !== name);
        if (kept.length < periods.length) return kept;
        throw refusal('not_found', `There are no quiet hours called "${name}".`);
      });
      await tell(owner, terminal, attention);
    });
  quiet
    .command('urgent')
    .description(
      'say which hubs may interrupt quiet hours and a pause with urgent requests; without a name, none',
    )
    .argument('[hubs...]', 'their names or agent ids')
    .doesAsOwner(async (owner, { terminal }, hubs: readonly string[]) => {
      const { quiet_hours: now } = await owner.call('attention.get', {});
      const periods = now.periods.map(given);
      const attention = await owner.call('attention.setQuietHours', {
        periods,
        urgent_peers: [...hubs],
      });
      await tell(owner, terminal, attention);
    });
}

/** `axon peers mute` and `unmute`. */
export function addMuteCommands(peers: AxonCommand): void {
  peers
    .command('mute')
    .description(
      'mute a hub: hold what it asks for, keep its notices as read (the person in charge only)',
    )
    .argument('<hub>', 'its name or agent id')
    .option('--for <time>', 'how long, such as 1h, 1d or 1w (default: a day)', lengthMs)
    .doesAsOwner(async (owner, { terminal }, hub: string, options: { for?: number }) => {
      const attention = await owner.call('attention.mute', {
        id: hub,
        until: Date.now() + (options.for ?? DAY_MS),
      });
      terminal.result(attention, () => muteLines(attention));
    });
  peers
    .command('unmute')
    .description('end the muting of a hub')
    .argument('<hub>', 'its name or agent id')
    .doesAsOwner(async (owner, { terminal }, hub: string) => {
      const attention = await owner.call('attention.unmute', { id: hub });
      terminal.result(attention, () => [`${hub} is heard again.`, ...muteLines(attention)]);
    });
}

/** `axon approvals later`, `keep-open` and `now`. */
export function addHoldCommands(approvals: AxonCommand): void {
  approvals
    .command('later')
    .description('put one request off; its own time keeps running')
    .argument('<id>', 'the request')
    .option('--for <time>', 'how long, such as 30m or 2h (default: an hour)', lengthMs)
    .doesAsOwner(async (owner, { terminal }, id: string, options: { for?: number }) => {
      const until = Date.now() + (options.for ?? HOUR_MS);
      const held = await withId('request', id, (request) =>
        owner.call('attention.hold', { id: request, until }),
      );
      terminal.result(held, () => [
        `${text.held(held.held?.until == null ? null : localTime(held.held.until))}.`,
      ]);
    });
  approvals
    .command('keep-open')
    .description('keep one request open longer, up to the deadline of whoever asked')
    .argument('<id>', 'the request')
    .doesAsOwner(async (owner, { terminal }, id: string) => {
      const shown = await requestOf(owner, id);
      const kept = await owner.call('approvals.keepOpen', { id: shown.id, wait_ms: shown.wait_ms });
      terminal.result(kept, () => [
        text.keptOpen(localTime(kept.expires_at)),
        kept.keep_open_until === null
          ? text.waitsNoLonger
          : text.keepableUntil(localTime(kept.deadline_at)),
      ]);
    });
  approvals
    .command('now')
    .description('be asked now about what is held')
    .argument('[ids...]', 'which; all of it when none is named')
    .does(async ({ terminal, session }, ids: readonly string[]) => {
      const named = ids.map((id) => idOf('request', id));
      const answer = await (
        await session.asOwner()
      ).call('attention.show', { ids: named.length === 0 ? 'all' : named });
      terminal.result(answer, () => [
        answer.shown === 0
          ? 'Nothing is held.'
          : plural(answer.shown, {
              one: '{n} of the held requests waits for you now.',
              other: '{n} of the held requests wait for you now.',
            }),
      ]);
    });
}

async function changePeriods(
  owner: HubClient,
  change: (periods: readonly QuietPeriodDto[]) => readonly QuietPeriodDto[],
): Promise<AttentionDto> {
  const { quiet_hours: now } = await owner.call('attention.get', {});
  return owner.call('attention.setQuietHours', { periods: change(now.periods).map(given) });
}

function given({ days, ...period }: QuietPeriodDto) {
  return { ...period, days: [...days] };
}

function readTimeOfDay(words: string): string {
  if (TIME_OF_DAY.test(words)) return words;
  throw new InvalidArgumentError('It must be a time of day such as 21:30 or 07:00.');
}

function readDays(words: string): readonly number[] {
  const days = words
    .split(',')
    .map((word) => DAY_WORDS.indexOf(word.trim().toLowerCase().slice(0, 3)) + 1);
  if (days.includes(0)) throw new InvalidArgumentError('It must be days such as mon,tue,sat.');
  return days;
}

/** Prints how it stands now, with the owner's names of the hubs. */
async function tell(
  owner: HubClient,
  terminal: Terminal,
  attention: AttentionDto,
  ...first: readonly string[]
): Promise<void> {
  const { items } = await owner.call('peers.list', { trust: 'all' });
  const names = new Map(items.map(({ id, name }) => [id, name]));
  terminal.result(attention, () => [...first, ...attentionLines(attention, names)]);
}

function attentionLines(
  attention: AttentionDto,
  hubs: ReadonlyMap<string, string>,
): readonly string[] {
  const { paused, quiet_now: now, quiet_hours: quiet, time_zone: zone, mutes } = attention;
  const names = quiet.periods.map(
    ({ name, from, to, days, on }) =>
      `${name}: ${text.quiet.sentence(daysOf(days), from, to)}${on ? (now?.name === name ? `. ${text.quiet.onNow}` : '.') : `. ${text.quiet.off}`}`,
  );
  return [
    ...(paused === null
      ? []
      : [
          paused.stopped
            ? `${text.stopped} ${text.stoppedDetail}`
            : `${text.paused(paused.until === null ? null : localTime(paused.until))} ${text.pausedDetail}`,
        ]),
    ...(names.length === 0 ? ['No quiet hours.'] : [...names, text.quiet.zone(zone)]),
    ...quiet.urgent_peers.map((id) => `${text.quiet.urgent}: ${hubs.get(id) ?? id}`),
    ...(mutes.length === 0 ? [] : muteLines(attention)),
    ...attention.floods.map(({ peer_name: name, refused }) =>
      refused > 0 ? `${text.flood(name, refused)}.` : text.declinedOften(name),
    ),
  ];
}

function daysOf(days: readonly number[]): string {
  return days.length === EVERY_DAY.length
    ? text.quiet.everyDay
    : days.map((day) => text.quiet.dayShort[day - 1] ?? '').join(', ');
}

function muteLines({ mutes }: AttentionDto): readonly string[] {
  return mutes.map(({ peer_name: name, until }) => text.muted(name, localTime(until)));
}
