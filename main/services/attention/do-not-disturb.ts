// When the people of this hub want to be asked: pause, quiet hours, mutes, and which hubs may
// interrupt. Says of each request whether a person is asked later. A change is stored and audited
// first; the requests that wait follow it in the same commit. Never answers a request.
import * as v from 'valibot';
import type { AttentionDto, QuietPeriodDto } from '../../../preload/contract/attention.ts';
import {
  holdOf,
  isOver,
  isSilenced,
  type DoNotDisturbState,
  type Hold,
  type HoldableRequest,
} from '../../core/holding.ts';
import { DO_NOT_DISTURB_MAX_MS } from '../../core/limits.ts';
import { midnightAfter, quietAt, type Quiet, type QuietPeriod } from '../../core/quiet-hours.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PeerRow, Reads, Store, Tables } from '../../ports/store.ts';
import type { KeyHex, PartyKey } from '../../ports/transport.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { AuditTrail, Decider } from '../base/audit-trail.ts';
import { OWNER_PARTY, type Parties } from '../tasks/parties.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { Gate, JudgedRequest, Verdict } from '../tasks/verdict.ts';
import { Floods } from './floods.ts';

const META_NAME = 'do_not_disturb';
const LAST_MINUTE = 1_439;

const minute = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(LAST_MINUTE));
const moment = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const record = v.object({
  paused: v.nullable(
    v.object({
      since: moment,
      until: v.nullable(moment),
      stopped: v.optional(v.boolean(), false),
    }),
  ),
  periods: v.array(
    v.object({
      name: v.string(),
      fromMinute: minute,
      toMinute: minute,
      days: v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(7))),
      on: v.boolean(),
    }),
  ),
  /** Keys of the hubs that may interrupt with urgent requests. */
  urgent: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});

interface DoNotDisturbSettings {
  readonly paused: AttentionDto['paused'];
  readonly periods: readonly QuietPeriod[];
  readonly urgent: readonly KeyHex[];
}

const NOTHING: DoNotDisturbSettings = { paused: null, periods: [], urgent: [] };

/**
 * Reads the settings, in a commit or outside of one; parsed again only when the stored text has
 * changed. What cannot be read counts as "not paused, no quiet hours": otherwise a request could be
 * held that nobody ever sees.
 */
class StoredSettings {
  readonly #log: Log;
  #text: string | undefined;
  #settings = NOTHING;

  constructor(deps: { readonly log: Log }) {
    this.#log = deps.log;
  }

  of(reads: Pick<Reads, 'getMeta'>): DoNotDisturbSettings {
    const text = reads.getMeta(META_NAME);
    if (text === this.#text) return this.#settings;
    this.#text = text;
    this.#settings = text === undefined ? NOTHING : this.#parse(text);
    return this.#settings;
  }

  #parse(text: string): DoNotDisturbSettings {
    try {
      return v.parse(record, JSON.parse(text));
    } catch {
      this.#log.warn('pause and quiet hours could not be read; there are none now');
      return NOTHING;
    }
  }
}

function writeSettings(tables: Pick<Tables, 'setMeta'>, settings: DoNotDisturbSettings): void {
  tables.setMeta(META_NAME, JSON.stringify(settings));
}

const HOUR_MS = 3_600_000;
const PENDING_META = 'attention.pending_notification';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventBus;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly parties: Parties;
  readonly pinnedPeer: (id: string) => PeerRow;
  /** The zone by whose clock quiet hours are. */
  readonly timeZone: () => string;
}

interface AskedRequest extends HoldableRequest {
  readonly party: PartyKey;
}

/** Whose waiting requests a change holds, besides those to come; null: nobody's. */
export type WaitingToHold = 'everybody' | PartyKey | null;

interface Changed {
  readonly settings: DoNotDisturbSettings;
  /** What the audit log says of it. */
  readonly action: string;
  readonly detail: Readonly<Record<string, number | null>>;
}
type Change = (settings: DoNotDisturbSettings, tables: Tables) => Changed;

export class DoNotDisturb implements Gate {
  readonly floods: Floods;
  readonly #deps: Deps;
  readonly #stored: StoredSettings;
  #onChange: (tables: Tables, after: After, toHold: WaitingToHold) => void = () => undefined;
  /** What the pages were told last, as text, without the time zone, which stays. */
  #lastReported: string;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.floods = new Floods(deps.clock, () => this.tell());
    this.#stored = new StoredSettings(deps);
    this.#lastReported = JSON.stringify(this.#now());
  }

  /**
   * `follow` is called at the end of each commit that changes something: the requests that wait
   * follow it.
   */
  onChange(follow: (tables: Tables, after: After, toHold: WaitingToHold) => void): void {
    this.#onChange = follow;
  }

  stop(): void {
    this.floods.stop();
  }

  /** The gate after rules and remote approval: delays the question to people here. */
  judge(reads: Reads, { party, urgent, riskClass }: JudgedRequest, verdict: Verdict): Verdict {
    if (verdict.isElsewhere) return verdict;
    if (this.holdOf(reads, { party, urgent, riskClass, decision: verdict.decision }) === null)
      return verdict;
    // A pause turns a rule's yes into a question. Questions have holds and exceptions of their own.
    const hold = this.holdOf(reads, { party, urgent, riskClass, decision: 'ask' });
    return { ...verdict, decision: 'ask', rule: null, hold };
  }

  /**
   * Why and until when a person is asked later about a request; null: now, or not at all. A
   * person's own request is never held.
   */
  holdOf(reads: Reads, request: AskedRequest): Hold | null {
    return request.party === OWNER_PARTY
      ? null
      : holdOf(request, this.#stateFor(reads, request.party));
  }

  /**
   * Whether a request that is asked now may not notify before the pause or the quiet hour is over.
   * A person's own request always may.
   */
  isSilenced(reads: Reads, { party, urgent }: Pick<AskedRequest, 'party' | 'urgent'>): boolean {
    return party !== OWNER_PARTY && isSilenced({ urgent }, this.#stateFor(reads, party));
  }

  /** Whether there is a pause or a quiet hour now. */
  isOn(reads: Reads): boolean {
    const at = this.#deps.clock.wallMs();
    const { paused, periods } = this.#stored.of(reads);
    return (paused !== null && !isOver(paused, at)) || this.#quiet(periods, at) !== undefined;
  }

  /**
   * In this commit people are asked without a notification: one follows for all of them when the
   * pause and the quiet hour are over.
   */
  setPendingNotification(tables: Tables): void {
    tables.setMeta(PENDING_META, 'yes');
  }

  hasDueNotification(reads: Reads): boolean {
    return reads.getMeta(PENDING_META) === 'yes' && !this.isOn(reads);
  }

  /** True when the pending notification is due. Then it is pending no longer. */
  takeDueNotification(tables: Tables): boolean {
    const isDue = this.hasDueNotification(tables);
    if (isDue) tables.setMeta(PENDING_META, 'no');
    return isDue;
  }

  #stateFor(reads: Reads, party: PartyKey): DoNotDisturbState {
    const at = this.#deps.clock.wallMs();
    const { paused, periods } = this.#stored.of(reads);
    const muted = reads.mute(party);
    return {
      paused: paused === null || isOver(paused, at) ? null : paused,
      mutedUntil: muted === undefined || isOver(muted, at) ? null : muted.until,
      quietUntil: this.#quiet(periods, at)?.until ?? null,
      mayInterrupt: this.mayInterrupt(reads, party),
    };
  }

  /**
   * Whether the owner lets this hub interrupt a pause or a quiet hour with what it marks urgent.
   */
  mayInterrupt(reads: Reads, party: PartyKey): boolean {
    return this.#stored.of(reads).urgent.some((key) => key === party);
  }

  /** Whether a request of this party may notify: it is not muted and does not flood. */
  mayNotify(party: PartyKey): boolean {
    return !this.floods.isFlooding(party) && !this.isMuted(party);
  }

  isMuted(party: PartyKey): boolean {
    const muted = this.#deps.store.read.mute(party);
    return muted !== undefined && !isOver(muted, this.#deps.clock.wallMs());
  }

  /** True when there is anything that may end by the clock. */
  get isSet(): boolean {
    const { read } = this.#deps.store;
    const { paused, periods } = this.#stored.of(read);
    return paused !== null || periods.some(({ on }) => on) || read.mutes().length > 0;
  }

  dto(): AttentionDto {
    return { ...this.#now(), time_zone: this.#deps.timeZone() };
  }

  /** Without the time zone: the first look at a calendar takes the time of a tenth of a start. */
  #now(): Omit<AttentionDto, 'time_zone'> {
    const { clock, parties, store } = this.#deps;
    const now = clock.wallMs();
    const { paused, periods, urgent } = this.#stored.of(store.read);
    const named = <T extends { readonly party: PartyKey }>({ party, ...rest }: T) => {
      const peer = parties.peer(party);
      return isPinned(peer) ? [{ peer_id: peer.agentId, peer_name: peer.petname, ...rest }] : [];
    };
    return {
      paused: paused === null || isOver(paused, now) ? null : paused,
      quiet_hours: {
        periods: periods.map(periodDto),
        urgent_peers: urgent.flatMap((key) => parties.agentIdOf(key) ?? []),
      },
      quiet_now: this.#quiet(periods, now) ?? null,
      mutes: store.read
        .mutes()
        .filter((muted) => !isOver(muted, now))
        .flatMap(named),
      floods: this.floods.list().flatMap(named),
    };
  }

  /**
   * Until then nobody is asked and nothing is allowed by a rule; null: until a person resumes.
   * @throws AppError bad_request, conflict (a person stopped everything)
   */
  async pause(
    end: number | 'in_an_hour' | 'tonight' | null,
    person: Decider,
  ): Promise<AttentionDto> {
    const since = this.#deps.clock.wallMs();
    const until =
      end === 'in_an_hour'
        ? since + HOUR_MS
        : end === 'tonight'
          ? midnightAfter(since, this.#deps.timeZone())
          : end;
    if (until !== null) this.#checkEnd(until);
    const paused = { since, until, stopped: false };
    return this.#change(
      person,
      (settings) => {
        if (settings.paused?.stopped === true) throw stoppedAlready();
        return {
          settings: { ...settings, paused },
          action: 'attention.paused',
          detail: { until },
        };
      },
      'everybody',
    );
  }

  /**
   * Until a person resumes, no request gets in; notices do. Inside the commit that ends what runs
   * and waits here.
   */
  setStopped(tables: Tables, after: After, person: Decider): void {
    const settings = this.#stored.of(tables);
    const paused = { since: this.#deps.clock.wallMs(), until: null, stopped: true };
    writeSettings(tables, { ...settings, paused });
    this.#deps.audit.append(tables, {
      ...person,
      action: 'attention.stopped',
      object: 'attention',
    });
    after(() => this.tell());
  }

  /** Whether a person has stopped everything. */
  isStopped(reads: Reads): boolean {
    return this.#stored.of(reads).paused?.stopped === true;
  }

  /** @throws AppError rejected while a person has stopped everything */
  checkNotStopped(reads: Reads): void {
    if (!this.isStopped(reads)) return;
    throw new AppError(
      'rejected',
      'A person stopped everything at this hub. Nothing new gets in until they resume.',
      { hint: 'Ask again later.', data: { ended_by: 'hub' } },
    );
  }

  /** What the pause held is asked now, unless something else holds it. */
  async resume(person: Decider): Promise<AttentionDto> {
    return this.#change(
      person,
      (settings) => ({
        settings: { ...settings, paused: null },
        action: 'attention.resumed',
        detail: {},
      }),
      null,
    );
  }

  /**
   * @param urgentPeers undefined: as they are. @throws AppError conflict where two have one name,
   * peer_not_found, pairing_required
   */
  async setQuietHours(
    periods: readonly QuietPeriodDto[],
    urgentPeers: readonly string[] | undefined,
    person: Decider,
  ): Promise<AttentionDto> {
    const names = periods.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined)
      throw inputError('conflict', `There are quiet hours called "${twice}" already.`, {
        hint: 'Give these another name.',
      });
    const change: Change = (settings, tables) => {
      const urgent =
        urgentPeers === undefined
          ? settings.urgent
          : [...new Set(urgentPeers.map((id) => this.#pinned(tables, id)))];
      const detail = { periods: periods.length, urgent: urgent.length };
      return {
        settings: { ...settings, periods: periods.map(periodOf), urgent },
        action: 'attention.quiet_hours',
        detail,
      };
    };
    return this.#change(person, change, null);
  }

  /**
   * Its requests are asked later, and its notices do not notify. @throws AppError bad_request,
   * peer_not_found, pairing_required
   */
  async mute(id: string, until: number, person: Decider): Promise<AttentionDto> {
    const { unit, audit, clock } = this.#deps;
    this.#checkEnd(until);
    await unit.run((tables, after) => {
      const key = this.#pinned(tables, id);
      tables.putMute({ party: key, since: Math.min(clock.wallMs(), until - 1), until });
      audit.append(tables, { ...person, action: 'peer.muted', object: key, detail: { until } });
      this.#onChange(tables, after, key);
      after(() => this.floods.forget(key));
      after(() => this.tell());
    });
    return this.dto();
  }

  /** @throws AppError peer_not_found, pairing_required */
  async unmute(id: string, person: Decider): Promise<AttentionDto> {
    const { unit, audit } = this.#deps;
    await unit.run((tables, after) => {
      const key = this.#pinned(tables, id);
      if (tables.mute(key) === undefined) return;
      tables.deleteMute(key);
      audit.append(tables, { ...person, action: 'peer.unmuted', object: key });
      this.#onChange(tables, after, null);
      after(() => this.tell());
    });
    return this.dto();
  }

  /** Inside the commit that ends the trust in a hub: its mute and its right to interrupt go. */
  partyEnded(tables: Tables, after: After, party: PartyKey): void {
    if (tables.peer(party)?.trust === 'suspended') return;
    tables.deleteMute(party);
    const settings = this.#stored.of(tables);
    const urgent = settings.urgent.filter((key) => key !== party);
    if (urgent.length !== settings.urgent.length) writeSettings(tables, { ...settings, urgent });
    after(() => {
      this.floods.forget(party);
      this.tell();
    });
  }

  /** True when a pause or a mute is over and still stored. */
  get hasEnded(): boolean {
    const { clock, store } = this.#deps;
    const now = clock.wallMs();
    const { paused } = this.#stored.of(store.read);
    return (
      (paused !== null && isOver(paused, now)) ||
      store.read.mutes().some((muted) => isOver(muted, now))
    );
  }

  /** Ends, inside a commit, a pause and mutes whose time is over. */
  endWhatIsOver(tables: Tables): void {
    const { clock, audit } = this.#deps;
    const now = clock.wallMs();
    for (const muted of tables.mutes()) {
      if (!isOver(muted, now)) continue;
      const { party } = muted;
      tables.deleteMute(party);
      audit.append(tables, { ...BY_CLOCK, action: 'peer.unmuted', object: party });
    }
    const settings = this.#stored.of(tables);
    if (settings.paused === null || !isOver(settings.paused, now)) return;
    writeSettings(tables, { ...settings, paused: null });
    audit.append(tables, { ...BY_CLOCK, action: 'attention.resumed', object: 'attention' });
  }

  /** The next moment at which something ends by the wall clock; undefined when nothing does. */
  nextEndAt(): number | undefined {
    const { clock, store } = this.#deps;
    const { paused, periods } = this.#stored.of(store.read);
    const ends = [
      paused?.until,
      this.#quiet(periods, clock.wallMs())?.until,
      ...store.read.mutes().map(({ until }) => until),
    ];
    const times = ends.filter((end) => end !== null && end !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Tells the pages when something changed. */
  tell(): void {
    const text = JSON.stringify(this.#now());
    if (text === this.#lastReported) return;
    this.#lastReported = text;
    this.#deps.events.publish({ type: 'do_not_disturb', attention: this.dto() });
  }

  /**
   * Changes the settings as they stand in that commit, so that two changes at once do not undo each
   * other.
   */
  async #change(person: Decider, change: Change, toHold: WaitingToHold): Promise<AttentionDto> {
    const { unit, audit } = this.#deps;
    await unit.run((tables, after) => {
      const { settings, action, detail } = change(this.#stored.of(tables), tables);
      writeSettings(tables, settings);
      audit.append(tables, { ...person, action, object: 'attention', detail });
      this.#onChange(tables, after, toHold);
      after(() => this.tell());
    });
    return this.dto();
  }

  #quiet(periods: readonly QuietPeriod[], at: number): Quiet | undefined {
    // Every request comes through here, and the calendar is slow.
    return periods.length === 0 ? undefined : quietAt(periods, at, this.#deps.timeZone());
  }

  /** The key of a hub that is paired or suspended in this commit. */
  #pinned(tables: Tables, id: string): KeyHex {
    const { key } = this.#deps.pinnedPeer(id);
    if (isPinned(tables.peer(key))) return key;
    throw inputError('pairing_required', 'That hub is not paired with this one.', {
      hint: 'Only hubs under People & hubs can be muted or allowed to interrupt.',
    });
  }

  #checkEnd(until: number): void {
    const now = this.#deps.clock.wallMs();
    if (until > now && until <= now + DO_NOT_DISTURB_MAX_MS) return;
    throw inputError('bad_request', 'Choose an end within the next 31 days.');
  }
}

/** A pause that ends by itself would allow what a person stopped. */
function stoppedAlready(): AppError {
  return inputError('conflict', 'Everything here was asked to stop, which is more than a pause.', {
    hint: 'Resume first.',
  });
}

const BY_CLOCK = { actor: 'clock', surface: 'clock' } as const;

function isPinned(peer: PeerRow | undefined): peer is PeerRow {
  return peer?.trust === 'paired' || peer?.trust === 'suspended';
}

function periodOf({ from, to, ...period }: QuietPeriodDto): QuietPeriod {
  return {
    ...period,
    days: [...new Set(period.days)].sort((one, other) => one - other),
    fromMinute: minuteOf(from),
    toMinute: minuteOf(to),
  };
}

function periodDto({ fromMinute, toMinute, ...period }: QuietPeriod): QuietPeriodDto {
  return { ...period, from: timeOf(fromMinute), to: timeOf(toMinute) };
}

function minuteOf(time: string): number {
  const [hour, minute] = time.split(':');
  return Number(hour) * 60 + Number(minute);
}

function timeOf(minute: number): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}
