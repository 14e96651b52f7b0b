// One agent of a household from the line that the Agents page shows to a rule that lets another hub
// ask it, all of it by mouse; then the same agent removed, connected again, and seeing nothing of
// the first. Two real hubs, real Chromium, the built command and its MCP server.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { removedAgentName } from '../../preload/contract/strings/records.ts';
import type { TaskDto } from '../../preload/contract/dto.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { pairByApi } from './pair-by-api.ts';
import { PickerPage } from './picker-page.ts';

const { agents: words, making } = ENGLISH;
const { connect } = words;
const AREA = 'family.chat';
const AREA_NAME = 'Family chat';
const NAME = 'Claude Code';
const FIRST = 'Say that there are gooseberries';
const SECOND = 'Say once more: gooseberries';
const LIMIT_MS = 20_000;
const ends: (() => Promise<unknown> | void)[] = [];

let computer: ThisComputer;
let mum: HubProcess;
let atMum: HubApi;
let atDad: HubApi;
let asking: HubApi;
let page: PickerPage;
let home: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  if (!hasRealPart('chromium')) return;
  home = await mkdtemp(join(tmpdir(), 'axon-again-'));
  ends.push(() => rm(home, { recursive: true, force: true }));
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  env = { HOME: home, PATH: path };
  computer = new ThisComputer('mum');
  ends.push(() => computer.close());
  mum = await HubProcess.start(computer, { name: 'Mum’s PC', flags: ['--discovery', 'off'] });
  ends.push(() => mum.remove());
  const dad = await HubProcess.start(computer, {
    name: 'Dad’s laptop',
    flags: ['--discovery', 'off'],
  });
  ends.push(() => dad.remove());
  atMum = await mum.owner();
  atDad = await dad.owner();
  await pairByApi(atDad, atMum, { asking: 'Dad', asked: 'Mum' });
  const { token } = await atDad.call('agents.create', { name: 'openclaw' });
  asking = dad.api.withToken(token);
  const browser = await openBrowser(computer);
  ends.push(() => browser.close());
  page = await PickerPage.opened(browser, await mum.loginLink());
}, 120_000);
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
}, 60_000);

const delegate = (task: string) =>
  asking.call('send.delegate', { to: 'mum', task, domain: AREA, deadline_ms: 600_000 });

/** Chooses the area and the program by mouse, runs the line that is shown, confirms by mouse. */
async function connected(): Promise<Client> {
  await page.open('agents');
  await page.page
    .getByRole('group', { name: connect.suggested })
    .getByRole('button', { name: AREA_NAME })
    .click();
  const [line = ''] = await page.choose('claude-code');
  expect(line).toContain(`--domain ${AREA}`);
  const program = computer.start('bash', ['-c', `cd "$HOME" && ${line}`], env);
  await page.light(connect.asks);
  await page.confirm(() => program.transcript());
  expect(await program.ended, program.transcript()).toBe(0);
  const { mcpServers } = JSON.parse(await readFile(join(home, '.claude.json'), 'utf8'));
  const { command, args, env: variables } = mcpServers.axon;
  const client = new Client({ name: 'claude-code', version: '1' });
  ends.push(() => client.close());
  await client.connect(new StdioClientTransport({ command, args, env: { ...env, ...variables } }));
  await called(client, 'axon_whoami');
  await page.light(connect.called(NAME));
  return client;
}

/** What a tool gives the model, as text. */
async function called(client: Client, name: string, args: object = {}): Promise<string> {
  return JSON.stringify(await client.callTool({ name, arguments: { ...args } }));
}

const stateOf = async (id: string): Promise<TaskDto['state']> =>
  (await asking.call('tasks.get', { id })).state;

it.skipIf(!hasRealPart('chromium'))(
  'is connected, asked and let in by mouse; and once removed, nothing of it is seen by the next of its name',
  async () => {
    onTestFailed(async () => void process.stderr.write(`${await page.told().catch(String)}\n`));

    const client = await connected();
    const main = page.page.getByRole('main');

    // A request is allowed once, and done by what Claude Code calls.
    const first = await delegate(FIRST);
    await page.open('now');
    await page.allowByMouse(FIRST);
    const taken = await until('Claude Code to be given it', LIMIT_MS, async () => {
      const said = await called(client, 'axon_inbox', { wait_ms: 2_000 });
      return said.includes(FIRST) ? said : undefined;
    });
    const delivery = /"delivery_id\\?":\\?"([0-9a-f-]{36})/.exec(taken)?.[1] ?? '';
    await called(client, 'axon_reply', { delivery, outcome: 'The gooseberries are known' });
    await until('the end of it', LIMIT_MS, async () => (await stateOf(first.id)) === 'completed');

    // The area is made less risky, and a rule is made that allows it.
    await page.open('agents');
    await page.page.getByLabel(words.riskOf(AREA_NAME), { exact: true }).selectOption('R1');
    await page.open('rules');
    await page.page.getByRole('button', { name: making.open, exact: true }).click();
    const form = page.page.getByRole('region', { name: making.title });
    const choose = (label: string, option: string) =>
      form.getByLabel(label, { exact: true }).selectOption({ label: option });
    await form.getByText(making.effects.allow, { exact: true }).click();
    await choose(making.who, 'Dad');
    await choose(making.whom, NAME);
    await choose(making.area, AREA_NAME);
    await form.getByText(`Dad may give ${NAME} tasks in ${AREA_NAME}.`).waitFor();
    await form
      .getByRole('button', { name: making.make, exact: true })
      .and(form.locator(':not([aria-disabled])'))
      .click();
    await form.waitFor({ state: 'detached' });
    const [rule] = (await atMum.call('rules.list', {})).items;
    expect(rule).toMatchObject({ effect: 'allow', peer_name: 'Dad', domain: AREA });
    const second = await delegate(SECOND);
    await until('the rule to let it in', LIMIT_MS, async () =>
      ['queued', 'delivered', 'accepted', 'running'].includes(await stateOf(second.id)),
    );
    expect((await atMum.call('approvals.list', {})).items).toEqual([]);
    // Its tasks, as its own hub knows them.
    const { items: tasks } = await atMum.call('tasks.list', {});
    expect(tasks).toHaveLength(2);
    const search = () => called(client, 'axon_search', { q: 'gooseberries' });
    await until('the search to find it', LIMIT_MS, async () => (await search()).includes(FIRST));

    // Removed by mouse; its program is told nothing any more.
    await page.open('agents');
    const section = main.getByRole('region', { name: NAME, exact: true });
    await section.getByRole('button', { name: words.remove, exact: true }).last().click();
    await section.getByRole('button', { name: words.removeYes, exact: true }).click();
    await section.waitFor({ state: 'detached' });
    expect(await called(client, 'axon_whoami')).toContain('unauthenticated');
    expect(await stateOf(second.id)).not.toBe('running');

    // Connected again in the same way, under the same name.
    const again = await connected();
    const token = (await readFile(join(mum.home, 'tokens', 'claude-code.token'), 'utf8')).trim();
    const byHttp = mum.api.withToken(token);
    expect((await byHttp.call('hub.whoami', {})).token.agent).toBe('claude-code-2');
    const none = JSON.stringify({ items: [], next: null });
    expect(JSON.stringify(await byHttp.call('tasks.list', {}))).toBe(none);
    expect((await byHttp.call('inbox.claim', { max: 10 })).items).toEqual([]);
    expect((await byHttp.call('conversations.list', {})).items).toEqual([]);
    expect((await byHttp.call('history.search', { q: 'gooseberries' })).items).toEqual([]);
    for (const { id, conversation_id: conversation } of tasks) {
      await expect(byHttp.call('tasks.get', { id })).rejects.toThrow('not_found');
      await expect(byHttp.call('conversations.get', { id: conversation })).rejects.toThrow(
        'not_found',
      );
      expect(await called(again, 'axon_task', { id })).toContain('not_found');
      expect(await called(again, 'axon_history', { id: conversation })).toContain('not_found');
    }
    for (const [tool, args] of [
      ['axon_inbox', {}],
      ['axon_search', { q: 'gooseberries' }],
      ['axon_conversations', {}],
    ] as const)
      expect(await called(again, tool, args), tool).not.toContain('ooseberries');

    // No rule is left that lets anything in, and the area is as for any new agent.
    expect((await atMum.call('rules.list', {})).items).toEqual([]);
    await expect(
      page.page.getByLabel(words.riskOf(AREA_NAME), { exact: true }).inputValue(),
    ).resolves.toBe('same');
    const third = await delegate('May it still?');
    await page.open('now');
    await page.card('May it still?').waitFor();
    expect(await stateOf(third.id)).toBe('awaiting_approval');

    // What the first one did is told of the first one.
    const history = await page.history(FIRST);
    await history
      .getByText(removedAgentName(NAME, Date.now(), Date.now()))
      .first()
      .waitFor();
  },
  120_000,
);
