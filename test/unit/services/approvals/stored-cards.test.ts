// A card that an earlier version of the program stored: shown, decided and handed out as it was.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contentDigest } from '../../../../main/protocol/content-digest.ts';
import { approvalRow, taskRow } from '../../../fakes/sample-rows.ts';
import { closeOneHub, openOneHub, type OneHub } from '../../../fakes/two-work-hubs.ts';

/** By the name of the fixture: what was asked, and what the card of version 1 shows of it. */
const STORED = [
  [
    'approval-view-1.txt',
    { task: 'Add salt\u202e and pepper' },
    { text: 'Add salt[U+202E] and pepper', reason: 'Dinner at 7' },
  ],
  [
    'approval-view-1-joiners.txt',
    {
      task: 'می\u200cخواهم نان بخرم\u202e',
      reason: '家族\u3000👨‍👩‍👧',
      context: { 'می\u200cشود': 'کتاب\u200cها', title: '今日\u3000明日' },
    },
    { text: 'می[U+200C]خواهم نان بخرم[U+202E]', reason: '家族[U+3000]👨‍👩‍👧' },
  ],
] as const;

let one: OneHub;
beforeEach(async () => {
  one = await openOneHub();
});
afterEach(() => closeOneHub(one));

it.each(STORED)(
  'keeps a card of version 1 readable while it waits and after its decision, and hands out what was shown (%s)',
  async (fixture, asked, words) => {
    const { hub, clock } = one;
    const [view = '', digest = ''] = readFileSync(`test/fixtures/${fixture}`, 'utf8').split('\n');
    const stored = JSON.parse(view) as {
      message_id: string;
      conversation_id: string;
      payload: object;
    };
    const payload = { ...stored.payload, ...asked };
    const at = clock.wallMs();
    await hub.store.write((tables) => {
      tables.insertTask(
        taskRow({
          direction: 'local',
          party: 'agent:claude',
          messageId: stored.message_id,
          conversationId: stored.conversation_id,
          state: 'awaiting_approval',
          toAgent: 'lists',
          domain: null,
          payload: JSON.stringify(payload),
          contentDigest: contentDigest({ kind: 'delegate', ref: null, payload }),
          receivedAt: at,
          elapsedAt: at,
        }),
      );
      tables.insertApproval(
        approvalRow({ view, digest, riskClass: 'R2', createdAt: at, expiresAt: at + 3_600_000 }),
      );
    });
    const shown = { digest, ...words };
    expect(hub.card).toMatchObject({ ...shown, state: 'pending' });
    await hub.decide(hub.card, 'allow');
    expect(hub.work.approvals.get('approval-1')).toMatchObject({ ...shown, state: 'approved' });
    expect((await hub.claim('lists')).untrusted).toMatchObject({ text: shown.text, digest });
  },
);
