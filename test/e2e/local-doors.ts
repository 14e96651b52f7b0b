// Every door of one hub behind which a request may stand, as the programs and the person beside
// that hub use it: what each of them gives. Reads and takes; decides nothing. What it takes it
// gives back, so that the next door has it, too.
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ApprovalDto, DeliveryDto } from '../../preload/contract/dto.ts';
import { idValue, inflated } from '../fakes/long-text.ts';
import type { HubApi, HubProcess } from '../lan/hub-process.ts';
import { NODE_BINARY } from '../lan/namespaces.ts';
import { nextItem } from './agent-line.ts';
import { wordsOfPayload, type Words } from './nasty-request.ts';

/** What a door gave: the words, or the text alone where it gives no more. */
export type Shown = Words | Pick<Words, 'text'>;
export type Gave = readonly (readonly [door: string, shown: Shown])[];

const LISTEN_PROGRAM = `
const item = require('node:fs').readFileSync(0, 'utf8');
require('node:fs').writeFileSync(process.argv[1], item);
process.stdout.write(require('node:crypto').createHash('sha256').update(JSON.parse(item).untrusted.text, 'utf8').digest('hex'));
`;

export class LocalDoors {
  readonly hub: HubProcess;
  /** The agent that runs what is allowed. */
  readonly agentName: string;
  token: string;

  constructor(hub: HubProcess, agent: { readonly name: string; readonly token: string }) {
    this.hub = hub;
    this.agentName = agent.name;
    this.token = agent.token;
  }

  /** To the person, before anything is decided: over HTTP and at a terminal. */
  async toPerson(id: string): Promise<Gave> {
    const owner = await this.hub.owner();
    const listed = (items: readonly ApprovalDto[]): Words =>
      wordsOfCard(items.find((card) => card.id === id));
    const list: { readonly items: readonly ApprovalDto[] } = JSON.parse(
      await this.#said(['approvals', '--json'], 'owner'),
    );
    return [
      ['GET /v1/approvals/ID', wordsOfCard(await owner.call('approvals.get', { id }))],
      ['GET /v1/approvals', listed((await owner.call('approvals.list', {})).items)],
      ['GET /v1/snapshot', listed((await owner.call('hub.snapshot', {})).approvals)],
      ['axon approvals --json', listed(list.items)],
      [
        'axon approvals show --json',
        wordsOfCard(JSON.parse(await this.#said(['approvals', 'show', id, '--json'], 'owner'))),
      ],
      [
        'axon approvals show',
        wordsBehindMarks(await this.#said(['approvals', 'show', id], 'owner')),
      ],
    ];
  }

  /** To the agent that is to do it, which holds it afterwards. */
  async toAgent(
    taskId: string,
  ): Promise<{ readonly gave: Gave; readonly items: readonly DeliveryDto[] }> {
    const claimed = await this.giveBack(await nextItem(this.#agent, 'delegate'));
    const printed: { readonly items: readonly DeliveryDto[] } = JSON.parse(
      await this.#said(['inbox', '--wait', '20', '--json'], 'agent'),
    );
    const [item] = printed.items;
    if (item === undefined) throw new Error('nothing waits for axon inbox');
    await this.giveBack(item);
    const streamed = await this.#streamed();
    const gave = [
      ['POST /v1/inbox/claim', wordsOfItem(claimed)],
      ['axon inbox --json', wordsOfItem(item)],
      ['GET /v1/inbox/stream', wordsOfItem(streamed)],
      ...(await this.ofTask(taskId)),
    ] as const;
    return { gave, items: [claimed, item, streamed] };
  }

  /**
   * What the agent holds, once more: its stream broke off before it had read it. It is given back,
   * taken as a terminal shows it, given back.
   */
  async toAgentAgain(): Promise<{ readonly repeated: DeliveryDto; readonly gave: Gave }> {
    const repeated = await this.giveBack(await this.#streamed({ 'last-event-id': '0' }));
    const lines = (await this.#said(['inbox', '--wait', '20'], 'agent')).split('\n');
    await this.#agent.call('inbox.nack', { delivery: repeated.delivery_id });
    const end = lines.findLastIndex((line) => line.startsWith('  Answer by: '));
    return {
      repeated,
      gave: [
        ['GET /v1/inbox/stream with Last-Event-ID', wordsOfItem(repeated)],
        ['axon inbox', { text: unmarked(lines.slice(1, end)) }],
      ],
    };
  }

  /** Where tasks and conversations are looked at. */
  async ofTask(taskId: string): Promise<Gave> {
    const agent = this.#agent;
    const task = await agent.call('tasks.get', { id: taskId });
    const listed = (await agent.call('tasks.list', { limit: 200 })).items.find(
      ({ id }) => id === taskId,
    );
    const { entries, tasks } = await agent.call('conversations.get', {
      id: task.conversation_id ?? '',
    });
    const printed: { readonly text: string } = JSON.parse(
      await this.#said(['tasks', taskId, '--json'], 'agent'),
    );
    const [, ...lines] = (await this.#said(['tasks', taskId], 'agent')).split('\n');
    return [
      ['GET /v1/tasks/ID', { text: task.text }],
      ['GET /v1/tasks', { text: listed?.text ?? '' }],
      ['GET /v1/conversations/ID, tasks', { text: tasks[0]?.text ?? '' }],
      [
        'GET /v1/conversations/ID, messages',
        { text: entries.find(({ kind }) => kind === 'delegate')?.text ?? '' },
      ],
      ['axon tasks ID --json', { text: printed.text }],
      ['axon tasks ID', { text: unmarked(lines.filter((line) => /^ {2}[|:] /.test(line))) }],
    ];
  }

  /**
   * Has `axon listen` run it: what stood on the program's standard input. Its outcome is the
   * SHA-256 of the text it read.
   */
  async listen(): Promise<DeliveryDto> {
    const file = join(this.hub.home, 'listened.json');
    rmSync(file, { force: true });
    await this.#said(['listen', '--once', '--', NODE_BINARY, '-e', LISTEN_PROGRAM, file], 'agent');
    return JSON.parse(await readFile(file, 'utf8'));
  }

  /**
   * What is stored: the words that were shown, their digest, and the inbox item as it stands in the
   * database.
   */
  stored(id: string): {
    readonly view: string;
    readonly digest: string;
    readonly delivery: string | null;
  } {
    const database = new Database(join(this.hub.home, 'hub.db'), { readonly: true });
    try {
      const row = database
        .prepare(
          `SELECT view, digest, (SELECT body FROM deliveries WHERE deliveries.task_id = approvals.task_id AND kind = 'delegate') AS delivery
           FROM approvals WHERE id = ?`,
        )
        .get(idValue(id)) as { view: unknown; digest: Uint8Array; delivery: unknown };
      return {
        view: inflated(row.view),
        digest: Buffer.from(row.digest).toString('hex'),
        delivery: row.delivery === null ? null : inflated(row.delivery),
      };
    } finally {
      database.close();
    }
  }

  get #agent(): HubApi {
    return this.hub.api.withToken(this.token);
  }

  /** A new token ends the stream of the one before at once: it takes nothing more. */
  async #streamed(headers: Readonly<Record<string, string>> = {}): Promise<DeliveryDto> {
    const owner = await this.hub.owner();
    const stream = await this.#agent.follow('/v1/inbox/stream', headers);
    const { data } = await stream.next(({ event }) => event === 'delivery', 'the item came');
    this.token = (await owner.call('agents.issueToken', { name: this.agentName })).token;
    await stream.ended;
    return data as DeliveryDto;
  }

  /** The very item, so that it can be taken in one line. */
  async giveBack(item: DeliveryDto): Promise<DeliveryDto> {
    await this.#agent.call('inbox.nack', { delivery: item.delivery_id, attempt: item.attempt });
    return item;
  }

  async #said(words: readonly string[], who: 'owner' | 'agent'): Promise<string> {
    const { code, output, transcript } =
      who === 'owner'
        ? await this.hub.axonAsOwner(words)
        : await this.hub.axon(words, { AXON_TOKEN: this.token });
    if (code !== 0)
      throw new Error(`axon ${words.join(' ')} ended with ${String(code)}\n${transcript}`);
    return output;
  }
}

export function wordsOfItem({ untrusted }: DeliveryDto): Words {
  return wordsOfPayload(untrusted.text, untrusted.payload);
}

export function wordsOfCard(card: ApprovalDto | undefined): Words {
  if (card === undefined) throw new Error('there is no such card');
  return { text: card.text, fields: card.fields };
}

/**
 * The words of a card at a terminal: each line behind a bar, names behind an equals sign, and
 * behind a colon where a line goes on.
 */
function wordsBehindMarks(output: string): Words {
  const lines = output.split('\n');
  const start = lines.findIndex((line) => line.startsWith('  | '));
  const end = lines.findIndex((line, index) => index > start && line === '');
  const fieldsAt = lines.indexOf('With it:', end) + 1;
  const fields: (readonly [name: readonly string[], value: readonly string[]])[] = [];
  for (const line of lines.slice(fieldsAt, lines.indexOf('', fieldsAt))) {
    const last = fields.at(-1);
    // Each name has a value: several lines of a name without one are one name.
    if (line.startsWith('  = ') && (last === undefined || last[1].length > 0))
      fields.push([[line], []]);
    else if (last !== undefined && line.startsWith('  | '))
      fields.splice(-1, 1, [last[0], [...last[1], line]]);
    else if (last !== undefined && last[1].length > 0)
      fields.splice(-1, 1, [last[0], [...last[1], line]]);
    else if (last !== undefined) fields.splice(-1, 1, [[...last[0], line], []]);
  }
  return {
    text: unmarked(lines.slice(start, end)),
    fields: fields.map(([name, value]) => [unmarked(name), unmarked(value)]),
  };
}

/** As it was written: a line that goes on is one. */
function unmarked(lines: readonly string[]): string {
  const MARK_LENGTH = '  | '.length;
  return lines
    .map(
      (line, index) =>
        (index === 0 || line.startsWith('  : ') ? '' : '\n') + line.slice(MARK_LENGTH),
    )
    .join('');
}
