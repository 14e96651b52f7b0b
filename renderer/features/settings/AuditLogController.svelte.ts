// The audit log, for its page: the newest rows, a check of the whole with how far it is, the
// export, and the acknowledgement of a tamper finding. Stops looking when the page goes.
import type { AuditCheckDto, AuditRowDto } from '../../../preload/contract/audit.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { Calls } from '../../app/Calls.svelte.ts';
import { readPieces, saveFile } from '../../app/save-file.ts';
import { words } from '../../app/words.ts';

const LOOK_AGAIN_MS = 300;
/** After a look that brought nothing, as while the hub is lost. */
const LOOK_AFTER_FAILURE_MS = 2_000;
const ROWS = 20;
const TYPES = { json: 'application/json', csv: 'text/csv' } as const;

export class AuditLogController {
  #rows = $state.raw<readonly AuditRowDto[]>([]);
  #next = $state<string | null>(null);
  #isRead = $state(false);
  #check = $state.raw<AuditCheckDto | null>(null);
  #exporting = $state(false);
  #note = $state('');
  #isAcknowledged = $state(false);
  readonly #calls = new Calls();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #left = false;
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  get rows(): readonly AuditRowDto[] {
    return this.#rows;
  }
  /** The hub was asked, and has written nothing down yet. */
  get isEmpty(): boolean {
    return this.#isRead && this.#rows.length === 0;
  }
  get hasOlder(): boolean {
    return this.#next !== null;
  }
  /** null: none was made since the hub started. */
  get check(): AuditCheckDto | null {
    return this.#check;
  }
  get exporting(): boolean {
    return this.#exporting;
  }
  get note(): string {
    return this.#note;
  }
  /** It was acknowledged here. */
  get isAcknowledged(): boolean {
    return this.#isAcknowledged;
  }
  /** What went wrong last, or why nobody knows how far the check is. */
  get problem(): string | null {
    return this.#calls.problem('page') ?? this.#calls.problem('look');
  }
  busy(about: 'older' | 'check' | 'acknowledge'): boolean {
    return this.#calls.busy(about);
  }

  async open(): Promise<void> {
    await this.#readNewest();
    await this.#look();
  }

  /** Something was found, or acknowledged, here or elsewhere. */
  async changed(): Promise<void> {
    await this.#look();
    await this.#readNewest();
  }

  close(): void {
    this.#left = true;
    clearTimeout(this.#timer);
  }

  async older(): Promise<void> {
    const cursor = this.#next;
    if (cursor === null) return;
    const outcome = await this.#calls.run(
      'older',
      () => this.#api.call('audit.list', { limit: ROWS, cursor }),
      'page',
    );
    // Rows that were read anew meanwhile may end elsewhere: these would not follow them.
    if (!outcome?.ok || this.#next !== cursor) return;
    this.#rows = [...this.#rows, ...outcome.value.items];
    this.#next = outcome.value.next;
  }

  async verify(): Promise<void> {
    const outcome = await this.#calls.run(
      'check',
      () => this.#api.call('audit.verify', {}),
      'page',
    );
    if (outcome?.ok) this.#follow(outcome.value);
  }

  async cancel(): Promise<void> {
    const outcome = await this.#calls.run(
      'check',
      () => this.#api.call('audit.cancelVerification', {}),
      'page',
    );
    if (outcome?.ok) this.#follow(outcome.value);
  }

  async export(format: 'json' | 'csv'): Promise<void> {
    if (this.#exporting) return;
    this.#exporting = true;
    this.#note = words.audit.exporting;
    const parts = await readPieces(async (at) => {
      if (this.#left) return undefined;
      const outcome = await this.#calls.run(
        'export',
        () => this.#api.call('audit.export', { format, ...at }),
        'page',
      );
      return outcome?.ok ? outcome.value : undefined;
    });
    if (parts !== null) saveFile(`axon-audit-log.${format}`, TYPES[format], parts);
    this.#exporting = false;
    this.#note = parts === null ? '' : words.audit.exportedName(format);
  }

  /** @param row the first that does not fit, as it was shown */
  async acknowledge(row: number): Promise<void> {
    const outcome = await this.#calls.run(
      'acknowledge',
      () => this.#api.call('audit.acknowledge', { row }),
      'page',
    );
    if (outcome?.ok) this.#isAcknowledged = true;
  }

  async #readNewest(): Promise<void> {
    const outcome = await this.#calls.run(
      'newest',
      () => this.#api.call('audit.list', { limit: ROWS }),
      'page',
    );
    if (!outcome?.ok) return;
    this.#isRead = true;
    this.#rows = outcome.value.items;
    this.#next = outcome.value.next;
  }

  /**
   * How far the check is now. What cannot be said is asked again: a look that fails ends nothing.
   */
  async #look(): Promise<void> {
    const outcome = await this.#calls.run('look', () => this.#api.call('audit.verification', {}));
    if (outcome?.ok) this.#follow(outcome.value);
    if (outcome?.ok === false) this.#lookIn(LOOK_AFTER_FAILURE_MS);
  }

  /** Looks again while it runs. */
  #follow(check: AuditCheckDto): void {
    this.#check = check.state === 'none' ? null : check;
    clearTimeout(this.#timer);
    if (check.state === 'running') this.#lookIn(LOOK_AGAIN_MS);
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#left) this.#timer = setTimeout(() => void this.#look(), ms);
  }
}
