// Two whole hubs between which work is asked for, cancelled and stopped at every door, and all that
// tells how it stands: the pages, the terminal, agents' tools and exports, at both.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { taskLines } from '../../main/cli/commands/tasks.ts';
import { readableHandle } from '../../preload/contract/agent-name.ts';
import type {
  ConversationDetailDto,
  ConversationEntryDto,
} from '../../preload/contract/conversation-dto.ts';
import type { ApprovalDto, UiSnapshot, TaskDto } from '../../preload/contract/dto.ts';
import type { StoryDto } from '../../preload/contract/story.ts';
import { headlineOf, wholeOf } from '../../preload/contract/strings/story.ts';
import type { JsonObject } from '../../main/lib/json-object.ts';
import { pairHubs } from './paired-hubs.ts';
import { choosePassphrase } from './programs.ts';
import { atDoor, WITHIN_MS } from './raw-peer.ts';
import { TestHub } from './test-hub.ts';
import { until } from './until.ts';
import { DoorAgent, sentencesOf, type Asked, type DoorName } from './work-doors.ts';

/** Stands for the agent that has the task, as each hub names it. */
export const AGENT = 'AGENT';
export const ASKER = 'ASKER';
const HOUR_MS = 3_600_000;

/** What the asker reads, and what the asked hub does. */
export type Told = readonly [asker: string, asked: string];

/** At Dad's the agent that asks, at Mum's the one that does it. */
export interface Pair {
  readonly asker: DoorAgent;
  readonly doer: DoorAgent;
}
export interface Open extends Pair {
  readonly asked: Asked;
  /** Its id at Mum's. */
  readonly there: string;
}

export class StopHouse {
  readonly dad: TestHub;
  readonly mum: TestHub;
  readonly passphraseFile: string;
  readonly #pages: ReadonlyMap<TestHub, string>;

  private constructor(
    [dad, mum]: readonly [TestHub, TestHub],
    pages: ReadonlyMap<TestHub, string>,
    passphraseFile: string,
  ) {
    this.dad = dad;
    this.mum = mum;
    this.#pages = pages;
    this.passphraseFile = passphraseFile;
  }

  static async open(): Promise<StopHouse> {
    const start = () => TestHub.start({ peerRateFactor: 1_000, requestsPerSecond: 10_000 });
    const hubs = [await start(), await start()] as const;
    const [dad, mum] = hubs;
    await pairHubs(dad, mum, ['Mum', 'Dad']);
    const pages = new Map([
      [dad, await dad.page()],
      [mum, await mum.page()],
    ]);
    const house = new StopHouse(hubs, pages, await choosePassphrase(mum.home));
    await house.asPerson(dad, '/v1/settings', { person: 'Ben' }, 'PATCH');
    await house.asPerson(mum, '/v1/settings', { person: 'Nadia' }, 'PATCH');
    return house;
  }

  async close(): Promise<void> {
    await this.dad.stop();
    await this.mum.stop();
  }

  asPerson(hub: TestHub, path: string, body?: object, method?: string): Promise<JsonObject> {
    return atDoor(hub, this.#page(hub), path, body, method);
  }

  #page(hub: TestHub): string {
    return this.#pages.get(hub) ?? '';
  }

  /** @param does the door of the one that does it, where that is another */
  async pairAt(asks: DoorName, suffix = '', does = asks): Promise<Pair> {
    const doer = await DoorAgent.join(this.mum, does, `does-${does}${suffix}`);
    const asker = await DoorAgent.join(this.dad, asks, `asks-${asks}${suffix}`);
    await until('what Mum offers', WITHIN_MS, async () => {
      const to = `Mum/${doer.name}`;
      return (await asker.http('/v1/route', { to }))['chosen'];
    });
    return { asker, doer };
  }

  /** Makes room, since a hub keeps 64. */
  async removeAgents(): Promise<void> {
    for (const hub of [this.dad, this.mum]) {
      const { items } = await this.asPerson(hub, '/v1/agents');
      for (const { name } of items as readonly { readonly name: string }[])
        await this.asPerson(hub, `/v1/agents/${name}`, undefined, 'DELETE');
    }
  }

  /** What waits at Mum's for her word on this agent. */
  card({ name }: DoorAgent): Promise<ApprovalDto> {
    return until('its card', WITHIN_MS, () =>
      this.mum.node.services.work.approvals.pending().find(({ text }) => text.endsWith(name)),
    );
  }

  allow({ id, revision, digest }: ApprovalDto): Promise<JsonObject> {
    const decided = { revision, digest, decision: 'allow' };
    return this.asPerson(this.mum, `/v1/approvals/${id}/decide`, decided);
  }

  hold({ id }: ApprovalDto): Promise<JsonObject> {
    return this.asPerson(this.mum, `/v1/approvals/${id}/hold`, { until: Date.now() + HOUR_MS });
  }

  async task(hub: TestHub, id: string): Promise<TaskDto> {
    return (await this.asPerson(hub, `/v1/tasks/${id}`)) as unknown as TaskDto;
  }

  /** Both hubs come to read this, wherever they read of it. */
  async bothTell(open: Open, told: Told, what: string): Promise<void> {
    const { dad, mum } = this;
    const at = [
      [dad, open.asked.id],
      [mum, open.there],
    ] as const;
    let now: readonly string[] = [];
    await until(what, WITHIN_MS, async () => {
      const tasks = await Promise.all(at.map(([hub, id]) => this.task(hub, id)));
      now = tasks.map(({ story }) => inRow(sentencesOf(story), open));
      return isDeepStrictEqual(now, told) ? true : undefined;
    }).catch(() => expect(now, `${open.asker.door}, ${what}`).toEqual(told));
    for (const [hub, id] of at) await this.#everywhere(hub, id, open, what);
  }

  /** The same, and whoever asked reads it through its own door. */
  async bothRead(open: Open, told: Told, what: string): Promise<void> {
    await this.bothTell(open, told, what);
    const { asker, asked } = open;
    expect(inRow(await asker.reads(asked), open), `${asker.door}, ${what}`).toBe(told[0]);
  }

  /** Its thread, the terminal, an export, and the card at the hub that was asked say one thing. */
  async #everywhere(hub: TestHub, id: string, open: Open, what: string): Promise<void> {
    const { asker, doer } = open;
    const task = await this.task(hub, id);
    const { story, message_id: message, conversation_id: conversation = '' } = task;
    const path = `/v1/conversations/${conversation ?? ''}`;
    const thread = (await this.asPerson(hub, path)) as unknown as ConversationDetailDto;
    const [lines, sheet] = [
      await this.#saved(hub, path, 'jsonl'),
      await this.#saved(hub, path, 'csv'),
    ];
    const records = lines
      .trim()
      .split('\n')
      .map((line): ConversationEntryDto => JSON.parse(line));
    const now = (await this.asPerson(hub, '/v1/snapshot')) as unknown as UiSnapshot;
    const told = [
      ...thread.tasks.filter((one) => one.id === id),
      // Each is a conversation of its own.
      ...thread.entries,
      ...records,
      ...now.approvals.filter(({ task_id: of }) => of === id),
      ...now.recently_decided.filter(({ task_id: of }) => of === id),
    ].flatMap(({ story: of }) => of ?? []);
    const which = `${asker.door} to ${doer.name}, ${what}`;
    expect(told.length, which).toBeGreaterThan(2);
    const say = (of: StoryDto): string => inRow(wholeOf(of), open);
    expect([...new Set(told.map(say))], which).toEqual([say(story)]);
    const headline = headlineOf(story);
    const row = sheet.split('\r\n').find((line) => line.includes(message));
    expect(row, which).toContain(headline);
    expect(taskLines(task)[0], which).toContain(`  ${headline}  `);
  }

  async #saved(hub: TestHub, path: string, format: 'jsonl' | 'csv'): Promise<string> {
    const { text } = await this.asPerson(hub, `${path}/export?format=${format}`);
    return String(text);
  }
}

/**
 * With the agent named as people read it; whether it is away by now, and when the stop was asked
 * for, are matters of time.
 */
export function inRow(said: string, { asker, doer }: Pair): string {
  return said
    .replaceAll(readableHandle(doer.name), AGENT)
    .replaceAll(readableHandle(asker.name), ASKER)
    .replace(', which is away', '')
    .replace(/ The stop was asked for, [^.]*\./, '');
}
