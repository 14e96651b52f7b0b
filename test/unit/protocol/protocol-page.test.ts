// PROTOCOL.md says what the code does: its tables, its examples, its test vector and its section
// names are compared with it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../../preload/contract/errors.ts';
import * as quicLimits from '../../../main/adapters/quic/limits.ts';
import * as coreLimits from '../../../main/core/limits.ts';
import { viewOfQuestion } from '../../../main/core/remote-approval-view.ts';
import { canMove, isTerminal } from '../../../main/core/task-state.ts';
import { TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import { utf8 } from '../../../main/lib/bytes.ts';
import { CLOSE_CODES } from '../../../main/ports/transport.ts';
import { agentIdOfKeyHex } from '../../../main/protocol/agent-id.ts';
import type { Envelope } from '../../../main/protocol/envelope.ts';
import {
  questionPayload,
  REMOTE_APPROVAL,
  labelOf,
  questionIn,
  readVerdict,
} from '../../../main/protocol/remote-approval.ts';
import { EXTENSIONS, KINDS } from '../../../main/protocol/kinds.ts';
import * as protocolLimits from '../../../main/protocol/limits.ts';
import { parseEnvelope } from '../../../main/protocol/parse-envelope.ts';
import * as payloads from '../../../main/protocol/payloads.ts';
import { parseReferenceEnvelope } from '../../../main/protocol/reference/reference-envelope.ts';
import {
  answerOf,
  REFERENCE_KINDS,
  requestOf,
  saysDelivered,
} from '../../../main/protocol/reference/reference-mapping.ts';
import * as linkLimits from '../../../main/services/links/limits.ts';
import * as approvalLimits from '../../../main/services/approvals/limits.ts';
import * as outgoingLimits from '../../../main/services/outgoing/limits.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'main/protocol/PROTOCOL.md'), 'utf8');

function section(name: string): string {
  const found = page.split(/^## /m).find((part) => part.startsWith(`${name}\n`));
  expect(found, `a section called ${name}`).toBeDefined();
  return found ?? '';
}

/** The rows of the table whose first heading is `heading`, as trimmed cells without back quotes. */
function table(text: string, heading: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.split('|')[1]?.trim() === heading);
  expect(start, `a table with the heading ${heading}`).toBeGreaterThan(-1);
  const rows: string[][] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  }
  return rows;
}

const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

describe('the tables', () => {
  it('list every kind with its stream, its reply and its support', () => {
    const rows = Object.entries(KINDS).map(([kind, entry]) => [
      kind,
      entry.stream,
      entry.opens ? 'yes' : 'no',
      entry.reply ?? '',
      entry.required ? 'required' : 'optional',
    ]);
    expect(table(section('Kinds and payloads'), 'Kind')).toEqual(rows);
  });

  it('list every error code of the wire and whether it is worth another try', () => {
    const rows = Object.entries(ERRORS)
      .filter(([, entry]) => 'wire' in entry)
      .map(([code, entry]) => [code, entry.retryable ? 'yes' : 'no']);
    expect(table(section('Errors'), 'Code').map((row) => row.slice(0, 2))).toEqual(rows);
  });

  it('list every code for closing', () => {
    const words = (name: string) =>
      name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const rows = Object.entries(CLOSE_CODES).map(([name, code]) => [String(code), words(name)]);
    expect(table(section('Connection'), 'Code').map((row) => row.slice(0, 2))).toEqual(rows);
  });

  it('list every state and every move', () => {
    const states = TASK_STATES.filter((state) => state !== 'sending' && state !== 'cancelling');
    const rows = table(section('Delegation states'), 'State');
    expect(rows.map((row) => row[0])).toEqual(states);
    for (const [state, , next = ''] of rows) {
      const from = states.find((name) => name === state);
      const moves = states.filter((to) => from !== undefined && canMove(from, to));
      expect(next === '' ? [] : next.split(', ').sort(), state).toEqual(moves.sort());
      expect(from !== undefined && isTerminal(from), state).toBe(next === '');
    }
  });

  it('list every kind of the reference profile and what it carries', () => {
    const rows = Object.entries(REFERENCE_KINDS).map(([kind, { stream, opens, carries }]) => [
      kind,
      stream,
      opens ? 'yes' : 'no',
      carries.join(', '),
    ]);
    expect(table(section('Reference profile'), 'Reference kind')).toEqual(rows);
  });

  it('call spoken today exactly the extensions that are advertised', () => {
    const rows = table(section('Extensions'), 'Extension');
    expect(rows.filter((row) => row[1] === 'yes').map((row) => row[0])).toEqual(EXTENSIONS);
    expect(new Set(rows.map((row) => row[1]))).toEqual(new Set(['yes', 'planned']));
  });

  it('give every limit its value', () => {
    const modules: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      protocol: protocolLimits,
      core: coreLimits,
      quic: quicLimits,
      links: linkLimits,
      approvals: approvalLimits,
      outgoing: outgoingLimits,
    };
    const rows = table(section('Limits'), 'Limit');
    for (const [name = '', value = '', where = ''] of rows) {
      expect(modules[where]?.[name], `${where} ${name}`).toBe(Number(value.replaceAll(',', '')));
    }
    const named = rows.filter((row) => row[2] === 'protocol').map((row) => row[0]);
    const numbers = Object.entries(protocolLimits).filter(([, value]) => typeof value === 'number');
    expect(named.toSorted()).toEqual(numbers.map(([name]) => name).toSorted());
  });
});

describe('the examples', () => {
  const envelopes = examples.map((text): Envelope => {
    const parsed = parseEnvelope(utf8(text.trim()));
    if (!parsed.ok) throw new Error(`${parsed.error.reason}: ${text}`);
    return parsed.value.envelope;
  });

  it('are messages that a hub takes', () => {
    expect(envelopes.map((envelope) => envelope.kind)).toEqual([
      'query',
      'delegate',
      'ack',
      'result',
      'delegate',
      'hello',
      'hello',
      'delegate',
    ]);
    const [query, delegate, ack, result, escalation, hello, answer] = envelopes.map(
      (envelope) => envelope.payload,
    );
    expect(payloads.parseQuery(query ?? {}).ok).toBe(true);
    expect(payloads.parseDelegate(delegate ?? {}).ok).toBe(true);
    expect(payloads.parseAck(ack ?? {}).ok).toBe(true);
    expect(payloads.parseResult(result ?? {}).ok).toBe(true);
    expect(payloads.parseDelegate(escalation ?? {})).toMatchObject({
      value: { escalation: { recommendation: 'direct' } },
    });
    expect(payloads.parseHello(hello ?? {})).toMatchObject({ value: { selected_version: null } });
    expect(payloads.parseHello(answer ?? {})).toMatchObject({ value: { selected_version: 1 } });
  });

  it('of the reference profile are a query, its delivery and its answer in plain words', () => {
    const lines = section('Reference profile')
      .split('\n')
      .filter((line) => line.startsWith('{"'));
    const [asked, delivered, answered] = lines.map((line) => {
      const parsed = parseReferenceEnvelope(utf8(line));
      if (!parsed.ok) throw new Error(`${parsed.error.reason}: ${line}`);
      return parsed.value.envelope;
    });
    if (!asked || !delivered || !answered) throw new Error('an example is missing');
    expect(requestOf(asked)).toMatchObject({
      kind: 'query',
      payload: { question: 'Who is home?', deadline_ms: 30_000 },
    });
    expect(saysDelivered(delivered)).toBe(true);
    expect(answerOf('query', answered)).toEqual({
      kind: 'response',
      payload: { data: null, summary: 'Only the cat.' },
    });
    expect([delivered.ref, answered.ref]).toEqual([asked.id, asked.id]);
  });

  it('refer to each other, between two hubs that exist', () => {
    const [, delegate, ack, result, , hello, answer] = envelopes;
    expect([ack?.ref, result?.ref, answer?.ref]).toEqual([delegate?.id, delegate?.id, hello?.id]);
    const hubs = new Set(envelopes.flatMap((envelope) => [envelope.from, envelope.to]));
    expect(hubs).toEqual(
      new Set([agentIdOfKeyHex('00'.repeat(32)), agentIdOfKeyHex('01'.repeat(32))]),
    );
  });
});

describe('the section on remote approval', () => {
  const text = section('Remote approval');
  const asked = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const parsed = parseEnvelope(utf8(asked.trim()));
  if (!parsed.ok) throw new Error(parsed.error.reason);
  const { payload } = parsed.value.envelope;
  const question = questionIn(payload);
  if (question === undefined) throw new Error('the example asks nothing');

  it('holds a question that a hub takes, to its last member and its digest', () => {
    const { deadline_ms, priority } = payload;
    expect(priority).toBe('normal');
    expect(payload).toEqual(questionPayload(question, Number(deadline_ms), false));
    expect(payloads.parseDelegate(payload)).toMatchObject({ value: { approval: question } });
    expect(viewOfQuestion(question)).toMatchObject({
      ok: true,
      value: { text: 'Open the garage', to_agent: 'robot', risk_class: 'R2' },
    });
  });

  it('lists every member of it, and no other', () => {
    const named = table(text, 'Member of `approval`').flatMap(([name = '']) => name.split(', '));
    expect(named).toEqual(Object.keys(question));
  });

  it('spells the verdict and the extension as the code does', () => {
    for (const extension of REMOTE_APPROVAL) expect(text).toContain(`\`${extension}\``);
    const [data = ''] = /\{"choice":[^}]*\}/.exec(text) ?? [];
    for (const choice of ['allow', 'decline'] as const) {
      const said = data.replace('"allow"|"decline"', `"${choice}"`).replaceAll('...', '"x"');
      const status = choice === 'allow' ? 'completed' : 'failed';
      expect(readVerdict(status, JSON.parse(said))).toEqual({
        ok: true,
        value: { choice, digest: 'x', reason: null, person: 'x' },
      });
      expect(payload.options).toContainEqual({ id: choice, label: labelOf(choice) });
    }
  });
});

describe('the page', () => {
  it('has the sections that code refers to', () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? '');
    const sources = execFileSync('git', ['ls-files', 'main', 'preload', 'renderer', 'test'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((file) => /\.(ts|svelte)$/.test(file));
    const references = sources.flatMap((file) => {
      try {
        return [
          ...readFileSync(join(ROOT, file), 'utf8').matchAll(/PROTOCOL\.md, ([A-Za-z]+)/g),
        ].map((match) => `${match[1]} in ${file}`);
      } catch {
        return [];
      }
    });
    const unknown = references.filter(
      (reference) => !headings.some((heading) => heading.split(' ')[0] === reference.split(' ')[0]),
    );
    expect(unknown.filter((reference) => !reference.endsWith('protocol-page.test.ts'))).toEqual([]);
    expect(references.length).toBeGreaterThan(20);
  });

  it.each([
    ['Pairing', 4],
    ['Invitation', 3],
  ])('holds the test vector of %s that the pairing tests compute', (name, count) => {
    const tests = readFileSync(join(ROOT, 'test/unit/protocol/pairing.test.ts'), 'utf8');
    const vector = /```text\n([\s\S]*?)```/.exec(section(name))?.[1] ?? '';
    const values = [...vector.matchAll(/= (\w+)/g)].map((match) => match[1] ?? '');
    expect(values).toHaveLength(count);
    for (const value of values) expect(tests).toContain(`'${value}'`);
  });

  it('leads nowhere that does not exist', () => {
    const anchors = new Set(
      [...page.matchAll(/^## (.+)$/gm)].map(
        (match) => `#${(match[1] ?? '').toLowerCase().replaceAll(' ', '-')}`,
      ),
    );
    for (const [, target = ''] of page.matchAll(/\]\(([^)]+)\)/g))
      expect(anchors).toContain(target);
  });
});
