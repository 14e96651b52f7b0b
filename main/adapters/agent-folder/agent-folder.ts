// Reads the folder "agents" of the data folder, and writes nothing there. Follows no link, waits
// for no pipe, and reads no file to its end that is too long for an agent.
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_FILE_MAX_BYTES } from '../../lib/agent-file.ts';
import { decodeText } from '../../lib/decode-text.ts';
import { whyUnread } from '../../lib/why-unread.ts';
import type { AgentFolder, FolderFile } from '../../ports/agent-folder.ts';

const FOLDER = 'agents';
/** More are not listed. */
const FILES_MAX = 64;
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function agentFolder(home: string): AgentFolder {
  const folder = join(home, FOLDER);
  return {
    list: () =>
      namesIn(folder)
        .filter((name) => name.endsWith('.md') && name.length <= 255)
        .toSorted()
        .slice(0, FILES_MAX)
        .map((name) => read(join(folder, name), name)),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string, name: string): FolderFile {
  const flawed = (flaw: string): FolderFile => ({ name, text: undefined, flaw });
  try {
    const descriptor = openSync(path, OPEN_FLAGS);
    try {
      if (!fstatSync(descriptor).isFile()) return flawed('It is no regular file.');
      const bytes = Buffer.alloc(AGENT_FILE_MAX_BYTES + 1);
      let length = 0;
      for (let more = 1; more > 0 && length < bytes.byteLength; length += more)
        more = readSync(descriptor, bytes, length, bytes.byteLength - length, null);
      if (length > AGENT_FILE_MAX_BYTES)
        return flawed(`It is longer than ${AGENT_FILE_MAX_BYTES} bytes.`);
      const decoded = decodeText(bytes.subarray(0, length));
      if (!decoded.ok) return flawed(`It ${decoded.error}.`);
      return { name, text: decoded.value.text, flaw: null };
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    return flawed(`It cannot be read: ${whyUnread(cause)}.`);
  }
}
