// What holds of pairing for every order of steps, honest and forged: nobody is pinned unless a
// person here typed the right digits, digits are shown only where they belong, and the window opens
// only for a person.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  abortPayload,
  confirmMessage,
  confirmPayload,
  digitsOf,
  newOffer,
  parsePairStep,
  revealPayload,
  transcript,
} from '../../../../main/protocol/pairing.ts';
import { sign } from '../../../../main/protocol/signature.ts';
import {
  FAILURES_MAX,
  LOCK_DURATION_MS,
  WINDOW_DURATION_MAX_MINUTES,
} from '../../../../main/services/pairing/limits.ts';
import { keyBytes } from '../../../../main/services/pairing/pairing-session.ts';
import { PairingWindow } from '../../../../main/services/pairing/pairing-window.ts';
import type { PairingWindowDto } from '../../../../preload/contract/pairing-dto.ts';
import { isJsonObject } from '../../../../main/lib/json-object.ts';
import type { ConnectionInfo } from '../../../../main/ports/transport.ts';
import { HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-transport.ts';
import { rounds } from '../../../support/counts.ts';
import { RawHub } from '../links/raw-hub.ts';

const MINUTE_MS = 60_000;

describe('the window of pairing', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('open' as const), minutes: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ do: fc.constantFrom('close' as const, 'fail' as const), minutes: fc.constant(0) }),
    fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 15 }) }),
  );

  it('is closed when its time is up, and no wall clock that is set keeps it open, closes it or opens it', async () => {
    const clock = new ManualClock();
    const told: PairingWindowDto[] = [];
    const window = new PairingWindow(clock, (dto) => told.push(dto));
    window.open(5);
    clock.jumpWall(-3_600_000);
    expect(window.dto.closes_at).toBe(clock.wallMs() + 300_000);
    clock.jumpWall(8 * 3_600_000);
    expect(window.isOpen).toBe(true);
    await clock.advance(300_000);
    clock.jumpWall(-8 * 3_600_000);
    expect([window.isOpen, window.dto.closes_at, clock.timers]).toEqual([false, null, 0]);
    expect(told.map(({ open }) => open)).toEqual([true, false]);
  });

  it('is open only after a person opened it, never longer than half an hour, and never while it is locked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const clock = new ManualClock();
        const window = new PairingWindow(clock, () => undefined);
        let [openedAtMs, lockedAtMs] = [-Infinity, -Infinity];
        let failuresAtMs: number[] = [];
        for (const { do: action, minutes } of steps) {
          const wasLocked = window.isLocked;
          if (action === 'open') {
            window.open(minutes);
            if (!wasLocked) openedAtMs = clock.monotonicMs();
            expect(window.isOpen).toBe(!wasLocked);
          } else if (action === 'close') {
            window.close();
            expect(window.isOpen).toBe(false);
          } else if (action === 'fail') {
            window.failed();
            failuresAtMs = [...failuresAtMs, clock.monotonicMs()].slice(-FAILURES_MAX);
            if (window.isLocked && !wasLocked) lockedAtMs = clock.monotonicMs();
          } else await clock.advance(minutes * MINUTE_MS);
          const now = clock.monotonicMs();
          if (window.isOpen) {
            expect(window.isLocked).toBe(false);
            expect(now - openedAtMs).toBeLessThan(WINDOW_DURATION_MAX_MINUTES * MINUTE_MS);
          }
          if (now - lockedAtMs < LOCK_DURATION_MS) expect(window.isLocked).toBe(true);
          if (window.isLocked) expect(failuresAtMs.length).toBe(FAILURES_MAX);
        }
        window.stop();
        expect(clock.timers).toBe(0);
      }),
    );
  });
});

type Move =
  | 'person opens window'
  | 'person closes window'
  | 'person opens request'
  | 'person types wrong digits'
  | 'person types right digits'
  | 'person cancels'
  | 'offer'
  | 'reveal'
  | 'reveal another nonce'
  | 'confirm'
  | 'confirm with another key'
  | 'confirm before its time'
  | 'abort'
  | 'answer unasked'
  | 'nonsense'
  | 'time passes';

const MOVES: readonly Move[] = [
  'person opens window',
  'person closes window',
  'person opens request',
  'person types wrong digits',
  'person types right digits',
  'person cancels',
  'offer',
  'reveal',
  'reveal another nonce',
  'confirm',
  'confirm with another key',
  'confirm before its time',
  'abort',
  'answer unasked',
  'nonsense',
  'time passes',
];
/** The order in which a pairing works; chance cuts into it. */
const HONEST: readonly Move[] = [
  'person opens window',
  'offer',
  'person opens request',
  'reveal',
  'confirm',
  'person types right digits',
  'confirm',
];

/**
 * A hub that asks to be paired and plays every step by hand, against a real hub with its person.
 */
class Play {
  readonly #clock = new ManualClock();
  readonly #network = new MemoryNetwork(this.#clock);
  readonly mum = new HubStack({
    clock: this.#clock,
    name: 'Mum',
    transport: this.#network.create(),
  });
  readonly #eve = new RawHub(this.#network.create());
  #line: ConnectionInfo | undefined;
  #round = 0;
  #nonce = new Uint8Array(32);
  #offered: ReturnType<typeof newOffer> | undefined;
  #pid = new Uint8Array(16);
  /** What Mum's answer told, once it came. */
  #transcript: Uint8Array | undefined;
  hasTypedRight = false;

  async start(): Promise<this> {
    await this.mum.start();
    await this.#eve.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.#eve.transport.stop();
    await this.mum.stop();
    expect(this.#clock.timers).toBe(0);
  }

  async move(move: Move): Promise<void> {
    const current = this.mum.currentPairing;
    const { pairing } = this.mum;
    switch (move) {
      case 'person opens window':
        return this.#try(() => pairing.setWindow(true, 5));
      case 'person closes window':
        return this.#try(() => pairing.setWindow(false, 5));
      case 'person opens request':
        await this.#try(() => pairing.open(current?.id ?? ''));
        return this.#takeAnswer();
      case 'person types wrong digits':
        return this.#try(() =>
          pairing.type(current?.id ?? '', this.#digits === '00' ? '01' : '00', PERSON),
        );
      case 'person types right digits': {
        const canType = current?.state === 'type_two';
        await this.#try(() => pairing.type(current?.id ?? '', this.#digits, PERSON));
        if (canType && this.#transcript !== undefined) this.hasTypedRight = true;
        return;
      }
      case 'person cancels':
        return this.#try(() => pairing.cancel(current?.id ?? ''));
      case 'offer':
        return this.#offer();
      case 'reveal':
        return this.#send(revealPayload(this.#pid, this.#nonce));
      case 'reveal another nonce':
        return this.#send(revealPayload(this.#pid, new Uint8Array(32).fill(99)));
      case 'confirm':
        return this.#confirm(this.#eve.seed, this.#transcript);
      case 'confirm with another key':
        return this.#confirm(new Uint8Array(32).fill(7), this.#transcript);
      case 'confirm before its time':
        return this.#confirm(this.#eve.seed, new Uint8Array(32));
      case 'abort':
        return this.#send(abortPayload(this.#pid, 'changed my mind'));
      case 'answer unasked':
        return this.#send({
          step: 'answer',
          pid: Buffer.from(this.#pid).toString('base64url'),
          meta: {},
          nonce: 'A'.repeat(43),
        });
      case 'nonsense':
        return this.#send({ step: 'pin me', pid: 7 });
      case 'time passes':
        return this.#clock.advance(70_000);
    }
  }

  /** Two digits that the initiator would show. */
  get #digits(): string {
    return this.#transcript === undefined ? '42' : digitsOf(this.#transcript).two;
  }

  async #offer(): Promise<void> {
    this.#round += 1;
    this.#pid = new Uint8Array(16).fill(this.#round);
    this.#nonce = new Uint8Array(32).fill(this.#round);
    this.#transcript = undefined;
    this.#offered = newOffer({
      pid: this.#pid,
      key: keyBytes(this.#eve.key),
      meta: { hub: 'Friendly' },
      nonce: this.#nonce,
    });
    await this.#send(this.#offered.payload);
  }

  /** Mum's answer comes as a request of hers; it is acked, and the transcript is known. */
  async #takeAnswer(): Promise<void> {
    await this.#clock.settle();
    const event = this.#eve.events.findLast((candidate) => candidate.type === 'request');
    if (event?.type !== 'request' || this.#offered === undefined) return;
    const envelope: unknown = JSON.parse(new TextDecoder().decode(event.bytes));
    if (!isJsonObject(envelope) || !isJsonObject(envelope['payload'])) return;
    const step = parsePairStep(envelope['payload']);
    if (!step.ok || step.value.step !== 'answer' || !Buffer.from(step.value.pid).equals(this.#pid))
      return;
    this.#eve.transport.respond(
      event.connectionId,
      event.streamId,
      this.#eve.envelope(this.mum.agentId, 'ack', { accepted: true }, { ref: envelope['id'] }),
    );
    await this.#clock.settle();
    this.#transcript = transcript({
      pid: this.#pid,
      keyI: keyBytes(this.#eve.key),
      metaI: { hub: 'Friendly' },
      keyR: keyBytes(this.mum.key),
      metaR: step.value.meta,
      commit: this.#offered.commit,
      nonceR: step.value.nonce,
      nonceI: this.#nonce,
    });
  }

  #confirm(seed: Uint8Array, over: Uint8Array | undefined): Promise<void> {
    return this.#send(
      confirmPayload(this.#pid, sign(confirmMessage('I', over ?? new Uint8Array(32)), seed)),
    );
  }

  async #send(payload: unknown): Promise<void> {
    if (this.#line === undefined || this.#eve.ended(this.#line) !== undefined) {
      this.#line = await this.#eve.connect(this.mum);
      await this.#eve.hello(this.#line, this.mum);
    }
    let isOver = false;
    const asked = this.#eve
      .ask(this.#line, this.#eve.envelope(this.mum.agentId, 'pair', payload))
      .finally(() => (isOver = true));
    await this.#clock.settle();
    if (!isOver) await this.#clock.advance(10_000);
    await asked;
  }

  /** What a person may not do just now is refused with a sentence, and that is all. */
  async #try(act: () => unknown): Promise<void> {
    try {
      await act();
    } catch (error) {
      expect(error).toMatchObject({ name: 'AppError' });
    }
    await this.#clock.settle();
  }

  /** What must hold after every move. */
  check(): void {
    const rows = this.mum.store.read.peers();
    if (!this.hasTypedRight) {
      expect(rows).toEqual([]);
      expect(this.mum.directory.isPaired(this.#eve.key)).toBe(false);
    }
    const pairings = this.mum.pairing.list();
    expect(
      pairings.filter(({ state }) => state !== 'paired' && state !== 'failed').length,
    ).toBeLessThanOrEqual(1);
    for (const { role, state, six, two } of pairings) {
      expect(two).toBeNull();
      if (state !== 'show_six') expect(six).toBeNull();
      expect(role).toBe('responder');
    }
  }
}

describe('a pairing', () => {
  const count = rounds('orders of pairing steps', { short: 60, long: 2_000 });
  /** An honest run into which chance puts moves, takes some out, or nothing but chance. */
  const orders = fc.oneof(
    fc.array(fc.constantFrom(...MOVES), { maxLength: 20 }),
    fc
      .array(fc.tuple(fc.nat({ max: HONEST.length }), fc.constantFrom(...MOVES)), { maxLength: 3 })
      .map((inserts) =>
        inserts.reduce<readonly Move[]>(
          (moves, [at, move]) => moves.toSpliced(at, 0, move),
          HONEST,
        ),
      ),
    fc.subarray([...HONEST]),
  );

  it('pins nobody unless the person here typed the right digits, whatever order the steps come in', async () => {
    await fc.assert(
      fc.asyncProperty(orders, async (moves) => {
        const play = await new Play().start();
        try {
          for (const move of moves) {
            await play.move(move);
            play.check();
          }
        } finally {
          await play.stop();
        }
      }),
      { numRuns: count },
    );
  }, 600_000);

  it('in the order of an honest one ends with the hub pinned', async () => {
    const play = await new Play().start();
    for (const move of HONEST) await play.move(move);
    expect(play.hasTypedRight).toBe(true);
    expect(play.mum.store.read.peers()).toMatchObject([{ trust: 'paired' }]);
    await play.stop();
  });
});
