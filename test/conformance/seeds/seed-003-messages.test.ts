// The messages of document 003 by their numbers: what each performative and each member means
// between two hubs.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { axon, endPrograms, Program } from '../../support/programs.ts';
import { asks, CAPABILITY, does, LANGUAGES, SeedHousehold } from './household.ts';
import { eliza, fipa, fresh } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterEach(endPrograms);
afterAll(() => house.stop());

const asker = asks('fipa-acl');
const doer = does('fipa-acl');

/** A REQUEST by capability, allowed; as its doer reads it. */
async function requested(content: unknown, more: JsonObject = {}) {
  const sent = fipa('REQUEST', content, {
    capability: CAPABILITY,
    reply_with: `r-${fresh()}`,
    ...more,
  });
  const said = await house.say(asker, sent);
  expect(said).toMatchObject({ http: 200 });
  await house.allow();
  return { sent, said, id: (said['report'] as JsonObject)['id'], read: await house.next(doer) };
}

describe('seed 003: messages', () => {
  test('003.1, 003.3, 003.5, 003.6, 003.7, 003.26, 003.29, 003.30, 003.33, 003.37, 003.39, 003.41, 003.59 a request by capability and its answer, whole', async () => {
    const { sent, said, read } = await requested('Please analyze sales data from Q3', {
      sender: 'AsksFipaAcl',
      conversation_id: 'sales',
      protocol: 'SingleRecipient',
      language: 'en',
      ontology: 'sales',
      x_later: { deep: [1, null] },
    });
    expect(said).toMatchObject({
      report: { chosen: { agent: doer, why: expect.stringContaining(`offers "${CAPABILITY}"`) } },
    });
    expect(read).toEqual(sent);
    const answer = fipa(
      'INFORM',
      { structured: { up: 3 } },
      {
        sender: doer,
        capability: CAPABILITY,
        conversation_id: 'sales',
        in_reply_to: read['reply_with'],
      },
    );
    await house.say(doer, answer);
    expect(await house.next(asker)).toEqual(answer);
  });

  test.each([
    ['text', 'Add it up'],
    ['an object of text', { text: 'Add it up' }],
    ['structured data', { structured: { sums: [1, 2] } }],
    ['an enum', { Text: 'Add it up' }],
    ['any JSON', [1, { two: null }]],
  ])('003.28 content as %s arrives as it was written', async (_, content) => {
    const { read } = await requested(content);
    expect(read['content']).toEqual(content);
    await house.say(doer, fipa('INFORM', content, { in_reply_to: read['reply_with'] }));
    expect(await house.next(asker)).toMatchObject({ content });
  });

  test('003.9, 003.36 a QUERY and its answer; a language that nobody named is undetermined', async () => {
    const query = fipa('QUERY', 'What formats?', { capability: CAPABILITY, reply_with: 'q-9' });
    const asking = house.say(asker, query);
    await house.allow();
    const read = await house.next(doer);
    expect(read).toEqual(query);
    await house.say(doer, fipa('INFORM', 'PNG', { in_reply_to: 'q-9', language: 'en' }));
    expect(await asking).toMatchObject({
      http: 200,
      untrusted: { native: { performative: 'INFORM', content: 'PNG', language: 'en' } },
    });
    const made = await house.asked('fipa-acl');
    expect(made.read).toMatchObject({ performative: 'REQUEST', language: 'und' });
    await house.say(doer, fipa('REFUSE', 'No', { in_reply_to: made.read['reply_with'] }));
    await house.item(asks('native'));
  });

  test.each([
    ['003.10', 'FAILURE', 'internal'],
    ['003.25', 'REFUSE', 'rejected'],
    ['003.12', 'NOT_UNDERSTOOD', 'not_understood'],
    ['003.12 hyphenated', 'not-understood', 'not_understood'],
  ])('%s %s ends a request with its words', async (_, performative, code) => {
    const { id, read } = await requested('Look');
    const answer = fipa(performative, 'The dataset is locked', { in_reply_to: read['reply_with'] });
    await house.say(doer, answer);
    expect(await house.next(asker)).toEqual(answer);
    expect(await house.ended(asker, id)).toMatchObject({
      state: 'failed',
      code,
      untrusted: { error: 'The dataset is locked' },
    });
  });

  test('003.12 NOT_UNDERSTOOD of a question reaches its asker in its language', async () => {
    const query = fipa('QUERY', 'Hm?', { capability: CAPABILITY, reply_with: 'q-12' });
    const asking = house.say(asker, query);
    await house.allow();
    await house.next(doer);
    const answer = fipa('NOT_UNDERSTOOD', 'What do you mean?', { in_reply_to: 'q-12' });
    await house.say(doer, answer);
    expect(await asking).toMatchObject({ data: { untrusted: { native: answer } } });
  });

  test('003.17 an offer in answer to a question reaches its asker whole, in any language', async () => {
    const query = fipa('QUERY', 'Price?', { capability: CAPABILITY, reply_with: 'q-17' });
    const asking = house.say(asker, query);
    await house.allow();
    await house.next(doer);
    const content = { text: 'For 5 euros?', structured: { euros: 5 } };
    const offer = fipa('PROPOSE', content, { in_reply_to: 'q-17', reply_with: 'o-17' });
    await house.say(doer, offer);
    expect(await asking).toMatchObject({
      code: 'rejected',
      data: { untrusted: { native: offer, data: { act: 'propose', offer: { euros: 5 } } } },
    });

    const yes = fipa('ACCEPT_PROPOSAL', 'Yes', { in_reply_to: 'o-17', reply_with: 'a-17' });
    expect(await house.say(asker, yes)).toMatchObject({ http: 200 });
    await house.allow();
    expect(await house.next(doer)).toEqual(yes);
    const done = fipa('INFORM', 'Sold', { in_reply_to: 'a-17' });
    await house.say(doer, done);
    expect(await house.next(asker)).toEqual(done);

    const other = asks('elizaos');
    const message = eliza(other, 'QUERY_REF', { reference: 'The price' }, { receiver: doer });
    const inWords = house.say(other, message);
    await house.allow();
    const { reply_with: id } = await house.next(doer);
    await house.say(doer, fipa('PROPOSE', content, { in_reply_to: id }));
    expect(await inWords).toMatchObject({
      data: {
        untrusted: {
          native: {
            performative: 'TASK_REJECT',
            payload: { reason_text: 'For 5 euros?', offer: { euros: 5 } },
          },
        },
      },
    });
  });

  test('003.25 AGREE reaches the asker before the answer, and the task goes on', async () => {
    const { id, read } = await requested('Look');
    await house.say(doer, fipa('AGREE', undefined, { in_reply_to: read['reply_with'] }));
    expect(await house.next(asker)).toMatchObject({ performative: 'AGREE' });
    expect(await house.post(house.dad, asker, `/v1/tasks/${String(id)}`)).toMatchObject({
      state: 'running',
    });
    await house.say(doer, fipa('INFORM', 'Done', { in_reply_to: read['reply_with'] }));
    expect(await house.next(asker)).toMatchObject({ performative: 'INFORM', content: 'Done' });
  });

  test.each([
    ['an unasked', 'INFORM'],
    ['003.22', 'CONFIRM'],
    ['003.22', 'DISCONFIRM'],
  ])('%s %s that answers nothing is told to the agent it names', async (_, performative) => {
    const told = fipa(performative, 'Dinner is ready', { receiver: doer });
    expect(await house.say(asker, told)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(doer)).toEqual(told);
  });

  test.each([
    ['DISCONFIRM', 'disconfirm', 'This is not so: Dinner is ready'],
    ['REJECT_PROPOSAL', 'reject-proposal', 'This offer is not accepted: Dinner is ready'],
  ])('003.22 %s does not read as its contrary in any language', async (performative, act, text) => {
    for (const language of LANGUAGES) {
      if (language === 'fipa-acl') continue;
      await house.say(asker, fipa(performative, 'Dinner is ready', { receiver: does(language) }));
      const { untrusted } = await house.item(does(language));
      const { native, payload } = untrusted as JsonObject;
      expect(JSON.stringify(native ?? payload), language).toContain(`"text":"${text}"`);
      expect(JSON.stringify(native ?? payload), language).toContain(`"act":"${act}"`);
    }
  });

  test('003.23 CANCEL ends what the same agent asked', async () => {
    const { id, read } = await requested('Look');
    const cancel = fipa('CANCEL', 'No more', { in_reply_to: read['reply_with'] });
    expect(await house.say(asker, cancel)).toMatchObject({ http: 200, cancelled: { id } });
    expect(await house.next(doer)).toMatchObject({ performative: 'CANCEL' });
    await house.say(doer, fipa('FAILURE', 'Stopped', { in_reply_to: read['reply_with'] }));
    await house.next(asker);
  });

  test('003.24 SUBSCRIBE is answered as often as there is something to say, until it is cancelled', async () => {
    const subscribe = fipa('SUBSCRIBE', 'The price of milk', {
      capability: CAPABILITY,
      reply_with: 's-24',
    });
    const { id } = (await house.say(asker, subscribe))['report'] as JsonObject;
    await house.allow();
    expect(await house.next(doer)).toEqual(subscribe);
    for (const [price, receiver] of [
      ['1.09', {}],
      ['1.19', { receiver: does('native') }],
    ] as const) {
      const told = fipa('INFORM', { structured: { price } }, { in_reply_to: 's-24', ...receiver });
      expect(await house.say(doer, told)).toMatchObject({ http: 200, report: { state: 'sent' } });
      expect(await house.next(asker)).toEqual(told);
      expect(await house.post(house.dad, asker, `/v1/tasks/${String(id)}`)).toMatchObject({
        state: 'running',
      });
    }
    const cancel = fipa('CANCEL', undefined, { in_reply_to: 's-24', reply_with: 'c-24' });
    expect(await house.say(asker, cancel)).toMatchObject({ http: 200, cancelled: { id } });
    expect(await house.next(doer)).toEqual(cancel);
    await house.say(doer, fipa('FAILURE', 'Stopped', { in_reply_to: 's-24' }));
    await house.next(asker);
  });

  test('003.24 each INFORM that a program prints is told as it comes, until nobody wants more or it ends', async () => {
    const listened = async (rest: string): Promise<readonly [unknown, Program, JsonObject]> => {
      const ids = { reply_with: `s-${fresh()}`, conversation_id: `c-${fresh()}` };
      const subscribe = fipa('SUBSCRIBE', 'The price of milk', { capability: CAPABILITY, ...ids });
      const { id } = (await house.say(asker, subscribe))['report'] as JsonObject;
      await house.allow();
      const told = ['1.09', '1.19'].map((price) => ({ performative: 'INFORM', content: price }));
      const print = told.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`);
      const script = `process.stdin.resume(); console.log('Looking'); ${print.join('')} ${rest}`;
      const words = ['listen', '--once', '--', process.execPath, '-e', script];
      const token = { AXON_HOME: house.mum.home, AXON_TOKEN: house.tokenOf(doer) };
      const listening = Program.start('cli', words, token);
      const answers = { in_reply_to: ids.reply_with, conversation_id: ids.conversation_id };
      for (const line of told) expect(await house.next(asker)).toEqual({ ...line, ...answers });
      return [id, listening, answers];
    };
    const [id, listening, answers] = await listened('setInterval(() => undefined, 1e6);');
    const task = `/v1/tasks/${String(id)}`;
    expect(await house.post(house.dad, asker, task)).toMatchObject({ state: 'running' });
    await house.say(asker, fipa('CANCEL', undefined, { in_reply_to: answers['in_reply_to'] }));
    expect(await house.ended(asker, id)).toMatchObject({ state: 'cancelled' });
    expect(await listening.ended()).toMatchObject({ code: 0 });
    expect(await house.next(asker)).toMatchObject({ performative: 'FAILURE', ...answers });

    const [over, ending] = await listened('');
    expect(await ending.ended()).toMatchObject({ code: 0 });
    expect(await house.next(asker)).toMatchObject({
      content: { text: 'The program has ended, and tells nothing more.' },
    });
    expect(await house.ended(asker, over)).toMatchObject({ state: 'completed' });
  });

  test('003.5 a REQUEST that names its receiver and a capability keeps both', async () => {
    const native = does('native');
    const ids = { reply_with: `r-${fresh()}`, capability: CAPABILITY };
    await house.say(asker, fipa('REQUEST', 'Look', { receiver: `Mum/${native}`, ...ids }));
    await house.allow();
    const { untrusted, delivery_id: delivery } = await house.item(native);
    expect(untrusted).toMatchObject({ payload: { capability: CAPABILITY } });
    const path = `/v1/inbox/${String(delivery)}/reply`;
    await house.post(house.mum, native, path, { status: 'failed', error: 'No' });
    expect(await house.next(asker)).toMatchObject({ performative: 'FAILURE' });
  });

  test('003.5 a REQUEST back to whoever asked keeps its capability', async () => {
    const { read } = await requested('Look');
    const ids = { in_reply_to: read['reply_with'], reply_with: `r-${fresh()}` };
    const back = fipa('REQUEST', 'Which one?', { ...ids, capability: CAPABILITY });
    expect(await house.say(doer, back)).toMatchObject({ http: 200 });
    await house.allow(house.dad);
    const { untrusted } = await house.item(asker);
    expect(untrusted).toMatchObject({ payload: { capability: CAPABILITY } });
  });

  test('003.27 all that is made of other languages has a capability', async () => {
    const native = (path: string, body: JsonObject): Promise<JsonObject> =>
      house.post(house.dad, asks('native'), path, body);
    const { id, read } = await house.asked('fipa-acl');
    expect(read).toMatchObject({ performative: 'REQUEST', capability: 'general' });
    const cancelled = native(`/v1/tasks/${String(id)}/cancel`, {});
    const cancel = await house.next(doer);
    expect(cancel).toMatchObject({ performative: 'CANCEL', capability: 'general' });
    await cancelled;
    await house.say(doer, fipa('INFORM', 'Stopped', { in_reply_to: cancel['reply_with'] }));
    for (const performative of ['REFUSE', 'INFORM']) {
      const to = { capability: CAPABILITY };
      await native('/v1/delegate', { to, task: 'Add it up' });
      await house.allow();
      const asked = await house.next(doer);
      expect(asked).toMatchObject({ performative: 'REQUEST', capability: CAPABILITY });
      await house.say(doer, fipa(performative, 'So', { in_reply_to: asked['reply_with'] }));
      await house.item(asks('native'));
    }
    const asking = native('/v1/query', { to: `Mum/${doer}`, question: 'How much is it?' });
    await house.allow();
    const query = await house.next(doer);
    expect(query).toMatchObject({ performative: 'QUERY', capability: 'general' });
    await house.say(doer, fipa('INFORM', 'Seven', { in_reply_to: query['reply_with'] }));
    await asking;
    const notice = { to: `Mum/${doer}`, topic: 'home.dinner', data: 'Ready' };
    await native('/v1/notify', notice);
    expect(await house.next(doer)).toMatchObject({
      performative: 'INFORM',
      capability: 'home.dinner',
    });
    // What it asked has the capability that it named, and so have the answers of other languages.
    const doer1 = does('native');
    for (const status of ['completed', 'failed']) {
      const more = { receiver: doer1, capability: CAPABILITY, reply_with: `r-${fresh()}` };
      await house.say(asker, fipa('REQUEST', 'Add it up', more));
      await house.allow();
      const { delivery_id: delivery } = await house.item(doer1);
      const reply = { status, outcome: 'So', error: status === 'failed' ? 'So' : undefined };
      await house.post(house.mum, doer1, `/v1/inbox/${String(delivery)}/reply`, reply);
      expect(await house.next(asker)).toMatchObject({ capability: CAPABILITY });
    }
  });

  test.each([
    ['PROPOSE', 'rejected', { performative: 'PROPOSE', content: 'For 5 euros?' }],
    ['INFORM', null, { performative: 'INFORM', content: { structured: { sum: 7 } } }],
    ['NOT_UNDERSTOOD', 'not_understood', { performative: 'NOT_UNDERSTOOD', content: 'Hm?' }],
  ])(
    '003.4, 003.50 what a program of the agent prints is a %s, with the ids that it left out',
    async (_, code, printed) => {
      const more = { capability: CAPABILITY, reply_with: `r-${fresh()}`, conversation_id: 'p-50' };
      const said = await house.say(asker, fipa('REQUEST', 'Add it up', more));
      await house.allow();
      const print = `process.stdin.resume(); console.log(${JSON.stringify(JSON.stringify(printed))})`;
      const words = ['listen', '--once', '--', process.execPath, '-e', print];
      const token = { AXON_TOKEN: house.tokenOf(doer) };
      expect(await axon(house.mum.home, words, token)).toMatchObject({ code: 0 });
      expect(await house.next(asker)).toEqual({
        ...printed,
        in_reply_to: more.reply_with,
        conversation_id: 'p-50',
      });
      const { id } = said['report'] as JsonObject;
      expect(await house.ended(asker, id)).toMatchObject({ code });
    },
  );

  test('003.31, 003.50 what a program prints answers a request that has no id, in any spelling', async () => {
    for (const printed of [
      { performative: 'INFORM', content: 'Seven' },
      { Performative: 'inform', content: 'Seven', 'in-reply-to': null },
    ]) {
      const said = await house.say(asker, fipa('REQUEST', 'Add it up', { capability: CAPABILITY }));
      await house.allow();
      const print = `process.stdin.resume(); console.log(${JSON.stringify(JSON.stringify(printed))})`;
      const words = ['listen', '--once', '--', process.execPath, '-e', print];
      const token = { AXON_TOKEN: house.tokenOf(doer) };
      expect(await axon(house.mum.home, words, token)).toMatchObject({ code: 0 });
      const { id } = said['report'] as JsonObject;
      expect(await house.ended(asker, id)).toMatchObject({ state: 'completed' });
      // It never chose an id, so it is told the one of its report.
      expect(await house.next(asker)).toMatchObject({ content: 'Seven', in_reply_to: id });
    }
  });

  test.each([
    ['no performative', { performative: 'REFUSD', content: 'No' }, 'REFUSD', ['FAILURE']],
    ['no answer', { performative: 'AGREE' }, 'answers nothing', ['AGREE', 'FAILURE']],
  ])('what a program of the agent prints and is %s fails', async (_, printed, why, told) => {
    const more = { capability: CAPABILITY, reply_with: `r-${fresh()}`, conversation_id: 'p-51' };
    const said = await house.say(asker, fipa('REQUEST', 'Add it up', more));
    await house.allow();
    const print = `process.stdin.resume(); console.log(${JSON.stringify(JSON.stringify(printed))})`;
    const words = ['listen', '--once', '--', process.execPath, '-e', print];
    await axon(house.mum.home, words, { AXON_TOKEN: house.tokenOf(doer) });
    const { id } = said['report'] as JsonObject;
    const ended = await house.ended(asker, id);
    expect(ended).toMatchObject({ state: 'failed' });
    expect(JSON.stringify(ended)).toContain(why);
    for (const performative of told)
      expect(await house.next(asker)).toMatchObject({ performative });
  });

  test('003.31 without reply_with an answer goes by its conversation', async () => {
    const more = { reply_with: undefined, conversation_id: `c-${fresh()}` };
    const { id } = await requested('Look', more);
    const answer = fipa('INFORM', 'Seen', { conversation_id: more.conversation_id });
    await house.say(doer, answer);
    expect(await house.ended(asker, id)).toMatchObject({ state: 'completed' });
    await house.next(asker);
  });

  test('003.60 an answer that is late, doubled or to nothing says so', async () => {
    const { read } = await requested('Look');
    const answer = fipa('INFORM', 'Seen', { in_reply_to: read['reply_with'] });
    expect(await house.say(doer, answer)).toMatchObject({ http: 200 });
    expect(await house.say(doer, answer)).toMatchObject({ http: 404 });
    const unknown = fipa('INFORM', 'Seen', { in_reply_to: 'nothing' });
    expect(await house.say(doer, unknown)).toMatchObject({ http: 404 });
    await house.next(asker);
  });

  test('003.13 NOT_UNDERSTOOD of a notice, or of a result, reaches its sender', async () => {
    const told = fipa('INFORM', 'Qwx', { receiver: doer, reply_with: 'i-13' });
    await house.say(asker, told);
    const claimed = await house.post(house.mum, doer, '/v1/inbox/claim', { wait_ms: 20_000 });
    const [item] = claimed['items'] as readonly JsonObject[];
    const what = fipa('NOT_UNDERSTOOD', 'What?', { in_reply_to: 'i-13' });
    expect(await house.say(doer, what)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(asker)).toEqual(what);
    await house.post(house.mum, doer, `/v1/inbox/${String(item?.['delivery_id'])}/ack`, {});

    const again = fipa('NOT_UNDERSTOOD', 'Still not', { in_reply_to: 'i-13' });
    expect(await house.say(doer, again)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(asker)).toEqual(again);

    const { read } = await requested('Look');
    await house.say(doer, fipa('INFORM', 'Qwx', { in_reply_to: read['reply_with'] }));
    await house.next(asker);
    const back = fipa('NOT_UNDERSTOOD', 'What?', { in_reply_to: read['reply_with'] });
    expect(await house.say(asker, back)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(doer)).toEqual(back);
  });

  test('003.30 a question about what is in hand goes to whoever asked, whoever else can answer it', async () => {
    const { read } = await requested('Look');
    const more = { in_reply_to: read['reply_with'], reply_with: `q-${fresh()}` };
    const query = fipa('QUERY', 'Where?', { ...more, capability: 'nobody-has-it' });
    const asking = house.say(doer, query);
    await house.allow(house.dad);
    expect(await house.next(asker)).toEqual(query);
    await house.say(asker, fipa('INFORM', 'There', { in_reply_to: more.reply_with }));
    expect(await asking).toMatchObject({ http: 200, report: { chosen: { agent: asker } } });
    await house.say(doer, fipa('INFORM', 'Seen', { in_reply_to: read['reply_with'] }));
    await house.next(asker);
  });

  test('003.23 the id of an answer is not that of another request', async () => {
    const [first, last] = [await requested('Look'), await requested('Listen')];
    const [id, answered] = [first.read['reply_with'], last.read['reply_with']];
    await house.say(doer, fipa('INFORM', 'Heard', { in_reply_to: answered, reply_with: id }));
    await house.next(asker);
    expect(await house.say(asker, fipa('CANCEL', 'Stop', { in_reply_to: id }))).toMatchObject({
      http: 200,
      cancelled: { id: first.id },
    });
    await house.next(doer);
    await house.say(doer, fipa('FAILURE', 'Stopped', { in_reply_to: id }));
    await house.next(asker);
  });

  test('003.28 names that read alike are told apart', async () => {
    const alike = ['data-reader', 'datareader'] as const;
    for (const name of alike) await house.join(house.mum, name, 'fipa-acl', {});
    const [first, second] = alike;
    const told = (more: JsonObject) => fipa('INFORM', 'Dinner', more);
    expect(await house.say(second, told({ sender: first, receiver: doer }))).toMatchObject({
      http: 403,
    });
    expect(await house.say(doer, told({ receiver: 'DataReader' }))).toMatchObject({ http: 409 });
    await house.say(doer, told({ receiver: second }));
    expect(await house.next(second)).toMatchObject({ content: 'Dinner' });
  });

  test('003.15 the hub answers what it cannot read with NOT_UNDERSTOOD', async () => {
    const junk = { performative: 'SING', reply_with: 'r-15', conversation_id: 'c-15' };
    expect(await house.say(asker, junk)).toMatchObject({
      http: 400,
      data: {
        untrusted: {
          native: {
            performative: 'NOT_UNDERSTOOD',
            in_reply_to: 'r-15',
            conversation_id: 'c-15',
            content: { text: expect.stringContaining('"SING" is no performative') },
          },
        },
      },
    });
  });

  test.each([
    ['nobody who can', { capability: 'flying' }, 404],
    ['nobody of that name', { receiver: 'nobody' }, 404],
    ['nothing to answer', { in_reply_to: 'never-said', performative: 'FAILURE' }, 404],
    ['somebody else as its sender', { receiver: doer, sender: 'Dad' }, 403],
    ['no recipient', {}, 400],
    ['a moment that is over', { receiver: doer, reply_by: '2025-01-14T10:30:00Z' }, 400],
  ])('003.25 a message that is understood and not taken is refused: %s', async (_, more, http) => {
    expect(await house.say(asker, fipa('REQUEST', 'Look', more))).toMatchObject({
      http,
      data: { untrusted: { native: { performative: 'REFUSE' } } },
    });
  });

  test('003.32 the conversation tells two askers apart that chose one id', async () => {
    const other = 'asks-fipa-two';
    await house.join(house.dad, other, 'fipa-acl', {});
    for (const from of [asker, other]) {
      const more = { capability: CAPABILITY, reply_with: 'same', conversation_id: `of-${from}` };
      await house.say(from, fipa('REQUEST', 'Look', more));
      await house.allow();
      await house.next(doer);
    }
    const answer = fipa('INFORM', 'Seen', { in_reply_to: 'same' });
    expect(await house.say(doer, answer)).toMatchObject({ http: 409 });
    for (const from of [other, asker]) {
      const mine = { ...answer, conversation_id: `of-${from}` };
      expect(await house.say(doer, mine)).toMatchObject({ http: 200 });
      expect(await house.next(from)).toEqual(mine);
    }
  });
});
