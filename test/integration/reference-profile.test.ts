// A hub and the public reference daemon, as a script of its behaviour over real QUIC: requests and
// messages both ways, and every rule of PROTOCOL.md, Reference profile.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { delegation, BROWSER } from '../fakes/work-hub.ts';
import { MemoryVault } from '../fakes/hub-stack.ts';
import { STREAMS_MAX } from '../support/reference-daemon.ts';
import { ReferenceHouse, type QuicHub } from '../support/reference-house.ts';

const PERSON = { person: BROWSER };
const never = new AbortController().signal;
const house = new ReferenceHouse();
afterEach(() => house.close());

const query = (question: string, deadline_ms = 15_000) => ({ to: 'Attic', question, deadline_ms });
const kindOf = (payload: Readonly<Record<string, unknown>>) => payload.axon_kind;

async function decide(hub: QuicHub, decision: 'allow' | 'decline'): Promise<void> {
  await house.until(hub, () => hub.work.approvals.pending().length === 1, 'a card waits');
  const [card] = hub.work.approvals.pending();
  await hub.work.approvals.decide(
    { id: card?.id ?? '', revision: card?.revision ?? 0, digest: card?.digest ?? '', decision },
    BROWSER,
  );
}

async function claim(hub: QuicHub): Promise<string> {
  const [item] = await hub.work.inbox.claim('claude', 1);
  if (!item) throw new Error('nothing to do');
  await hub.work.inbox.ack('claude', item.delivery_id, null);
  return item.delivery_id;
}

describe('choosing the profile', () => {
  it('takes an answer unknown_kind to hello for the reference profile, and shows nothing of it to its agents', async () => {
    const { hub, daemon } = await house.both();
    expect(hub.stack.directory.dto(daemon.keyHex)).toMatchObject({
      trust: 'paired',
      online: true,
      profile: 'reference',
      trouble: null,
    });
    expect(daemon.kinds).toEqual(['hello']);
    expect(daemon.shown).toEqual([]);
  });

  it('keeps the profile across a restart, and asks hello again with the connection it makes', async () => {
    const { hub, daemon } = await house.both();
    await expect.poll(() => hub.stack.store.read.peer(daemon.keyHex)?.highestVersion).toBe(0);
    await hub.work.stop();
    await hub.stack.halt();
    const { store, vault } = hub.stack;
    const again = await house.hub('Mum', { store, vault });
    expect(again.stack.directory.isReference(daemon.keyHex)).toBe(true);
    await house.until(again, () => again.stack.links.isOnline(daemon.keyHex), 'online again');
    expect(daemon.kinds).toEqual(['hello', 'hello']);
  });

  it('gives the profile up when the same key says hello: the peer was updated', async () => {
    const { hub, daemon } = await house.both();
    const { seed, port } = daemon;
    await daemon.stop();
    await house.until(hub, () => !hub.stack.links.isOnline(daemon.keyHex), 'the daemon is gone');
    const updated = await house.hub('Attic', { vault: new MemoryVault(seed) }, port);
    await hub.stack.pins(updated.stack, 'Attic');
    await updated.stack.pins(hub.stack);
    hub.stack.links.redial();
    await house.until(
      hub,
      () => hub.stack.directory.dto(daemon.keyHex).profile === 'hub',
      'the hub says hello',
    );
    expect(hub.stack.directory.isReference(daemon.keyHex)).toBe(false);
  });

  it('takes a request as first message of a peer that dials for the reference profile', async () => {
    const [hub, daemon] = [await house.hub('Mum'), await house.daemon()];
    await house.trustUnreachable(hub, daemon);
    await daemon.dial(hub.stack);
    expect(await daemon.request({ axon_kind: 'ping' })).toMatchObject({
      kind: 'response',
      payload: { axon_kind: 'pong', status: 'idle' },
    });
    expect(hub.stack.directory.dto(daemon.keyHex)).toMatchObject({
      online: true,
      profile: 'reference',
    });
  });

  it('asks hello in return of a peer that dials and says nothing, and keeps the connection', async () => {
    const [hub, daemon] = [await house.hub('Mum'), await house.daemon()];
    await house.trustUnreachable(hub, daemon);
    await daemon.dial(hub.stack);
    await house.until(hub, () => hub.stack.links.isOnline(daemon.keyHex), 'the daemon is online');
    expect(daemon.kinds).toContain('hello');
    const answer = daemon.sees(({ kind }) => kind === 'message');
    await hub.work.sender.notify(
      { to: 'Attic', topic: 'house.door', data: 'open', importance: 'low' },
      null,
    );
    expect((await answer).payload).toMatchObject({
      axon_kind: 'notify',
      topic: 'house.door',
      data: 'open',
    });
  });
});

describe('trust', () => {
  it('tells an early close as not trusted there yet, and is online once the daemon knows its key', async () => {
    const [hub, daemon] = [await house.hub('Mum'), await house.daemon()];
    await house.trust(hub, daemon);
    await house.until(
      hub,
      () => hub.stack.directory.dto(daemon.keyHex).not_trusted_there,
      'the refusal is noticed',
    );
    expect(daemon.refused).toBeGreaterThan(0);
    expect(hub.stack.directory.dto(daemon.keyHex).trouble).toContain('does not trust this hub yet');
    const failed = await hub.work.sender
      .query(query('there?'), null, never)
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'peer_unreachable' });
    daemon.knows(hub.stack.key);
    await house.until(hub, () => hub.stack.links.isOnline(daemon.keyHex), 'the daemon is online');
    expect(hub.stack.directory.dto(daemon.keyHex)).toMatchObject({
      not_trusted_there: false,
      trouble: null,
    });
  });

  it('answers what a key that nobody trusts asks with pairing_required, drops its messages and keeps nothing', async () => {
    const [hub, daemon] = [await house.hub('Mum'), await house.daemon()];
    await daemon.dial(hub.stack);
    expect(await daemon.request({ message: 'dinner?' })).toMatchObject({
      kind: 'error',
      payload: { code: 'pairing_required' },
    });
    expect(await daemon.request({ axon_kind: 'delegate', task: 'open the door' })).toMatchObject({
      payload: { code: 'pairing_required' },
    });
    daemon.tell({ message: 'hello all' });
    await daemon.until('the drop', () => hub.stack.links.counters()['dropped_not_paired']);
    expect(hub.work.approvals.pending()).toEqual([]);
    expect(hub.work.feed.list({ limit: 10 }).items).toEqual([]);
    expect(hub.stack.directory.isReference(daemon.keyHex)).toBe(false);
  });

  it('says of a daemon that is only kept by address that it knows no digits', async () => {
    const [hub, daemon] = [await house.hub('Mum'), await house.daemon()];
    daemon.knows(hub.stack.key);
    await hub.stack.directory.addStatic({
      keyHex: daemon.keyHex,
      host: '127.0.0.1',
      port: daemon.port,
      name: 'Attic',
    });
    const opened = await hub.stack.links.unpaired.open(daemon.keyHex, never);
    expect(opened.ok ? '' : opened.error.sentence).toContain('trust the key');
    expect(hub.stack.directory.trustOf(daemon.keyHex)).not.toBe('paired');
  });

  it('closes within the same moment when its owner removes it', async () => {
    const { hub, daemon } = await house.both();
    await hub.stack.directory.remove(daemon.keyHex, { actor: 'ui:test', surface: 'browser' });
    await daemon.until('the close', () => (daemon.connectionCount === 0 ? true : undefined));
    expect(hub.stack.directory.isReference(daemon.keyHex)).toBe(false);
  });
});

describe('what the hub asks', () => {
  it('keeps a query open after "unhandled" until a message with its id brings the answer', async () => {
    const { hub, daemon } = await house.both();
    const answer = hub.work.sender.query(query('Who is home?'), null, never);
    const { id, payload } = await daemon.sees(({ kind }) => kind === 'request');
    expect(payload).toMatchObject({
      axon_kind: 'query',
      question: 'Who is home?',
      deadline_ms: 15_000,
    });
    daemon.tell({ message: 'Only the cat.' }, id);
    expect(await answer).toMatchObject({
      state: 'answered',
      untrusted: { summary: 'Only the cat.' },
    });
  });

  it('takes the native payload of an answer, and an error as one', async () => {
    const { hub, daemon } = await house.both();
    const first = hub.work.sender.query(query('How warm is it?'), null, never);
    const one = await daemon.sees(({ kind }) => kind === 'request');
    daemon.tell({ axon_kind: 'response', summary: '19 degrees', data: { celsius: 19 } }, one.id);
    expect(await first).toMatchObject({
      untrusted: { summary: '19 degrees', data: { celsius: 19 } },
    });
    const second = hub.work.sender
      .query(query('And outside?'), null, never)
      .catch((error: unknown) => error);
    const two = await daemon.sees(({ payload }) => payload.question === 'And outside?');
    daemon.tell({ axon_kind: 'error', code: 'unknown_domain', message: 'no sensor' }, two.id);
    expect(await second).toMatchObject({
      code: 'unknown_domain',
      data: { untrusted: { message: 'no sensor' } },
    });
  });

  it('ends a query nobody answers at its deadline, and says that its time ran out', async () => {
    const { hub, daemon } = await house.both();
    const failed = await hub.work.sender
      .query(query('Anyone?', 1), null, never)
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 'timeout',
      message: 'Its time ran out.',
    });
    expect(daemon.shown.map(({ payload }) => payload.question)).toEqual(['Anyone?']);
  });

  it('takes an answer from no other key, and none to a question that is over', async () => {
    const { hub, daemon } = await house.both();
    const other = await house.daemon();
    await house.trust(hub, other, 'Cellar');
    await other.dial(hub.stack);
    await house.until(hub, () => hub.stack.links.isOnline(other.keyHex), 'the other is online');
    const answer = hub.work.sender.query(query('Who is home?'), null, never);
    const { id } = await daemon.sees(({ kind }) => kind === 'request');
    other.tell({ message: 'Forged.' }, id);
    await house.until(
      hub,
      () => hub.work.feed.list({ limit: 10 }).items.length === 1,
      'the forged answer is a notice like any other',
    );
    daemon.tell({ message: 'True.' }, id);
    expect(await answer).toMatchObject({ untrusted: { summary: 'True.' } });
    daemon.tell({ message: 'Too late.' }, id);
    await house.until(
      hub,
      () => hub.work.feed.list({ limit: 10 }).items.length === 2,
      'the late answer is a notice like any other',
    );
  });

  it('brings the answer even when the daemon sends it on another connection', async () => {
    const { hub, daemon } = await house.both();
    const answer = hub.work.sender.query(query('Who is home?'), null, never);
    const { id } = await daemon.sees(({ kind }) => kind === 'request');
    daemon.closeAll();
    await house.until(hub, () => !hub.stack.links.isOnline(daemon.keyHex), 'the line is broken');
    await daemon.dial(hub.stack);
    daemon.tell({ message: 'Back again.' }, id);
    expect(await answer).toMatchObject({ untrusted: { summary: 'Back again.' } });
  });

  it('takes the response of a handler, which newer daemons have, for the answer itself', async () => {
    const { hub, daemon } = await house.both();
    daemon.handler = () => ({ message: 'From the handler.' });
    const report = await hub.work.sender.query(query('Who is home?'), null, never);
    expect(report).toMatchObject({ untrusted: { summary: 'From the handler.' } });
  });

  it('delegates, takes "unhandled" for delivered, and a message with its id for the result', async () => {
    const { hub, daemon } = await house.both();
    const report = await hub.work.sender.delegate(
      delegation('Attic', 'Water the plants'),
      null,
      null,
    );
    expect(report.state).toBe('delivered');
    const { id, payload } = await daemon.sees(({ kind }) => kind === 'request');
    expect(payload).toMatchObject({ axon_kind: 'delegate', task: 'Water the plants' });
    const waiting = hub.work.tasks.get(report.id, PERSON, 15_000, never);
    daemon.tell({ axon_kind: 'result', status: 'completed', outcome: 'Watered.' }, id);
    expect(await waiting).toMatchObject({ state: 'completed', untrusted: { outcome: 'Watered.' } });
  });

  it('takes plain words about a delegation for its result, also after a restart', async () => {
    const { hub, daemon } = await house.both();
    const report = await hub.work.sender.delegate(
      delegation('Attic', 'Water the plants'),
      null,
      null,
    );
    const { id } = await daemon.sees(({ kind }) => kind === 'request');
    await hub.work.stop();
    await hub.stack.halt();
    const { store, vault } = hub.stack;
    const again = await house.hub('Mum', { store, vault });
    await house.until(again, () => again.stack.links.isOnline(daemon.keyHex), 'online again');
    daemon.tell({ message: 'Done, all green.' }, id);
    const task = await again.work.tasks.get(report.id, PERSON, 15_000, never);
    expect(task).toMatchObject({ state: 'completed', untrusted: { outcome: 'Done, all green.' } });
  });

  it('sends a cancel as a request with the id of the delegation as ref', async () => {
    const { hub, daemon } = await house.both();
    const report = await hub.work.sender.delegate(
      delegation('Attic', 'Water the plants'),
      null,
      null,
    );
    const { id } = await daemon.sees(({ kind }) => kind === 'request');
    await hub.work.tasks.cancel(report.id, PERSON, 'It rains.');
    const seen = await daemon.sees(({ payload }) => kindOf(payload) === 'cancel');
    expect(seen).toMatchObject({ kind: 'request', ref: id });
  });

  it('pings and discovers as requests, and takes capabilities that come as a message', async () => {
    const { hub, daemon } = await house.both();
    expect(await hub.stack.links.ping(daemon.keyHex)).toMatchObject({
      ok: true,
      value: { pong: { status: 'idle' } },
    });
    await daemon.sees(({ payload }) => kindOf(payload) === 'ping');
    const told = hub.stack.links.refreshCapabilities(daemon.keyHex);
    const { id } = await daemon.sees(({ payload }) => kindOf(payload) === 'discover');
    daemon.tell({ axon_kind: 'capabilities', domains: ['garden'] }, id);
    expect(await told).toMatchObject({ ok: true });
    expect(hub.stack.directory.dto(daemon.keyHex).capabilities?.untrusted.domains).toEqual([
      'garden',
    ]);
  });

  it('escapes everything but ASCII, so that no text stops the delivery there', async () => {
    const { hub, daemon } = await house.both();
    for (const letter of ['a', 'ä', '€', '🎈']) {
      const data = letter.repeat(300);
      await hub.work.sender.notify({ to: 'Attic', topic: 'note', data, importance: 'low' }, null);
      const seen = await daemon.sees(({ payload }) => payload.data === data);
      expect(seen.raw).toMatch(/^[\x20-\x7e]*$/);
    }
  });
});

describe('what the daemon asks', () => {
  it('puts a plain request before a person as a query, and answers on its stream in plain words too', async () => {
    const { hub, daemon } = await house.both();
    const answer = daemon.request({ message: 'Who is home?' });
    await decide(hub, 'allow');
    const delivery = await claim(hub);
    await hub.work.inbox.reply('claude', delivery, {
      status: 'completed',
      summary: 'Everyone',
      truncated: false,
    });
    expect(await answer).toMatchObject({
      kind: 'response',
      payload: { axon_kind: 'response', message: 'Everyone', summary: 'Everyone' },
    });
  });

  it.each([
    [
      'leaves the plain words out of an answer that has room for one of the two',
      40_000,
      { kind: 'response', payload: { axon_kind: 'response' } },
    ],
  ])('%s', async (_title, length, expected) => {
    const { hub, daemon } = await house.both();
    const answer = daemon.request({ message: 'Who is home?' });
    await decide(hub, 'allow');
    const delivery = await claim(hub);
    await hub.work.inbox.reply('claude', delivery, {
      status: 'completed',
      summary: 'x'.repeat(length),
      truncated: false,
    });
    expect(await answer).toMatchObject(expected);
    expect((await answer)?.payload.message?.toString().length ?? 0).toBeLessThan(1_000);
  });

  it('refuses an answer that fits into no message, and hands on what is said instead', async () => {
    const { hub, daemon } = await house.both();
    const answer = daemon.request({ message: 'Who is home?' });
    await decide(hub, 'allow');
    const delivery = await claim(hub);
    const reply = (summary: string) =>
      hub.work.inbox.reply('claude', delivery, { status: 'completed', summary, truncated: false });
    await expect(reply('x'.repeat(70_000))).rejects.toMatchObject({ code: 'payload_too_large' });
    await reply('Mum');
    expect(await answer).toMatchObject({ kind: 'response', payload: { axon_kind: 'response' } });
  });

  it('answers a request that a person declines with an error', async () => {
    const { hub, daemon } = await house.both();
    const answer = daemon.request({ message: 'Open the door' });
    await decide(hub, 'decline');
    expect(await answer).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
  });

  it('asks a person for what it delegates, acknowledges it, and sends the result as a message with its id', async () => {
    const { hub, daemon } = await house.both();
    const id = randomUUID();
    const taken = await daemon.request(
      { axon_kind: 'delegate', task: 'Tell the family chat that dinner is at 7' },
      id,
    );
    expect(taken).toMatchObject({
      kind: 'response',
      ref: id,
      payload: { axon_kind: 'ack', accepted: true, state: 'pending_approval' },
    });
    await decide(hub, 'allow');
    const delivery = await claim(hub);
    await hub.work.inbox.reply('claude', delivery, {
      status: 'completed',
      outcome: 'Sent.',
      truncated: false,
    });
    const seen = await daemon.sees(({ ref }) => ref === id);
    expect(seen).toMatchObject({
      kind: 'message',
      payload: { axon_kind: 'result', status: 'completed', outcome: 'Sent.' },
    });
    await expect.poll(() => hub.stack.store.read.outboxOf(daemon.keyHex)).toEqual([]);
  });

  it('does the same delegation once, however often it comes, and refuses other content under its id', async () => {
    const { hub, daemon } = await house.both();
    const id = randomUUID();
    const task = { axon_kind: 'delegate', task: 'Water the plants' };
    const first = await daemon.request(task, id);
    expect((await daemon.request(task, id))?.payload).toEqual(first?.payload);
    expect(await daemon.request({ ...task, task: 'Burn the plants' }, id)).toMatchObject({
      payload: { code: 'conflict' },
    });
    expect(hub.work.approvals.pending()).toHaveLength(1);
  });

  it('shows a message in the feed as a notification of the topic axon.message', async () => {
    const { hub, daemon } = await house.both();
    daemon.tell({ message: 'The washing is done.' });
    await house.until(
      hub,
      () => hub.work.feed.list({ limit: 10 }).items.length === 1,
      'the feed has it',
    );
    expect(hub.work.feed.list({ limit: 10 }).items[0]).toMatchObject({
      peer_name: 'Attic',
      topic: 'axon.message',
    });
  });

  it('answers its ping and its discover, and what it cannot ask with unknown_kind', async () => {
    const { daemon } = await house.both();
    expect(await daemon.request({ axon_kind: 'discover' })).toMatchObject({
      payload: { axon_kind: 'capabilities' },
    });
    for (const axon_kind of ['hello', 'pair', 'result', 'nonsense', 7]) {
      expect(await daemon.request({ axon_kind }), String(axon_kind)).toMatchObject({
        kind: 'error',
        payload: { code: 'unknown_kind' },
      });
    }
    expect(await daemon.ask({ id: randomUUID(), kind: 'chat', payload: {} })).toMatchObject({
      payload: { code: 'unknown_kind' },
    });
  });

  it('answers what is no message with invalid_envelope, and closes after twenty of them', async () => {
    const { hub, daemon } = await house.both();
    expect(await daemon.ask('{"id":')).toMatchObject({
      kind: 'error',
      payload: { code: 'invalid_envelope' },
    });
    expect(await daemon.ask({ id: 'x', kind: 'request', payload: {} })).toMatchObject({
      payload: { code: 'invalid_envelope' },
    });
    for (let count = 2; count < 20; count++) daemon.tellRaw('[]');
    await daemon.until('the close', () => (daemon.connectionCount === 0 ? true : undefined));
    await expect.poll(() => hub.stack.auditActions()).toContain('peer.malformed');
  });
});

describe('limits of the daemon', () => {
  it('never has more streams open than it allows, and loses nothing that waits for its turn', async () => {
    const { hub, daemon } = await house.both();
    daemon.holdsAnswers = true;
    const pings = Array.from({ length: 20 }, () => hub.stack.links.ping(daemon.keyHex));
    const notices = Array.from({ length: 40 }, (_, count) =>
      hub.work.sender.notify({ to: 'Attic', topic: 'count', data: count, importance: 'low' }, null),
    );
    await daemon.until('eight requests', () =>
      daemon.mostOpen.bidirectional === STREAMS_MAX.bidirectional ? true : undefined,
    );
    await Promise.all(notices);
    daemon.release();
    for (const pong of await Promise.all(pings)) expect(pong.ok).toBe(true);
    await daemon.until('every notice', () =>
      daemon.shown.filter(({ kind }) => kind === 'message').length === 40 ? true : undefined,
    );
    expect(daemon.mostOpen.bidirectional).toBe(STREAMS_MAX.bidirectional);
    expect(daemon.mostOpen.unidirectional).toBeLessThanOrEqual(STREAMS_MAX.unidirectional);
  });

  it('leaves no handshake half-open: a dial that is given up before anything was heard ends it with the first answer', async () => {
    const [hub, daemon] = [await house.hub('Mum'), await house.daemon()];
    daemon.isMute = true;
    const dialling = new AbortController();
    const target = {
      keyHex: daemon.keyHex,
      agentId: daemon.agentId,
      host: '127.0.0.1',
      port: daemon.port,
    };
    const dialled = hub.stack.transport.dial(target, dialling.signal);
    await daemon.until('the handshake', () => (daemon.isShakingHands ? true : undefined));
    dialling.abort();
    expect(await dialled).toMatchObject({ ok: false, error: { type: 'aborted' } });
    expect(daemon.isShakingHands).toBe(true);
    daemon.isMute = false;
    await daemon.until('its end', () => (daemon.isShakingHands ? undefined : true));
    expect(daemon.connectionCount).toBe(0);
    daemon.knows(hub.stack.key);
    await house.trust(hub, daemon);
    await house.until(hub, () => hub.stack.links.isOnline(daemon.keyHex), 'the daemon is online');
    expect(daemon.unanswered).toBe(0);
  });
});
