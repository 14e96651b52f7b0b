// The requirements of document 000, by their numbers, held against two hubs: agents that know nothing
// but their document speak over HTTP, and people decide. Tasks have a file of their own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { OWNER, RawPeer, UNKNOWN, WITHIN_MS } from '../../support/raw-peer.ts';
import { until } from '../../support/until.ts';
import { asks, does, LANGUAGES, SeedHousehold, type Language } from './household.ts';
import { acp, crunch, eliza, fipa } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

const asker = asks('acp-draft');
const worker = does('acp-draft');

/** A question that a person allows, up to where its agent reads it. */
async function asked(payload: JsonObject, more: JsonObject = {}) {
  const message = acp('query', payload, { to: worker, ...more });
  const coming = house.say(asker, message);
  await house.allow();
  return { message, coming, item: await house.item(worker) };
}

function questionIn(language: 'fipa-acl' | 'elizaos' | 'acp-draft', to: string): JsonObject {
  const words = 'Who is home?';
  if (language === 'fipa-acl') return fipa('QUERY', words, { receiver: to });
  return language === 'elizaos'
    ? eliza(asks('elizaos'), 'QUERY_REF', { reference: words }, { receiver: to })
    : acp('query', { question: words }, { to });
}

describe('seed 000', () => {
  test('000.1, 000.2, 000.3, 000.5, 000.19, 000.21, 000.22, 000.23, 000.25 a question, its answer', async () => {
    const question = { question: 'When do they swim?', domain: 'family.calendar', max_tokens: 200 };
    const { message, coming, item } = await asked(
      { ...question, deadline_ms: 30_000, ...UNKNOWN },
      { v: 1, from: asker, ts: 1_771_108_000_000, ref: null, ...UNKNOWN },
    );
    expect(item).toMatchObject({ untrusted: { native: message } });
    const payload = {
      data: { days: ['Mon', 'Wed'] },
      summary: 'Mon/Wed 4-5pm',
      tokens_used: 47,
      truncated: true,
      ...UNKNOWN,
    };
    const response = acp('response', payload, { ref: message.id, ...UNKNOWN });
    expect(await house.say(worker, response)).toMatchObject({ http: 200 });
    expect(await coming).toMatchObject({ http: 200, untrusted: { native: response } });
  });

  test('000.4 what cannot arrive is an error at once, and nothing waits', async () => {
    const away = await RawPeer.start(house.dad);
    await away.add('Attic');
    await away.stop();
    const question = acp('query', { question: 'Who is home?' }, { to: 'Attic' });
    expect(await house.say(asker, question)).toMatchObject({
      http: 503,
      code: 'peer_unreachable',
      detail: expect.stringContaining('nothing was sent'),
    });
    const notice = acp('notify', { topic: 'home' }, { to: 'Attic' });
    expect(await house.say(asker, notice)).toMatchObject({ http: 503 });
    const { items } = await house.post(house.dad, asker, '/v1/tasks');
    expect(items).not.toContainEqual(expect.objectContaining({ peer_name: 'Attic' }));
    await house.dad.node.services.directory.remove(away.raw.key, OWNER);
  });

  test('000.7, 000.39, 000.40, 000.51 a notice, filtered by whoever gets it', async () => {
    await house.join(house.mum, 'swims', 'acp-draft', { topics: ['hans'] });
    await house.join(house.mum, 'shops', 'acp-draft', { topics: ['shop'] });
    const data = { location: 'heading to gym', eta_back: '2h' };
    const payload = { topic: 'hans.location', data, importance: 'high' };
    const notice = acp('notify', payload, { to: 'Mum' });
    expect(await house.say(asker, notice)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next('swims')).toEqual(notice);
    expect(await house.waiting('shops')).toBe(0);
    expect(await house.waiting(asker)).toBe(0);
  });

  test('000.8 a notice that comes twice is one', async () => {
    const attic = await RawPeer.pair(house.mum, 'Attic');
    const message = { id: crypto.randomUUID() };
    const payload = { topic: 'hans.home', data: 'back' };
    for (const _ of [1, 2]) await attic.tell('notify', payload, message);
    await attic.ask('ping', {});
    expect(await house.next('swims')).toMatchObject({ payload: { data: 'back' } });
    expect(await house.waiting('swims')).toBe(0);
    await house.mum.node.services.directory.remove(attic.raw.key, OWNER);
    await attic.stop();
  });

  test('000.9, 000.10, 001.13 a ping to a hub, and to an agent, is answered by a pong', async () => {
    const ping = (to: string) => house.say(asker, { id: 'ping-1', kind: 'ping', to });
    const pong = (agent_name: string) => ({
      http: 200,
      untrusted: {
        native: {
          kind: 'pong',
          ref: 'ping-1',
          payload: {
            status: expect.stringMatching(/^(idle|busy|overloaded)$/),
            uptime_secs: expect.any(Number),
            active_tasks: 0,
            agent_name,
          },
        },
      },
    });
    const { agentId } = house.mum.node.services.identity;
    // A hub by its id, with and without the type of its key, or by its name; an agent of it, which
    // its hub answers for.
    for (const there of [agentId, agentId.replace('ed25519.', ''), 'Mum', `Mum/${worker}`, worker])
      expect(await ping(there)).toMatchObject(pong('Test hub'));
    const whole = {
      v: 1,
      id: 'ping-2',
      from: asker,
      ts: 1_771_108_000_000,
      kind: 'ping',
      ref: null,
    };
    expect(await house.say(asker, { ...whole, to: 'Mum' })).toMatchObject({
      untrusted: { native: { kind: 'pong', ref: 'ping-2' } },
    });
    expect(await ping(asks('native'))).toMatchObject(pong(asks('native')));
    await house.dad.agent('sleeper');
    expect(await ping('local/sleeper')).toMatchObject({ detail: 'Sleeper is away.' });
    expect(await ping('local/ghost')).toMatchObject({ detail: 'No agent "ghost" is here.' });
    for (const kind of ['ping', 'discover'])
      expect(await house.say(asker, { id: `${kind}-3`, kind, to: 'Mum/ghost' })).toMatchObject({
        http: 404,
        detail: 'Mum has no agent "ghost".',
        data: { untrusted: { native: { kind: 'error', ref: `${kind}-3` } } },
      });
    expect(await house.say(asker, acp('discover', {}, { to: 'local/ghost' }))).toMatchObject({
      detail: 'No agent "ghost" is here.',
    });
    expect(await house.post(house.dad, asker, `/v1/peers/${agentId}/ping`, {})).toMatchObject({
      status: 'idle',
      uptime_secs: expect.any(Number),
      untrusted: { agent_name: 'Test hub' },
    });
  });

  test('000.11, 000.13, 000.14 what an agent can do', async () => {
    const offers = {
      domains: ['family'],
      channels: ['imessage'],
      tools: ['web_search'],
      model: 'gemini-3-pro',
      concurrency: 3,
    };
    await house.join(house.mum, 'family', 'acp-draft', offers);
    const discover = { id: 'discover-1', kind: 'discover', to: 'family' };
    const told = await until('the new agent', WITHIN_MS, async () => {
      const answer = await house.say(asker, discover);
      return answer['http'] === 200 ? answer : undefined;
    });
    expect(told).toMatchObject({
      untrusted: {
        native: {
          kind: 'capabilities',
          ref: 'discover-1',
          payload: {
            agent_name: 'family',
            domains: expect.arrayContaining(['family']),
            channels: ['imessage'],
            tools: ['web_search'],
            max_concurrent_tasks: 3,
            model: 'gemini-3-pro',
          },
        },
      },
    });
  });

  test('000.12 capabilities have a revision, which changes only with them', async () => {
    const attic = await RawPeer.pair(house.mum, 'Attic');
    const rev = async () => (await attic.ask('discover')).payload['rev'];
    const first = await rev();
    expect(first).toEqual(expect.any(String));
    expect(await rev()).toBe(first);
    await house.join(house.mum, 'sails', 'acp-draft', { tools: ['boat'] });
    expect(await rev()).not.toBe(first);
    await house.mum.node.services.directory.remove(attic.raw.key, OWNER);
    await attic.stop();
  });

  test('000.24 a question waits as long as it says, and 30 seconds by default', async () => {
    const { message, coming, item } = await asked({ question: 'How long?' });
    const leftMs = Number(item['deadline_at']) - Date.now();
    expect(leftMs).toBeGreaterThan(20_000);
    expect(leftMs).toBeLessThanOrEqual(30_000);
    await house.say(worker, acp('response', { summary: 'So' }, { ref: message.id }));
    expect(await coming).toMatchObject({ http: 200 });
    const short = acp('query', { question: 'Now?', deadline_ms: 500 }, { to: worker });
    expect(await house.say(asker, short)).toMatchObject({ http: 504 });
  });

  test('000.47, 000.52 a domain is a hint of any words, and covers what is below it', async () => {
    await house.join(house.mum, 'garden', 'acp-draft', { domains: ['plants'] });
    const to = { domain: 'plants.roses' };
    const chosen = await until('the new agent', WITHIN_MS, async () => {
      const route = await house.post(house.dad, asks('native'), '/v1/route', { to });
      return route['chosen'];
    });
    expect(chosen).toMatchObject({ agent: 'garden' });
    const { message, coming, item } = await asked({ question: 'Why?', domain: 'meta.memory' });
    expect(item).toMatchObject({ untrusted: { native: { payload: { domain: 'meta.memory' } } } });
    await house.say(worker, acp('response', { summary: 'So' }, { ref: message.id }));
    expect(await coming).toMatchObject({ http: 200 });
  });

  test('000.46 what waits for an answer goes both ways, what tells goes one', async () => {
    const attic = await RawPeer.pair(house.dad, 'Attic');
    attic.answers.set('query', { kind: 'response', payload: { data: 1, summary: 'One' } });
    attic.answers.set('delegate', { kind: 'ack', payload: { accepted: true } });
    const sent = [
      ['query', { question: 'Who?' }],
      ['delegate', { task: 'Bake' }],
      ['notify', { topic: 'home' }],
    ] as const;
    for (const [kind, payload] of sent)
      expect(await house.say(asker, acp(kind, payload, { to: 'Attic' }))).toMatchObject({
        http: 200,
      });
    const streamOf = async (kind: string) =>
      (await attic.sees(kind, (heard) => heard.kind === kind)).stream;
    expect(await streamOf('query')).toBe('bidirectional');
    expect(await streamOf('delegate')).toBe('bidirectional');
    expect(await streamOf('discover')).toBe('bidirectional');
    expect(await streamOf('notify')).toBe('unidirectional');
    await house.dad.node.services.directory.remove(attic.raw.key, OWNER);
    await attic.stop();
    await house.next(asker);
  });

  test('000.20 hubs are named by their ids, with or without the type of the key, in from and to', async () => {
    const [own, other] = [house.dad, house.mum].map((hub) => hub.node.services.identity.agentId);
    await house.join(house.mum, 'listens', 'acp-draft', { topics: ['ids'] });
    for (const id of [(said: string) => said, (said: string) => said.replace('ed25519.', '')]) {
      const [from, to] = [id(String(own)), id(String(other))];
      const notice = acp('notify', { topic: 'ids', data: 1 }, { from, to });
      expect(await house.say(asker, notice)).toMatchObject({
        http: 200,
        report: { chosen: { peer_name: 'Mum' } },
      });
      expect(await house.next('listens')).toEqual(notice);
    }
    const forged = acp('notify', { topic: 'ids', data: 1 }, { from: other, to: other });
    expect(await house.say(asker, forged)).toMatchObject({ http: 403 });
  });

  test('000.45 an error may be about anything: a notice, a result', async () => {
    const notice = acp('notify', { topic: 'home', data: 'back' }, { to: worker });
    await house.say(asker, notice);
    const claim = { max: 1, wait_ms: WITHIN_MS };
    const { items } = await house.post(house.mum, worker, '/v1/inbox/claim', claim);
    const [{ delivery_id: delivery }] = items as readonly [JsonObject];
    const about = (ref: unknown) =>
      acp('error', { code: 'internal', message: 'What home?', retryable: false }, { ref });
    const wrong = about(notice.id);
    expect(await house.say(worker, wrong)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(asker)).toEqual(wrong);
    await house.post(house.mum, worker, `/v1/inbox/${String(delivery)}/ack`, {});

    const task = acp('delegate', { task: 'Bake' }, { to: worker });
    await house.say(asker, task);
    await house.allow();
    await house.next(worker);
    await house.say(worker, acp('result', { status: 'completed', outcome: '?' }, { ref: task.id }));
    await house.next(asker);
    const unread = about(task.id);
    expect(await house.say(asker, unread)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(worker)).toEqual(unread);
  });

  test.each([
    ['an unknown kind', { id: 'n-1', kind: 'negotiate', to: worker }, 400, 'unknown_kind', 'query'],
    [
      'a member that does not fit',
      { id: 'n-2', kind: 'delegate', to: worker, payload: { task: 7 } },
      400,
      'invalid_envelope',
      'task',
    ],
    [
      'somebody unknown',
      { id: 'n-3', kind: 'delegate', to: 'cook', payload: { task: 'Cook' } },
      404,
      'unknown_domain',
      'cook',
    ],
  ])(
    '000.48 %s is answered with an error of the language',
    async (_, message, http, code, word) => {
      expect(await house.say(asker, message)).toMatchObject({
        http,
        data: {
          untrusted: {
            native: {
              kind: 'error',
              ref: message.id,
              payload: { code, message: expect.stringContaining(word), retryable: false },
            },
          },
        },
      });
    },
  );

  test('000.26, 000.27 an answer in another language is a response with its four members', async () => {
    const asking = house.say(
      asks('acp-draft'),
      acp('query', { question: 'Who is home?' }, { to: does('native') }),
    );
    await house.allow();
    const { delivery_id: delivery } = await house.item(does('native'));
    await house.post(house.mum, does('native'), `/v1/inbox/${String(delivery)}/reply`, {
      status: 'completed',
      summary: 'Everybody',
      data: { home: 4 },
      tokens_used: 7,
    });
    expect(await asking).toMatchObject({
      untrusted: {
        native: {
          kind: 'response',
          payload: { summary: 'Everybody', data: { home: 4 }, tokens_used: 7, truncated: false },
        },
      },
    });
  });

  test('000.26 so is an answer of FIPA-ACL', async () => {
    const asking = house.say(asks('acp-draft'), questionIn('acp-draft', does('fipa-acl')));
    await house.allow();
    const { reply_with } = await house.next(does('fipa-acl'));
    const content = { text: 'Everybody', structured: { home: 4 } };
    await house.say(does('fipa-acl'), fipa('INFORM', content, { in_reply_to: reply_with }));
    const payload = { summary: 'Everybody', data: { home: 4 }, tokens_used: 0, truncated: false };
    expect(await asking).toMatchObject({ untrusted: { native: { kind: 'response', payload } } });
  });

  test('000.27 a response that was cut reads so in another language', async () => {
    const question = { to: `Mum/${does('acp-draft')}`, question: 'Who is home?' };
    const asking = house.post(house.dad, asks('native'), '/v1/query', question);
    await house.allow();
    const { id } = (await house.next(does('acp-draft'))) as JsonObject;
    const payload = { summary: 'Everybo', data: {}, tokens_used: 7, truncated: true };
    await house.say(does('acp-draft'), acp('response', payload, { ref: id }));
    expect(await asking).toMatchObject({ untrusted: { summary: 'Everybo', truncated: true } });
  });

  test.each([
    ['fipa-acl', { performative: 'INFORM', content: { structured: { status: 'partial' } } }],
    ['elizaos', { performative: 'INFORM_RESULT', payload: { task_status: 'partial_success' } }],
    ['acp-draft', { kind: 'response', payload: { truncated: true } }],
  ] as const)('000.27 a part of an answer reads as a part in %s', async (language, told) => {
    const half = { status: 'PARTIAL', result: { summary: 'Everybo' } };
    for (const by of ['acp-draft', 'native', 'claude-crunch'] as const) {
      const doer = does(by);
      const asking = house.say(asks(language), questionIn(language, doer));
      await house.allow();
      const { delivery_id: delivery, untrusted } = await house.item(doer);
      const { id: ref } = ((untrusted as JsonObject)['native'] ?? {}) as JsonObject;
      if (by === 'native') {
        const path = `/v1/inbox/${String(delivery)}/reply`;
        await house.post(house.mum, doer, path, { status: 'partial', summary: 'Everybo' });
      } else
        await house.say(
          doer,
          by === 'acp-draft'
            ? acp('response', { summary: 'Everybo', truncated: true }, { ref })
            : crunch(doer, 'RESPONSE', half, { correlation_id: ref }),
        );
      expect(await asking, by).toMatchObject({ untrusted: { native: told } });
    }
  });

  test('000.41 a notice to all reaches the agents of this hub, too', async () => {
    await house.join(house.dad, 'asks-beside', 'native', { topics: ['user'] });
    expect(
      await house.say(asks('acp-draft'), acp('notify', { topic: 'user.home' }, { to: '*' })),
    ).toMatchObject({ http: 200, report: { agents: expect.arrayContaining(['asks-beside']) } });
    expect(await house.item('asks-beside')).toMatchObject({ kind: 'notify' });
    await house.next(does('acp-draft'));
  });

  describe('the words, the code and "retryable" of an agent that fails', () => {
    const WORDS = 'Try the work agent instead';
    /** What the worker says, by its own language. */
    const fails = async (by: 'acp-draft' | 'native', retryable: boolean): Promise<JsonObject> => {
      if (by === 'native') {
        const { delivery_id: delivery } = await house.item(does(by));
        const said = { status: 'failed', error: WORDS, code: 'overloaded', retryable };
        return house.post(house.mum, does(by), `/v1/inbox/${String(delivery)}/reply`, said);
      }
      const { id: ref } = await house.next(does(by));
      const payload = { code: 'internal', message: WORDS, retryable, data: { lane: 3 } };
      const error = acp('error', payload, { ref });
      expect(await house.say(does(by), error)).toMatchObject({ http: 200 });
      return error;
    };
    const asking = (from: Language, kind: 'query' | 'delegate', to: string) => {
      const text = 'Which school?';
      const task = kind === 'delegate';
      const said: Record<Language, () => JsonObject> = {
        native: () => ({ to: `Mum/${to}`, [task ? 'task' : 'question']: text }),
        'acp-draft': () => acp(kind, task ? { task: text } : { question: text }, { to }),
        'fipa-acl': () => fipa(task ? 'REQUEST' : 'QUERY', text, { receiver: to }),
        elizaos: () =>
          eliza(
            asks(from),
            task ? 'TASK_REQUEST' : 'QUERY_REF',
            task ? { task_description: text } : { reference: text },
            { receiver: { agent_id: to } },
          ),
        'claude-crunch': () => crunch(asks(from), 'REQUEST', { action: 'answer' }, { to }),
      };
      return from === 'native'
        ? house.post(house.dad, asks(from), `/v1/${kind}`, said[from]())
        : house.say(asks(from), said[from]());
    };
    const code = { 'acp-draft': 'internal', native: 'overloaded' } as const;
    /** How each language tells it; data where there is some. */
    const read = (
      by: 'acp-draft' | 'native',
      retryable: boolean,
    ): Record<Language, JsonObject> => ({
      native: {},
      'acp-draft': { kind: 'error', payload: { code: code[by], message: WORDS, retryable } },
      'fipa-acl': { content: { text: WORDS, structured: { retryable } } },
      elizaos: { payload: { retryable } },
      'claude-crunch': { payload: { result: { error: WORDS, retryable } } },
    });

    test.each([
      ['acp-draft', false],
      ['acp-draft', true],
      ['native', false],
    ] as const)('000.42, 000.43 a question that %s fails, retryable: %s', async (by, retryable) => {
      for (const from of LANGUAGES.filter((one) => one !== 'claude-crunch')) {
        const coming = asking(from, 'query', does(by));
        await house.allow();
        const error = await fails(by, retryable);
        const told = await coming;
        expect(told, from).toMatchObject({
          code: by === 'native' ? 'overloaded' : 'agent_failed',
          retryable,
          detail: expect.stringMatching(/could not do it\.$/),
          data: { untrusted: { message: WORDS, ended_by: 'agent' } },
        });
        const { native, data } = (told['data'] as { untrusted: JsonObject }).untrusted;
        if (by === 'acp-draft') expect(data).toEqual({ lane: 3 });
        if (from === 'acp-draft' && by === 'acp-draft') expect(native).toEqual(error);
        else if (from !== 'native') expect(native, from).toMatchObject(read(by, retryable)[from]);
      }
    });

    test.each([
      ['acp-draft', false],
      ['native', true],
    ] as const)('000.43 a task that %s fails, retryable: %s', async (by, retryable) => {
      for (const from of LANGUAGES) {
        const said = await asking(from, 'delegate', does(by));
        await house.allow();
        const error = await fails(by, retryable);
        const id = from === 'native' ? said['id'] : (said['report'] as JsonObject)['id'];
        expect(await house.ended(asks(from), id), from).toMatchObject({
          state: 'failed',
          code: code[by],
          story: { end: { retryable } },
          untrusted: { error: WORDS },
        });
        if (from === 'native') {
          const { untrusted } = await house.item(asks(from));
          expect(untrusted).toMatchObject({ payload: { retryable } });
        } else {
          const native = await house.answer(asks(from));
          if (from === 'acp-draft' && by === 'acp-draft') expect(native).toEqual(error);
          else expect(native, from).toMatchObject(read(by, retryable)[from]);
        }
      }
    });
  });

  test('000.43 of a failure that says nothing of it, nobody is told to try again', async () => {
    const asking = house.say(asker, acp('query', { question: 'Why?' }, { to: does('native') }));
    await house.allow();
    const { delivery_id: delivery } = await house.item(does('native'));
    const said = { status: 'failed', error: 'No idea' };
    await house.post(house.mum, does('native'), `/v1/inbox/${String(delivery)}/reply`, said);
    const told = await asking;
    expect(told).toMatchObject({ http: 502, code: 'agent_failed', retryable: false });
    expect(told['title']).not.toContain('broke');
    expect((told['data'] as { untrusted: JsonObject }).untrusted['native']).toMatchObject({
      kind: 'error',
      payload: { code: 'internal', message: 'No idea', retryable: false },
    });
  });
});
