// A conversation as a file: whole in pieces, in each form, and nothing in it acts.
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  CONVERSATION_FORMATS,
  type ConversationFormat,
} from '../../../../preload/contract/closed-lists.ts';
import { EXPORT_MESSAGES } from '../../../../main/services/history/limits.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { messageRow } from '../../../fakes/sample-rows.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const ID = 'c-dinner';
/** Ends a fence, loads a picture, is a formula, and turns the line around. */
const HOSTILE = '=HYPERLINK("x")\n```\n![](https://example.com/seen)\n````\n\u202egnirts';
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs(['work.code']));
  mum.person = 'Mum';
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

async function ask(text: string): Promise<void> {
  await dad.work.sender.delegate(
    delegation('mum', text, { domain: 'family.chat', conversation: { id: ID } }),
    'openclaw',
    null,
  );
  await clock.settle();
}

function exported(hub: WorkHub, format: ConversationFormat): string {
  let text = '';
  for (let cursor: string | null | undefined; cursor !== null;) {
    const piece = hub.work.conversationExport.piece(ID, format, cursor, null);
    text += piece.text;
    cursor = piece.next;
  }
  return text;
}

async function dinner(words: string): Promise<void> {
  await ask(words);
  await mum.decide(mum.card, 'allow');
  const { delivery_id } = await mum.claim('claude');
  await mum.work.inbox.reply('claude', delivery_id, {
    status: 'completed',
    outcome: 'They know',
    data: { told: ['Leo'] },
    truncated: false,
  });
  await clock.settle();
}

it('says who asked whom, what was decided by whom, and what came of it', async () => {
  await dinner('Dinner is at 7');
  const text = exported(dad, 'markdown');
  const heads = [...text.matchAll(/^\*\*.*\*\*$/gm)].map(([line]) =>
    line.replace(/^\*\*[-0-9: ]+ UTC, /, ''),
  );
  expect(heads).toEqual([
    'a task: OpenClaw, dad to mum**',
    'Mum allowed it, on mum.**',
    'the result: mum to OpenClaw, dad**',
  ]);
  expect(text).toContain('```text\nDinner is at 7\n```\n\nDone.\n');
  const csv = exported(dad, 'csv');
  expect(csv).toContain('"Dinner is at 7","Done."');
  expect(csv).toContain('"decision",,,"Mum allowed it, on mum.","Done."');
});

it('says of what was called off that nobody had decided', async () => {
  await ask('Dinner is at 7');
  const [task] = dad.store.read.tasks({ limit: 1 });
  await dad.work.tasks.cancel(task?.id ?? '', { agent: 'openclaw' }, null);
  await clock.settle();
  expect(exported(mum, 'markdown')).toMatch(
    /^\*\*[-0-9: ]+ UTC, .* cancelled it before anybody decided\. No agent got it\.\*\*$/m,
  );
  expect(exported(dad, 'markdown')).toMatch(/^Cancelled: nobody had begun\.$/m);
});

it('holds all that was sent in JSON lines, as it was sent', async () => {
  await dinner(HOSTILE);
  for (const hub of [dad, mum]) {
    const text = exported(hub, 'jsonl');
    expect(text).not.toContain('\u202e');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        kind: 'delegate',
        state: 'completed',
        story: { end: { kind: 'completed', by: 'agent' } },
        payload: { task: HOSTILE },
      },
      { kind: 'decision', state: 'approved', story: { verdict: { outcome: 'allowed' } } },
      { kind: 'result', payload: { outcome: 'They know', data: { told: ['Leo'] } } },
    ]);
  }
});

it('keeps hostile words inside a fence of Markdown and a cell of CSV', async () => {
  await ask(HOSTILE);
  const markdown = exported(mum, 'markdown');
  const shown = HOSTILE.replace('\u202e', '[U+202E]');
  expect(markdown).toContain(`\`\`\`\`\`text\n${shown}\n\`\`\`\`\`\n`);
  const csv = exported(mum, 'csv');
  expect(csv).toMatch(/^\ufeff"time_utc",[^\ufeff]*$/);
  expect(csv).toContain(`"'${shown.replaceAll('"', '""')}"`);
});

it('gives every message once, over all pieces', async () => {
  const words = Array.from({ length: EXPORT_MESSAGES + 7 }, (_, index) => `Notice ${index}`);
  await dad.store.write((tables) => {
    for (const data of words)
      tables.insertMessage(
        messageRow({
          messageId: data,
          kind: 'notify',
          conversationId: ID,
          payload: JSON.stringify({ data }),
        }),
      );
  });
  const lines = exported(dad, 'jsonl').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).payload.data)).toEqual(words);
});

it.each(CONVERSATION_FORMATS)('says in %s, too, that there is no such conversation', (format) => {
  expect(() => dad.work.conversationExport.piece('c-none', format, undefined, null)).toThrow(
    /no such conversation/,
  );
});
