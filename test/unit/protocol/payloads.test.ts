// Every payload with its defaults, what is refused with which sentence, and what is only a hint.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as payloads from '../../../main/protocol/payloads.ts';
import { selectVersion } from '../../../main/protocol/versions.ts';
import { arbitraryPayload } from './envelopes.ts';

const DAY_MS = 86_400_000;

function value<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string },
): T {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
function reason(result: { readonly ok: boolean; readonly error?: string }): string {
  return result.ok ? 'accepted' : (result.error ?? '');
}

describe('query', () => {
  it('fills in 30 seconds and no limit', () => {
    expect(value(payloads.parseQuery({ question: 'What is for dinner?' }))).toEqual({
      question: 'What is for dinner?',
      domain: null,
      capability: null,
      reason: null,
      max_tokens: 0,
      deadline_ms: 30_000,
      route: null,
      conversation: null,
    });
  });

  it('reads every field', () => {
    const payload = {
      question: 'What is on?',
      domain: 'family.calendar',
      capability: 'calendar.read',
      reason: 'to plan the week',
      max_tokens: 200,
      deadline_ms: 5000,
      route: { from: 'planner', to: 'calendar' },
      conversation: { id: 'c-91', parent: null },
      unknown: { kept: 'elsewhere' },
    };
    const { unknown: _unknown, ...known } = payload;
    expect(value(payloads.parseQuery(payload))).toEqual(known);
  });

  it('takes a structured question as its canonical text', () => {
    expect(
      value(payloads.parseQuery({ question: { select: 'events', from: 'week' } })).question,
    ).toBe('{"from":"week","select":"events"}');
  });

  it('reads null as absent, and at most a day as its deadline', () => {
    const nothing = {
      domain: null,
      max_tokens: null,
      deadline_ms: null,
      route: null,
      conversation: null,
    };
    expect(value(payloads.parseQuery({ question: 'x', ...nothing }))).toEqual(
      value(payloads.parseQuery({ question: 'x' })),
    );
    expect(value(payloads.parseQuery({ question: 'x', deadline_ms: 2 ** 52 })).deadline_ms).toBe(
      DAY_MS,
    );
  });

  it('keeps a domain that is none as it came: it matches nothing later', () => {
    for (const domain of ['Family', 'family.', '', 'famil\u0443', 'x'.repeat(10_000)]) {
      expect(value(payloads.parseQuery({ question: 'x', domain })).domain).toBe(domain);
    }
  });
});

describe('PW-14, DL-10 (payloads): what does not fit is refused with what would have', () => {
  it.each([
    [{}, '"question" must be text, such as "What is on the family calendar this week?"'],
    [{ question: '' }, '"question" must be text'],
    [{ question: ' \n' }, '"question" must be text'],
    [{ question: 7 }, '"question" must be text'],
    [{ question: ['x'] }, '"question" must be text'],
    [
      { question: 'x', deadline_ms: 'x' },
      '"deadline_ms" must be a whole number of at least 1, or absent',
    ],
    [{ question: 'x', deadline_ms: -1 }, '"deadline_ms" must be a whole number'],
    [{ question: 'x', deadline_ms: 0 }, '"deadline_ms" must be a whole number'],
    [{ question: 'x', deadline_ms: 1.5 }, '"deadline_ms" must be a whole number'],
    [{ question: 'x', deadline_ms: 1e308 }, '"deadline_ms" must be a whole number'],
    [{ question: 'x', deadline_ms: true }, '"deadline_ms" must be a whole number'],
    [
      { question: 'x', max_tokens: -5 },
      '"max_tokens" must be a whole number of at least 0, or absent',
    ],
    [{ question: 'x', domain: ['family'] }, '"domain" must be text, or absent'],
    [{ question: 'x', domain: { a: 1 } }, '"domain" must be text, or absent'],
    [
      { question: 'x', capability: 'c'.repeat(129) },
      '"capability" must be at most 128 characters long',
    ],
    [{ question: 'x', route: 'mum' }, '"route" must be a JSON object, or absent'],
    [
      { question: 'x', route: { to: 7 } },
      '"route" does not fit: "route.to" must be text, or absent',
    ],
    [
      { question: 'x', route: { from: 'f'.repeat(65) } },
      '"route.from" must be at most 64 characters long',
    ],
    [{ question: 'x', conversation: {} }, '"conversation.id" must be text'],
    [
      { question: 'x', conversation: { id: 'c'.repeat(129) } },
      '"conversation.id" must be at most 128 characters long',
    ],
  ])('query %j', (payload, sentence) => {
    expect(reason(payloads.parseQuery(payload))).toContain(sentence);
  });

  it.each([
    [{}, '"task" must be text, such as "Tell the family chat that dinner is at 7"'],
    [{ task: { do: 'it' } }, '"task" must be text'],
    [{ task: 'x', context: 'none' }, '"context" must be a JSON object, or absent'],
    [{ task: 'x', context: [] }, '"context" must be a JSON object, or absent'],
    [{ task: 'x', priority: 'high' }, '"priority" must be one of "normal", "urgent"'],
    [{ task: 'x', report_back: 'no' }, '"report_back" must be true or false'],
    [{ task: 'x', deadline_ms: '60000' }, '"deadline_ms" must be a whole number'],
  ])('delegate %j', (payload, sentence) => {
    expect(reason(payloads.parseDelegate(payload))).toContain(sentence);
  });

  it('the first thing that does not fit is the one that is named', () => {
    expect(reason(payloads.parseDelegate({ task: '', priority: 'high' }))).toContain('"task"');
  });
});

describe('delegate', () => {
  it('fills in normal, reporting back, an empty context and a day', () => {
    expect(value(payloads.parseDelegate({ task: 'Feed the cat' }))).toEqual({
      task: 'Feed the cat',
      context: {},
      priority: 'normal',
      report_back: true,
      escalation: null,
      approval: null,
      domain: null,
      capability: null,
      reason: null,
      deadline_ms: DAY_MS,
      route: null,
      conversation: null,
    });
  });

  it('keeps the task exactly as it came, spaces and hidden characters included', () => {
    const task = '  Feed\u202e the cat\r\n';
    expect(value(payloads.parseDelegate({ task })).task).toBe(task);
  });
});

describe('replies', () => {
  it('response: data may be any value, a summary is always there', () => {
    expect(value(payloads.parseResponse({ data: [1], summary: 'Three practices' }))).toEqual({
      data: [1],
      summary: 'Three practices',
      tokens_used: null,
      truncated: false,
      answered_by: null,
      decision: null,
      origin: null,
    });
    expect(reason(payloads.parseResponse({ data: 1 }))).toContain('"summary" must be text');
    expect(reason(payloads.parseResponse({ summary: 'x', truncated: 1 }))).toContain('"truncated"');
  });

  it('ack: a held request says so beside the state that every hub knows, and anything but true is not held', () => {
    const read = (held: unknown, held_ms?: unknown) =>
      value(
        payloads.parseAck({
          accepted: true,
          state: 'pending_approval',
          held,
          ...(held_ms === undefined ? {} : { held_ms }),
        }),
      );
    expect(read(true, 5000)).toMatchObject({
      state: 'pending_approval',
      held: true,
      held_ms: 5000,
    });
    expect([read(true).held_ms, read('yes').held, read(null).held]).toEqual([null, false, false]);
  });

  it('ack: a refusal without a code is a rejection, a state that is unknown is no state', () => {
    expect(
      value(payloads.parseAck({ accepted: true, state: 'pending_approval', estimated_ms: 5000 })),
    ).toEqual({
      accepted: true,
      state: 'pending_approval',
      held: false,
      held_ms: null,
      estimated_ms: 5000,
      code: null,
      reason: null,
      retryable: false,
      ended_by: null,
    });
    expect(value(payloads.parseAck({ accepted: false, reason: 'no' }))).toMatchObject({
      code: 'rejected',
      reason: 'no',
      retryable: false,
      ended_by: null,
    });
    const byWhom = (accepted: boolean, ended_by: unknown) =>
      value(payloads.parseAck({ accepted, ended_by })).ended_by;
    expect([byWhom(false, 'hub'), byWhom(false, 'nobody'), byWhom(true, 'hub')]).toEqual([
      'hub',
      null,
      null,
    ]);
    expect(value(payloads.parseAck({ accepted: false, code: 'overloaded' }))).toMatchObject({
      code: 'overloaded',
      retryable: true,
    });
    expect(value(payloads.parseAck({ accepted: false, code: 'made_up' }))).toMatchObject({
      code: 'internal',
    });
    expect(value(payloads.parseAck({ accepted: true, state: 'dreaming' })).state).toBeNull();
    expect(reason(payloads.parseAck({ accepted: 'yes' }))).toContain(
      '"accepted" must be true or false',
    );
    expect(reason(payloads.parseAck({}))).toContain('"accepted" must be true or false');
  });

  it('response and result: the name of a person who answered is a hint, and what is none reads as no person', () => {
    const readBoth = (answered_by: unknown) => [
      value(payloads.parseResponse({ summary: 'x', answered_by })).answered_by,
      value(payloads.parseResult({ status: 'completed', answered_by })).answered_by,
    ];
    expect(readBoth('Mum')).toEqual(['Mum', 'Mum']);
    for (const none of ['', 7, {}, null, 'x'.repeat(65)])
      expect(readBoth(none)).toEqual([null, null]);
  });

  it('result: a status is needed, an outcome may be missing, an unknown code is internal', () => {
    expect(
      value(
        payloads.parseResult({
          status: 'completed',
          outcome: 'Sent.',
          data: { ok: true },
          error: null,
        }),
      ),
    ).toEqual({
      status: 'completed',
      tokens_used: 0,
      truncated: false,
      outcome: 'Sent.',
      data: { ok: true },
      error: null,
      code: null,
      answered_by: null,
      decision: null,
      ended_by: null,
      retryable: null,
      handed_on_to: null,
    });
    expect(
      value(payloads.parseResult({ status: 'failed', error: 'no', code: 'made_up' })),
    ).toMatchObject({
      outcome: '',
      code: 'internal',
    });
    expect(reason(payloads.parseResult({ status: 'done' }))).toContain('"status" must be');
    expect(reason(payloads.parseResult({}))).toContain('"status" must be');
  });

  it('pong: a status is needed, figures may be missing', () => {
    expect(
      value(
        payloads.parsePong({
          status: 'busy',
          uptime_secs: 3600,
          active_tasks: 2,
          agent_name: 'Mum',
        }),
      ),
    ).toEqual({
      status: 'busy',
      uptime_secs: 3600,
      active_tasks: 2,
      agent_name: 'Mum',
    });
    expect(value(payloads.parsePong({ status: 'idle' }))).toMatchObject({
      uptime_secs: null,
      active_tasks: null,
      agent_name: null,
    });
    expect(reason(payloads.parsePong({ status: 'asleep' }))).toContain('"status" must be');
  });

  it('capabilities: every field may be missing, and lists are bounded', () => {
    const nothing = {
      domains: [],
      channels: [],
      tools: [],
      max_concurrent_tasks: null,
      model: null,
    };
    expect(value(payloads.parseCapabilities({}))).toEqual({
      agent_name: null,
      ...nothing,
      agents: [],
      more_agents: 0,
      rev: null,
    });
    const agents = [{ name: 'kitchen', domains: ['family.grocery'], model: 'm' }];
    expect(value(payloads.parseCapabilities({ agents }))).toMatchObject({
      agents: [
        { ...nothing, name: 'kitchen', domains: ['family.grocery'], capabilities: [], model: 'm' },
      ],
    });
    expect(reason(payloads.parseCapabilities({ domains: 'family' }))).toContain(
      '"domains" must be a list',
    );
    expect(reason(payloads.parseCapabilities({ domains: [1] }))).toContain(
      '"domains" must be a list of texts',
    );
    expect(
      reason(payloads.parseCapabilities({ tools: Array.from({ length: 257 }, String) })),
    ).toContain('"tools" must hold at most 256 entries');
    expect(reason(payloads.parseCapabilities({ agents: [{}] }))).toContain(
      '"agents" holds an agent that does not fit: "name" must be text',
    );
    expect(reason(payloads.parseCapabilities({ agents: ['kitchen'] }))).toContain(
      '"agents" must be a list of JSON objects',
    );
  });

  it('error: never refused; a code that is unknown is internal', () => {
    expect(
      value(
        payloads.parseError({ code: 'unknown_domain', message: 'Try family.', retryable: true }),
      ),
    ).toEqual({
      code: 'unknown_domain',
      message: 'Try family.',
      retryable: true,
      decision: null,
      ended_by: null,
      outcome: '',
      data: null,
      origin: null,
    });
    expect(value(payloads.parseError({ code: 'bad_host', message: 7 }))).toMatchObject({
      code: 'internal',
      message: '',
      retryable: true,
    });
    expect(value(payloads.parseError({}))).toMatchObject({ code: 'internal' });
  });
});

describe('one-way messages and cancel', () => {
  it('notify: low unless it says so, and a hint that is unknown is low', () => {
    expect(value(payloads.parseNotify({ topic: 'user.location', data: { eta: '2h' } }))).toEqual({
      topic: 'user.location',
      data: { eta: '2h' },
      importance: 'low',
      route: null,
      conversation: null,
      decision: null,
      tag: null,
    });
    expect(value(payloads.parseNotify({ topic: 't', tag: 'drum' })).tag).toBe('drum');
    expect(reason(payloads.parseNotify({ topic: 't', tag: 't'.repeat(65) }))).toContain(
      '"tag" must be at most 64 characters long',
    );
    expect(value(payloads.parseNotify({ topic: 't', importance: 'high' })).importance).toBe('high');
    expect(value(payloads.parseNotify({ topic: 't', importance: 'CRITICAL' })).importance).toBe(
      'low',
    );
    expect(reason(payloads.parseNotify({ data: 1 }))).toContain('"topic" must be text');
    expect(reason(payloads.parseNotify({ topic: 't'.repeat(257) }))).toContain(
      '"topic" must be at most 256 characters long',
    );
  });

  it.each([
    [
      { outcome: 'allowed', by: 'person', person: 'Mum', at: 5 },
      { outcome: 'allowed', by: 'person', person: 'Mum', at: 5 },
    ],
    [
      { outcome: 'expired', by: 'clock', at: 5 },
      { outcome: 'expired', by: 'clock', person: null, at: 5 },
    ],
    [
      { outcome: 'allowed', by: 'person', person: 'x'.repeat(5_000), at: 5 },
      { outcome: 'allowed', by: 'person', person: null, at: 5 },
    ],
    [{ outcome: 'perhaps', by: 'person', at: 5 }, null],
    [{ outcome: 'expired', by: 'person', at: 5 }, null],
    [{ outcome: 'declined', by: 'rule', at: 5 }, null],
    [{ outcome: 'allowed', by: 'me', at: 5 }, null],
    [{ outcome: 'allowed', by: 'rule', at: 1e300 }, null],
    ['allowed', null],
  ])('decision: a hint beside a report, and what does not fit is none: %j', (decision, read) => {
    expect(value(payloads.parseResult({ status: 'completed', decision })).decision).toEqual(read);
  });

  it('cancel: a reason or none', () => {
    expect(value(payloads.parseCancel({}))).toEqual({ reason: null });
    expect(value(payloads.parseCancel({ reason: 'Plans changed' }))).toEqual({
      reason: 'Plans changed',
    });
    expect(reason(payloads.parseCancel({ reason: 1 }))).toContain('"reason" must be text');
  });
});

describe('hello', () => {
  it('reads versions, name, features and extensions', () => {
    const hello = {
      protocol_versions: [1, 2],
      selected_version: 1,
      agent_name: 'Mum',
      features: ['delegate'],
      extensions: ['route/1'],
    };
    expect(value(payloads.parseHello(hello))).toEqual(hello);
    expect(value(payloads.parseHello({}))).toEqual({
      protocol_versions: [],
      selected_version: null,
      agent_name: null,
      features: [],
      extensions: [],
    });
  });

  it.each([
    ['an empty list', []],
    ['a version nobody speaks', [99]],
    ['more than sixteen versions', Array.from({ length: 17 }, (_, index) => index)],
    ['four thousand versions', Array.from({ length: 4000 }, () => 1)],
    ['versions as text', ['1']],
    ['one of them as text', [1, '1']],
    ['text', '1'],
    ['a number', 1],
    ['null', null],
    ['fractions', [1.5]],
    ['none among whole numbers', [1, 0]],
  ])('HE-03 (negotiation): %s leaves no common version', (_name, versions) => {
    expect(
      selectVersion(value(payloads.parseHello({ protocol_versions: versions })).protocol_versions),
    ).toBeUndefined();
  });

  it.each([[[1]], [[3, 2, 1]], [[1, 1]], [[2, 1, 2]]])(
    'HE-03 (negotiation): of %j the highest common version is chosen, in whatever order',
    (versions) => {
      const hello = value(payloads.parseHello({ protocol_versions: versions }));
      expect(selectVersion(hello.protocol_versions)).toBe(1);
    },
  );

  it('ignores features that are no short text, and all beyond the sixty-fourth', () => {
    const features = ['delegate', 7, '', 'x'.repeat(65), null, ['pair'], 'pair'];
    expect(value(payloads.parseHello({ features })).features).toEqual(['delegate', 'pair']);
    expect(
      value(payloads.parseHello({ features: Array.from({ length: 500 }, String) })).features,
    ).toHaveLength(64);
    expect(value(payloads.parseHello({ features: 'delegate', extensions: {} }))).toMatchObject({
      features: [],
      extensions: [],
    });
  });
});

describe('whatever the payload', () => {
  it('every reader gives a value or one sentence, and never throws', () => {
    const readers = [
      payloads.parseQuery,
      payloads.parseDelegate,
      payloads.parseResponse,
      payloads.parseAck,
      payloads.parseResult,
      payloads.parseNotify,
      payloads.parseCancel,
      payloads.parsePong,
      payloads.parseCapabilities,
      payloads.parseError,
      payloads.parseHello,
    ];
    const names = [
      'question',
      'task',
      'topic',
      'status',
      'accepted',
      'summary',
      'data',
      'route',
      'conversation',
      'agents',
      'features',
      'code',
    ];
    const hostile = fc
      .tuple(arbitraryPayload, fc.dictionary(fc.constantFrom(...names), fc.jsonValue()))
      .map(([a, b]) => ({ ...a, ...b }));
    fc.assert(
      fc.property(hostile, (payload) => {
        for (const read of readers) {
          const result = read(payload);
          expect(result.ok || (typeof result.error === 'string' && result.error !== '')).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
