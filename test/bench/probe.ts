// A look into the main process of a hub that is measured, from the runner: how often it committed,
// and how late its event loop was. The hub is the built one; main-probe.ts is loaded before it.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../lan/line-process.ts';
import type { Probed } from './main-probe.ts';

const PROGRAM = pathToFileURL(join(import.meta.dirname, 'main-probe.ts')).href;

export class Probe {
  readonly #folder = mkdtempSync(join(tmpdir(), 'axon-probe-'));
  readonly #isCommittingEach: boolean;

  /** @param commitsEach the hub commits each unit of work by itself */
  constructor({ commitsEach = false } = {}) {
    this.#isCommittingEach = commitsEach;
  }

  /** With which the hub is started. */
  get environment(): Environment {
    return {
      NODE_OPTIONS: `--import=${PROGRAM}`,
      AXON_BENCH_PROBE: this.#socket,
      ...(this.#isCommittingEach ? { AXON_BENCH_COMMITS_EACH: '1' } : {}),
    };
  }

  /** What it saw since the last reading. The loop is watched from the first one with `loop` on. */
  read(what: 'commits' | 'loop'): Promise<Probed> {
    return new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(this.#socket, () => socket.end(what));
      socket.setEncoding('utf8').on('data', (part: string) => (text += part));
      socket.on('error', reject);
      socket.on('close', () => resolve(JSON.parse(text) as Probed)); // main-probe.ts wrote it
    });
  }

  close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    return Promise.resolve();
  }

  get #socket(): string {
    return join(this.#folder, 'probe.sock');
  }
}
