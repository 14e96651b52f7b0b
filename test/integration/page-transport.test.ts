// A page's line to its hub, run against a real hub: logging in by the address, calling, following
// events through breaks, logging out.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LinkState } from '../../preload/contract/hub-api.ts';
import type { UiEvent } from '../../preload/contract/dto.ts';
import { createHubApi } from '../../preload/api.ts';
import { HttpTransport, takeLoginCode } from '../../preload/http-transport.ts';
import type { PageEnvironment } from '../../preload/http-transport.ts';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
beforeAll(async () => {
  hub = await TestHub.start();
});
afterAll(() => hub.stop());

class Page {
  readonly stored = new Map<string, string>();
  readonly addresses: string[] = [];
  readonly events: UiEvent[] = [];
  readonly links: LinkState['state'][] = [];
  gaps = 0;
  readonly environment: PageEnvironment;

  /** @param timersAtMostMs shortens the waits between tries */
  constructor(
    hash = new URL(hub.node.makeLoginUrl()).hash,
    baseUrl = `http://${hub.host}`,
    timersAtMostMs = Infinity,
  ) {
    this.environment = {
      fetch,
      storage: {
        getItem: (key) => this.stored.get(key) ?? null,
        setItem: (key, value) => void this.stored.set(key, value),
        removeItem: (key) => void this.stored.delete(key),
      },
      location: { hash, pathname: '/', search: '' },
      history: { replaceState: (_data, _unused, url) => void this.addresses.push(String(url)) },
      baseUrl,
      now: () => performance.now(),
      setTimer: (delayMs, run) => {
        const timer = setTimeout(run, Math.min(delayMs, timersAtMostMs));
        return () => clearTimeout(timer);
      },
    };
  }

  readonly handlers = {
    onEvent: (event: UiEvent) => void this.events.push(event),
    onGap: () => void (this.gaps += 1),
    onLink: (link: LinkState) => void this.links.push(link.state),
  };
}

describe('HT-13: the login code of the address', () => {
  test('leaves the address before it is used, and logs in', async () => {
    const page = new Page();
    const api = createHubApi(new HttpTransport(page.environment));
    expect(page.addresses).toEqual(['/']);
    expect(await api.call('hub.whoami', {})).toMatchObject({
      ok: true,
      value: { token: { kind: 'ui' } },
    });
    expect([...page.stored.values()]).toEqual([expect.stringMatching(/^axh_ui_/)]);
  });

  test('that is used up logs nobody in and says why', async () => {
    const { hash } = new URL(hub.node.makeLoginUrl());
    await createHubApi(new HttpTransport(new Page(hash).environment)).call('hub.whoami', {});
    const page = new Page(hash);
    const outcome = await createHubApi(new HttpTransport(page.environment)).call('hub.whoami', {});
    expect(outcome).toMatchObject({
      ok: false,
      problem: { code: 'unauthenticated', detail: expect.stringContaining('90 seconds') },
    });
    expect(page.stored.size).toBe(0);
  });

  test('is taken only where it is one', () => {
    const take = (hash: string): string | null => takeLoginCode(new Page(hash, '').environment);
    expect(take('#c=abc_-9')).toBe('abc_-9');
    for (const hash of ['', '#people', '#c=', '#c=a b', '#c=<script>', `#c=${'x'.repeat(65)}`])
      expect(take(hash), hash).toBeNull();
  });
});

describe('a page', () => {
  test('sends path, query and body as the table says, and gets problems as values', async () => {
    const page = new Page();
    const api = createHubApi(new HttpTransport(page.environment));
    expect(
      await api.call('agents.create', { name: 'bot', domains: ['family.chat'] }),
    ).toMatchObject({ ok: true });
    expect(await api.call('agents.setClass', { name: 'bot', risk_class: 'R1' })).toMatchObject({
      ok: true,
      value: { name: 'bot', risk_class: 'R1' },
    });
    expect(await api.call('tasks.list', { limit: 5 })).toMatchObject({
      ok: true,
      value: { items: [] },
    });
    expect(await api.call('agents.rename', { name: 'nobody', display_name: 'Bot' })).toMatchObject({
      ok: false,
      problem: { code: 'not_found', status: 404 },
    });
  });

  test('stays logged in whatever passphrase is typed on it', async () => {
    const page = new Page();
    const api = createHubApi(new HttpTransport(page.environment));
    expect(await api.call('hub.setPassphrase', { passphrase: 'correct horse' })).toMatchObject({
      ok: true,
    });
    const stop = api.subscribe(hub.node.events.seq, page.handlers);
    await vi.waitFor(() => expect(page.links).toContain('live'));
    const wrong = {
      ok: false,
      problem: { code: 'wrong_passphrase', detail: 'That is not the owner passphrase.' },
    };
    expect(
      await api.call('remote_approval.set', { from: 'R1', hubs: ['mum'], passphrase: 'a guess' }),
    ).toMatchObject(wrong);
    expect(
      await api.call('hub.setPassphrase', { passphrase: 'another one', current: 'a guess' }),
    ).toMatchObject(wrong);
    expect(page.stored.size).toBe(1);
    expect(page.links).not.toContain('logged_out');
    expect(await api.call('hub.whoami', {})).toMatchObject({ ok: true });
    stop();
  });

  test('hears every event once, through a break of the line', async () => {
    const page = new Page();
    let broken = 0;
    const breaking: PageEnvironment = {
      ...page.environment,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).includes('/v1/events') || broken > 0) return response;
        broken += 1;
        // The first stream ends after its first event, as if the line had been cut.
        const reader = response.body?.getReader();
        const cut = new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
            if (value !== undefined) controller.enqueue(value);
            if (done || value !== undefined) controller.close();
          },
        });
        return new Response(cut, { status: response.status });
      },
    };
    const api = createHubApi(new HttpTransport(breaking));
    await api.call('hub.whoami', {});
    const stop = api.subscribe(hub.node.events.seq, page.handlers);
    await vi.waitFor(() => expect(page.links).toContain('live'));
    const publish = (count: number): void => {
      for (let index = 0; index < count; index += 1)
        hub.node.events.publish({ type: 'conversation', id: `event ${index}` });
    };
    publish(3);
    await vi.waitFor(() => expect(page.links).toContain('lost'));
    publish(17);
    await vi.waitFor(() => expect(page.events).toHaveLength(20), 5_000);
    stop();
    expect(page.links.slice(0, 3)).toEqual(['live', 'lost', 'live']);
    expect(page.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, index) => (page.events[0]?.seq ?? 0) + index),
    );
    expect(page.gaps).toBe(0);
  });

  test('is told of a gap, and goes on from the present', async () => {
    const page = new Page();
    const api = createHubApi(new HttpTransport(page.environment));
    await api.call('hub.whoami', {});
    const stop = api.subscribe(1, page.handlers);
    await vi.waitFor(() => expect(page.gaps).toBe(1));
    hub.node.events.publish({ type: 'conversation', id: 'after the gap' });
    await vi.waitFor(() => expect(page.events).toMatchObject([{ id: 'after the gap' }]));
    stop();
  });

  test('is logged out when its session is ended elsewhere, and its token is gone', async () => {
    const page = new Page();
    const api = createHubApi(new HttpTransport(page.environment));
    await api.call('hub.whoami', {});
    const stop = api.subscribe(hub.node.events.seq, page.handlers);
    await vi.waitFor(() => expect(page.links).toContain('live'));
    const [token = ''] = page.stored.values();
    await hub.ask(`/v1/sessions/${token.split('_')[2]}`, {
      method: 'DELETE',
      token: await hub.page(),
    });
    await vi.waitFor(() => expect(page.links.at(-1)).toBe('logged_out'), 5_000);
    expect(await api.call('hub.whoami', {})).toMatchObject({
      ok: false,
      problem: { code: 'unauthenticated' },
    });
    expect(page.stored.size).toBe(0);
    stop();
  });

  test('that cannot reach its hub gets a problem, not an exception, and keeps trying', async () => {
    const gone = new Page('', 'http://127.0.0.1:9', 20);
    gone.stored.set('axon-hub.token', 'axh_ui_something');
    const api = createHubApi(new HttpTransport(gone.environment));
    expect(await api.call('hub.whoami', {})).toMatchObject({
      ok: false,
      problem: { code: 'hub_unreachable' },
    });
    const stop = api.subscribe(1, gone.handlers);
    await vi.waitFor(() =>
      expect(gone.links.filter((state) => state === 'lost').length).toBeGreaterThan(2),
    );
    stop();
    const seen = gone.links.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(gone.links).toHaveLength(seen);
  });
});
