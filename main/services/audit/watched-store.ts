// A store that reports where each row of the audit log was caused, so that the log is signed in
// time. Adds nothing and holds nothing back.
import type { Store, Tables } from '../../ports/store.ts';

/** @param appended a row was added; its commit may yet fail */
export function watchAudit(store: Store, appended: (surface: string) => void): Store {
  let plain: Tables | undefined;
  let watched: Tables | undefined;
  /** The store hands the same tables to every work: they are wrapped once. */
  const watchedTables = (tables: Tables): Tables => {
    if (watched === undefined || plain !== tables) {
      plain = tables;
      watched = {
        ...tables,
        appendAudit: (row) => {
          const position = tables.appendAudit(row);
          appended(row.surface);
          return position;
        },
      };
    }
    return watched;
  };
  return {
    read: store.read,
    write: (work, durability) => store.write((tables) => work(watchedTables(tables)), durability),
    writeBehind: (work, then) => store.writeBehind((tables) => work(watchedTables(tables)), then),
    onCommit: (tell) => store.onCommit(tell),
    close: () => store.close(),
  };
}
