// What every Transport must do, whatever is behind it. Each adapter and each variant of it runs
// this suite.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../main/lib/app-error.ts';
import { CLOSE_CODES, type Transport } from '../../main/ports/transport.ts';
import { Household, TestHub } from '../integration/quic-test-hub.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const words = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * @param notClaimed titles of what this one does not claim to do; one that is none of ours is an
 * error
 */
export function transportContract(
  name: string,
  create: () => Transport,
  notClaimed: readonly string[] = [],
): void {
  describe(`the transport contract: ${name}`, () => {
    const unknown = new Set(notClaimed);
    const it = (title: string, run: () => Promise<void>): void => {
      if (!unknown.delete(title)) test(title, run);
    };
    let household: Household;
    beforeEach(() => {
      household = new Household(create);
    });
    afterEach(() => household.stop());

    it('connects two hubs that then know each other by key', async () => {
      const { near, far, connection } = await household.pair();
      expect(connection).toMatchObject({
        keyHex: far.identity.keyHex,
        direction: 'outgoing',
        host: '127.0.0.1',
        port: far.port,
      });
      const { connection: seen } = await far.event('connected');
      expect(seen).toMatchObject({
        keyHex: near.identity.keyHex,
        direction: 'incoming',
        host: '127.0.0.1',
        port: near.port,
      });
    });

    it('reports a connection before the dial that made it resolves', async () => {
      const { near, connection } = await household.pair();
      expect(near.eventsOf('connected').map((event) => event.connection)).toEqual([connection]);
    });

    it('carries a request and its answer, in both directions of one connection', async () => {
      const { near, far, connection } = await household.pair();
      far.answer = (hub, { connectionId, streamId, bytes }) =>
        hub.transport.respond(connectionId, streamId, text(`far heard ${words(bytes)}`));
      near.answer = (hub, { connectionId, streamId, bytes }) =>
        hub.transport.respond(connectionId, streamId, text(`near heard ${words(bytes)}`));
      const { connection: back } = await far.event('connected');
      const [there, here] = await Promise.all([
        near.transport.request(connection.connectionId, text('one'), 5_000),
        far.transport.request(back.connectionId, text('two'), 5_000),
      ]);
      expect(there.ok && words(there.value)).toBe('far heard one');
      expect(here.ok && words(here.value)).toBe('near heard two');
    });

    it('carries one-way messages', async () => {
      const { near, far, connection } = await household.pair();
      expect(await near.transport.send(connection.connectionId, text('hello there'))).toMatchObject(
        { ok: true },
      );
      const { bytes } = await far.event('message');
      expect(words(bytes)).toBe('hello there');
    });

    it('carries an empty answer', async () => {
      const { near, far, connection } = await household.pair();
      far.answer = (hub, { connectionId, streamId }) =>
        hub.transport.respond(connectionId, streamId, new Uint8Array(0));
      const answer = await near.transport.request(connection.connectionId, text('?'), 5_000);
      expect(answer.ok && answer.value.length).toBe(0);
    });

    it('keeps 300 requests at once apart', async () => {
      const { near, connection } = await household.pair();
      const questions = Array.from({ length: 300 }, (_, number) => `question ${number}`);
      const answers = await Promise.all(
        questions.map((question) =>
          near.transport.request(connection.connectionId, text(question), 10_000),
        ),
      );
      expect(answers.map((answer) => answer.ok && words(answer.value))).toEqual(questions);
    });

    it('carries the largest message and refuses the next size before it leaves', async () => {
      const { near, connection } = await household.pair();
      const largest = new Uint8Array(65_536).fill(7);
      const answer = await near.transport.request(connection.connectionId, largest, 5_000);
      expect(answer.ok && Buffer.from(answer.value).equals(largest)).toBe(true);
      expect(
        await near.transport.request(connection.connectionId, new Uint8Array(65_537), 5_000),
      ).toEqual({
        ok: false,
        error: { type: 'too-large' },
      });
      expect(await near.transport.send(connection.connectionId, new Uint8Array(65_537))).toEqual({
        ok: false,
        error: { type: 'too-large' },
      });
    });

    it('fails a request that gets no answer in time, and goes on', async () => {
      const { near, far, connection } = await household.pair();
      far.answer = () => {};
      expect(await near.transport.request(connection.connectionId, text('anyone?'), 50)).toEqual({
        ok: false,
        error: { type: 'timeout' },
      });
      far.answer = (hub, { connectionId, streamId, bytes }) =>
        hub.transport.respond(connectionId, streamId, bytes);
      expect(
        await near.transport.request(connection.connectionId, text('again'), 5_000),
      ).toMatchObject({ ok: true });
    });

    it('gives up a request when told to', async () => {
      const { near, far, connection } = await household.pair();
      far.answer = () => {};
      const abort = new AbortController();
      const answer = near.transport.request(
        connection.connectionId,
        text('never mind'),
        10_000,
        abort.signal,
      );
      await far.event('request');
      abort.abort();
      expect(await answer).toEqual({ ok: false, error: { type: 'aborted' } });
      expect(
        await near.transport.request(connection.connectionId, text('late'), 10_000, abort.signal),
      ).toEqual({
        ok: false,
        error: { type: 'aborted' },
      });
    });

    it('tells the asker with which code a request was given up', async () => {
      const { near, far, connection } = await household.pair();
      far.answer = (hub, { connectionId, streamId }) =>
        hub.transport.reset(connectionId, streamId, CLOSE_CODES.malformed);
      expect(
        await near.transport.request(connection.connectionId, text('nonsense'), 5_000),
      ).toEqual({
        ok: false,
        error: { type: 'reset', code: CLOSE_CODES.malformed },
      });
    });

    it('asks on a doubted connection for a sign of life, and leaves it and the work on it as they were', async () => {
      const { near, far, connection } = await household.pair();
      far.answer = () => {};
      const waiting = near.transport.request(connection.connectionId, text('slow'), 60_000);
      const { connectionId, streamId } = await far.event('request');
      near.transport.checkAlive(connection.connectionId);
      near.transport.checkAlive(connection.connectionId + 1_000);
      expect((await near.transport.statistics()).counters['connections.doubted']).toBe(1);
      far.transport.respond(connectionId, streamId, text('at last'));
      expect(await waiting).toMatchObject({ ok: true });
      expect(near.eventsOf('disconnected')).toEqual([]);
    });

    it('tells both sides that a connection was closed, by whom and with which code', async () => {
      const { near, far, connection } = await household.pair();
      far.answer = () => {};
      const waiting = near.transport.request(connection.connectionId, text('too late'), 10_000);
      const { connectionId } = await far.event('request');
      far.transport.close(connectionId, CLOSE_CODES.duplicate, 'twice');
      expect(await far.event('disconnected')).toMatchObject({
        code: 6,
        by: 'local',
        reason: 'twice',
      });
      expect(await near.event('disconnected')).toMatchObject({
        connection,
        code: 6,
        by: 'peer',
        reason: 'twice',
      });
      expect(await waiting).toMatchObject({
        ok: false,
        error: { type: 'closed', code: 6, by: 'peer' },
      });
      expect(await near.transport.request(connection.connectionId, text('?'), 1_000)).toMatchObject(
        {
          ok: false,
          error: { type: 'closed' },
        },
      );
    });

    it('notices when another key answers than the one that was dialled', async () => {
      const [near, far, other] = [
        await household.hub(),
        await household.hub(),
        await household.hub(),
      ];
      const result = await near.transport.dial(
        { ...other.target, port: far.port },
        AbortSignal.timeout(10_000),
      );
      expect(result).toEqual({
        ok: false,
        error: { type: 'wrong-key', keyHex: far.identity.keyHex },
      });
      expect(near.eventsOf('connected')).toEqual([]);
    });

    it('refuses a connection to itself, at both ends, and not one to another hub with its key', async () => {
      const near = await household.hub();
      const copy = await household.hub('127.0.0.1', near.identity);
      const itself = await near.transport.dial(near.target, AbortSignal.timeout(10_000));
      expect(itself).toMatchObject({ ok: false, error: { type: 'refused' } });
      const { connectionId } = await near.connect(copy);
      await copy.event('connected');
      expect(near.eventsOf('connected').map(({ connection }) => connection.connectionId)).toEqual([
        connectionId,
      ]);
    });

    it('stops dialling when told to', async () => {
      const [near, gone] = [await household.hub(), await household.hub()];
      await gone.transport.stop();
      const abort = new AbortController();
      const dial = near.transport.dial(gone.target, abort.signal);
      abort.abort();
      expect(await dial).toEqual({ ok: false, error: { type: 'aborted' } });
    });

    it('refuses to dial what is no address, and what the socket cannot reach', async () => {
      const near = await household.hub();
      for (const host of ['example.org', '::1', '']) {
        const result = await near.transport.dial(
          { ...near.target, host },
          AbortSignal.timeout(10_000),
        );
        expect(result).toMatchObject({ ok: false, error: { type: 'refused' } });
      }
    });

    it('closes connections of refused keys at once, and lets them in no more', async () => {
      const { near, far } = await household.pair();
      await far.event('connected');
      far.transport.setAdmission({ paired: [], refused: [near.identity.keyHex] });
      expect(await far.event('disconnected')).toMatchObject({
        code: CLOSE_CODES.revoked,
        by: 'local',
      });
      expect(await near.event('disconnected')).toMatchObject({
        code: CLOSE_CODES.revoked,
        by: 'peer',
      });
      // The dialler may believe that it is connected for a moment.
      await near.transport.dial(far.target, AbortSignal.timeout(10_000));
      await far.counter('refused.key', (count) => count === 1);
      expect(far.eventsOf('connected')).toHaveLength(1);
      expect(await far.transport.dial(near.target, AbortSignal.timeout(10_000))).toMatchObject({
        ok: false,
        error: { type: 'refused' },
      });
    });

    it('replaces the oldest of three connections of one key', async () => {
      const { near, far, connection } = await household.pair();
      await near.connect(far);
      const third = await near.connect(far);
      const ended = await near.event('disconnected');
      expect(ended).toMatchObject({ connection, code: CLOSE_CODES.duplicate });
      expect(await near.transport.request(third.connectionId, text('here'), 5_000)).toMatchObject({
        ok: true,
      });
      expect((await far.transport.statistics()).connections).toBe(2);
    });

    it('closes a connection that is not paired and has five streams open', async () => {
      const [near, far] = [await household.hub(), await household.hub()];
      far.answer = () => {};
      const connection = await near.connect(far);
      const four = Array.from({ length: 4 }, (_, number) =>
        near.transport.request(connection.connectionId, text(`${number}`), 10_000),
      );
      await far.until('four requests', () =>
        far.eventsOf('request').length === 4 ? true : undefined,
      );
      expect(far.eventsOf('violation')).toEqual([]);
      const fifth = near.transport.request(connection.connectionId, text('5'), 10_000);
      expect(await far.event('violation')).toMatchObject({ rule: 'too-many-streams' });
      for (const answer of await Promise.all([...four, fifth])) {
        expect(answer).toMatchObject({
          ok: false,
          error: { type: 'closed', code: CLOSE_CODES.overLimit },
        });
      }
    });

    it('says which port is taken', async () => {
      const first = await household.hub();
      const second = new TestHub(create());
      const failure: unknown = await second.start(first.port).catch((error: unknown) => error);
      await second.transport.stop();
      expect(failure).toBeInstanceOf(AppError);
      expect(failure).toMatchObject({ code: 'address_in_use' });
      expect(String(failure)).toContain(String(first.port));
    });

    it('stops twice, frees the port, and tells its peers', async () => {
      const { near, far } = await household.pair();
      await far.event('connected');
      await far.transport.stop();
      await far.transport.stop();
      expect(await near.event('disconnected')).toMatchObject({
        code: CLOSE_CODES.shuttingDown,
        by: 'peer',
      });
      const successor = new TestHub(create());
      await successor.start(far.port);
      expect(successor.port).toBe(far.port);
      await successor.transport.stop();
    });

    it('connects again after the other hub was gone', async () => {
      const { near, far } = await household.pair();
      await far.transport.stop();
      await near.event('disconnected');
      const returned = new TestHub(create(), far.host, far.identity);
      await returned.start(far.port);
      returned.trust(near);
      const { connectionId } = await near.connect(returned);
      expect(await near.transport.request(connectionId, text('welcome back'), 5_000)).toMatchObject(
        { ok: true },
      );
      await returned.transport.stop();
    });

    it('counts connections and what it dropped', async () => {
      const { near, far } = await household.pair();
      await far.event('connected');
      const statistics = await far.transport.statistics();
      expect(statistics).toMatchObject({ connections: 1, restarts: 0 });
      expect(statistics.counters['retries.sent']).toBe(1);
      expect(Object.values((await near.transport.statistics()).roundTripMs)).toHaveLength(1);
    });
    if (unknown.size > 0) throw new Error(`the contract does not ask: ${[...unknown].join('; ')}`);
  });
}
