// Tokens as the doors use them: on a real store, with a clock the test moves.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import {
  SESSIONS_MAX,
  UI_SESSION_IDLE_MAX_MS,
  UI_SESSION_MAX_MS,
  OWNER_TOKEN_MAX_MS,
} from '../../../../main/services/auth/limits.ts';
import { containsToken, readToken } from '../../../../main/services/auth/token-format.ts';
import { TokenService } from '../../../../main/services/auth/token-service.ts';
import { UnitOfWork } from '../../../../main/services/base/unit-of-work.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { openTemporaryStore, SILENT_LOG } from '../../../fakes/memory-store.ts';
import type { TemporaryStore } from '../../../fakes/memory-store.ts';
import { agentRow } from '../../../fakes/sample-rows.ts';
import { writeInOtherProcess } from '../../../support/other-process.ts';

const BY = { actor: 'test', surface: 'hub' } as const;
let clock: ManualClock;
let store: TemporaryStore;
let tokens: TokenService;

beforeEach(async () => {
  clock = new ManualClock();
  store = openTemporaryStore(clock);
  tokens = new TokenService({ store, clock, random: new SystemRandom() });
  await store.write((tables) =>
    ['bot', 'cat'].forEach((name) => tables.putAgent(agentRow({ name, isDefault: false }))),
  );
});
afterEach(() => store.close());

describe('a token', () => {
  test('has the published form and stands for the agent it was made for', async () => {
    const { token, id } = await tokens.issueForAgent('bot');
    expect(token).toMatch(/^axh_agent_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect(readToken(token)?.id).toBe(id);
    expect(tokens.authenticate(token)).toMatchObject({ kind: 'agent', agent: 'bot', id });
  });

  test('is made for no program that is no agent here, or only asks to be one', async () => {
    await store.write((tables) =>
      tables.putAgent(agentRow({ name: 'asks', state: 'requested', isDefault: false })),
    );
    for (const name of ['stranger', 'asks'])
      await expect(tokens.issueForAgent(name)).rejects.toMatchObject({ code: 'not_found' });
    expect(store.read.tokens()).toEqual([]);
  });

  test('is nowhere in the store: only a hash of its secret is', async () => {
    const { token, id } = await tokens.issueForAgent('bot');
    const secret = readToken(token)?.secret ?? '';
    const row = store.read.token(id);
    expect(row?.secretSha256).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(Buffer.from(row?.secretSha256 ?? []).toString('latin1')).not.toContain(secret);
  });

  test('is refused with another secret, another kind, another id, or one character more', async () => {
    const one = (await tokens.issueForAgent('bot')).token;
    const other = (await tokens.issueForAgent('cat')).token;
    const secretOf = (token: string): string => token.slice(-43);
    expect(tokens.authenticate(one.slice(0, -43) + secretOf(other))).toBeUndefined();
    expect(tokens.authenticate(one.replace('axh_agent_', 'axh_owner_'))).toBeUndefined();
    expect(tokens.authenticate(`axh_agent_0000000000000000_${secretOf(one)}`)).toBeUndefined();
    expect(tokens.authenticate(`${one}A`)).toBeUndefined();
    expect(tokens.authenticate('')).toBeUndefined();
    expect(tokens.authenticate(one)).toBeDefined();
  });

  test('a new one of the same agent ends the one before, and nobody else’s', async () => {
    const [before, other] = [await tokens.issueForAgent('bot'), await tokens.issueForAgent('cat')];
    const { token } = await tokens.renewForAgent('bot', BY);
    expect(tokens.authenticate(before.token)).toBeUndefined();
    expect(tokens.authenticate(other.token)).toBeDefined();
    expect(tokens.authenticate(token)).toBeDefined();
  });

  test('of an agent leaves no row of those that ended before it', async () => {
    await tokens.issueForAgent('cat');
    for (let round = 0; round < 5; round++) await tokens.renewForAgent('bot', BY);
    const kept = store.read.tokens().map(({ agent, revokedAt }) => [agent, revokedAt !== null]);
    expect(kept.toSorted()).toEqual([
      ['bot', false],
      ['bot', true],
      ['cat', false],
    ]);
  });

  test('ends with its revocation, which listeners hear in the same turn', async () => {
    const { token, id } = await tokens.issueForAgent('bot');
    const heard: string[] = [];
    tokens.onRevoked((ended) => heard.push(ended));
    await tokens.revoke(id, BY);
    expect(tokens.authenticate(token)).toBeUndefined();
    expect(heard).toEqual([id]);
    await expect(tokens.revoke(id, BY)).rejects.toMatchObject({ code: 'not_found' });
    expect(store.read.audit({ limit: 5 })[0]).toMatchObject({
      action: 'token.revoked',
      object: id,
    });
  });

  test('stands where its revocation is rolled back, and ends at once where another process stores one', async () => {
    const { token, id } = await tokens.issueForAgent('bot');
    const failed = store.write((tables) => {
      const row = tables.token(id);
      if (row !== undefined) tables.putToken({ ...row, revokedAt: 1 });
      expect(tables.token(id)?.revokedAt).toBe(1);
      throw new RangeError('the work fails');
    });
    await expect(failed).rejects.toThrow(RangeError);
    expect(tokens.authenticate(token)).toMatchObject({ agent: 'bot' });
    writeInOtherProcess(store.folder, 'UPDATE tokens SET revoked_at = 9');
    await new Promise((resolve) => setImmediate(resolve));
    expect(tokens.authenticate(token)).toBeUndefined();
    const { token: next } = await tokens.issueForAgent('cat');
    expect(tokens.authenticate(next)).toMatchObject({ agent: 'cat' });
  });

  test('of a terminal ends itself with its command and leaves no row of that; ended by another it does', async () => {
    const [own, other] = [
      await tokens.issueForOwner('Command line'),
      await tokens.issueForOwner('Command line'),
    ];
    await tokens.revoke(own.id, { actor: `owner:${own.id}`, surface: 'command_line' });
    expect(tokens.authenticate(own.token)).toBeUndefined();
    expect(store.read.audit({ limit: 5 })).toEqual([]);
    await tokens.revoke(other.id, { actor: `owner:${own.id}`, surface: 'command_line' });
    expect(store.read.audit({ limit: 5 })).toMatchObject([
      { action: 'token.revoked', object: other.id },
    ]);
  });

  test('of a removed agent ends with all its others', async () => {
    const first = (await tokens.issueForAgent('bot')).token;
    const second = (await tokens.issueForAgent('bot')).token;
    const foreign = (await tokens.issueForAgent('cat')).token;
    const heard: string[] = [];
    tokens.onRevoked((ended) => heard.push(ended));
    await new UnitOfWork({ store, log: SILENT_LOG }).run((tables, after) => {
      tokens.revokeAllOfAgent(tables, after, 'bot', BY);
      expect(heard, 'not before it is durable').toEqual([]);
    });
    expect(heard).toHaveLength(2);
    expect([first, second, foreign].map((token) => tokens.authenticate(token)?.agent)).toEqual([
      undefined,
      undefined,
      'cat',
    ]);
  });

  test('is found inside other text, and its bare prefix is not', () => {
    const token = `axh_agent_${'0'.repeat(16)}_${'x'.repeat(43)}`;
    expect(containsToken(`{"task":"use ${token}"}`)).toBe(true);
    expect(containsToken('a word like axh_agent_ in a text')).toBe(false);
  });
});

describe('a session', () => {
  test('of a page ends after half an hour without a call, and lives on with calls', async () => {
    const { token } = await tokens.issueForPage('Browser');
    for (let turn = 0; turn < 4; turn += 1) {
      await clock.advance(UI_SESSION_IDLE_MAX_MS - 1);
      expect(tokens.authenticate(token), `turn ${turn}`).toBeDefined();
    }
    await clock.advance(UI_SESSION_IDLE_MAX_MS);
    expect(tokens.authenticate(token)).toBeUndefined();
  });

  test('of a page ends twelve hours after the login, however busy it is', async () => {
    const { token } = await tokens.issueForPage('Browser');
    const step = UI_SESSION_IDLE_MAX_MS / 2;
    for (let passed = step; passed < UI_SESSION_MAX_MS; passed += step) {
      await clock.advance(step);
      expect(tokens.authenticate(token)).toBeDefined();
    }
    await clock.advance(step);
    expect(tokens.authenticate(token)).toBeUndefined();
  });

  test('of an owner at a terminal ends after five minutes', async () => {
    const { token } = await tokens.issueForOwner('Command line');
    await clock.advance(OWNER_TOKEN_MAX_MS - 1);
    expect(tokens.authenticate(token)).toBeDefined();
    await clock.advance(1);
    expect(tokens.authenticate(token)).toBeUndefined();
  });

  test('makes room: the least used one ends when there would be too many, and agents are never touched', async () => {
    const agent = (await tokens.issueForAgent('bot')).token;
    const first = await tokens.issueForPage('first');
    const second = await tokens.issueForPage('second');
    await clock.advance(1_000);
    tokens.authenticate(first.token);
    for (let count = 2; count < SESSIONS_MAX; count += 1)
      await tokens.issueForPage(`session ${count}`);
    const heard: string[] = [];
    tokens.onRevoked((id) => heard.push(id));
    await tokens.issueForPage('one more');
    expect(heard).toEqual([second.id]);
    expect(tokens.authenticate(second.token)).toBeUndefined();
    expect(tokens.authenticate(first.token)).toBeDefined();
    expect(tokens.authenticate(agent)).toBeDefined();
    expect(store.read.tokens().filter((row) => row.kind !== 'agent')).toHaveLength(SESSIONS_MAX);
  });

  test('F-12: is not stretched when the hub starts again with a wall clock that was set back', async () => {
    const { token } = await tokens.issueForOwner('Command line');
    clock.jumpWall(-24 * 60 * 60_000);
    const restarted = new TokenService({ store, clock, random: new SystemRandom() });
    expect(restarted.authenticate(token)).toBeDefined();
    await clock.advance(OWNER_TOKEN_MAX_MS);
    expect(restarted.authenticate(token)).toBeUndefined();
  });

  test('F-12: survives a jump of the wall clock, which is not time that passed', async () => {
    const { token } = await tokens.issueForPage('Browser');
    clock.jumpWall(10 * 365 * 24 * 60 * 60_000);
    expect(tokens.authenticate(token)).toBeDefined();
  });
});
