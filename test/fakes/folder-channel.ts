// A channel of its own kind: each item becomes a file in a folder, and its program takes it by
// removing the file. Shows what a channel needs.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { follow, type InboxReader, type InboxSink } from '../../main/services/inbox/channel.ts';

const FILES_MAX = 2;

export class FolderChannel implements InboxSink {
  readonly #folder: string;
  readonly #over = new AbortController();
  #taken: () => void = () => undefined;

  constructor(inbox: InboxReader, agent: string, folder: string) {
    this.#folder = folder;
    void follow(inbox, { agent, batchMax: FILES_MAX }, this, this.#over.signal);
  }

  take(items: readonly DeliveryDto[]): void {
    for (const item of items)
      writeFileSync(
        join(this.#folder, `${item.delivery_id}.${item.attempt}`),
        JSON.stringify(item),
      );
  }

  caughtUp(): void {
    // Whoever looks into the folder sees that for himself.
  }

  ready(): Promise<void> | undefined {
    if (this.#files().length < FILES_MAX) return undefined;
    return new Promise((resolve) => (this.#taken = resolve));
  }

  /** The program reads what lies there, and takes it away. */
  read(): readonly string[] {
    const files = this.#files();
    for (const file of files) rmSync(join(this.#folder, file));
    this.#taken();
    return files.map((file) => file.replace('.', ' '));
  }

  end(): void {
    this.#over.abort();
    this.#taken();
  }

  #files(): readonly string[] {
    return readdirSync(this.#folder);
  }
}
