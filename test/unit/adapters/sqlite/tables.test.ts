// Every table of the port: what goes in comes out, and what the port promises about order,
// uniqueness and guards.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  StoreConflict,
  type DeliveryRow,
  type Tables,
  type TaskFilter,
} from '../../../../main/ports/store.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import {
  agentRow,
  approvalRow,
  AT,
  auditRow,
  deliveryRow,
  feedRow,
  keyOf,
  messageRow,
  muteRow,
  outboxRow,
  peerRow,
  registrationRow,
  replayRow,
  ruleRow,
  secretOf,
  taskRow,
  tokenRow,
} from '../../../fakes/sample-rows.ts';
import { verifyAudit } from '../../../support/verify-audit.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = openTemporaryStore();
});
afterEach(() => store.close());

const write = <T>(work: (tables: Tables) => T): Promise<T> => store.write(work);

describe('meta, peers, agents, registrations and tokens', () => {
  test('a meta value is replaced by its name and absent before', async () => {
    expect(store.read.getMeta('vault_kind')).toBeUndefined();
    await write((tables) => tables.setMeta('vault_kind', 'file'));
    await write((tables) => tables.setMeta('vault_kind', 'keychain'));
    expect(store.read.getMeta('vault_kind')).toBe('keychain');
  });

  test('each database has an id of its own', async () => {
    const other = openTemporaryStore();
    expect(store.read.getMeta('database_id')).toMatch(/^[0-9a-f]{32}$/);
    expect(other.read.getMeta('database_id')).not.toBe(store.read.getMeta('database_id'));
    await other.close();
  });

  test('a peer comes back exactly as it was put, and putting it again replaces it', async () => {
    const mum = peerRow();
    const kid = peerRow({
      key: keyOf('Kid'),
      petname: 'Kid',
      person: null,
      staticHost: 'fd00::2',
      staticPort: 7101,
      pairedAt: AT + 1,
    });
    await write((tables) => [tables.putPeer(kid), tables.putPeer(mum)]);
    expect(store.read.peers()).toEqual([mum, kid]);
    const suspended = { ...mum, trust: 'suspended', features: ['🦊 "quoted"', ''] } as const;
    await write((tables) => tables.putPeer(suspended));
    expect(store.read.peer(mum.key)).toEqual(suspended);
    await write((tables) => tables.deletePeer(mum.key));
    expect(store.read.peer(mum.key)).toBeUndefined();
  });

  test('two hubs never share a petname, but a revoked one gives its name free', async () => {
    await write((tables) => tables.putPeer(peerRow()));
    const replacement = peerRow({ key: keyOf('new machine') });
    await expect(write((tables) => tables.putPeer(replacement))).rejects.toBeInstanceOf(
      StoreConflict,
    );
    await write((tables) => tables.putPeer(peerRow({ trust: 'revoked', revokedAt: AT })));
    await write((tables) => tables.putPeer(replacement));
    expect(store.read.peers()).toHaveLength(2);
  });

  test('agents, registrations and tokens come back exactly, secrets as their 32 bytes', async () => {
    await write((tables) => {
      tables.putAgent(agentRow());
      tables.putRegistration(registrationRow());
      tables.putToken(tokenRow());
    });
    expect(store.read.agents()).toEqual([agentRow()]);
    expect(store.read.agent('planner')).toEqual(agentRow());
    expect(store.read.registrations()).toEqual([registrationRow()]);
    expect(store.read.registration('registration-1')).toEqual(registrationRow());
    expect(store.read.tokens()).toEqual([tokenRow()]);
    expect(store.read.token(tokenRow().id)?.secretSha256).toEqual(secretOf('token'));
    await write((tables) => {
      tables.putToken(tokenRow({ revokedAt: AT }));
      tables.deleteAgent('planner');
      tables.deleteRegistration('registration-1');
    });
    expect(store.read.token(tokenRow().id)?.revokedAt).toBe(AT);
    expect([store.read.agents(), store.read.registrations()]).toEqual([[], []]);
    await write((tables) => tables.deleteToken(tokenRow().id));
    expect(store.read.tokens()).toEqual([]);
  });

  test('a mute is there by its party until it is taken away; putting it again replaces it', async () => {
    const kid = muteRow({ party: keyOf('Kid'), since: AT + 1 });
    await write((tables) => [tables.putMute(kid), tables.putMute(muteRow())]);
    expect(store.read.mutes()).toEqual([muteRow(), kid]);
    await write((tables) => [
      tables.deleteMute(kid.party),
      tables.putMute(muteRow({ until: AT + 1 })),
    ]);
    expect([store.read.mute(kid.party), store.read.mute(muteRow().party)]).toEqual([
      undefined,
      muteRow({ until: AT + 1 }),
    ]);
    await expect(write((tables) => tables.putMute(muteRow({ until: AT })))).rejects.toThrow(
      /CHECK/,
    );
  });

  test('text that SQLite would change is refused', async () => {
    await expect(write((tables) => tables.setMeta('lone', 'a\ud800b'))).rejects.toThrow(
      /well-formed/,
    );
    await write((tables) => tables.setMeta('nul', 'a\0b'));
    expect(store.read.getMeta('nul')).toBe('a\0b');
  });
});

describe('tasks', () => {
  test('a task comes back exactly, numbered in order of receipt', async () => {
    const [first, second] = await write((tables) => [
      tables.insertTask(taskRow()),
      tables.insertTask(
        taskRow({ id: 'task-2', urgent: true, reportBack: false, elapsedMs: 12.7 }),
      ),
    ]);
    expect(store.read.task('task-1')).toEqual(first);
    expect(first).toEqual({ ...taskRow(), seq: 1 });
    expect(store.read.task('task-2')).toMatchObject({
      seq: second?.seq,
      urgent: true,
      reportBack: false,
      elapsedMs: 13,
    });
  });

  test('direction, party and message id together are unique; any other direction or party may use the id', async () => {
    await write((tables) => tables.insertTask(taskRow()));
    await expect(
      write((tables) => tables.insertTask(taskRow({ id: 'other', messageId: 'task-1' }))),
    ).rejects.toBeInstanceOf(StoreConflict);
    await expect(
      write((tables) => tables.insertTask(taskRow({ messageId: 'other' }))),
    ).rejects.toBeInstanceOf(StoreConflict);
    await write((tables) => {
      tables.insertTask(taskRow({ id: 'a', messageId: 'task-1', party: keyOf('Kid') }));
      tables.insertTask(taskRow({ id: 'b', messageId: 'task-1', direction: 'outgoing' }));
    });
    expect(store.read.taskByMessage('incoming', keyOf('Mum PC'), 'task-1')?.id).toBe('task-1');
    expect(store.read.taskByMessage('incoming', keyOf('Kid'), 'task-1')?.id).toBe('a');
    expect(store.read.taskByMessage('outgoing', keyOf('Mum PC'), 'task-1')?.id).toBe('b');
    expect(store.read.taskByMessage('local', keyOf('Mum PC'), 'task-1')).toBeUndefined();
  });

  test('an update counts only at the expected revision', async () => {
    await write((tables) => tables.insertTask(taskRow()));
    expect(
      await write((tables) => tables.updateTask('task-1', 1, { state: 'queued', estimatedMs: 5 })),
    ).toBe(true);
    expect(await write((tables) => tables.updateTask('task-1', 1, { state: 'cancelled' }))).toBe(
      false,
    );
    expect(store.read.task('task-1')).toMatchObject({
      state: 'queued',
      revision: 2,
      estimatedMs: 5,
    });
    expect(await write((tables) => tables.updateTask('task-1', 2, {}))).toBe(true);
    expect(store.read.task('task-1')?.revision).toBe(3);
    expect(await write((tables) => tables.updateTask('unknown', 1, { state: 'queued' }))).toBe(
      false,
    );
  });

  test("an agent's tasks are those it sent from here and those it runs here, never those of a peer's agent of that name", async () => {
    await write((tables) => {
      tables.insertTask(taskRow({ id: 'foreign', fromAgent: 'claude', toAgent: 'planner' }));
      tables.insertTask(
        taskRow({ id: 'sent', direction: 'outgoing', fromAgent: 'claude', toAgent: 'planner' }),
      );
      tables.insertTask(
        taskRow({ id: 'run', direction: 'incoming', fromAgent: 'x', toAgent: 'claude' }),
      );
      tables.insertTask(
        taskRow({
          id: 'self',
          direction: 'local',
          party: 'agent:claude',
          fromAgent: 'claude',
          toAgent: 'claude',
        }),
      );
      tables.insertTask(
        taskRow({
          id: 'ours',
          direction: 'local',
          party: 'agent:x',
          fromAgent: 'x',
          toAgent: 'claude',
          conversationId: 'c',
        }),
      );
    });
    const ids = (filter: TaskFilter, limit = 10, beforeSeq?: number): readonly string[] =>
      store.read
        .tasks(beforeSeq === undefined ? { limit } : { limit, beforeSeq }, filter)
        .map((task) => task.id);
    expect(ids({ agent: 'claude' })).toEqual(['ours', 'self', 'run', 'sent']);
    expect(ids({ agent: 'claude' }, 2, 5)).toEqual(['self', 'run']);
    expect(ids({ agent: 'planner' })).toEqual(['foreign']);
    expect(ids({ conversationId: 'c' })).toEqual(['ours']);
    expect(ids({ knownTo: 'claude' })).toEqual(['ours', 'self', 'run', 'sent']);
    expect(ids({ knownTo: 'x', conversationId: 'c' })).toEqual(['ours']);
    expect(ids({ knownTo: 'planner', conversationId: 'c' })).toEqual([]);
    expect(ids({})).toEqual(['ours', 'self', 'run', 'sent', 'foreign']);
  });

  test('an agent knows of those it is to run only what was let in, and of those it sent all', async () => {
    await write((tables) => {
      const local = {
        direction: 'local',
        party: 'agent:x',
        fromAgent: 'x',
        toAgent: 'claude',
        conversationId: 'c',
      } as const;
      tables.insertTask(taskRow({ ...local, id: 'unasked' }));
      for (const state of ['pending', 'approved', 'answered', 'declined'] as const) {
        tables.insertTask(taskRow({ ...local, id: state }));
        const decided = {
          decidedAt: state === 'pending' ? null : AT,
          reason: state === 'answered' ? 'Said' : null,
        };
        tables.insertApproval(approvalRow({ id: `of ${state}`, taskId: state, state, ...decided }));
      }
    });
    const known = (knownTo: string, conversationId?: string): readonly string[] =>
      store.read
        .tasks(
          { limit: 10 },
          { knownTo, ...(conversationId === undefined ? {} : { conversationId }) },
        )
        .map(({ id }) => id);
    expect([known('claude'), known('claude', 'c')]).toEqual([
      ['approved', 'unasked'],
      ['approved', 'unasked'],
    ]);
    expect(known('x', 'c')).toEqual(['declined', 'answered', 'approved', 'pending', 'unasked']);
    expect(known('x')).toEqual(known('x', 'c'));
    expect(store.read.firstTask('c')?.id).toBe('unasked');
    expect(store.read.firstTask('c', 'stranger')).toBeUndefined();
    expect(store.read.decisionOfTask('declined')).toMatchObject({
      state: 'declined',
      decidedAt: AT,
    });
  });

  test('tasks in several states come oldest first', async () => {
    await write((tables) => {
      for (const [index, state] of (
        ['queued', 'running', 'completed', 'queued'] as const
      ).entries()) {
        tables.insertTask(taskRow({ id: `t${index}`, state }));
      }
    });
    expect(
      store.read.tasksInStates(['running', 'queued', 'queued']).map((task) => task.id),
    ).toEqual(['t0', 't1', 't3']);
    expect(store.read.tasksInStates([])).toEqual([]);
  });
});

describe('approvals', () => {
  beforeEach(() => write((tables) => tables.insertTask(taskRow())));
  const decision = {
    state: 'approved',
    decidedAt: AT + 5,
    decidedBy: 'ui:1',
    surface: 'browser',
    reason: null,
  } as const;
  const guard = { revision: 1, digest: keyOf('view') } as const;

  test('a decision counts once, for the shown revision and digest, while it is pending', async () => {
    await write((tables) => tables.insertApproval(approvalRow()));
    const decide = (changed: Partial<{ revision: number; digest: string }>): Promise<boolean> =>
      write((tables) => tables.decideApproval('approval-1', { ...guard, ...changed }, decision));
    expect(await decide({ revision: 2 })).toBe(false);
    expect(await decide({ digest: keyOf('other') })).toBe(false);
    expect(store.read.pendingApprovals()).toEqual([approvalRow()]);
    expect(await decide({})).toBe(true);
    expect(await decide({})).toBe(false);
    expect(store.read.approval('approval-1')).toEqual({ ...approvalRow(), ...decision });
    expect(store.read.pendingApprovals()).toEqual([]);
  });

  test('decided approvals come newest decision first, whatever the order they were asked in', async () => {
    await write((tables) => {
      for (const id of ['a', 'b', 'c', 'd']) tables.insertApproval(approvalRow({ id }));
      for (const id of ['c', 'a', 'd']) tables.decideApproval(id, guard, decision);
      tables.insertRule(ruleRow());
      tables.insertApproval(
        approvalRow({ id: 'by rule', state: 'approved', decidedAt: AT, ruleId: 'rule-1' }),
      );
    });
    expect(store.read.decidedApprovals({ limit: 3 }, 'rules').map(({ id }) => id)).toEqual([
      'by rule',
    ]);
    expect(store.read.decidedApprovals({ limit: 2 }, 'people').map(({ id }) => id)).toEqual([
      'd',
      'a',
    ]);
    const decided = store.read.decidedApprovals({ limit: 3 });
    expect(decided.map(({ id, seq }) => [id, seq])).toEqual([
      ['by rule', 4],
      ['d', 3],
      ['a', 2],
    ]);
    expect(store.read.decidedApprovals({ limit: 3, beforeSeq: 2 }).map(({ id }) => id)).toEqual([
      'c',
    ]);
    expect(store.read.pendingApprovals().map(({ id }) => id)).toEqual(['b']);
    expect(store.read.approvalOfTask('task-1')?.id).toBe('by rule');
  });

  test('an approval without its task is refused', async () => {
    await expect(
      write((tables) => tables.insertApproval(approvalRow({ taskId: 'nobody' }))),
    ).rejects.toThrow(/refused a row/);
  });
});

describe('deliveries', () => {
  const queue = (...rows: readonly Partial<Omit<DeliveryRow, 'seq'>>[]): Promise<unknown> =>
    write((tables) => rows.map((row) => tables.insertDelivery(deliveryRow(row))));
  const claimable = (
    kinds: readonly DeliveryRow['kind'][] | null = null,
    limit = 10,
  ): readonly string[] =>
    store.read.claimable('planner', kinds, limit).map((delivery) => delivery.deliveryId);

  test('urgent items come first, then the order of arrival, and only what is queued for that agent', async () => {
    await queue(
      { deliveryId: 'low', urgency: 0 },
      { deliveryId: 'normal 1' },
      { deliveryId: 'urgent', urgency: 2 },
      { deliveryId: 'normal 2' },
      { deliveryId: 'done', state: 'done' },
      { deliveryId: 'other', agent: 'someone' },
    );
    expect(claimable()).toEqual(['urgent', 'normal 1', 'normal 2', 'low']);
    expect(claimable(null, 2)).toEqual(['urgent', 'normal 1']);
    expect(claimable(['query'])).toEqual([]);
    expect(claimable([])).toEqual([]);
  });

  test('a conversation hands out one item at a time, its first', async () => {
    await queue(
      { deliveryId: 'a1', conversationId: 'a' },
      { deliveryId: 'a2', conversationId: 'a', urgency: 0 },
      { deliveryId: 'b1', conversationId: 'b' },
      { deliveryId: 'b2', conversationId: 'b', urgency: 2 },
      { deliveryId: 'free 1' },
      { deliveryId: 'free 2' },
    );
    expect(claimable()).toEqual(['b2', 'a1', 'free 1', 'free 2']);
    await write((tables) =>
      tables.updateDelivery('a1', 'queued', { state: 'claimed', leaseUntilWallMs: AT + 60_000 }),
    );
    await write((tables) => tables.updateDelivery('b2', 'queued', { state: 'running' }));
    expect(claimable()).toEqual(['free 1', 'free 2']);
    await write((tables) =>
      tables.updateDelivery('a1', 'claimed', { state: 'done', finishedAt: AT }),
    );
    expect(claimable()).toEqual(['free 1', 'free 2', 'a2']);
  });

  test('the same conversation of another agent holds nobody up', async () => {
    await queue(
      { deliveryId: 'theirs', agent: 'other', state: 'running', conversationId: 'a' },
      { deliveryId: 'ours', conversationId: 'a' },
    );
    expect(claimable()).toEqual(['ours']);
  });

  test('a result and a cancel reach the agent while an item of their conversation runs', async () => {
    await queue(
      { deliveryId: 'running', state: 'running', conversationId: 'a' },
      { deliveryId: 'next', conversationId: 'a' },
      { deliveryId: 'result', kind: 'result', conversationId: 'a' },
      { deliveryId: 'cancel', kind: 'cancel', conversationId: 'a', urgency: 2 },
    );
    expect(claimable()).toEqual(['cancel', 'result']);
  });

  test('asking for some kinds takes the first of those kinds in each conversation', async () => {
    await queue(
      { deliveryId: 'd', kind: 'delegate', conversationId: 'a' },
      { deliveryId: 'q', kind: 'query', conversationId: 'a' },
    );
    expect(claimable(['query', 'notify'])).toEqual(['q']);
    expect(claimable(['query', 'delegate'])).toEqual(['d']);
  });

  test('an update counts only in the expected state', async () => {
    await queue({});
    const claim = (): Promise<boolean> =>
      write((tables) =>
        tables.updateDelivery('delivery-1', 'queued', {
          state: 'claimed',
          attempt: 1,
          leaseUntilWallMs: AT + 60_000,
        }),
      );
    expect([await claim(), await claim()]).toEqual([true, false]);
    expect(store.read.delivery('delivery-1')).toEqual({
      ...deliveryRow({ state: 'claimed', attempt: 1, leaseUntilWallMs: AT + 60_000 }),
      seq: 1,
    });
    expect(store.read.expiredLeases(AT + 59_999)).toEqual([]);
    expect(store.read.expiredLeases(AT + 60_000).map(({ deliveryId }) => deliveryId)).toEqual([
      'delivery-1',
    ]);
  });

  test("an agent's deliveries are listed by sequence over several states, and counted", async () => {
    await write((tables) => tables.insertTask(taskRow()));
    await queue(
      { deliveryId: '1', state: 'dead' },
      { deliveryId: '2', taskId: 'task-1' },
      { deliveryId: '3', state: 'done' },
      { deliveryId: '4', kind: 'result', taskId: 'task-1' },
    );
    const listed = store.read.deliveriesOfAgent('planner', ['queued', 'dead'], { limit: 10 });
    expect(listed.map(({ deliveryId }) => deliveryId)).toEqual(['1', '2', '4']);
    expect(
      store.read
        .deliveriesOfAgent('planner', ['queued', 'dead'], { limit: 1, afterSeq: 1 })
        .map(({ seq }) => seq),
    ).toEqual([2]);
    expect(store.read.countDeliveries('planner', ['queued', 'dead'])).toBe(3);
    expect(store.read.countDeliveries('planner', [])).toBe(0);
    expect(store.read.deliveryOfTask('task-1', 'result')?.deliveryId).toBe('4');
    expect(store.read.deliveryOfTask('task-1', 'cancel')).toBeUndefined();
  });
});

describe('messages, feed, outbox, replays and audit', () => {
  test('a finished exchange is one row and two places among what else was said', async () => {
    const answer = {
      messageId: 'yes',
      kind: 'response',
      fromAgent: 'planner',
      at: AT + 5,
    } as const;
    const finished = { state: 'completed', result: '{}', finishedAt: AT + 5 } as const;
    const insert = (): Promise<boolean> =>
      write((tables) =>
        tables.insertTaskOnce(taskRow({ ...finished, conversationId: 'c' }), answer),
      );
    await write((tables) =>
      tables.insertMessage(messageRow({ messageId: 'before', conversationId: 'c' })),
    );
    expect([await insert(), await insert()]).toEqual([true, false]);
    await write((tables) =>
      tables.insertMessage(messageRow({ messageId: 'after', conversationId: 'c' })),
    );
    const said = store.read.messagesAfter('c', 0, 9);
    expect(said.map(({ seq, messageId }) => [seq, messageId])).toEqual([
      [1, 'before'],
      [2, 'task-1'],
      [3, 'yes'],
      [4, 'after'],
    ]);
    expect(said[2]).toMatchObject({
      direction: 'out',
      ref: 'task-1',
      toAgent: 'claude',
      at: AT + 5,
    });
    expect(store.read.conversations({ limit: 9 })).toMatchObject([{ messages: 4, lastSeq: 4 }]);
  });

  test('the record keeps a message as it first came; a replay adds nothing', async () => {
    await write((tables) => tables.insertMessage(messageRow({ conversationId: 'c' })));
    await write((tables) =>
      tables.insertMessage(messageRow({ conversationId: 'c', payload: 'changed' })),
    );
    await write((tables) => tables.insertMessage(messageRow({ direction: 'out' })));
    const [, first, ...others] = store.read.messages({ limit: 10 }, {});
    expect(first).toEqual({ ...messageRow({ conversationId: 'c' }), seq: 1 });
    expect(others).toEqual([]);
    expect(store.read.conversations({ limit: 10 })).toEqual([
      {
        conversationId: 'c',
        party: keyOf('Mum PC'),
        firstAt: AT,
        lastAt: AT,
        lastSeq: 1,
        messages: 1,
      },
    ]);
  });

  test('messages are filtered by conversation, newest first', async () => {
    await write((tables) => {
      for (let index = 0; index < 6; index++) {
        tables.insertMessage(
          messageRow({
            messageId: `m${index}`,
            conversationId: index < 4 ? 'c' : null,
            party: index === 5 ? 'agent:planner' : keyOf('Mum PC'),
          }),
        );
      }
    });
    const ids = (
      filter: Parameters<typeof store.read.messages>[1],
      beforeSeq = 100,
    ): readonly string[] =>
      store.read.messages({ limit: 3, beforeSeq }, filter).map(({ messageId }) => messageId);
    expect(ids({})).toEqual(['m5', 'm4', 'm3']);
    expect(ids({ conversationId: 'c' })).toEqual(['m3', 'm2', 'm1']);
    expect(
      ['agent:planner', 'agent:nobody'].map((party) => store.read.isKnownParty(party)),
    ).toEqual([true, false]);
    expect(ids({ conversationId: 'c' }, 3)).toEqual(['m1', 'm0']);
  });

  test('conversations are listed by their newest message and belong to the hub before an agent of this hub', async () => {
    await write((tables) => {
      tables.insertMessage(
        messageRow({
          messageId: '1',
          conversationId: 'a',
          party: 'agent:planner',
          direction: 'local',
        }),
      );
      tables.insertMessage(
        messageRow({ messageId: '2', conversationId: 'b', party: keyOf('Kid') }),
      );
      tables.insertMessage(
        messageRow({ messageId: '3', conversationId: 'a', party: keyOf('Mum PC'), at: AT + 9 }),
      );
      tables.insertMessage(
        messageRow({ messageId: '4', conversationId: 'a', party: keyOf('Kid'), at: AT + 10 }),
      );
    });
    expect(store.read.conversations({ limit: 10 })).toEqual([
      {
        conversationId: 'a',
        party: keyOf('Mum PC'),
        firstAt: AT,
        lastAt: AT + 10,
        lastSeq: 4,
        messages: 3,
      },
      {
        conversationId: 'b',
        party: keyOf('Kid'),
        firstAt: AT,
        lastAt: AT,
        lastSeq: 2,
        messages: 1,
      },
    ]);
    expect(
      store.read
        .conversations({ limit: 1, beforeSeq: 4 })
        .map(({ conversationId }) => conversationId),
    ).toEqual(['b']);
  });

  test('the feed counts what is unread, one by one and all at once, and keeps the first reading time', async () => {
    const rows = await write((tables) =>
      ['a', 'b', 'c'].map((id) => tables.insertFeed(feedRow({ id }))),
    );
    expect(store.read.feed({ limit: 2 })).toEqual([rows[2], rows[1]]);
    expect(store.read.unreadFeedCount()).toBe(3);
    await write((tables) => tables.markFeedRead(['a', 'unknown'], AT + 1));
    expect(store.read.unreadFeedCount()).toBe(2);
    await write((tables) => tables.markFeedRead('all', AT + 2));
    expect(store.read.feed({ limit: 9 }).map(({ readAt }) => readAt)).toEqual([
      AT + 2,
      AT + 2,
      AT + 1,
    ]);
    expect(store.read.unreadFeedCount()).toBe(0);
  });

  test('the outbox tells what is over by the time the hub has run, and what one peer waits for', async () => {
    await write((tables) => {
      tables.putOutbox(outboxRow({ messageId: 'late', createdAt: AT + 2, expiresAtUptimeMs: 10 }));
      tables.putOutbox(outboxRow({ messageId: 'early', createdAt: AT + 1, expiresAtUptimeMs: 20 }));
      tables.putOutbox(
        outboxRow({ messageId: 'kid', party: keyOf('Kid'), createdAt: AT, expiresAtUptimeMs: 5 }),
      );
      tables.putOutbox(outboxRow({ messageId: 'sent' }));
      tables.putOutbox(outboxRow({ messageId: 'sent', settledAt: AT }));
    });
    const ids = (rows: readonly { readonly messageId: string }[]): readonly string[] =>
      rows.map(({ messageId }) => messageId);
    expect(ids(store.read.outboxOf(keyOf('Mum PC')))).toEqual(['early', 'late']);
    expect(ids(store.read.outboxExpired(10))).toEqual(['kid', 'late']);
    expect(store.read.outboxOf(keyOf('Kid'))).toEqual([
      outboxRow({ messageId: 'kid', party: keyOf('Kid'), createdAt: AT, expiresAtUptimeMs: 5 }),
    ]);
  });

  test('the answer to an id is filled in once and never exchanged', async () => {
    await write((tables) => tables.putReplay(replayRow()));
    await write((tables) => tables.putReplay(replayRow({ reply: '{"kind":"ack"}', at: AT + 1 })));
    await write((tables) => tables.putReplay(replayRow({ reply: '{"kind":"ack"}' })));
    expect(store.read.replay(keyOf('Mum PC'), 'replay-1')).toEqual(
      replayRow({ reply: '{"kind":"ack"}' }),
    );
    await expect(
      write((tables) => tables.putReplay(replayRow({ reply: '{}' }))),
    ).rejects.toBeInstanceOf(StoreConflict);
    await expect(
      write((tables) => tables.putReplay(replayRow({ contentDigest: keyOf('x') }))),
    ).rejects.toBeInstanceOf(StoreConflict);
    expect(store.read.replay(keyOf('Kid'), 'replay-1')).toBeUndefined();
  });

  test('the audit numbers and chains its rows, and a rolled back work leaves no gap', async () => {
    await write((tables) => tables.appendAudit(auditRow({ action: 'first' })));
    await Promise.allSettled([
      write((tables) => {
        tables.appendAudit(auditRow({ action: 'undone' }));
        throw new Error('changed its mind');
      }),
    ]);
    await write((tables) => [
      tables.appendAudit(auditRow({ action: 'second' })),
      tables.appendAudit(auditRow({ action: 'third' })),
    ]);
    expect(store.read.audit({ limit: 2 }).map(({ seq, action }) => [seq, action])).toEqual([
      [3, 'third'],
      [2, 'second'],
    ]);
    expect(verifyAudit(store.read)).toEqual({ rows: 3, brokenSeq: null });
  });
});
