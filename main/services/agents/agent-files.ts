// Agents that are files: what stands in the folder, and which text of each its owner has confirmed.
// A file runs nothing. What runs is the text that was read and confirmed, which is kept here with
// the class that the owner gave and the key for its endpoint, sealed. Another text in the file only
// offers a new version.
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { AgentFileDto, AgentFileVersionDto } from '../../../preload/contract/agent-files.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import type { OperationParams } from '../../../preload/contract/operations.ts';
import { escapeText } from '../../core/text-escape.ts';
import { FIPA } from '../../dialects/fipa.ts';
import { readAgentFile, type AgentFile } from '../../lib/agent-file.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import { Secret } from '../../lib/secret.ts';
import { StoredRows } from '../../lib/stored-value.ts';
import type { AgentFolder, FolderFile } from '../../ports/agent-folder.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { Actor, AuditTrail } from '../base/audit-trail.ts';
import type { SealedSecrets } from '../base/sealed-secrets.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { Runners } from './runners.ts';

const ROW = v.object({
  file: v.string(),
  agent: v.string(),
  text: v.string(),
  /** Sealed; null: the endpoint needs none. */
  key: v.nullable(v.string()),
  at: v.number(),
});
type Row = v.InferOutput<typeof ROW>;
const ROWS = new StoredRows<'file', Row>('agent_files', 'file', ROW);

const DAMAGED = escapeText(
  'What was confirmed of it cannot be read, so nothing runs from it. Confirm it again.',
);

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly agents: AgentRegistry;
  readonly secrets: SealedSecrets;
  readonly folder: AgentFolder;
  readonly runners: Pick<Runners, 'set' | 'end' | 'list'>;
}

export class AgentFiles {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.agents.onRemoving((tables, _, name) => {
      const damaged = ROWS.damaged(tables).find(({ agent }) => agent === name)?.key;
      const file = ROWS.read(tables).find(({ agent }) => agent === name)?.file ?? damaged;
      if (file !== undefined) ROWS.write(tables, ROWS.read(tables), file);
    });
  }

  list(): readonly AgentFileDto[] {
    const { store, folder } = this.#deps;
    const rows = ROWS.read(store.read);
    const damaged = ROWS.damaged(store.read).map(({ key }) => key);
    const files = folder.list();
    const gone = [...rows.map(({ file }) => file), ...damaged]
      .filter((kept) => !files.some(({ name }) => name === kept))
      .map((name): FolderFile => ({ name, text: undefined, flaw: null }));
    return [...files, ...gone].map((file) => {
      const row = rows.find((one) => one.file === file.name);
      const dto = toDto(file, row, row !== undefined && this.#isRun(row.agent));
      return row === undefined && damaged.includes(file.name) ? { ...dto, flaw: DAMAGED } : dto;
    });
  }

  /**
   * For the runner of this agent, on its standard input.
   * @throws AppError not_found, identity_locked
   */
  inputOf(name: string): string {
    const row = ROWS.read(this.#deps.store.read).find(({ agent }) => agent === name);
    const read = row === undefined ? undefined : readAgentFile(row.text);
    if (row === undefined || read?.ok !== true)
      throw inputError('not_found', 'Nobody has confirmed a file for this agent.');
    const { text, key } = row;
    if (key === null) return JSON.stringify({ text });
    const opened = this.#deps.secrets.open(useOf(name, read.value.endpoint.host), key);
    if (opened === undefined)
      throw new AppError('identity_locked', 'The key for its endpoint cannot be opened now.');
    return JSON.stringify({ text, key: opened.expose() });
  }

  /**
   * What the person has read runs from now on, and nothing else.
   * @throws AppError not_found, bad_request, request_changed, conflict, blocked, identity_locked
   */
  async confirm(
    { file: name, sha256, risk_class, leaves_to, key }: OperationParams<'agent_files.confirm'>,
    actor: Actor,
  ): Promise<AgentFileDto> {
    const { unit, audit, clock, secrets, store } = this.#deps;
    const { text, file } = this.#read(name);
    if (hashOf(text) !== sha256)
      throw inputError('request_changed', 'The file has another text than the one that was read.', {
        hint: 'Read it again, and confirm that.',
      });
    checkLeaves(file, leaves_to);
    const other = ROWS.read(store.read).find(
      (row) => nameIn(row) === file.name && row.file !== name,
    );
    if (other !== undefined)
      throw inputError('conflict', `"${file.name}" is the agent of the file "${other.file}".`);
    const agent = await this.#agentOf(file, risk_class, actor);
    const use = useOf(agent, file.endpoint.host);
    const sealed = typeof key === 'string' ? secrets.seal(use, new Secret(key)) : undefined;
    const before = ROWS.read(store.read).find((row) => row.file === name);
    const row = await unit.run((tables) => {
      // A key is for the host that it was given for, and goes nowhere else.
      const isKept = before?.key != null && key === undefined && secrets.open(use, before.key);
      const kept = isKept ? (before?.key ?? null) : null;
      const row: Row = { file: name, agent, text, key: sealed ?? kept, at: clock.wallMs() };
      ROWS.write(tables, [...ROWS.read(tables).filter((one) => one.file !== name), row]);
      audit.append(tables, {
        ...actor,
        action: 'agent.file_confirmed',
        object: agent,
        detail: { sha256, risk_class, leaves: !file.endpoint.isLoopback },
      });
      return row;
    });
    if (before !== undefined && before.agent !== agent) await this.#endRunner(before.agent, actor);
    const { model, budget, endpoint } = file;
    const leaves = endpoint.isLoopback ? null : endpoint.host;
    const choice = { kind: 'file', file: name, model, budget, leaves_to: leaves } as const;
    await this.#deps.runners.set(agent, choice, actor);
    return toDto({ name, text, flaw: null }, row, true);
  }

  /** @throws AppError not_found */
  async remove(name: string, actor: Actor): Promise<void> {
    const agent = await this.#deps.unit.run((tables) => {
      const damaged = ROWS.damaged(tables).find(({ key }) => key === name)?.agent;
      const agent = ROWS.read(tables).find(({ file }) => file === name)?.agent ?? damaged;
      if (agent === undefined) throw inputError('not_found', `No agent runs from "${name}".`);
      ROWS.write(tables, ROWS.read(tables), name);
      this.#deps.audit.append(tables, { ...actor, action: 'agent.file_removed', object: agent });
      return agent;
    });
    await this.#endRunner(agent, actor);
  }

  /** Where it is that of a file, and nobody chose another one since. */
  async #endRunner(agent: string, actor: Actor): Promise<void> {
    if (this.#isRun(agent)) await this.#deps.runners.end(agent, actor);
  }

  #isRun(name: string): boolean {
    return this.#deps.runners.list().some(({ agent, kind }) => agent === name && kind === 'file');
  }

  #read(name: string): { readonly text: string; readonly file: AgentFile } {
    const found = this.#deps.folder.list().find((file) => file.name === name);
    if (found === undefined)
      throw inputError('not_found', `The folder "agents" holds no file "${name}".`);
    const read = found.text === undefined ? undefined : readAgentFile(found.text);
    if (found.text === undefined || read?.ok !== true)
      throw inputError('bad_request', `The file is broken. ${flawOf(found)}`);
    return { text: found.text, file: read.value };
  }

  /** Its handle. One that is here already gets the class, and offers what the file says. */
  async #agentOf(file: AgentFile, riskClass: RiskClass, actor: Actor): Promise<string> {
    const { agents, store } = this.#deps;
    const { areas: domains, capabilities, model } = file;
    const profile = { domains, capabilities, model, dialect: FIPA.name };
    const handle = agents.handleOf(store.read, file.name);
    if (store.read.agent(handle) === undefined)
      return (await agents.create(file.name, profile, riskClass, actor)).name;
    await agents.setClass(handle, { riskClass }, actor);
    await agents.update(handle, profile, actor);
    return handle;
  }
}

function checkLeaves({ endpoint }: AgentFile, leavesTo: string | undefined): void {
  const { isLoopback, host } = endpoint;
  if (isLoopback || leavesTo === host) return;
  const sentence = `Whatever this agent is asked would leave this computer, to ${host}. Nobody has said that it may.`;
  throw inputError('bad_request', sentence, {
    hint: 'Confirm it with that host, or name an endpoint on this computer in the file.',
  });
}

/** The key opens for this agent at this host alone. */
function useOf(agent: string, host: string): string {
  return `agent-file/${agent}/${host}`;
}

function toDto(found: FolderFile, row: Row | undefined, runs: boolean): AgentFileDto {
  const now = found.text === undefined ? null : versionOf(found.text);
  const isGone = found.text === undefined && found.flaw === null;
  const confirmed = row === undefined ? null : versionOf(row.text);
  const state = isGone
    ? 'gone'
    : now === null
      ? 'broken'
      : confirmed === null
        ? 'new'
        : now.sha256 === confirmed.sha256
          ? 'confirmed'
          : 'changed';
  return {
    file: escapeText(found.name),
    state,
    flaw: state === 'broken' ? escapeText(flawOf(found)) : null,
    now,
    confirmed:
      row === undefined || confirmed === null
        ? null
        : { ...confirmed, agent: row.agent, at: row.at, has_key: row.key !== null, runs },
  };
}

/** null: it is no agent. */
function versionOf(text: string): AgentFileVersionDto | null {
  const read = readAgentFile(text);
  if (!read.ok) return null;
  const { name, model, endpoint, budget, areas, capabilities } = read.value;
  return {
    sha256: hashOf(text),
    agent_name: name,
    model: escapeText(model),
    endpoint: escapeText(endpoint.written),
    leaves_to: endpoint.isLoopback ? null : escapeText(endpoint.host),
    budget,
    areas,
    capabilities: capabilities.map(escapeText),
    text: escapeText(text),
  };
}

function flawOf({ text, flaw }: FolderFile): string {
  if (text === undefined) return flaw ?? '';
  const read = readAgentFile(text);
  return read.ok ? '' : read.error;
}

function nameIn({ text }: Row): string | undefined {
  const read = readAgentFile(text);
  return read.ok ? read.value.name : undefined;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
