// The record of who did what, for its page: the newest rows, a check of the whole with how far it is, the record as a file, and the word that an
// older record is meant. Stops looking when the page goes.
import type { AuditCheckDto, AuditRowDto } from '../../../preload/contract/audit.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { problemWords } from '../../app/problem-words.ts';
import { saveFile } from '../../app/save-file.ts';
import { words } from '../../app/words.ts';

const LOOK_AGAIN_MS = 300;
const ROWS = 20;
const TYPES = { json: 'application/json', csv: 'text/csv' } as const;

export class RecordController {
  #rows = $state.raw<readonly AuditRowDto[]>([]);
  #next = $state<string | null>(null);
  #check = $state.raw<AuditCheckDto | null>(null);
  #exporting = $state(false);
  #note = $state('');
  #problem = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #left = false;
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  get rows(): readonly AuditRowDto[] {
    return this.#rows;
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
  get problem(): string | null {
    return this.#problem;
  }

  async open(): Promise<void> {
    await this.#readNewest();
    const outcome = await this.#api.call('audit.verification', {});
    if (outcome.ok && outcome.value.state !== 'none') this.#follow(outcome.value);
  }

  close(): void {
    this.#left = true;
    clearTimeout(this.#timer);
  }

  async older(): Promise<void> {
    if (this.#next === null) return;
    const outcome = await this.#api.call('audit.list', { limit: ROWS, cursor: this.#next });
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (!outcome.ok) return;
    this.#rows = [...this.#rows, ...outcome.value.items];
    this.#next = outcome.value.next;
  }

  async verify(): Promise<void> {
    const outcome = await this.#api.call('audit.verify', {});
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (outcome.ok) this.#follow(outcome.value);
  }

  async cancel(): Promise<void> {
    const outcome = await this.#api.call('audit.cancelVerification', {});
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (outcome.ok) this.#follow(outcome.value);
  }

  async export(format: 'json' | 'csv'): Promise<void> {
    if (this.#exporting) return;
    this.#exporting = true;
    this.#note = words.audit.exporting;
    const parts: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null && !this.#left;) {
      const outcome = await this.#api.call('audit.export', { format, ...(cursor === undefined ? {} : { cursor }) });
      this.#problem = outcome.ok ? null : problemWords(outcome.problem);
      if (!outcome.ok) break;
      parts.push(outcome.value.text);
      cursor = outcome.value.next;
      if (cursor === null) saveFile(`axon-record.${format}`, TYPES[format], parts);
    }
    this.#exporting = false;
    this.#note = this.#problem === null ? words.audit.exportedName(format) : '';
  }

  async confirm(): Promise<void> {
    const outcome = await this.#api.call('audit.confirm', {});
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (!outcome.ok) return;
    this.#note = words.audit.confirmed;
    await this.#readNewest();
  }

  async #readNewest(): Promise<void> {
    const outcome = await this.#api.call('audit.list', { limit: ROWS });
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (!outcome.ok) return;
    this.#rows = outcome.value.items;
    this.#next = outcome.value.next;
  }

  /** Looks again while it runs. */
  #follow(check: AuditCheckDto): void {
    this.#check = check;
    clearTimeout(this.#timer);
    if (check.state !== 'running' || this.#left) return;
    this.#timer = setTimeout(() => {
      void this.#api.call('audit.verification', {}).then((outcome) => {
        if (outcome.ok) this.#follow(outcome.value);
        else this.#problem = problemWords(outcome.problem);
      });
    }, LOOK_AGAIN_MS);
  }
}
