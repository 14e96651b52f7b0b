// Invitations between whole hubs on a network in memory: made on one, brought to the other, good
// once and for a while, and worth nothing to whoever altered the link, stands in between or comes
// second.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { fromBase64Url, toBase64Url } from '../../../../main/lib/bytes.ts';
import { invitationId, invitationMac } from '../../../../main/protocol/invitation.ts';
import {
  confirmMessage,
  confirmPayload,
  newOffer,
  revealPayload,
  transcript,
} from '../../../../main/protocol/pairing.ts';
import { sign } from '../../../../main/protocol/signature.ts';
import { readInvitationLink } from '../../../../main/services/pairing/invitation-link.ts';
import {
  FAILURES_MAX,
  INVITATION_DURATION_MS,
  INVITATIONS_MAX,
} from '../../../../main/services/pairing/limits.ts';
import { keyBytes } from '../../../../main/services/pairing/pairing-session.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { RawHub } from '../links/raw-hub.ts';
import { Attacker } from './attacker.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

const invite = (stack: HubStack) =>
  stack.pairing.invite([{ host: '127.0.0.1', port: stack.port }], PERSON);
const secretOf = (link: string): Uint8Array => readInvitationLink(link).secret;
const ends = (stack: HubStack, state: string): Promise<void> =>
  house.clock.until(() => stack.currentPairing?.state === state, `${state} is reached`, 60_000);

describe('an invitation', () => {
  it('pairs two hubs that have never heard of each other without a digit or an open window, and is used up', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    const { link, invitation } = invite(mum);
    expect(mum.pairing.invitations()).toEqual([invitation]);
    expect(dad.pairing.join(link, null, PERSON)).toMatchObject({
      role: 'initiator',
      state: 'waiting_for_answer',
      invited: true,
    });
    await house.clock.until(
      () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
      'both are online',
      60_000,
    );
    expect([dad.peer(mum).name, mum.peer(dad).name]).toEqual(['Mum', 'Dad']);
    expect([dad.auditActions(), mum.auditActions()]).toEqual([['peer.paired'], ['peer.paired']]);
    expect(mum.pairing.invitations()).toEqual([]);
    const shown = [...dad.seen, ...mum.seen].flatMap((event) =>
      event.type === 'pairing' ? [event.pairing] : [],
    );
    expect(shown.every(({ six, two, invited }) => six === null && two === null && invited)).toBe(
      true,
    );
    expect(new Set(shown.map(({ state }) => state))).toEqual(
      new Set(['waiting_for_answer', 'exchanging', 'confirming', 'paired']),
    );
    expect(
      [dad, mum].flatMap(({ seen }) => seen.filter(({ type }) => type === 'pairing_window')),
    ).toEqual([]);
  });

  it('holds once: a second hub with the same link is refused, whatever became of the first', async () => {
    const [mum, dad, eve] = [
      await house.hub('Mum'),
      await house.hub('Dad'),
      await house.hub('Eve'),
    ];
    const { link } = invite(mum);
    dad.pairing.join(link, null, PERSON);
    await ends(dad, 'paired');
    eve.pairing.join(link, null, PERSON);
    await ends(eve, 'failed');
    expect(eve.currentPairing?.failure).toContain('Ask for a new one');
    expect(mum.store.read.peers().map(({ key }) => key)).toEqual([dad.key]);
    expect(eve.store.read.peers()).toEqual([]);
  });

  it('of a hub that is paired already pairs nothing anew and says who that is, until that hub has let this one go', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    const { link } = invite(mum);
    dad.pairing.join(link, 'Our kitchen', PERSON);
    await house.clock.until(() => dad.links.isOnline(mum.key), 'they are paired', 60_000);
    for (const again of [link, invite(mum).link])
      expect(() => dad.pairing.join(again, null, PERSON)).toThrow('Our kitchen is paired already.');
    expect(dad.pairing.list().filter(({ state }) => state !== 'paired')).toEqual([]);
    await mum.directory.remove(dad.key, PERSON);
    await house.clock.until(() => dad.directory.live(mum.key).notTrustedThere, 'Dad knows', 60_000);
    const anew = dad.pairing.join(invite(mum).link, null, PERSON);
    expect(anew).toMatchObject({ role: 'initiator', invited: true });
    await dad.pairing.cancel(anew.id);
    await house.clock.settle();
  });

  describe('brought by a hub that was removed here', () => {
    const removed = async () => {
      const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
      dad.pairing.join(invite(mum).link, null, PERSON);
      await house.clock.until(
        () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
        'they are paired',
        60_000,
      );
      await mum.directory.remove(dad.key, PERSON);
      await house.clock.until(
        () => dad.directory.live(mum.key).notTrustedThere,
        'Dad knows',
        60_000,
      );
      for (const stack of [mum, dad])
        for (const { id, state } of stack.pairing.list())
          if (state === 'paired') await stack.pairing.cancel(id);
      return { mum, dad, at: mum.directory.row(dad.key)?.revokedAt };
    };
    const waits = (stack: HubStack): Promise<void> =>
      house.clock.until(() => stack.currentPairing?.state === 'offered', 'it waits', 60_000);

    it('waits for a person, who reads when that was; nothing is paired until that one lets it in, and then it is a new hub', async () => {
      const { mum, dad, at } = await removed();
      const { link } = invite(mum);
      // Whoever is invited takes a while, in which that hub calls again and is a stranger.
      await house.clock.advance(120_000);
      dad.pairing.join(link, null, PERSON);
      await waits(mum);
      expect(mum.currentPairing).toMatchObject({
        state: 'offered',
        invited: true,
        removed: { name: 'Dad', at },
      });
      await house.clock.advance(60_000);
      expect([
        mum.directory.trustOf(dad.key),
        mum.currentPairing?.state,
        mum.pairing.invitations(),
      ]).toEqual(['revoked', 'offered', []]);
      mum.pairing.open(mum.currentPairing?.id ?? '');
      await house.clock.until(
        () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
        'both are online',
        60_000,
      );
      expect(mum.directory.row(dad.key)).toMatchObject({
        trust: 'paired',
        role: null,
        revokedAt: null,
      });
      expect(mum.auditActions().filter((action) => action === 'peer.paired')).toHaveLength(2);
    });

    it('stays removed where that person does not, and where nobody does in time', async () => {
      const { mum, dad } = await removed();
      for (const end of [
        () => mum.pairing.cancel(mum.currentPairing?.id ?? ''),
        () => house.clock.advance(INVITATION_DURATION_MS),
      ]) {
        dad.pairing.join(invite(mum).link, null, PERSON);
        await waits(mum);
        await end();
        await ends(dad, 'failed');
        await dad.pairing.cancel(dad.currentPairing?.id ?? '');
        expect([mum.directory.isRefused(dad.key), mum.directory.trustOf(dad.key)]).toEqual([
          true,
          'revoked',
        ]);
      }
      expect(mum.auditActions().filter((action) => action === 'peer.paired')).toHaveLength(1);
    });

    it('is a stranger to this one while any invitation is out, and refused before and after', async () => {
      const { mum, dad } = await removed();
      expect(mum.directory.isRefused(dad.key)).toBe(true);
      const first = invite(mum);
      invite(mum);
      mum.pairing.revoke(first.invitation.id);
      expect([mum.directory.isRefused(dad.key), mum.directory.isPaired(dad.key)]).toEqual([
        false,
        false,
      ]);
      await house.clock.advance(INVITATION_DURATION_MS + 1_000);
      expect(mum.directory.isRefused(dad.key)).toBe(true);
    });
  });

  it('is over after five minutes, and at once when it was taken back', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    const late = invite(mum);
    await house.clock.advance(INVITATION_DURATION_MS);
    const taken = invite(mum);
    mum.pairing.revoke(taken.invitation.id);
    expect(mum.pairing.invitations()).toEqual([]);
    expect(() => mum.pairing.revoke(taken.invitation.id)).toThrow('used, over or revoked');
    for (const { link } of [late, taken]) {
      dad.pairing.join(link, null, PERSON);
      await ends(dad, 'failed');
      expect(dad.currentPairing?.failure).toContain('no longer works there');
      // It was found: that is told from a hub that does not answer.
      expect(dad.currentPairing?.address).not.toBeNull();
      await dad.pairing.cancel(dad.currentPairing?.id ?? '');
    }
    expect(mum.store.read.peers()).toEqual([]);
  });

  it('does not survive the hub that made it', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    const { link } = invite(mum);
    await mum.halt();
    await mum.start(mum.port);
    dad.pairing.join(link, null, PERSON);
    await ends(dad, 'failed');
    expect([mum.store.read.peers(), mum.pairing.invitations()]).toEqual([[], []]);
  });

  it('waits while another pairing goes on, without being used up', async () => {
    const [mum, dad, aunt] = [
      await house.hub('Mum'),
      await house.hub('Dad'),
      await house.hub('Aunt'),
    ];
    mum.hears(aunt);
    mum.pairing.begin(aunt.agentId, null);
    const { link } = invite(mum);
    dad.pairing.join(link, null, PERSON);
    await house.clock.until(
      () => dad.currentPairing?.request === 'busy',
      'it is told to wait',
      60_000,
    );
    expect(mum.pairing.invitations()).toHaveLength(1);
    await mum.pairing.cancel(mum.currentPairing?.id ?? '');
    await ends(dad, 'paired');
  });

  it('takes the place of our own request to that very hub', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    mum.hears(dad);
    mum.pairing.begin(dad.agentId, null);
    dad.pairing.join(invite(mum).link, null, PERSON);
    await ends(dad, 'paired');
    expect(mum.directory.isPaired(dad.key)).toBe(true);
  });

  it('leaves no older request of the hub that it pairs with, and nobody is said to ask any more', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    mum.hears(dad);
    dad.pairing.setWindow(true, 5);
    mum.pairing.begin(dad.agentId, null);
    await ends(dad, 'offered');
    dad.pairing.join(invite(mum).link, null, PERSON);
    await ends(dad, 'paired');
    expect(dad.pairing.list().map(({ state }) => state)).toEqual(['paired']);
    expect(dad.pairing.window).toMatchObject({ open: false, asked: null });
    expect(mum.pairing.list().map(({ state }) => state)).toEqual(['paired']);
  });

  it('is tried at each of its addresses', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    const wrong = { host: '127.0.0.1', port: 1 };
    dad.pairing.join(
      mum.pairing.invite([wrong, { host: '127.0.0.1', port: mum.port }], PERSON).link,
      'Her hub',
      PERSON,
    );
    await ends(dad, 'paired');
    expect(dad.peer(mum).name).toBe('Her hub');
  });

  it('is tried at its addresses whatever the network announces of its hub', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    const addresses = [1, 2, 3, 4].map((last) => `203.0.113.${last}`);
    dad.directory.foundNearby({
      agentId: mum.agentId,
      keyHex: mum.key,
      port: 1,
      addresses,
      label: 'Mum',
    });
    dad.pairing.join(invite(mum).link, null, PERSON);
    await ends(dad, 'paired');
  });

  it('that leads nowhere says what came of each of its addresses', async () => {
    const [mum, dad, aunt] = [
      await house.hub('Mum'),
      await house.hub('Dad'),
      await house.hub('Aunt'),
    ];
    const at = (host: string, port: number) => ({ host, port });
    const places = [at('127.0.0.1', 1), at('127.0.0.1', aunt.port), at('nobody.example', 7100)];
    dad.pairing.join(mum.pairing.invite(places, PERSON).link, null, PERSON);
    await ends(dad, 'failed');
    const failure = dad.currentPairing?.failure;
    expect(failure).toContain('No hub answers at 127.0.0.1:1.');
    expect(failure).toContain(
      `Another hub answers at 127.0.0.1:${aunt.port}: it has a different key.`,
    );
    expect(failure).toContain('No computer is known as "nobody.example".');
  });

  it('may name a computer instead of a number, and says which name is known to nobody', async () => {
    const mum = await house.hub('Mum');
    const resolver = {
      resolve: (host: string) => Promise.resolve(host === 'mum.example' ? ['127.0.0.1'] : []),
    };
    const dad = await house.hub('Dad', { resolver });
    const inviteAt = (host: string): string =>
      mum.pairing.invite([{ host, port: mum.port }], PERSON).link;
    dad.pairing.join(inviteAt('nobody.example'), null, PERSON);
    await ends(dad, 'failed');
    expect(dad.currentPairing?.failure).toContain('No computer is known as "nobody.example".');
    dad.pairing.join(inviteAt('mum.example'), null, PERSON);
    await ends(dad, 'paired');
  });

  it('is bounded in number, needs an address, and is not made while pairing is locked', async () => {
    const mum = await house.hub('Mum');
    expect(() => mum.pairing.invite([], PERSON)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        message: expect.stringContaining('lead nowhere'),
      }),
    );
    for (let count = 0; count < INVITATIONS_MAX; count++) invite(mum);
    expect(() => invite(mum)).toThrow('Revoke one first');
  });
});

describe('the link of an invitation', () => {
  it.each([
    ['cut short', (link: string) => link.slice(0, -30)],
    ['without its secret', (link: string) => link.replace(/s=[^&]*/, '')],
    ['with a shorter secret', (link: string) => link.replace(/s=[^&]*/, 's=AAAA')],
    ['with a second key', (link: string) => `${link}&k=${toBase64Url(randomBytes(32))}`],
    [
      'with another scheme',
      (link: string) => link.replace('axon://pair', 'https://evil.example/pair'),
    ],
    ['with an address that is none', (link: string) => link.replace(/a=[^&]*/, 'a=evil example')],
    ['with more addresses than three', (link: string) => `${link}${'&a=10.0.0.1:7100'.repeat(3)}`],
    ['of another version', (link: string) => link.replace('v=1', 'v=2')],
    ['that is endless', (link: string) => link + 'n'.repeat(2_000)],
  ])(
    '%s is refused before anybody is called, and never repeated in the error',
    async (_what, alter) => {
      const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
      const { link } = invite(mum);
      const altered = alter(link);
      let said = '';
      try {
        dad.pairing.join(altered, null, PERSON);
      } catch (error) {
        if (error instanceof Error) said = error.message;
      }
      expect(said).not.toBe('');
      expect(said).not.toContain(toBase64Url(secretOf(link)));
      expect(dad.pairing.list()).toEqual([]);
    },
  );

  it('says who waits where, and its name is outside text', async () => {
    const mum = await house.hub('Mum & Co\u202e');
    const read = readInvitationLink(` ${invite(mum).link}\n`);
    expect(read).toMatchObject({
      keyHex: mum.key,
      name: 'Mum & Co\u202e',
      addresses: [{ host: '127.0.0.1', port: mum.port }],
    });
    expect(() => mum.pairing.join(invite(mum).link, null, PERSON)).toThrow('this very hub');
  });

  it('with another key reaches only a hub of that key, which knows nothing of it', async () => {
    const [mum, dad, eve] = [
      await house.hub('Mum'),
      await house.hub('Dad'),
      await house.hub('Eve'),
    ];
    const { link } = invite(mum);
    const evesKey = toBase64Url(keyBytes(eve.key));
    dad.pairing.join(link.replace(/k=[^&]*/, `k=${evesKey}`), null, PERSON);
    await ends(dad, 'failed');
    expect(dad.currentPairing?.failure).toContain('different key');
    await dad.pairing.cancel(dad.currentPairing?.id ?? '');
    dad.pairing.join(
      link.replace(/k=[^&]*/, `k=${evesKey}`).replace(/a=[^&]*/, `a=127.0.0.1:${eve.port}`),
      null,
      PERSON,
    );
    await ends(dad, 'failed');
    expect([dad, mum, eve].flatMap(({ store }) => store.read.peers())).toEqual([]);
    expect(mum.pairing.invitations()).toHaveLength(1);
  });

  it('with another secret is refused, and the invitation still holds', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    const { link } = invite(mum);
    dad.pairing.join(link.replace(/s=[^&]*/, `s=${toBase64Url(randomBytes(16))}`), null, PERSON);
    await ends(dad, 'failed');
    expect(mum.pairing.invitations()).toHaveLength(1);
    expect(mum.pairing.list()).toEqual([]);
  });
});

describe('one who has seen an invitation go by', () => {
  /** Offers with the id of the invitation, reveals, and gives what a confirmation is made of. */
  async function upToConfirm(mum: HubStack, by: Attacker, secret: Uint8Array): Promise<Uint8Array> {
    const offer = newOffer(
      { pid: by.pid, key: by.key, meta: by.meta, nonce: by.nonce },
      invitationId(secret),
    );
    expect(await by.step(offer.payload)).toMatchObject({ kind: 'ack' });
    await house.clock.settle();
    const answer = await by.takeAnswer();
    await by.step(revealPayload(by.pid, by.nonce));
    return transcript({
      pid: by.pid,
      keyI: by.key,
      metaI: by.meta,
      keyR: keyBytes(mum.key),
      metaR: answer.meta,
      commit: offer.commit,
      nonceR: answer.nonce,
      nonceI: by.nonce,
    });
  }
  async function attacker(target: HubStack): Promise<Attacker> {
    const made = await new Attacker(
      await new RawHub(house.network.create()).start(),
      target,
      house.clock,
    ).connect();
    house.endsWith(() => made.stop());
    return made;
  }

  it('and knows its id but not its secret is refused, for every code it may try, and pairing locks after three', async () => {
    const mum = await house.hub('Mum');
    const codes = [
      (secret: Uint8Array, sealed: Uint8Array) => invitationMac(secret, 'R', sealed),
      (secret: Uint8Array) => invitationMac(secret, 'I', new Uint8Array(32)),
      () => undefined,
    ] as const;
    expect(codes).toHaveLength(FAILURES_MAX);
    const unused = invite(mum).link;
    for (const code of codes) {
      const eve = await attacker(mum);
      const secret = secretOf(invite(mum).link);
      const sealed = await upToConfirm(mum, eve, secret);
      const signature = sign(confirmMessage('I', sealed), eve.raw.seed);
      const reply = await eve.step(confirmPayload(eve.pid, signature, code(secret, sealed)));
      expect(reply).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
      expect(mum.currentPairing).toMatchObject({ state: 'failed', six: null });
    }
    expect(mum.pairing.window.locked_until).not.toBeNull();
    expect(() => invite(mum)).toThrow('Pairing is closed');
    const dad = await attacker(mum);
    const offer = newOffer(
      { pid: dad.pid, key: dad.key, meta: dad.meta, nonce: dad.nonce },
      invitationId(secretOf(unused)),
    );
    expect(await dad.step(offer.payload)).toMatchObject({
      payload: {
        code: 'rate_limited',
        retryable: true,
        message: expect.stringMatching(/closed for \d+ more minutes/),
      },
    });
    const aunt = await house.hub('Aunt');
    aunt.pairing.join(unused, null, PERSON);
    await ends(aunt, 'failed');
    expect(aunt.currentPairing?.failure).toContain('The invitation is not used up');
    expect(mum.pairing.invitations()).toHaveLength(1);
    expect(mum.store.read.peers()).toEqual([]);
  });

  it('and confirms three times at once is pinned once', async () => {
    const mum = await house.hub('Mum');
    const dad = await attacker(mum);
    const secret = secretOf(invite(mum).link);
    const sealed = await upToConfirm(mum, dad, secret);
    const confirm = confirmPayload(
      dad.pid,
      sign(confirmMessage('I', sealed), dad.raw.seed),
      invitationMac(secret, 'I', sealed),
    );
    const replies = await Promise.all([1, 2, 3].map(() => dad.step(confirm)));
    expect(replies.map((reply) => reply?.kind)).toEqual(['ack', 'ack', 'ack']);
    expect(mum.auditActions()).toEqual(['peer.paired']);
  });

  it.each([
    ['a person here', async (mum: HubStack) => mum.pairing.cancel(mum.currentPairing?.id ?? '')],
    ['that hub itself', async (_mum: HubStack, dad: Attacker) => dad.takesBack()],
  ])(
    'and is being pinned stays paired, and nobody is told otherwise, when %s calls it off while the pin is on its way to the disk',
    async (_who, cancel) => {
      const mum = await house.hub('Mum');
      const dad = await attacker(mum);
      const secret = secretOf(invite(mum).link);
      const sealed = await upToConfirm(mum, dad, secret);
      const { write } = mum.store;
      const pinned = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      vi.spyOn(mum.store, 'write').mockImplementationOnce(async (work) => {
        begun.resolve();
        await pinned.promise;
        return write(work);
      });
      const confirm = confirmPayload(
        dad.pid,
        sign(confirmMessage('I', sealed), dad.raw.seed),
        invitationMac(secret, 'I', sealed),
      );
      const confirmed = dad.step(confirm);
      await begun.promise;
      const cancelled = cancel(mum, dad).then(
        () => 'done',
        (error: unknown) => (error instanceof AppError ? error.code : 'another error'),
      );
      await house.clock.settle();
      pinned.resolve();
      expect(await confirmed).toMatchObject({ kind: 'ack' });
      expect(['done', 'conflict']).toContain(await cancelled);
      expect(mum.store.read.peers().map(({ key, trust }) => [key, trust])).toEqual([
        [dad.raw.key, 'paired'],
      ]);
      expect(mum.currentPairing).toMatchObject({ state: 'paired', failure: null });
    },
  );

  it('cannot replay what the invited hub sent, nor offer again with the same invitation', async () => {
    const mum = await house.hub('Mum');
    const [dad, eve] = [await attacker(mum), await attacker(mum)];
    const secret = secretOf(invite(mum).link);
    const sealed = await upToConfirm(mum, dad, secret);
    const confirm = confirmPayload(
      dad.pid,
      sign(confirmMessage('I', sealed), dad.raw.seed),
      invitationMac(secret, 'I', sealed),
    );
    expect(await eve.step(confirm)).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
    const again = newOffer(
      { pid: eve.pid, key: eve.key, meta: eve.meta, nonce: eve.nonce },
      invitationId(secret),
    );
    expect(await eve.step(again.payload)).toMatchObject({
      kind: 'error',
      payload: { code: 'rejected' },
    });
    expect(await dad.step(confirm)).toMatchObject({ kind: 'ack' });
    expect(await dad.step(confirm)).toMatchObject({ kind: 'ack' });
    expect(mum.store.read.peers().map(({ key }) => key)).toEqual([dad.raw.key]);
  });

  it('and stands between the two with keys of its own gets nobody pinned, even with the secret of the id', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    const secret = secretOf(invite(mum).link);
    const sealed = await upToConfirm(mum, eve, secret);
    // The code of an honest hub, which saw the relay's other face: another key, and so another
    // transcript.
    const elsewhere = transcript({
      pid: eve.pid,
      keyI: new Uint8Array(randomBytes(32)),
      metaI: eve.meta,
      keyR: eve.key,
      metaR: {},
      commit: eve.offer.commit,
      nonceR: eve.nonce,
      nonceI: eve.nonce,
    });
    const relayed = confirmPayload(
      eve.pid,
      sign(confirmMessage('I', sealed), eve.raw.seed),
      invitationMac(secret, 'I', elsewhere),
    );
    expect(await eve.step(relayed)).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
    expect(mum.store.read.peers()).toEqual([]);
  });

  it('is told nothing by a hub that it calls with an id of its own making', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    invite(mum);
    const guess = fromBase64Url('AAAAAAAAAAAAAAAAAAAAAA') ?? new Uint8Array();
    const offer = newOffer({ pid: eve.pid, key: eve.key, meta: eve.meta, nonce: eve.nonce }, guess);
    expect(await eve.step(offer.payload)).toMatchObject({
      kind: 'error',
      payload: { code: 'rejected' },
    });
    expect(mum.pairing.list()).toEqual([]);
    expect(mum.pairing.invitations()).toHaveLength(1);
  });
});
