// An agent that one program of this computer runs at a time.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdAgent } from '../../../main/cli/held-name.ts';

const home = mkdtempSync(join(tmpdir(), 'axon-held-'));

test.skipIf(process.platform === 'win32')(
  'is not run where nobody can hold it, as in a folder whose path is too long',
  async () => {
    await expect(holdAgent(home, 'a'.repeat(64))).resolves.toBeUndefined();
    const message = expect.stringContaining('its path may be too long');
    await expect(holdAgent(join(home, 'x'.repeat(100)), 'bot')).rejects.toMatchObject({ message });
  },
);
