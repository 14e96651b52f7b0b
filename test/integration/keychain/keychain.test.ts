// The identity in a real keychain: gnome-keyring on a session bus of its own, unlocked, locked,
// paused, gone, or never there (F-16, E21).
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasRealPart } from '../../support/real-parts.ts';

const CHILD = join(import.meta.dirname, 'keychain-child.ts');
const RUN_MAX_MS = 60_000;
/** How long the bus waits for a service it started, here a prompt that nobody answers. */
const PROMPT_LIFE_MS = 2_500;

let folder: string;
let home: string;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-keyring-'));
  home = join(folder, 'hub');
  for (const name of ['hub', 'other-hub', 'user', 'run'])
    mkdirSync(join(folder, name), { mode: 0o700 });
  const {
    DBUS_SESSION_BUS_ADDRESS: _address,
    GNOME_KEYRING_CONTROL: _control,
    DISPLAY: _display,
    ...rest
  } = process.env;
  environment = {
    ...rest,
    HOME: join(folder, 'user'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_DATA_HOME: join(folder, 'user', 'data'),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A session bus that starts nothing by itself but the given services. */
function busConfiguration(services: Readonly<Record<string, string>> = {}): string {
  const serviceFolder = join(folder, 'services');
  mkdirSync(serviceFolder, { recursive: true });
  for (const [name, command] of Object.entries(services)) {
    writeFileSync(
      join(serviceFolder, `${name}.service`),
      `[D-BUS Service]\nName=${name}\nExec=${command}\n`,
    );
  }
  const path = join(folder, 'bus.conf');
  writeFileSync(
    path,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><limit name="service_start_timeout">${PROMPT_LIFE_MS}</limit><listen>unix:dir=${join(folder, 'run')}</listen><servicedir>${serviceFolder}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
  );
  return path;
}

type Outcomes = readonly unknown[];

function parse(stdout: string, steps: readonly string[], stderr: string): Outcomes {
  const outcomes = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"step"'))
    .map((line): unknown => JSON.parse(line))
    .map((fact) =>
      typeof fact === 'object' && fact !== null && 'outcome' in fact ? fact.outcome : undefined,
    );
  if (outcomes.length !== steps.length)
    throw new Error(
      `the child stopped after ${outcomes.length} of ${steps.length} steps: ${stderr}`,
    );
  return outcomes;
}

/** Runs the steps on a bus of their own and returns what each came to. */
function onBus(
  steps: readonly string[],
  services?: Readonly<Record<string, string>>,
  hub = home,
): Outcomes {
  const parameters = [
    `--config-file=${busConfiguration(services)}`,
    '--',
    process.execPath,
    CHILD,
    hub,
    ...steps,
  ];
  const { stdout, stderr } = spawnSync('dbus-run-session', parameters, {
    env: environment,
    encoding: 'utf8',
    timeout: RUN_MAX_MS,
  });
  return parse(stdout, steps, stderr);
}

function withoutBus(steps: readonly string[], changed: NodeJS.ProcessEnv = {}): Outcomes {
  const { stdout, stderr } = spawnSync(process.execPath, [CHILD, home, ...steps], {
    env: { ...environment, ...changed },
    encoding: 'utf8',
    timeout: RUN_MAX_MS,
  });
  return parse(stdout, steps, stderr);
}

const RESTORED_COPY = join(import.meta.dirname, 'restored-copy-child.ts');
const HOOK = join(import.meta.dirname, '..', '..', 'support', 'raw-imports.mjs');

const FOUND = { state: 'found', same: true };
const LOCKED = { state: 'locked', reason: expect.stringMatching(/[Uu]nlock/) };
const UNAVAILABLE = { state: 'unavailable', reason: 'This computer has no keychain.' };

describe.skipIf(!hasRealPart('secret-service'))('a real keychain', () => {
  test('E21: keeps the seed, survives a restart of the keyring, and shows it to nobody while it is locked', () => {
    const steps = [
      'unlocked',
      'read',
      'write',
      'read',
      'write',
      'end',
      'locked',
      'read',
      'write',
      'end',
      'unlocked',
      'read',
    ];
    const [, before, written, after, again, , , whileLocked, refused, , , unlocked] = onBus(steps);
    expect([before, written, after, again]).toEqual([
      { state: 'absent' },
      'written',
      FOUND,
      'conflict',
    ]);
    expect([whileLocked, refused, unlocked]).toEqual([LOCKED, 'identity_locked', FOUND]);
  });

  test('E21: every data folder has an entry of its own, and looking leaves none behind', () => {
    expect(onBus(['unlocked', 'read', 'entries', 'write', 'entries'])).toEqual([
      null,
      { state: 'absent' },
      [],
      'written',
      [expect.stringMatching(/^hub-[0-9a-f]{32}$/)],
    ]);
    expect(onBus(['unlocked', 'read', 'write'], {}, join(folder, 'other-hub'))).toEqual([
      null,
      { state: 'absent' },
      'written',
    ]);
    const [, , entries] = onBus(['unlocked', 'read', 'entries']);
    expect(entries).toHaveLength(2);
  });

  test('F-16: a locked keychain without an entry is locked, never absent', () => {
    onBus(['unlocked', 'read']);
    expect(onBus(['locked', 'read', 'write', 'end', 'unlocked', 'read'])).toEqual([
      null,
      LOCKED,
      'identity_locked',
      null,
      null,
      { state: 'absent' },
    ]);
  });

  test('F-16: while a prompt waits for a person the vault is locked after its own time limit; a keyring that dies meanwhile blocks no later one', () => {
    const prompter = { 'org.gnome.keyring.SystemPrompter': '/bin/sleep 4' };
    const steps = [
      'unlocked',
      'write',
      'end',
      'locked',
      'read-impatiently',
      'end',
      'unlocked',
      'read',
    ];
    const [, , , , waiting, , , unlocked] = onBus(steps, prompter);
    expect(waiting).toMatchObject({
      found: { state: 'locked', reason: expect.stringMatching(/did not answer in time/) },
    });
    expect(waiting).toMatchObject({
      waitedMs: expect.toSatisfy((ms: number) => ms >= 490 && ms < PROMPT_LIFE_MS),
    });
    expect(unlocked).toEqual(FOUND);
  });

  test('F-16: a keyring that hangs is locked, never unavailable, and found again when it goes on', () => {
    const [, , , slow, , resumed] = onBus(['unlocked', 'write', 'pause', 'read', 'resume', 'read']);
    expect([slow, resumed]).toEqual([LOCKED, FOUND]);
  });

  test('F-16: a keyring that dies at runtime never makes the seed absent', () => {
    const [, , , gone, refused, , back] = onBus([
      'unlocked',
      'write',
      'end',
      'read',
      'write',
      'unlocked',
      'read',
    ]);
    expect([gone, refused, back]).toEqual([UNAVAILABLE, 'identity_locked', FOUND]);
  });

  test('a data folder put back as a whole from a copy is older than the count in the keychain, until its owner confirms the restore', () => {
    const parameters = [
      `--config-file=${busConfiguration()}`,
      '--',
      process.execPath,
      '--import',
      HOOK,
      RESTORED_COPY,
      home,
    ];
    const { stdout, stderr } = spawnSync('dbus-run-session', parameters, {
      env: environment,
      encoding: 'utf8',
      timeout: RUN_MAX_MS,
    });
    const runs = stdout
      .split('\n')
      .filter((line) => line.startsWith('{"storage"'))
      .map((line): unknown => JSON.parse(line));
    const run = { storage: 'keychain', state: 'ok', confirmed: null, rules: true };
    expect(runs, stderr).toMatchObject([
      run,
      run,
      { ...run, state: 'restored', rules: false },
      { ...run, state: 'restored', confirmed: 'ok' },
      run,
    ]);
  });

  test('an entry that is no seed is damaged and stays', () => {
    expect(onBus(['unlocked', 'spoil', 'read', 'write', 'read'])).toEqual([
      null,
      null,
      { state: 'damaged', reason: expect.any(String) },
      'conflict',
      { state: 'damaged', reason: expect.any(String) },
    ]);
  });

  test('a keyring in which nothing was ever kept and nothing can be is unavailable', () => {
    expect(onBus(['locked', 'read', 'write'])).toEqual([null, UNAVAILABLE, 'identity_locked']);
  });

  test('a bus without a keychain is unavailable; one whose keychain fails to start is locked', () => {
    expect(onBus(['read', 'write'])).toEqual([UNAVAILABLE, 'identity_locked']);
    expect(onBus(['read', 'write'], { 'org.freedesktop.secrets': '/bin/false' })).toEqual([
      LOCKED,
      'identity_locked',
    ]);
  });

  test('E21: without a bus the keychain is unavailable, and nothing is laid into the keyring of the kernel, which a restart empties', () => {
    expect(withoutBus(['read', 'write', 'kernel-keyring'])).toEqual([
      UNAVAILABLE,
      'identity_locked',
      null,
    ]);
    const lost = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'run', 'nothing')}` };
    expect(withoutBus(['read', 'write', 'kernel-keyring'], lost)).toEqual([
      UNAVAILABLE,
      'identity_locked',
      null,
    ]);
  });
});
