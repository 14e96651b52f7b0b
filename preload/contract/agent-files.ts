// Agents that are files of a person's: what stands in the folder, what of it a person confirmed,
// and the operations on that. Imports from this folder only.
import * as v from 'valibot';
import type { OutsideText } from './formats.ts';
import { riskClass, shortText, text } from './parameters.ts';

/** A file as it was at one moment; another text is another version. */
export interface AgentFileVersionDto {
  /** Of its text, in hex. */
  readonly sha256: string;
  /** What its agent is called, by the file. */
  readonly agent_name: string;
  readonly model: OutsideText;
  readonly endpoint: OutsideText;
  /** Where all that its agent is asked goes, as host or host:port; null: nothing leaves. */
  readonly leaves_to: OutsideText | null;
  /** Tokens a day. */
  readonly budget: number;
  readonly areas: readonly string[];
  readonly capabilities: readonly OutsideText[];
  /** The whole of it. */
  readonly text: OutsideText;
}

/**
 * new: nobody has confirmed it. changed: it offers another text than the confirmed one. gone: no
 * such file is there any more. In both of these the confirmed text goes on.
 */
export type AgentFileState = 'new' | 'changed' | 'confirmed' | 'broken' | 'gone';

export interface AgentFileDto {
  /** Its name in the folder. */
  readonly file: OutsideText;
  readonly state: AgentFileState;
  /** Why it is broken, with the line, or nothing runs from it; null: it is as it should be. */
  readonly flaw: OutsideText | null;
  /** As it is now; null: it is broken or gone. */
  readonly now: AgentFileVersionDto | null;
  /** What a person confirmed last. */
  readonly confirmed:
    | (AgentFileVersionDto & {
        /** The handle of its agent. */
        readonly agent: string;
        readonly at: number;
        /** The hub keeps a key for the endpoint. */
        readonly has_key: boolean;
        /** False: a person ended it, or chose another program for its agent. */
        readonly runs: boolean;
      })
    | null;
}

const file = shortText;

export const AGENT_FILE_OPERATIONS = {
  'agent_files.list': {
    summary: 'Lists the agents that are files, and what of each is confirmed.',
    method: 'GET',
    path: '/v1/agent-files',
    access: 'owner',
    params: v.strictObject({}),
  },
  'agent_files.confirm': {
    summary: 'Runs the agent that a file describes, from the text that was read.',
    method: 'POST',
    path: '/v1/agent-files/confirm',
    access: 'owner',
    params: v.strictObject({
      file,
      /** Of the text that the person has read. */
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'SHA-256 in hex')),
      risk_class: riskClass,
      /** The host of an endpoint that is not on this computer. */
      leaves_to: v.optional(text(256)),
      /** For the endpoint; null takes it away, and without one it stays where the host does. */
      key: v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(1_024)))),
    }),
  },
  'agent_files.remove': {
    summary: 'Runs the agent of a file no longer. The agent and the file stay.',
    method: 'POST',
    path: '/v1/agent-files/remove',
    access: 'owner',
    params: v.strictObject({ file }),
  },
} as const;
