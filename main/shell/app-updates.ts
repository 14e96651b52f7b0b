// The updates of this app, if it was packaged with a feed: where it looks comes from the
// package.json inside the archive, which no environment and no file of a person changes.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from 'electron';
import type { Clock } from '../ports/clock.ts';
import { readUpdateSource } from './update-manifest.ts';
import { Updates, type Updater } from './updates.ts';

interface AppUpdatesDeps {
  readonly app: Pick<App, 'isPackaged' | 'getAppPath' | 'getVersion'>;
  readonly clock: Clock;
  show(version: string | null): void;
  report(error: unknown): void;
}

export interface AppUpdates {
  readonly updates: Updates;
  readonly install: Updater['install'];
}

/** null: this app looks for no updates. */
export async function openUpdates({
  app,
  clock,
  show,
  report,
}: AppUpdatesDeps): Promise<AppUpdates | null> {
  if (!app.isPackaged) return null;
  const manifest = await readFile(join(app.getAppPath(), 'package.json'), 'utf8');
  const source = readUpdateSource(JSON.parse(manifest));
  if (source === null) return null;
  // Nobody else loads so much.
  const { signedUpdater } = await import('./updater.ts');
  const updater: Updater = signedUpdater(source);
  const updates = new Updates({ clock, updater, running: app.getVersion(), show, report });
  return { updates, install: (failed) => updater.install(failed) };
}
