// Opening: private files whatever the umask, no links, the right kind and version, an intact file
// or a sentence that names it.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import {
  MIGRATIONS,
  NEWEST_SCHEMA_SHA256,
  newestVersion,
} from '../../../../main/adapters/sqlite/migrations.ts';
import { BUSY_TIMEOUT_MS } from '../../../../main/adapters/sqlite/limits.ts';
import { openDatabase, schemaSha256 } from '../../../../main/adapters/sqlite/open-database.ts';
import { openStore } from '../../../../main/adapters/sqlite/open-store.ts';
import type { Store } from '../../../../main/ports/store.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { auditRow, taskRow } from '../../../fakes/sample-rows.ts';
import { tamperWith } from '../../../fakes/tampering.ts';
import { verifyAudit } from '../../../support/verify-audit.ts';

let root: string;
let home: string;
let path: string;
const opened: Store[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'axon-open-'));
  home = join(root, 'home');
  path = join(home, 'hub.db');
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(root, { recursive: true, force: true });
});

function open(migrations = MIGRATIONS): Store {
  const store = openStore({ path, clock: new ManualClock(), log: SILENT_LOG, migrations });
  opened.push(store);
  return store;
}

async function makeDatabase(rows = 1): Promise<void> {
  const store = open();
  await store.write((tables) => {
    for (let index = 0; index < rows; index++)
      tables.insertTask(taskRow({ id: `task-${index}`, payload: 'x'.repeat(2_000) }));
  });
  await store.close();
}

/** The refusal of an open: always storage_failed, always with what to do. */
function refusal(migrations = MIGRATIONS): AppError {
  try {
    open(migrations);
  } catch (error) {
    if (error instanceof AppError) {
      expect([error.code, error.hint === undefined]).toEqual(['storage_failed', false]);
      return error;
    }
    throw error;
  }
  throw new Error('the database was opened');
}

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe('the files', () => {
  test('ST-03: with umask 000 the folder is 0700 and every file of the database 0600', async () => {
    const before = process.umask(0);
    try {
      const store = open();
      await store.write((tables) => tables.setMeta('a', '1'));
      expect(readdirSync(home).toSorted()).toEqual(['hub.db', 'hub.db-shm', 'hub.db-wal']);
      expect([home, path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual([
        '700',
        '600',
        '600',
        '600',
      ]);
    } finally {
      process.umask(before);
    }
  });

  test('ST-03: rights that others got in the meantime are taken away at the next start', async () => {
    await makeDatabase();
    chmodSync(path, 0o666);
    chmodSync(home, 0o755);
    open();
    expect([home, path].map(mode)).toEqual(['700', '600']);
  });

  test.each(['hub.db', 'hub.db-wal', 'hub.db-shm', 'hub.db-journal'])(
    'ST-03: a link at %s is refused and not followed',
    async (name) => {
      const target = join(root, 'target');
      if (name !== 'hub.db') await makeDatabase();
      else mkdirSync(home);
      symlinkSync(target, join(home, name));
      expect(refusal().message).toMatch(/is a link/);
      expect(existsSync(target)).toBe(false);
    },
  );

  test('ST-03: a pipe at the path is refused at once', () => {
    mkdirSync(home);
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    expect(refusal().message).toMatch(/not a regular file/);
  });

  test('a folder that users share is refused and left as it is', () => {
    mkdirSync(home);
    chmodSync(home, 0o1777);
    expect(refusal().message).toContain(home);
    expect(statSync(home).mode & 0o7777).toBe(0o1777);
  });

  test('a folder that cannot be made is refused with a sentence', () => {
    writeFileSync(home, 'a file where the folder should be');
    expect(refusal().message).toContain(home);
  });
});

describe('the settings', () => {
  test('durability rests on WAL, synchronous FULL, foreign keys and an untrusted schema, and nothing is mapped into memory', () => {
    const connection = openDatabase(path, MIGRATIONS, {
      clock: new ManualClock(),
      log: SILENT_LOG,
    });
    const settings = {
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      trusted_schema: 0,
      recursive_triggers: 1,
      secure_delete: 1,
      mmap_size: 0,
      cache_size: -8_192,
      busy_timeout: BUSY_TIMEOUT_MS,
      application_id: 0x41584f4e,
      user_version: newestVersion(MIGRATIONS),
    };
    const found = Object.keys(settings).map((name) => [
      name,
      connection.pragma(name, { simple: true }),
    ]);
    connection.close();
    expect(Object.fromEntries(found)).toEqual(settings);
  });

  test('every table is strict', async () => {
    await makeDatabase();
    const probe = new Database(path, { readonly: true });
    const tables = probe
      .prepare(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      .all();
    probe.close();
    expect(tables.length).toBeGreaterThan(12);
    expect(
      tables.filter(
        (row) => typeof row === 'object' && row !== null && 'strict' in row && row.strict !== 1,
      ),
    ).toEqual([]);
  });
});

describe('what is not our intact database', () => {
  const damage: Readonly<Record<string, (file: string) => void>> = {
    'its header overwritten': (file) => overwrite(file, 0, 64),
    'its middle overwritten': (file) =>
      overwrite(file, Math.floor(statSync(file).size / 8192) * 4096, 4096),
    'its last page overwritten': (file) => overwrite(file, statSync(file).size - 4096, 4096),
    'its schema overwritten': (file) => overwrite(file, 100, 3_000),
    'cut to nothing': (file) => truncateSync(file, 0),
    'cut to 100 bytes': (file) => truncateSync(file, 100),
    'one page too short': (file) => truncateSync(file, statSync(file).size - 4096),
    'another kind of file': (file) => writeFileSync(file, 'This is a letter to Mum. '.repeat(400)),
  };

  test.each(Object.keys(damage))(
    'F-06: a database with %s is refused, named and left exactly as it is',
    async (kind) => {
      await makeDatabase(200);
      damage[kind]?.(path);
      const before = readFileSync(path);
      const error = refusal();
      expect(error.message).toContain(path);
      expect(error.message).toMatch(/damaged/);
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  test('says to use a backup of one’s own or to begin anew, and names a snapshot only where one is', async () => {
    await makeDatabase(200);
    damage['its middle overwritten']?.(path);
    const without = refusal().hint ?? '';
    expect(without).toMatch(/backup of your own/);
    expect(without).toMatch(/begins with an empty database, without its other hubs, agents, rules/);
    expect(without).not.toMatch(/snapshot|before the upgrade/);
    const snapshots = join(home, 'snapshots');
    mkdirSync(snapshots);
    writeFileSync(join(snapshots, 'notes.db'), '');
    expect(refusal().hint).toBe(without);
    const [older, newer] = [Date.UTC(2026, 2, 4), Date.UTC(2026, 4, 6)].map((at, index) =>
      join(snapshots, `hub-schema-${index + 1}-before-${index + 2}-${at}.db`),
    );
    for (const file of [older, newer]) writeFileSync(file ?? '', '');
    const hint = refusal().hint ?? '';
    expect(hint).toContain(`"${newer}" is the database as it was before the upgrade on 2026-05-06`);
    expect(hint).toMatch(/what came after that day is lost/);
    expect(hint).toMatch(/backup of your own/);
  });

  test('what the hint says works: with the files moved away a hub begins anew', async () => {
    await makeDatabase(200);
    damage['its middle overwritten']?.(path);
    refusal();
    for (const name of readdirSync(home).filter((name) => name.startsWith('hub.db')))
      rmSync(join(home, name));
    expect(open().read.tasks({ limit: 9 })).toHaveLength(0);
  });

  const patch = (offset: number, bytes: readonly number[]): void => {
    const whole = readFileSync(path);
    Buffer.from(bytes).copy(whole, offset);
    writeFileSync(path, whole);
  };
  const schema = (sql: string): void => {
    const other = new Database(path);
    other.unsafeMode(true);
    other.exec(`PRAGMA writable_schema = ON; ${sql}`);
    other.close();
  };
  const subtle: Readonly<Record<string, readonly [() => void, why: RegExp]>> = {
    'a page of zeros in the middle': [
      () => overwrite(path, Math.floor(statSync(path).size / 8192) * 4096, 4096, 0),
      /damaged \(.*\)/,
    ],
    'a page of zeros in an index': [() => overwrite(path, 4096 * 3, 4096, 0), /damaged/],
    'an index that lacks a row of its table': [() => unindex(), /missing from index/],
    'another page size in its header': [() => patch(16, [0x02, 0x00]), /damaged/],
    'a page size that there is not': [() => patch(16, [0x03, 0x03]), /damaged/],
    'a format that may not be written': [() => patch(18, [0xa5]), /damaged \(its header/],
    'a format that may not be read': [() => patch(19, [0xa5]), /damaged/],
    'no version': [() => patch(60, [0, 0, 0, 0]), /damaged \(its version is missing\)/],
    'half of its last page cut off': [
      () => truncateSync(path, statSync(path).size - 2_048),
      /damaged/,
    ],
    'half of it cut off': [
      () => truncateSync(path, Math.floor(statSync(path).size / 2)),
      /damaged/,
    ],
    'a trigger taken away': [
      () => schema('DROP TRIGGER messages_forgotten'),
      /damaged \(its trigger "messages_forgotten" is missing\)/,
    ],
    'a trigger that does something else': [
      () =>
        schema(
          'DROP TRIGGER messages_forgotten; CREATE TRIGGER messages_forgotten AFTER DELETE ON messages BEGIN SELECT 1; END',
        ),
      /damaged \(its trigger "messages_forgotten" was changed\)/,
    ],
    'a table taken away': [
      () => schema('DROP TABLE mutes'),
      /damaged \(its table "mutes" is missing\)/,
    ],
  };
  /** A row comes while an index is not there, as after a write that was lost. */
  const unindex = (): void => {
    const kept = "name = 'tasks_conversation' OR type = 'trigger' AND tbl_name = 'tasks'";
    schema(`CREATE TABLE aside AS SELECT * FROM sqlite_schema WHERE ${kept}`);
    schema(`DELETE FROM sqlite_schema WHERE ${kept}`);
    schema("UPDATE tasks SET conversation_id = 'another' WHERE rowid = 7");
    schema('INSERT INTO sqlite_schema SELECT * FROM aside');
    schema('DROP TABLE aside');
  };
  test.each(Object.keys(subtle))(
    'a database with %s is refused at the start, and nothing is changed',
    async (kind) => {
      await makeDatabase(300);
      const [harm, why] = subtle[kind] ?? [() => {}, /never/];
      harm();
      const before = readFileSync(path);
      const error = refusal();
      expect(error.message).toMatch(why);
      expect(error.message).toContain(path);
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  test('one of many megabytes is read through as well, after an end in order, too', async () => {
    const store = open();
    await store.write((tables) => {
      for (let index = 0; index < 10; index++) {
        const payload = randomBytes(1_000_000).toString('latin1');
        tables.insertTask(taskRow({ id: `task-${index}`, payload }));
      }
    });
    await store.close();
    damage['its middle overwritten']?.(path);
    expect(refusal().message).toMatch(/damaged/);
  });

  test('a log of another database beside it is refused, and both files stay as they are', async () => {
    await makeDatabase(300);
    const other = join(root, 'other', 'hub.db');
    mkdirSync(join(root, 'other'));
    const openOther = (): Store =>
      openStore({ path: other, clock: new ManualClock(), log: SILENT_LOG });
    const fill = (store: Store, from: number, to: number): Promise<void> =>
      store.write((tables) => {
        for (let index = from; index < to; index++) {
          tables.insertTask(taskRow({ id: `strange-${index}`, payload: 'y'.repeat(900) }));
          tables.appendAudit(auditRow());
        }
      });
    const first = openOther();
    await fill(first, 0, 200);
    await first.close();
    const strange = openOther();
    await fill(strange, 200, 203);
    copyFileSync(`${other}-wal`, `${path}-wal`);
    await strange.close();
    const before = [path, `${path}-wal`].map((file) => readFileSync(file).toString('hex'));
    expect(refusal().message).toMatch(/damaged/);
    expect([path, `${path}-wal`].map((file) => readFileSync(file).toString('hex'))).toEqual(before);
  });

  test.each(['audit', 'audit_signatures'])(
    'a value that the table %s would refuse is left to the check of the audit log',
    async (table) => {
      await makeDatabase(3);
      const store = openStore({ path, clock: new ManualClock(), log: SILENT_LOG });
      const { seq } = await store.write((tables) => tables.appendAudit(auditRow()));
      const chain = new Uint8Array(32);
      const signature = {
        counter: 1,
        previous: 0,
        seq,
        chain,
        at: 1,
        key: 'a'.repeat(64),
        signature: new Uint8Array(64),
      };
      await store.write((tables) => tables.insertAuditSignature(signature));
      await store.close();
      tamperWith(path, `PRAGMA ignore_check_constraints = ON; UPDATE ${table} SET chain = x'01';`);
      openDatabase(path, MIGRATIONS, { clock: new ManualClock(), log: SILENT_LOG }).close();
    },
  );

  test('F-07: a database of another program is refused and not written to', () => {
    mkdirSync(home);
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE letters (body TEXT)');
    foreign.close();
    const before = readFileSync(path);
    expect(refusal().message).toMatch(/another program/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('F-07: a missing database beside its log is refused, never begun anew', async () => {
    await makeDatabase();
    writeFileSync(`${path}-wal`, 'rest of a log');
    rmSync(path);
    expect(refusal().message).toMatch(/is missing/);
    expect(existsSync(path)).toBe(false);
  });

  test('F-07: a log that is damaged or foreign costs nothing that was in the database', async () => {
    await makeDatabase(3);
    writeFileSync(`${path}-wal`, Buffer.alloc(8_192, 7));
    writeFileSync(`${path}-shm`, Buffer.alloc(32_768, 9));
    const store = open();
    expect(store.read.tasks({ limit: 9 })).toHaveLength(3);
    await store.write((tables) => tables.setMeta('a', '1'));
    expect(store.read.getMeta('a')).toBe('1');
  });

  test('F-07: a copy of database and log taken at any instant opens to its last commit', async () => {
    const store = open();
    for (let index = 0; index < 30; index++) {
      await store.write((tables) => [
        tables.insertTask(taskRow({ id: `task-${index}` })),
        tables.appendAudit(auditRow()),
      ]);
      const copy = join(root, `copy-${index}`, 'hub.db');
      mkdirSync(join(root, `copy-${index}`));
      for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
      const copied = openStore({ path: copy, clock: new ManualClock(), log: SILENT_LOG });
      expect([copied.read.tasks({ limit: 99 }).length, verifyAudit(copied.read)]).toEqual([
        index + 1,
        { rows: index + 1, brokenSeq: null },
      ]);
      await copied.close();
    }
  });

  test('a first start that was cut off leaves nothing that the next one would take for a database', async () => {
    mkdirSync(home);
    writeFileSync(`${path}.new`, 'half a database');
    const store = open();
    await store.write((tables) => tables.setMeta('a', '1'));
    expect(existsSync(`${path}.new`)).toBe(false);
    expect(lstatSync(path).isFile()).toBe(true);
  });

  test('a hard link to the database keeps its rights narrow too', async () => {
    await makeDatabase();
    linkSync(path, join(root, 'second name'));
    chmodSync(path, 0o644);
    open();
    expect(mode(join(root, 'second name'))).toBe('600');
  });
});

describe('versions', () => {
  test('a start knows the schema that all steps make, without making it anew', async () => {
    await makeDatabase();
    const connection = new Database(path, { readonly: true });
    try {
      expect(schemaSha256(connection)).toBe(NEWEST_SCHEMA_SHA256);
    } finally {
      connection.close();
    }
  });

  const next = newestVersion(MIGRATIONS) + 1;
  const later = [
    ...MIGRATIONS,
    {
      version: next,
      sql: "ALTER TABLE peers ADD COLUMN colour TEXT; INSERT INTO meta VALUES ('colour', 'yes');",
    },
  ];

  test('F-08: a database of a newer program is refused and not touched', async () => {
    const store = open(later);
    await store.write((tables) => tables.setMeta('a', '1'));
    await store.close();
    const before = readFileSync(path);
    expect(refusal().message).toMatch(
      new RegExp(`newer AXON Hub .*schema is ${next}, this program knows ${next - 1}`),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('F-08: before an upgrade a private copy of the old database is made, and it opens with the old program', async () => {
    await makeDatabase(5);
    const upgraded = open(later);
    expect(upgraded.read.getMeta('colour')).toBe('yes');
    expect(upgraded.read.tasks({ limit: 9 })).toHaveLength(5);
    const snapshots = join(home, 'snapshots');
    const [copy = ''] = readdirSync(snapshots);
    expect(copy).toMatch(new RegExp(`^hub-schema-${next - 1}-before-${next}-\\d+\\.db$`));
    expect([mode(snapshots), mode(join(snapshots, copy))]).toEqual(['700', '600']);
    copyFileSync(join(snapshots, copy), join(root, 'old.db'));
    const old = openStore({
      path: join(root, 'old.db'),
      clock: new ManualClock(),
      log: SILENT_LOG,
    });
    opened.push(old);
    expect(old.read.tasks({ limit: 9 })).toHaveLength(5);
  });

  test('F-08: an upgrade that fails leaves the old version whole', async () => {
    await makeDatabase(2);
    const broken = [
      ...later,
      {
        version: next + 1,
        sql: 'ALTER TABLE peers ADD COLUMN age INTEGER; INSERT INTO nowhere VALUES (1);',
      },
    ];
    expect(refusal(broken).message).toMatch(
      new RegExp(`version ${next + 1}; it stays at version ${next}`),
    );
    const probe = new Database(path, { readonly: true });
    expect(probe.pragma('user_version', { simple: true })).toBe(next);
    expect(
      probe
        .prepare("SELECT count(*) FROM pragma_table_info('peers') WHERE name = 'age'")
        .pluck()
        .get(),
    ).toBe(0);
    probe.close();
    expect(open(later).read.tasks({ limit: 9 })).toHaveLength(2);
  });

  test('F-08: an up-to-date database is neither copied nor changed by a start', async () => {
    await makeDatabase();
    await open().close();
    expect(existsSync(join(home, 'snapshots'))).toBe(false);
  });
});

function overwrite(file: string, offset: number, length: number, byte = 0xa5): void {
  const bytes = readFileSync(file);
  bytes.fill(byte, offset, offset + length);
  writeFileSync(file, bytes);
}
