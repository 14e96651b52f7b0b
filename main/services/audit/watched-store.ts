// A store that says of each row of the audit that it was added, and of each that a commit kept where it stands, so that the audit is signed in
// time and knows its own end without asking the database. Adds nothing and holds nothing back.
import type { AuditPosition } from '../../ports/audit.ts';
import type { Store, Tables } from '../../ports/store.ts';

export interface AuditWatch {
  /** A row was added; its commit may yet fail. @param surface where what it tells of was done */
  appended(surface: string): void;
  /** Rows up to this one are kept for good. */
  committed(last: AuditPosition): void;
}

/** The same store, watched. */
export function watchAudit(store: Store, watch: AuditWatch): Store {
  let last: AuditPosition | undefined;
  let plain: Tables | undefined;
  let watched: Tables | undefined;
  /** The store hands the same tables to every work: they are wrapped once. */
  const watchedTables = (tables: Tables): Tables => {
    if (watched === undefined || plain !== tables) {
      plain = tables;
      watched = {
        ...tables,
        appendAudit: (row) => {
          last = tables.appendAudit(row);
          watch.appended(row.surface);
          return last;
        },
      };
    }
    return watched;
  };
  return {
    read: store.read,
    write: (work) => {
      let ownLast: AuditPosition | undefined;
      const done = store.write((tables) => {
        last = undefined;
        const value = work(watchedTables(tables));
        ownLast = last;
        return value;
      });
      const note = (): void => {
        if (ownLast !== undefined) watch.committed(ownLast);
      };
      done.then(note, () => undefined);
      return done;
    },
    writeBehind: (work) => store.writeBehind((tables) => work(watchedTables(tables))),
    close: () => store.close(),
  };
}
