// A store that says of each row of the audit that it was added, and of each that a commit kept where it stands, whoever waited for that commit,
// so that the audit is signed in time and knows its own rows without asking the database. Adds nothing and holds nothing back.
import type { AppendedRow } from '../../ports/audit.ts';
import type { Store, Tables } from '../../ports/store.ts';

export interface AuditWatch {
  /** A row was added; its commit may yet fail. @param surface where what it tells of was done */
  appended(surface: string): void;
  /** A row is kept for good; told of every one, in their order, and before whoever waits for the commit goes on. */
  committed(row: AppendedRow): void;
}

/** The same store, watched. */
export function watchAudit(store: Store, watch: AuditWatch): Store {
  let plain: Tables | undefined;
  let watched: Tables | undefined;
  /** The store hands the same tables to every work: they are wrapped once. */
  const watchedTables = (tables: Tables): Tables => {
    if (watched === undefined || plain !== tables) {
      plain = tables;
      watched = {
        ...tables,
        appendAudit: (row, onDurable) => {
          const appended = tables.appendAudit(row, (durable) => {
            watch.committed(durable);
            onDurable?.(durable);
          });
          watch.appended(row.surface);
          return appended;
        },
      };
    }
    return watched;
  };
  return {
    read: store.read,
    write: (work) => store.write((tables) => work(watchedTables(tables))),
    writeBehind: (work, then) => store.writeBehind((tables) => work(watchedTables(tables)), then),
    close: () => store.close(),
  };
}
