// One end, one word: what became of each request reads alike for whoever asked and whoever decided,
// on the pages in Chromium, at a terminal, by MCP and in an export.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import type { DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { headlineOf, story } from '../../preload/contract/strings/story.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { freePort } from '../support/free-port.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { doWork, nextItem } from './agent-line.ts';
import { didIt } from './card-reader.ts';
import { HouseholdPage } from './household-pages.ts';
import { online, pairByApi } from './pair-by-api.ts';

const SEEN_WITHIN_MS = 20_000;
const REASON = 'Not before homework';
const { now } = ENGLISH;
const HEADS = {
  completed: story.done.task,
  declined: story.declined,
  expired: story.expired,
  // The asker knows that nobody had begun, and the hub that was asked that nobody had decided.
  cancelled: 'Cancelled: nobody had',
  failed: story.failed,
} as const;
type Ended = keyof typeof HEADS;
const EXPIRED = /Nobody (here decided|decided for .*) in time\. No agent got it\./;

interface Place {
  readonly hub: HubProcess;
  readonly owner: HubApi;
  readonly page: HouseholdPage;
}

describe.skipIf(!hasRealPart('chromium'))('a household of three', () => {
  const computers: ThisComputer[] = [];
  const browsers: Browser[] = [];
  const hubs: HubProcess[] = [];
  let dad: Place;
  let mum: Place;
  let kid: Place;
  let asker: { readonly api: HubApi; readonly token: string };
  let worker: HubApi;

  async function start(name: string, person: string): Promise<Place> {
    const computer = new ThisComputer(name);
    computers.push(computer);
    // Whoever is restarted stays where it was: nobody announces it here.
    const flags = ['--discovery', 'off', '--peer-port', String(await freePort())];
    const hub = await HubProcess.start(computer, { name, flags });
    hubs.push(hub);
    const owner = await hub.owner();
    await owner.call('settings.update', { person });
    const browser = await openBrowser(computer);
    browsers.push(browser);
    const page = new HouseholdPage(
      await browser.newPage({ viewport: { width: 1280, height: 820 } }),
    );
    await page.page.goto(await hub.loginLink());
    await page.shown();
    return { hub, owner, page };
  }

  beforeAll(async () => {
    dad = await start('Dad’s laptop', 'Dad');
    mum = await start('Mum’s PC', 'Mum');
    kid = await start('Leo’s tablet', 'Leo');
    await pairByApi(dad.owner, mum.owner, { asking: 'Dad’s laptop', asked: 'Mum’s PC' });
    await pairByApi(dad.owner, kid.owner, { asking: 'Dad’s laptop', asked: 'Leo’s tablet' });
    const asking = await dad.owner.call('agents.create', { name: 'openclaw', domains: ['travel'] });
    asker = { api: dad.hub.api.withToken(asking.token), token: asking.token };
    const working = await mum.owner.call('agents.create', {
      name: 'claude-code',
      domains: ['family.chat'],
    });
    worker = mum.hub.api.withToken(working.token);
    await kid.owner.call('agents.create', { name: 'homework', domains: ['family.chat'] });
  }, 180_000);

  afterAll(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    await Promise.all(hubs.map((hub) => hub.remove()));
    await Promise.all(computers.map((computer) => computer.close()));
  });

  /** Types the name with a straight apostrophe, as keyboards have it. */
  const ask = async (to: string, task: string, deadlineMs?: number): Promise<string> =>
    (
      await asker.api.call('send.delegate', {
        to: to.replaceAll('’', "'"),
        task,
        domain: 'family.chat',
        ...(deadlineMs === undefined ? {} : { deadline_ms: deadlineMs }),
      })
    ).id;

  async function declineWithReason({ page }: Place, task: string): Promise<void> {
    const card = page.card(task);
    await card.getByRole('button', { name: now.withReason }).click();
    await page.page.getByRole('radio', { name: now.why.own }).check();
    await page.page.getByLabel(now.why.ownLabel).fill(REASON);
    await page.page.getByRole('button', { name: now.why.decline }).click();
  }

  interface Story {
    readonly to: () => Place;
    readonly name: string;
    readonly person: string;
    readonly state: Ended;
    /** What the decision is called; null where nobody decided. */
    readonly decision: 'allowed' | 'declined' | 'expired' | null;
    readonly end: (there: Place, task: string, id: string) => Promise<unknown>;
    readonly deadlineMs?: number;
  }
  const STORIES: readonly Story[] = [
    {
      to: () => mum,
      name: 'Mum’s PC',
      person: 'Mum',
      state: 'completed',
      decision: 'allowed',
      end: async ({ page }, task) => {
        await page.allowByMouse(task);
        await doWork(worker, 'Told them.');
      },
    },
    {
      to: () => mum,
      name: 'Mum’s PC',
      person: 'Mum',
      state: 'declined',
      decision: 'declined',
      end: declineWithReason,
    },
    {
      to: () => kid,
      name: 'Leo’s tablet',
      person: 'Leo',
      state: 'declined',
      decision: 'declined',
      end: declineWithReason,
    },
    {
      to: () => mum,
      name: 'Mum’s PC',
      person: 'Mum',
      state: 'expired',
      decision: 'expired',
      deadlineMs: 4_000,
      end: () => Promise.resolve(),
    },
    {
      to: () => kid,
      name: 'Leo’s tablet',
      person: 'Leo',
      state: 'cancelled',
      decision: null,
      end: (_there, _task, id) => asker.api.call('tasks.cancel', { id, reason: 'Plans changed' }),
    },
  ];

  it.each(STORIES)(
    '$name: a request that ends as $state',
    { timeout: 120_000 },
    async ({ to, name, person, state, decision, end, deadlineMs }) => {
      const there = to();
      onTestFailed(async () => {
        process.stderr.write(
          `Dad: ${await dad.page.told()}\n${name}: ${await there.page.told()}\n`,
        );
      });
      const task = `Tell the family chat: ${state}, ${person}`;
      await there.page.open('now');
      const id = await ask(name, task, deadlineMs);
      await there.page.card(task).waitFor();
      await end(there, task, id);
      await expect
        .poll(async () => (await asker.api.call('tasks.get', { id })).state, { timeout: 20_000 })
        .toBe(state);

      for (const place of [dad, there]) {
        const pane = await place.page.history(task);
        await pane.getByText(task).first().waitFor();
        const row = place.page.page.getByRole('link').filter({ hasText: task }).locator('.state');
        await expect.poll(() => row.textContent()).toContain(HEADS[state]);
        if (decision !== null) {
          const told = decision === 'expired' ? EXPIRED : didIt(person, decision);
          await pane.getByText(told).first().waitFor();
        }
        if (decision === 'declined') await pane.getByText(REASON).first().waitFor();
        const shown = await pane.innerText();
        for (const [other, head] of Object.entries(HEADS)) {
          if (other !== state)
            expect(shown, `${place === dad ? 'Dad' : name} is told of no other end`).not.toContain(
              head,
            );
        }
        expect(await place.page.feed(), 'the feed tells of no request').not.toContain(task);
      }

      const { output } = await dad.hub.axon(['tasks', id], { AXON_TOKEN: asker.token });
      expect(output.split('\n')[0]).toContain(HEADS[state]);
      if (decision === 'allowed' || decision === 'declined')
        expect(output).toContain(`${person} ${decision} it, on ${name}.`);
      if (decision === 'declined') expect(output).toContain(REASON);
      if (decision === 'expired') expect(output).toContain(`Nobody decided for ${name} in time.`);
    },
  );

  /** What a hub says of it on every surface, word for word. */
  interface Says {
    readonly head: string;
    /** null: nobody decided. */
    readonly decided: string | null;
  }
  interface Told {
    readonly title: string;
    readonly to: () => Place;
    readonly agent: string;
    readonly area: string;
    /** Else a task. */
    readonly isQuestion?: true;
    readonly deadlineMs?: number;
    readonly acts: (task: string, id: string) => Promise<unknown>;
    readonly asker: Says;
    readonly there: Says;
    /** What its agent there reads, where it is not the same; null: it is away, and reads nothing. */
    readonly agents?: Says | null;
    /** At the hub of the adult who decided. */
    readonly adult?: Says;
  }
  const tokens = new Map<string, string>();
  const agentAt = ({ hub }: Place, name: string): HubApi =>
    hub.api.withToken(tokens.get(name) ?? '');

  async function join({ hub }: Place, name: string, area: string, risk: 'R1' | 'R2') {
    const owner = await hub.owner();
    const profile = { name, domains: [area], risk_class: risk };
    tokens.set(name, (await owner.call('agents.create', profile)).token);
  }

  async function allowAt({ hub }: Place): Promise<void> {
    const owner = await hub.owner();
    const { id, revision, digest } = await until('a card', SEEN_WITHIN_MS, async () => {
      const { items } = await owner.call('approvals.list', {});
      return items[0];
    });
    await owner.call('approvals.decide', { id, revision, digest, decision: 'allow' });
  }

  async function begin(place: Place, name: string): Promise<DeliveryDto> {
    const item = await nextItem(agentAt(place, name), 'delegate');
    await agentAt(place, name).call('inbox.ack', { delivery: item.delivery_id });
    return item;
  }

  async function taskAt({ hub }: Place, task: string): Promise<TaskDto> {
    const owner = await hub.owner();
    return await until('its task', SEEN_WITHIN_MS, async () => {
      const { items } = await owner.call('tasks.list', { limit: 50 });
      const isAsked = ({ story: { on_behalf_of: of } }: TaskDto) => of?.text.includes(task);
      // A child's hub has it, and what it asks an adult about it; an adult's that alone.
      return items.find((one) => one.text.includes(task) && !isAsked(one)) ?? items.find(isAsked);
    });
  }

  /** A person of that hub stops it. */
  async function stopAt(place: Place, task: string): Promise<void> {
    const { id } = await taskAt(place, task);
    const { code, transcript } = await place.hub.axonAsOwner(['stop', id]);
    expect(code, transcript).not.toBe(2);
  }

  /** Presses Stop at what runs there. */
  async function stopByMouse({ page: household }: Place, task: string): Promise<void> {
    const { stopping } = now;
    await household.open('now');
    const running = household.page.locator('section').filter({ hasText: stopping.title });
    const row = running.getByRole('listitem').filter({ hasText: task });
    const button = row.getByRole('button', { name: stopping.stopSpoken('Dad’s laptop') });
    await button.click();
    await button.waitFor({ state: 'detached' });
  }

  /** Its page, its terminal and its export. */
  async function surfacesSay(place: Place, task: string, { head, decided }: Says): Promise<void> {
    const { conversation_id: conversation, text } = await taskAt(place, task);
    const { page } = place.page;
    await place.page.open('conversations');
    // What a child's hub asks an adult is a conversation of its own with the same words.
    const row = page.locator(`a[href="#/conversations/${conversation}"]`);
    await row.click();
    const pane = page.getByRole('region', { name: ENGLISH.conversations.pane });
    await pane.getByText(text).first().waitFor();
    await expect.poll(() => row.locator('.state').textContent()).toBe(head);
    if (decided !== null) await pane.getByText(decided, { exact: true }).first().waitFor();
    const { output } = await place.hub.axonAsOwner(['history', conversation]);
    const exported = await place.hub.axonAsOwner(['history', 'export', conversation]);
    for (const told of [output, exported.output]) {
      expect(told).toContain(head);
      if (decided !== null) expect(told).toContain(decided);
    }
    for (const other of Object.values(HEADS))
      if (!head.startsWith(other)) expect(await pane.innerText()).not.toContain(other);
  }

  /** An agent of that hub reads it by its command and by MCP. */
  async function agentReads(place: Place, agent: string, task: string, { head, decided }: Says) {
    const { id } = await taskAt(place, task);
    const token = tokens.get(agent) ?? '';
    const { output } = await place.hub.axon(['tasks', id], { AXON_TOKEN: token });
    expect(output.split('\n')[0]).toContain(`  ${head}  `);
    if (decided !== null) expect(output).toContain(decided);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const url = new URL(`http://127.0.0.1:${place.hub.port}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    try {
      const called = await client.callTool({ name: 'axon_task', arguments: { id } });
      const said = called.structuredContent as { untrusted: { came_of_it: string } };
      // Where nobody decided, that is how it ended.
      if (head !== HEADS.expired) expect(said.untrusted.came_of_it).toContain(head);
      if (decided !== null) expect(said.untrusted.came_of_it).toContain(decided);
    } finally {
      await client.close();
    }
  }

  const MUM_ALLOWED = 'Mum allowed it, on Mum’s PC.';
  const TOLD: readonly Told[] = [
    {
      title: 'a rule lets it through',
      to: () => mum,
      agent: 'lists',
      area: 'logistics.grocery',
      acts: async () => {
        const item = await begin(mum, 'lists');
        const { delivery_id: delivery } = item;
        await agentAt(mum, 'lists').call('inbox.reply', { delivery, outcome: 'Milk is on it.' });
      },
      asker: { head: 'Done.', decided: 'A rule of Mum’s PC allowed it.' },
      there: {
        head: 'Done.',
        decided: 'Your rule “Dad’s laptop may give Lists tasks in Logistics grocery” allowed it.',
      },
      // No agent reads what a rule of the household says.
      agents: { head: 'Done.', decided: 'A rule on Mum’s PC allowed it.' },
    },
    {
      title: 'its agent is away',
      to: () => mum,
      agent: 'photos',
      area: 'family.photos',
      acts: () => allowAt(mum),
      asker: { head: 'Mum’s PC has it.', decided: MUM_ALLOWED },
      there: { head: 'Waits for Photos, which is away.', decided: MUM_ALLOWED },
      agents: null,
    },
    {
      title: 'a person there stops it before its agent began',
      to: () => mum,
      agent: 'photos',
      area: 'family.photos',
      acts: async (task) => {
        await allowAt(mum);
        await stopAt(mum, task);
      },
      asker: { head: 'Stopped by Mum on Mum’s PC.', decided: MUM_ALLOWED },
      there: { head: 'Stopped by Mum on Mum’s PC: nothing ran.', decided: MUM_ALLOWED },
    },
    {
      title: 'nobody decides in time',
      to: () => kid,
      agent: 'poems',
      area: 'family.poems',
      deadlineMs: 4_000,
      acts: () => Promise.resolve(),
      asker: {
        head: 'Nobody decided in time.',
        decided: 'Nobody decided for Leo’s tablet in time. No agent got it.',
      },
      there: {
        head: 'Nobody decided in time.',
        decided: 'Nobody here decided in time. No agent got it.',
      },
      agents: null,
    },
    {
      title: 'it is a question, which a person there stops by mouse',
      to: () => mum,
      agent: 'music',
      area: 'home.music',
      isQuestion: true,
      acts: async (task) => {
        await allowAt(mum);
        await nextItem(agentAt(mum, 'music'), 'query');
        await stopByMouse(mum, task);
      },
      asker: {
        head: 'Cancelled by Mum on Mum’s PC: Music on Mum’s PC had it already.',
        decided: MUM_ALLOWED,
      },
      there: {
        head: 'Cancelled by Mum on Mum’s PC: Music had it already.',
        decided: MUM_ALLOWED,
      },
    },
    {
      title: 'its asker stops it while it runs, its hub is restarted, and its agent obeys',
      to: () => mum,
      agent: 'music',
      area: 'home.music',
      acts: async (_task, id) => {
        await allowAt(mum);
        const { delivery_id: delivery } = await begin(mum, 'music');
        await until('word that it runs', SEEN_WITHIN_MS, async () => {
          const { state } = await agentAt(dad, 'planner').call('tasks.get', { id });
          return state === 'running' ? true : undefined;
        });
        await agentAt(dad, 'planner').call('tasks.cancel', { id });
        await restart(mum);
        await agentAt(mum, 'music').call('inbox.reply', { delivery, status: 'cancelled' });
      },
      asker: { head: 'Stopped.', decided: MUM_ALLOWED },
      there: { head: 'Stopped.', decided: MUM_ALLOWED },
    },
    {
      title: 'an adult decides for a child',
      to: () => kid,
      agent: 'robot',
      area: 'home.robot',
      acts: async () => {
        await allowAt(mum);
        const { delivery_id: delivery } = await begin(kid, 'robot');
        await agentAt(kid, 'robot').call('inbox.reply', { delivery, outcome: 'Mown.' });
      },
      asker: { head: 'Done.', decided: 'An adult of Leo’s allowed it.' },
      there: { head: 'Done.', decided: 'Mum allowed it, on Mum’s PC, as Leo’s adult.' },
      adult: {
        head: 'Allowed: Leo’s tablet may do it.',
        decided: 'Mum allowed it, on Mum’s PC, as Leo’s adult.',
      },
    },
  ];

  async function restart({ hub, page }: Place): Promise<void> {
    await hub.kill('SIGKILL');
    await hub.restart();
    await page.page.goto(await hub.loginLink());
    await page.shown();
    // So many logins later, the first one has ended.
    const owner = await dad.hub.owner();
    const { items } = await owner.call('peers.list', { trust: 'paired' });
    const peer = items.find(({ name }) => name === 'Mum’s PC');
    await online(owner, peer?.id ?? '', 60_000);
  }

  describe('with a rule, an agent that is away, a stop, a restart and an adult', () => {
    beforeAll(async () => {
      await join(dad, 'planner', 'travel', 'R2');
      await join(mum, 'lists', 'logistics.grocery', 'R1');
      await join(mum, 'photos', 'family.photos', 'R2');
      await join(mum, 'music', 'home.music', 'R2');
      await join(kid, 'poems', 'family.poems', 'R1');
      await join(kid, 'robot', 'home.robot', 'R2');
      const scope = { agent: 'lists', domain: 'logistics.grocery', kind: 'delegate' } as const;
      await mum.owner.call('rules.create', { effect: 'allow', peer: 'Dad’s laptop', ...scope });
      await pairByApi(kid.owner, mum.owner, { asking: 'Leo’s tablet', asked: 'Mum’s PC' });
      const { items } = await kid.owner.call('peers.list', { trust: 'paired' });
      const id = items.find(({ name }) => name === 'Mum’s PC')?.id ?? '';
      await kid.owner.call('peers.update', { id, person: 'Mum', role: 'adult' });
      const passphrase = 'a passphrase for tests only';
      await kid.owner.call('remote_approval.set', { from: 'R2', hubs: [id], passphrase });
    }, 120_000);

    it.each(TOLD)('all say the same where $title', { timeout: 120_000 }, async (told) => {
      const { title, agent, area, isQuestion, deadlineMs, acts } = told;
      const { asker: dads, there, agents = there, adult } = told;
      const place = told.to();
      onTestFailed(async () => {
        process.stderr.write(`${await dad.page.told()}\n${await place.page.told()}\n`);
      });
      const task = `Please, where ${title}`;
      const to = `${place === mum ? "Mum's PC" : "Leo's tablet"}/${agent}`;
      const sent = {
        to,
        domain: area,
        ...(deadlineMs === undefined ? {} : { deadline_ms: deadlineMs }),
      };
      const planner = agentAt(dad, 'planner');
      const answered = isQuestion
        ? planner.call('send.query', { ...sent, question: task }).catch(() => undefined)
        : planner.call('send.delegate', { ...sent, task });
      const { id } = await taskAt(dad, task);
      await acts(task, id);
      await answered;
      for (const [at, says] of [
        [dad, dads],
        [place, there],
      ] as const)
        await until(`${says.head} at both hubs`, SEEN_WITHIN_MS, async () => {
          const { story } = await taskAt(at, task);
          if (headlineOf(story) !== says.head) throw new Error(headlineOf(story));
          return true;
        });
      await surfacesSay(dad, task, dads);
      await agentReads(dad, 'planner', task, dads);
      await surfacesSay(place, task, there);
      if (agents !== null) await agentReads(place, agent, task, agents);
      if (adult !== undefined) await surfacesSay(mum, task, adult);
    });
  });
});
