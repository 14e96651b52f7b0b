// When the people of this hub want to be asked, and when not: pause, quiet hours, mutes, and who may disturb them. Says of each request whether
// a person is asked later; a change is stored and audited first, and what waits follows it in the same commit. Never answers a request.
import type { AttentionDto, QuietPeriodDto } from '../../../preload/contract/attention.ts';
import { holdOf, isOver, isStill, type Calm, type Hold, type PutOffRequest } from '../../core/holding.ts';
import { CALM_MAX_MS } from '../../core/limits.ts';
import { midnightAfter, quietAt, type Quiet, type QuietPeriod } from '../../core/quiet-hours.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PartyKey, PeerRow, Reads, Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { EventBus } from '../event-bus.ts';
import type { AuditTrail } from '../work/audit-trail.ts';
import type { Decider } from '../work/approvals.ts';
import { OWNER_PARTY, type Parties } from '../work/parties.ts';
import type { After, UnitOfWork } from '../work/unit-of-work.ts';
import { StoredCalm, writeCalm, type CalmRecord } from './calm-record.ts';
import { Floods } from './floods.ts';

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

export interface AskedRequest extends PutOffRequest {
  readonly party: PartyKey;
}

/** Whose requests that wait for a person already are put off with a change; null: nobody's. */
export type PutOff = 'everybody' | PartyKey | null;

interface Changed {
  readonly calm: CalmRecord;
  /** What the record of the house says of it. */
  readonly action: string;
  readonly detail: Readonly<Record<string, number | null>>;
}
type Change = (calm: CalmRecord, tables: Tables) => Changed;

export class CalmKeeper {
  readonly floods: Floods;
  readonly #deps: Deps;
  readonly #stored: StoredCalm;
  #onChange: (tables: Tables, after: After, putOff: PutOff) => void = () => undefined;
  /** The last picture that was told, as text. */
  #told: string;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.floods = new Floods(deps.clock, () => this.tell());
    this.#stored = new StoredCalm(deps);
    this.#told = JSON.stringify(this.dto());
  }

  /** Called inside the commit of every change, after it: what waits follows it. */
  onChange(follow: (tables: Tables, after: After, putOff: PutOff) => void): void {
    this.#onChange = follow;
  }

  stop(): void {
    this.floods.stop();
  }

  /** Why and until when a person is asked later about a request; null: now, or not at all. A person's own request is never put off. */
  holdOf(reads: Reads, request: AskedRequest): Hold | null {
    return request.party === OWNER_PARTY ? null : holdOf(request, this.#calmFor(reads, request.party));
  }

  /** Whether what is asked at once makes no sound before the pause or the quiet hour is over. A person's own request always may. */
  isStill(reads: Reads, { party, urgent }: Pick<AskedRequest, 'party' | 'urgent'>): boolean {
    return party !== OWNER_PARTY && isStill({ urgent }, this.#calmFor(reads, party));
  }

  /** Whether a pause or a quiet hour goes on. */
  isQuiet(reads: Reads): boolean {
    const at = this.#deps.clock.wallMs();
    const { paused, periods } = this.#stored.of(reads);
    return (paused !== null && !isOver(paused, at)) || this.#quiet(periods, at) !== undefined;
  }

  /** People are asked in this commit and not notified: one notification follows once the pause and the quiet hour are over. */
  setPendingNotification(tables: Tables): void {
    tables.setMeta(PENDING_META, 'yes');
  }

  hasDueNotification(reads: Reads): boolean {
    return reads.getMeta(PENDING_META) === 'yes' && !this.isQuiet(reads);
  }

  /** True when the pending notification is due; it is pending no longer. */
  takeDueNotification(tables: Tables): boolean {
    const isDue = this.hasDueNotification(tables);
    if (isDue) tables.setMeta(PENDING_META, 'no');
    return isDue;
  }

  #calmFor(reads: Reads, party: PartyKey): Calm {
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

  /** Whether the owner lets this one disturb a quiet hour, or a pause, with what it marks urgent. */
  mayInterrupt(reads: Reads, party: PartyKey): boolean {
    return this.#stored.of(reads).urgent.some((key) => key === party);
  }

  /** Whether what comes from this one may make a sound. */
  mayRing(party: PartyKey): boolean {
    return !this.floods.isFlooding(party) && !this.isMuted(party);
  }

  isMuted(party: PartyKey): boolean {
    const muted = this.#deps.store.read.mute(party);
    return muted !== undefined && !isOver(muted, this.#deps.clock.wallMs());
  }

  /** True when there is anything whose end has to be looked for. */
  get isSet(): boolean {
    const { read } = this.#deps.store;
    const { paused, periods } = this.#stored.of(read);
    return paused !== null || periods.some(({ on }) => on) || read.mutes().length > 0;
  }

  dto(): AttentionDto {
    const { clock, parties, store, timeZone } = this.#deps;
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
      time_zone: timeZone(),
      mutes: store.read
        .mutes()
        .filter((muted) => !isOver(muted, now))
        .flatMap(named),
      floods: this.floods.list().flatMap(named),
    };
  }

  /** Nothing is asked and nothing let in until then; null: until a person goes on. @throws AppError bad_request */
  async pause(end: number | 'in_an_hour' | 'tonight' | null, person: Decider): Promise<AttentionDto> {
    const since = this.#deps.clock.wallMs();
    const until = end === 'in_an_hour' ? since + HOUR_MS : end === 'tonight' ? midnightAfter(since, this.#deps.timeZone()) : end;
    if (until !== null) this.#checkEnd(until);
    const paused = { since, until };
    return this.#change(person, (calm) => ({ calm: { ...calm, paused }, action: 'attention.paused', detail: { until } }), 'everybody');
  }

  /** What was put off by the pause is asked now, unless something else keeps it. */
  async resume(person: Decider): Promise<AttentionDto> {
    return this.#change(person, (calm) => ({ calm: { ...calm, paused: null }, action: 'attention.resumed', detail: {} }), null);
  }

  /** @param urgentPeers undefined: as they are. @throws AppError peer_not_found, pairing_required */
  async setQuietHours(
    periods: readonly QuietPeriodDto[],
    urgentPeers: readonly string[] | undefined,
    person: Decider,
  ): Promise<AttentionDto> {
    const change: Change = (calm, tables) => {
      const urgent = urgentPeers === undefined ? calm.urgent : [...new Set(urgentPeers.map((id) => this.#pinned(tables, id)))];
      const detail = { periods: periods.length, urgent: urgent.length };
      return { calm: { ...calm, periods: periods.map(periodOf), urgent }, action: 'attention.quiet_hours', detail };
    };
    return this.#change(person, change, null);
  }

  /** Its requests are asked later and its notices make no sound. @throws AppError bad_request, peer_not_found, pairing_required */
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

  /** Inside the commit that ends the trust in a hub: nothing is kept of how it was to be heard. */
  partyEnded(tables: Tables, after: After, party: PartyKey): void {
    if (tables.peer(party)?.trust === 'suspended') return;
    tables.deleteMute(party);
    const calm = this.#stored.of(tables);
    const urgent = calm.urgent.filter((key) => key !== party);
    if (urgent.length !== calm.urgent.length) writeCalm(tables, { ...calm, urgent });
    after(() => {
      this.floods.forget(party);
      this.tell();
    });
  }

  /** True when a pause or a mute is over and still on record. */
  get hasEnded(): boolean {
    const { clock, store } = this.#deps;
    const now = clock.wallMs();
    const { paused } = this.#stored.of(store.read);
    return (paused !== null && isOver(paused, now)) || store.read.mutes().some((muted) => isOver(muted, now));
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
    const calm = this.#stored.of(tables);
    if (calm.paused === null || !isOver(calm.paused, now)) return;
    writeCalm(tables, { ...calm, paused: null });
    audit.append(tables, { ...BY_CLOCK, action: 'attention.resumed', object: 'attention' });
  }

  /** The next moment at which something ends by the wall clock; undefined when nothing does. */
  nextEndAt(): number | undefined {
    const { clock, store } = this.#deps;
    const { paused, periods } = this.#stored.of(store.read);
    const ends = [paused?.until, this.#quiet(periods, clock.wallMs())?.until, ...store.read.mutes().map(({ until }) => until)];
    const times = ends.filter((end) => end !== null && end !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Tells the pages, when what they know is not so any more. */
  tell(): void {
    const attention = this.dto();
    const text = JSON.stringify(attention);
    if (text === this.#told) return;
    this.#told = text;
    this.#deps.events.publish({ type: 'calm', attention });
  }

  /** What changes is the record as it stands in that commit, so that no change undoes another of the same moment. */
  async #change(person: Decider, change: Change, putOff: PutOff): Promise<AttentionDto> {
    const { unit, audit } = this.#deps;
    await unit.run((tables, after) => {
      const { calm, action, detail } = change(this.#stored.of(tables), tables);
      writeCalm(tables, calm);
      audit.append(tables, { ...person, action, object: 'attention', detail });
      this.#onChange(tables, after, putOff);
      after(() => this.tell());
    });
    return this.dto();
  }

  #quiet(periods: readonly QuietPeriod[], at: number): Quiet | undefined {
    // Every request passes here: a household without quiet hours asks no calendar.
    return periods.length === 0 ? undefined : quietAt(periods, at, this.#deps.timeZone());
  }

  /** The key of a hub as it stands in this commit: one that is suspended is spoken of like one that is paired. */
  #pinned(tables: Tables, id: string): KeyHex {
    const { key } = this.#deps.pinnedPeer(id);
    if (isPinned(tables.peer(key))) return key;
    throw new AppError('pairing_required', 'That hub is not paired with this one.', {
      hint: 'Only hubs under People & hubs can be muted, or be let disturb.',
      failedBy: 'input',
    });
  }

  #checkEnd(until: number): void {
    const now = this.#deps.clock.wallMs();
    if (until > now && until <= now + CALM_MAX_MS) return;
    throw new AppError('bad_request', 'The end is a time to come, within 31 days.', { failedBy: 'input' });
  }
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
