// People & hubs: the picture and the list, adding a hub from both sides, naming, suspending,
// removing.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ShowRequest } from '../../preload/contract/bridge.ts';
import type { PairingDto } from '../../preload/contract/pairing-dto.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import {
  DAD,
  DEPLOY,
  DINNER,
  MUM,
  NOW,
  PEERS,
  SALT,
  STRANGER,
  pairingOf,
  peerOf,
  snapshotOf,
  SETTINGS,
} from '../fakes/household.ts';
import { keyInLink } from '../../renderer/app/share-link.ts';
import { encode } from 'uqr';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the household', () => {
  test('every hub has a door in the picture and a line in the list that say the same', async () => {
    await showApp(new FakeHubApi(snapshotOf()), 'people');
    const picture = page.getByRole('group', { name: /^The household: 5 other hubs, 4 online/ });
    for (const peer of PEERS)
      await expect
        .element(picture.getByRole('link', { name: new RegExp(`^${peer.name}`) }))
        .toBeInTheDocument();
    expect(document.querySelectorAll('.peer-list a.peer')).toHaveLength(PEERS.length);
    await expect.element(page.getByText('off since Thursday').first()).toBeInTheDocument();
    await expectAccessible();
  });

  test('hubs of one home are one house: on its networks, or of the household by your word', async () => {
    const [nana] = PEERS.filter(({ how_found }) => how_found === 'static');
    if (nana === undefined) throw new Error('no hub at an address');
    const houses = async (over: Partial<typeof nana>) => {
      await showApp(new FakeHubApi(snapshotOf({ peers: [{ ...nana, ...over }] })), 'people');
      await expect
        .element(page.getByRole('group', { name: /^The household: 1 other/ }))
        .toBeVisible();
      return document.querySelectorAll('.house path.wall').length;
    };
    expect(await houses({})).toBe(2);
    expect(await houses({ role: null })).toBe(2);
    expect(await houses({ same_network: true })).toBe(1);
    for (const role of ['adult', 'child', 'shared'] as const)
      expect(await houses({ role }), role).toBe(1);
  });

  test('nothing but this computer: one sentence and one thing to do', async () => {
    await showApp(new FakeHubApi(snapshotOf({ peers: [] })), 'people');
    await expect.element(heading('No other hubs yet')).toBeVisible();
    await expect.element(page.getByRole('link', { name: 'Add a hub' })).toBeVisible();
    await expectAccessible();
  });

  test('a hub that is in sight is here now, however long ago it was first heard; another says when it was heard last', async () => {
    const far = {
      ...STRANGER,
      id: 'ed25519.far',
      label: 'Hub 77d0 4e1a',
      how_found: 'static',
    } as const;
    const peers = [
      { ...STRANGER, last_seen_at: NOW - 40 * 60_000 },
      { ...far, last_seen_at: NOW - 20 * 60_000 },
    ];
    await showApp(new FakeHubApi(snapshotOf({ peers })), 'people/add');
    await expect.element(page.getByText('A hub on your network, here now')).toBeVisible();
    await expect
      .element(page.getByText('A hub at an address you gave, seen 20 minutes ago'))
      .toBeVisible();
    await page.getByRole('link', { name: 'All hubs' }).click();
    await expect.element(page.getByText('A hub on your network, here now')).toBeVisible();
  });

  test('a hub nearby is added with one press', async () => {
    const waiting = pairingOf('waiting_for_answer');
    const hub: FakeHubApi = new FakeHubApi(snapshotOf(), {
      'pairings.start': () => {
        hub.emit({ type: 'pairing', pairing: waiting });
        return { ok: true, value: waiting };
      },
    });
    await showApp(hub, 'people');
    await button('Add').click();
    await expect.element(heading('Now go to the other computer')).toBeVisible();
    expect(callsOf(hub, 'pairings.start')).toEqual([{ peer: STRANGER.id }]);
    await expectAccessible();
  });
});

describe('one hub', () => {
  test('a request that an agent would take is shown as its words', async () => {
    await showApp(new FakeHubApi(snapshotOf({ peers: [DAD] })), `people/hub/${DAD.id}`);
    const example = page.getByText('Which train leaves for Basel next?');
    await expect.element(example).toBeVisible();
    expect(example.element().closest('.said')).not.toBeNull();
    await expectAccessible();
  });

  test.each([
    [0, 'It takes no tasks just now.'],
    [null, 'It sets no limit on tasks at once.'],
    [1, 'Up to 1 task at once.'],
  ])('how much it takes at once is said as it is: %s', async (max_concurrent_tasks, sentence) => {
    const { capabilities } = DAD;
    if (capabilities === null) throw new Error('it has told what it can do');
    const peers = [
      {
        ...DAD,
        capabilities: {
          ...capabilities,
          untrusted: { ...capabilities.untrusted, max_concurrent_tasks },
        },
      },
    ];
    await showApp(new FakeHubApi(snapshotOf({ peers })), `people/hub/${DAD.id}`);
    await expect.element(page.getByText(sentence)).toBeVisible();
  });

  test.each([
    ['digits', 'Added on 3 March 2026 with a typed code, in the browser.'],
    [
      'invitation_made_here',
      'Added on 3 March 2026 by an invitation that you made, in the browser.',
    ],
    [
      'invitation_used_here',
      'Added on 3 March 2026 by the other hub’s invitation, which you used in the browser.',
    ],
    [
      'share_token',
      'Added on 3 March 2026 by its axon:// link, whose key you trusted in the browser, without digits.',
    ],
    [
      'key',
      'Added on 3 March 2026 by its address and key, which you trusted in the browser, without digits.',
    ],
  ] as const)(
    'how it came to be paired is one sentence of our own words: %s',
    async (way, sentence) => {
      const at = new Date(2026, 2, 3).getTime();
      const peers = [
        { ...DAD, introduced_by: { way, at, by: 'ui:1', surface: 'browser' } } as const,
      ];
      await showApp(new FakeHubApi(snapshotOf({ peers })), `people/hub/${DAD.id}`);
      await expect.element(page.getByText(`Online, 3 ms. ${sentence}`)).toBeVisible();
      await expectAccessible();
    },
  );

  test('of one that is not paired no pairing is told', async () => {
    await showApp(
      new FakeHubApi(snapshotOf({ peers: [DAD, STRANGER] })),
      `people/hub/${STRANGER.id}`,
    );
    await expect.element(heading(STRANGER.name)).toBeVisible();
    await expect.element(page.getByText(/Added on/)).not.toBeInTheDocument();
  });

  test('it can be renamed', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, `people/hub/${DAD.id}`);
    await button('Name and role').click();
    await page.getByRole('textbox', { name: 'Your name for this hub' }).fill('Dad’s old laptop');
    await button('Save').click();
    await expect.element(heading('Dad’s old laptop')).toBeVisible();
    expect(callsOf(hub, 'peers.update')).toEqual([{ id: DAD.id, name: 'Dad’s old laptop' }]);
    await expectAccessible();
  });

  test('says whose it is and what it is in the household, and that is said there', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, `people/hub/${DAD.id}`);
    await expect.element(page.getByText(/^Dad, adult\. /)).toBeVisible();
    await button('Name and role').click();
    const role = page.getByRole('combobox', { name: 'Role in the household' });
    await expect.element(role).toHaveValue('adult');
    await expect
      .element(role)
      .toHaveAccessibleDescription(/Only an adult’s hub can approve requests for a child/);
    await role.selectOptions('Shared computer');
    await page.getByRole('textbox', { name: 'Person' }).fill('');
    await button('Save').click();
    const { id } = DAD;
    expect(callsOf(hub, 'peers.update')).toEqual([{ id, person: null, role: 'shared' }]);
    await expect.element(page.getByText(/^Shared computer\. /)).toBeVisible();
    await button('Name and role').click();
    await role.selectOptions('Not set');
    await button('Save').click();
    expect(callsOf(hub, 'peers.update').at(-1)).toEqual({ id, role: null });
  });

  test('what was not changed in the open form is not sent, so that what somebody else has said meanwhile stays', async () => {
    const unsaid = { ...DAD, person: null, role: null };
    const hub = new FakeHubApi(snapshotOf({ peers: [unsaid] }));
    await showApp(hub, `people/hub/${DAD.id}`);
    await button('Name and role').click();
    hub.emit({ type: 'peer', peer: DAD });
    await expect.element(page.getByText(/^Dad, adult\. /)).toBeVisible();
    await page.getByRole('textbox', { name: 'Your name for this hub' }).fill('Dad’s old laptop');
    await button('Save').click();
    await expect.element(heading('Dad’s old laptop')).toBeVisible();
    await expect.element(page.getByText(/^Dad, adult\. /)).toBeVisible();
    expect(hub.snapshot.peers[0]).toMatchObject({ person: 'Dad', role: 'adult' });
  });

  test('a form in which nothing was changed closes and says nothing to the hub', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, `people/hub/${DAD.id}`);
    await button('Name and role').click();
    await button('Save').click();
    await expect.element(button('Save')).not.toBeInTheDocument();
    expect(callsOf(hub, 'peers.update')).toEqual([]);
  });

  test('the list says the role beside the person', async () => {
    const peers = PEERS.map((peer) =>
      peer.id === DAD.id ? { ...peer, person: null, role: null } : peer,
    );
    await showApp(new FakeHubApi(snapshotOf({ peers })), 'people');
    await expect.element(page.getByRole('link', { name: /Leo’s tablet Leo, child/ })).toBeVisible();
    await expect
      .element(page.getByRole('link', { name: /Dad’s laptop no person named/ }))
      .toBeVisible();
  });

  test('suspending asks in place first with what ends for good, says what it means, and is taken back in one press', async () => {
    const held = { ...DINNER, held: { why: 'quiet_hours', until: null } } as const;
    const hub = new FakeHubApi(snapshotOf({ approvals: [held, DEPLOY, SALT] }));
    await showApp(hub, `people/hub/${DAD.id}`);
    await button('Suspend').click();
    await expect
      .element(page.getByText(/^2 of its requests wait here\. They end and are not done\./))
      .toBeVisible();
    await expectAccessible();
    await button('Keep it').click();
    expect(callsOf(hub, 'peers.update')).toEqual([]);
    await button('Suspend').click();
    await button('Suspend it').click();
    await expect.element(page.getByText(/^Nothing from it gets in/)).toBeVisible();
    await press(button('Let it back in'));
    expect(callsOf(hub, 'peers.update')).toEqual([
      { id: DAD.id, trust: 'suspended' },
      { id: DAD.id, trust: 'paired' },
    ]);
  });

  test.each(['Suspend', 'Mute'])(
    '%s is not asked again by itself once it was suspended elsewhere and let back in',
    async (what) => {
      const hub = new FakeHubApi(snapshotOf());
      await showApp(hub, `people/hub/${DAD.id}`);
      await button(what).click();
      const question = page.getByRole('group', { name: new RegExp(`^${what} Dad’s laptop`) });
      await expect.element(question).toBeVisible();
      hub.emit({ type: 'peer', peer: { ...DAD, trust: 'suspended' } });
      await expect.element(button('Let it back in')).toBeVisible();
      hub.emit({ type: 'peer', peer: DAD });
      await expect.element(button(what)).toHaveAttribute('aria-expanded', 'false');
      await expect.element(question).not.toBeInTheDocument();
    },
  );

  test('removing asks in place first, because it cannot be taken back', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, `people/hub/${DAD.id}`);
    await button('Remove').click();
    expect(callsOf(hub, 'peers.remove')).toEqual([]);
    await expectAccessible();
    await button('Remove for good').click();
    await expect.element(heading('People & hubs')).toBeVisible();
    expect(callsOf(hub, 'peers.remove')).toEqual([{ id: DAD.id }]);
  });

  test('the safety number is twelve groups of five digits', async () => {
    await showApp(new FakeHubApi(snapshotOf()), `people/hub/${DAD.id}`);
    expect(
      [...document.querySelectorAll('.safety span')].map((group) => group.textContent),
    ).toEqual(DAD.safety_number?.split(' '));
  });

  test('a hub that cannot be checked says why', async () => {
    const mia = PEERS[3];
    const hub = new FakeHubApi(snapshotOf(), {
      'peers.ping': () => ({
        ok: false,
        problem: problemOf('peer_unreachable', 'Mia’s laptop does not answer.'),
      }),
    });
    await showApp(hub, `people/hub/${mia?.id ?? ''}`);
    await button('Check now').click();
    await expect
      .element(page.getByRole('alert').getByText('Mia’s laptop does not answer.'))
      .toBeVisible();
  });
});

describe('a daemon that is trusted by its key', () => {
  const links = ['axon://bXVt@192.168.1.10:7100', 'axon://bXVt@10.8.0.2:7100'];
  const daemon = peerOf('daemon', {
    name: 'Greenhouse',
    profile: 'reference',
    how_found: 'static',
  });
  const shut = {
    ...daemon,
    profile: null,
    online: false,
    not_trusted_there: true,
    trouble: 'Greenhouse does not trust this hub yet.',
  };
  const shown = (peer: typeof daemon, share_tokens: readonly string[] = links) =>
    showApp(
      new FakeHubApi(snapshotOf({ hub: { ...MUM, share_tokens }, peers: [...PEERS, peer] })),
      `people/hub/${peer.id}`,
    );
  const row = () => page.getByRole('listitem').getByRole('link', { name: /^Greenhouse/ });

  test('one that takes the connection and nothing more is said to refuse this hub', async () => {
    await shown({ ...shut, online: true, trouble: null });
    await expect.element(row().getByText('refuses this hub')).toBeVisible();
    const what = page.getByRole('region', { name: 'Greenhouse refuses this hub.' });
    await expect.element(what).toBeVisible();
    await expect.element(page.getByText(/Online/)).not.toBeInTheDocument();
  });

  test('as long as it refuses this hub its row says so, and its page gives the links to hand over', async () => {
    await shown(shut);
    await expect.element(row().getByText('refuses this hub')).toBeVisible();
    const what = page.getByRole('region', { name: 'Greenhouse refuses this hub.' });
    await expect
      .element(what.getByText(/Give one of these links, with an address it can reach/))
      .toBeVisible();
    const copies = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    for (const address of ['192.168.1.10:7100', '10.8.0.2:7100'])
      await button(`Copy: Link to this hub at ${address}`).click();
    expect(copies.mock.calls.flat()).toEqual(links);
    copies.mockRestore();
    await expect.element(what.getByRole('button', { name: 'Check now' })).toBeVisible();
    await expectAccessible();
  });

  test('one link is spoken of as one, and none is not promised', async () => {
    await shown(shut, links.slice(0, 1));
    await expect.element(page.getByText(/Give this link to whoever looks after it/)).toBeVisible();
    await shown(shut, []);
    await expect
      .element(page.getByText(/Our link to give to it is missing just now/))
      .toBeVisible();
    await expect.element(page.getByRole('button', { name: /^Copy: Link/ })).not.toBeInTheDocument();
  });

  test('a hub that shuts this one out may have suspended it only: that is said first, and it is given no link', async () => {
    await shown({ ...shut, profile: 'hub' });
    await expect
      .element(
        page.getByText(
          /^This computer was suspended or removed there; ask the owner of that hub which\./,
        ),
      )
      .toBeVisible();
    await expect.element(page.getByRole('button', { name: /^Copy: Link/ })).not.toBeInTheDocument();
  });

  test('online its row and page say what it runs, and no safety number is asked of it', async () => {
    await shown(daemon);
    await expect.element(row().getByText('AXON daemon, no person named')).toBeVisible();
    await expect
      .element(
        page.getByText(
          /It runs the public AXON daemon instead of AXON Hub, so it shows no digits\./,
        ),
      )
      .toBeVisible();
    await expect.element(heading('Its key')).toBeVisible();
    await expect.element(page.getByText(daemon.public_key, { exact: true })).toBeVisible();
    await expect
      .element(page.getByText(keyInLink(daemon.public_key), { exact: true }))
      .toBeVisible();
    await expect.element(heading('Safety number')).not.toBeInTheDocument();
    await expect.element(page.getByText(/refuses this hub\./)).not.toBeInTheDocument();
    await expectAccessible();
  });
});

describe('adding a hub', () => {
  const showPairing = async (
    pairing: PairingDto,
    answers: ConstructorParameters<typeof FakeHubApi>[1] = {},
  ) => {
    const hub = new FakeHubApi(snapshotOf({ pairings: [pairing] }), answers);
    await showApp(hub, `people/pair/${pairing.id}`);
    return hub;
  };

  test('pairing is open only while the page is', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'people/add');
    await expect.element(page.getByText('5 minutes')).toBeVisible();
    await expectAccessible();
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    await vi.waitFor(() =>
      expect(callsOf(hub, 'pairings.window')).toEqual([{ open: true }, { open: false }]),
    );
  });

  test('a locked page says for how long', async () => {
    const locked = { open: false, closes_at: null, locked_until: NOW + 600_000, asked: null };
    const hub = new FakeHubApi(snapshotOf({ pairing_window: locked }), {
      'pairings.window': () => ({
        ok: false,
        problem: problemOf('rate_limited', 'Adding hubs is closed for a while.'),
      }),
    });
    await showApp(hub, 'people/add');
    await expect
      .element(
        page.getByText('After too many failures, adding hubs is closed for 10 minutes more.'),
      )
      .toBeVisible();
    await expectAccessible();
  });

  test('a hub elsewhere is added by its address and key', async () => {
    const hub: FakeHubApi = new FakeHubApi(snapshotOf(), {
      'peers.add': () => ({ ok: true, value: { ...STRANGER, how_found: 'static' } }),
      'pairings.start': () => {
        hub.emit({ type: 'pairing', pairing: pairingOf('waiting_for_answer') });
        return { ok: true, value: pairingOf('waiting_for_answer') };
      },
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    await page.getByRole('textbox', { name: 'Address or link' }).fill(' 10.0.0.7:7100 ');
    await page.getByRole('textbox', { name: 'Its public key' }).fill('00112233');
    await expectAccessible();
    await button('Add this hub').click();
    await expect.element(heading('Now go to the other computer')).toBeVisible();
    expect(callsOf(hub, 'peers.add')).toEqual([{ address: '10.0.0.7:7100', key: '00112233' }]);
  });

  test('a hub at the door: its own words as quoted text, and buttons that open after 700 ms', async () => {
    const hub = await showPairing(pairingOf('offered'), {
      'pairings.open': () => ({ ok: true, value: pairingOf('exchanging') }),
    });
    await expect.element(page.getByText('Dad MacBook, used by Dad, macOS')).toBeVisible();
    await button('Show the code').click({ force: true });
    expect(callsOf(hub, 'pairings.open')).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expectAccessible();
    await press(button('Show the code'));
    expect(callsOf(hub, 'pairings.open')).toEqual([{ id: 'pairing-1' }]);
  });

  test('the page for adding says under which name others see this computer, and which name each hub nearby has', async () => {
    await showApp(
      new FakeHubApi(snapshotOf({ hub: { ...MUM, label: 'Hub 1111 2222' } })),
      'people/add',
    );
    await expect
      .element(page.getByText('Others see this computer as Hub 1111 2222.'))
      .toBeVisible();
    await expect.element(page.getByText('they also see its name, Mum’s PC.')).toBeVisible();
    await expect.element(page.getByRole('listitem').getByText(STRANGER.label)).toBeVisible();
    await page.getByRole('link', { name: 'All hubs' }).click();
    await expect.element(page.getByText(STRANGER.label)).toBeVisible();
  });

  test('several hubs at the door are told apart by the name on their screens, and each is answered by itself', async () => {
    const one = pairingOf('offered', {
      id: 'one',
      label: 'Hub aaaa 0001',
      address: '192.168.1.20:7100',
    });
    const other = pairingOf('offered', {
      id: 'other',
      label: 'Hub bbbb 0002',
      address: '192.168.1.66:7100',
    });
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ pairings: [one, other] }), {
      'pairings.open': ({ id }) => {
        const opened = pairingOf('exchanging', { id });
        hub.emit({ type: 'pairing', pairing: opened });
        return { ok: true, value: opened };
      },
    });
    await showApp(hub, 'people/add');
    await expect.element(heading('2 hubs want to be added')).toBeVisible();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Hub bbbb 0002' })
      .getByRole('button', { name: 'This one' })
      .click();
    const second = page.getByRole('group', { name: 'Hub bbbb 0002' });
    await expect.element(second.getByText('at 192.168.1.66:7100')).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expectAccessible();
    await press(second.getByRole('button', { name: 'Show the code' }));
    await expect.element(heading('The two hubs are talking')).toBeVisible();
    expect(callsOf(hub, 'pairings.open')).toEqual([{ id: 'other' }]);
  });

  test('RI-07: a hub at the door that moves up is inert again, so that no press meant for another opens it', async () => {
    const one = pairingOf('offered', { id: 'one', label: 'Hub aaaa 0001' });
    const other = pairingOf('offered', { id: 'other', label: 'Hub bbbb 0002' });
    const hub = new FakeHubApi(snapshotOf({ pairings: [one, other] }));
    await showApp(hub, 'people/add');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Hub bbbb 0002' })
      .getByRole('button', { name: 'This one' })
      .click();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    const open = page
      .getByRole('group', { name: 'Hub bbbb 0002' })
      .getByRole('button', { name: 'Show the code' });
    await expect.element(open).not.toHaveAttribute('aria-disabled');
    hub.emit({ type: 'pairing_gone', id: 'one' });
    await expect.element(open).toHaveAttribute('aria-disabled', 'true');
    await open.click({ force: true });
    expect(callsOf(hub, 'pairings.open')).toEqual([]);
  });

  test('a hub that asks while another screen is open is one press away, and several lead to the page that lists them', async () => {
    const hub = new FakeHubApi(snapshotOf({ pairings: [pairingOf('offered')] }));
    await showApp(hub);
    await page.getByRole('link', { name: 'See who asks' }).click();
    await expect.element(heading('A hub wants to be added')).toBeVisible();
    await expect.element(button('Show the code')).toBeVisible();
    expect(callsOf(hub, 'pairings.window')).toEqual([]);
    hub.emit({
      type: 'pairing',
      pairing: pairingOf('offered', { id: 'pairing-2', label: 'Hub bbbb 0002' }),
    });
    await page.getByRole('link', { name: /^Now/ }).click();
    await page.getByRole('link', { name: 'See who they are' }).click();
    await expect.element(heading('2 hubs want to be added')).toBeVisible();
  });

  test('where hubs cannot find each other the page says why and what to do', async () => {
    const status = {
      state: 'unusable' as const,
      message: 'Only a VPN is up. Connect to your home network.',
      interfaces: [],
    };
    const hub = new FakeHubApi(snapshotOf({ hub: { ...MUM, discovery_status: status } }));
    await showApp(hub, 'people');
    const why = page.getByText(/^Only a VPN is up\./);
    await expect.element(why).toBeVisible();
    await expectAccessible();
    hub.emit({ type: 'hub', hub: MUM });
    await expect.element(why).not.toBeInTheDocument();
  });

  test('in a run that was told to find no hubs the page says so, and sends nobody to a setting that does not count', async () => {
    const message =
      'This hub was started with finding hubs off: until it is started without that, it announces nothing and finds nobody.';
    const off = {
      ...MUM,
      discovery: false,
      discovery_status: { state: 'off' as const, message, interfaces: [] },
    };
    const settings = {
      ...SETTINGS,
      discovery: false,
      fixed_at_start: { discovery: '--discovery' },
    };
    await showApp(new FakeHubApi(snapshotOf({ hub: off, settings })), 'people');
    const why = page.getByText(message, { exact: true });
    await expect.element(why).toBeVisible();
    await expect
      .element(page.getByRole('main').getByRole('link', { name: 'Settings' }))
      .not.toBeInTheDocument();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await expect.element(page.getByText(/^This hub was started with --discovery\./)).toBeVisible();
    await expect
      .element(page.getByRole('switch', { name: 'Find hubs automatically' }))
      .toHaveAttribute('aria-disabled', 'true');
    await expectAccessible();
  });

  test('where hubs cannot find each other nobody is told that they show up, and nothing is said twice', async () => {
    const message =
      'This computer is on no network just now, so hubs cannot find each other. Hubs can still be added by address.';
    const discovery_status = { state: 'unusable' as const, message, interfaces: [] };
    const hub = new FakeHubApi(snapshotOf({ peers: [], hub: { ...MUM, discovery_status } }));
    await showApp(hub, 'people');
    await expect.element(heading('No other hubs yet')).toBeVisible();
    await expect.element(page.getByText(/within 5 seconds/)).not.toBeInTheDocument();
    await page.getByRole('link', { name: 'Add a hub' }).click();
    await expect.element(page.getByText(message, { exact: true })).toBeVisible();
    await expect.element(page.getByText(/can’t find each other/)).not.toBeInTheDocument();
    await expect.element(page.getByText(/within 5 seconds/)).not.toBeInTheDocument();
    await expect
      .element(page.getByText('Use an invitation or its address, below.', { exact: false }))
      .toBeVisible();
    await expectAccessible();
    hub.emit({ type: 'hub', hub: MUM });
    await expect.element(page.getByText(/within 5 seconds/)).toBeVisible();
    hub.emit({ type: 'hub', hub: { ...MUM, discovery_status } });
    await page.getByRole('link', { name: 'Now' }).click();
    await expect.element(page.getByText(/do not show up here by themselves/)).toBeVisible();
    await expect.element(page.getByText(/it shows up here by itself/)).not.toBeInTheDocument();
  });

  test('while a hub wants to be added nobody is told that none is in sight', async () => {
    const hub = new FakeHubApi(snapshotOf({ peers: [] }));
    await showApp(hub, 'people/add');
    await expect.element(page.getByText('No hub in sight yet')).toBeVisible();
    hub.emit({ type: 'pairing', pairing: pairingOf('offered', { role: 'responder' }) });
    await expect.element(heading('A hub wants to be added').first()).toBeVisible();
    await expect.element(page.getByText('No hub in sight yet')).not.toBeInTheDocument();
  });

  test('a link holds the key, and what the hub says of a wrong one stands with what to try', async () => {
    const hint = 'Copy it from the other hub.';
    const hub = new FakeHubApi(snapshotOf(), {
      'peers.add': () => ({
        ok: false,
        problem: { ...problemOf('bad_request', 'That is not the key of a hub.'), hint },
      }),
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    const address = page.getByRole('textbox', { name: 'Address or link' });
    await expect.element(address).toHaveFocus();
    await address.fill('axon://c2hvcnQ@10.0.0.7:7100');
    await expect.element(page.getByRole('textbox', { name: /public key/ })).not.toBeInTheDocument();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByText(`That is not the key of a hub. ${hint}`)).toBeVisible();
    expect(callsOf(hub, 'peers.add')).toEqual([{ address: 'axon://c2hvcnQ@10.0.0.7:7100' }]);
    await button('Cancel').click();
    await expect.element(button('Enter')).toHaveFocus();
  });

  test('the key in a link is trusted without digits only by a choice that is never made beforehand, and for this very link', async () => {
    const link = 'axon://VGhpcyBpcyBhIGtleSBvZiBzb21lIGRhZW1vbiEhISE@10.0.0.9:7100';
    const attic = peerOf('daemon', {
      name: 'Greenhouse',
      profile: null,
      online: false,
      not_trusted_there: true,
    });
    const hub = new FakeHubApi(snapshotOf(), { 'peers.add': () => ({ ok: true, value: attic }) });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    const choice = page.getByRole('checkbox', {
      name: /^This is an AXON daemon that cannot pair with a code: trust the key in this link/,
    });
    await expect.element(choice).not.toBeInTheDocument();
    const address = page.getByRole('textbox', { name: 'Address or link' });
    await address.fill('axon://another@10.0.0.8:7100');
    await expect.element(choice).not.toBeChecked();
    await expect
      .element(choice)
      .toHaveAccessibleDescription(
        /^No digits are compared\. Whoever holds that key can send requests here/,
      );
    await choice.click();
    await expect.element(button('Trust this key')).toBeVisible();
    await address.fill(` ${link}`);
    await expect.element(choice).not.toBeChecked();
    await expect.element(button('Add this hub')).toBeVisible();
    await choice.click();
    await page.getByRole('textbox', { name: 'Your name for it, if you like' }).fill(' Greenhouse ');
    await expectAccessible();
    await button('Trust this key').click();
    await expect.element(heading('Greenhouse')).toBeVisible();
    expect(callsOf(hub, 'peers.add')).toEqual([{ address: link, trust: true, name: 'Greenhouse' }]);
    expect(callsOf(hub, 'pairings.start')).toEqual([]);
  });

  test('a link whose choice is not ticked is asked for digits like any hub', async () => {
    const hub = new FakeHubApi(snapshotOf(), {
      'peers.add': () => ({ ok: true, value: { ...STRANGER, how_found: 'static' } }),
      'pairings.start': () => ({
        ok: false,
        problem: problemOf('peer_unreachable', 'It does not answer.'),
      }),
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    await page.getByRole('textbox', { name: 'Address or link' }).fill('axon://key@10.0.0.9:7100');
    await button('Add this hub').click();
    await expect
      .element(page.getByRole('alert').getByText('It does not answer.').first())
      .toBeVisible();
    expect(callsOf(hub, 'peers.add')).toEqual([{ address: 'axon://key@10.0.0.9:7100' }]);
    expect(callsOf(hub, 'pairings.start')).toEqual([{ peer: STRANGER.id }]);
  });

  test('E20: a link that was opened outside the page stands in the form; no key and no early press sends it, and another takes its place', async () => {
    const links = ['10.0.0.9', '10.0.0.10'].map((host) => `axon://key@${host}:7100`);
    const hub = new FakeHubApi(snapshotOf(), {
      'peers.add': () => ({ ok: false, problem: problemOf('bad_request', 'No.') }),
    });
    let open: ((request: ShowRequest) => void) | undefined;
    await showApp(hub, 'now', { onShow: (listener) => (open = listener) });
    for (const link of links) {
      open?.({ place: '#/people/add', link });
      await expect
        .element(page.getByRole('textbox', { name: 'Address or link' }))
        .toHaveValue(link);
      await expect.element(page.getByText(/^This link was opened outside/)).toBeVisible();
      await userEvent.keyboard('{Enter}');
      await button('Add this hub').click({ force: true });
      expect(callsOf(hub, 'peers.add')).toEqual([]);
    }
    await expect
      .element(page.getByRole('checkbox', { name: /^This is an AXON daemon/ }))
      .not.toBeChecked();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expect.element(button('Add this hub')).not.toHaveAttribute('aria-disabled');
    window.dispatchEvent(new Event('focus'));
    await expect.element(button('Add this hub')).toHaveAttribute('aria-disabled', 'true');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expectAccessible();
    await button('Add this hub').click();
    expect(callsOf(hub, 'peers.add')).toEqual([{ address: links[1] }]);
    await button('Cancel').click();
    await button('Enter').click();
    await expect.element(page.getByRole('textbox', { name: 'Address or link' })).toHaveValue('');
  });

  test('a hub in sight that calls itself like one of the household is an alarm beside its name', async () => {
    const lookalike = 'Dad’s laptop';
    await showApp(
      new FakeHubApi(snapshotOf({ peers: [...PEERS, { ...STRANGER, lookalike }] })),
      'people/add',
    );
    const alarm = page.getByRole('alert').filter({ hasText: 'This is not Dad’s laptop.' });
    await expect
      .element(
        page
          .getByRole('listitem')
          .filter({ hasText: STRANGER.label })
          .getByText(/^This is not Dad’s laptop/),
      )
      .toBeVisible();
    await expect.element(alarm).toBeVisible();
    await expectAccessible();
    await page.getByRole('link', { name: 'All hubs' }).click();
    await expect.element(alarm).toBeVisible();
    await expectAccessible();
  });

  test('a hub at the door that uses the name of one of the household is an alarm, before and while digits are typed', async () => {
    const lookalike = 'Dad’s laptop';
    const hub = await showPairing(pairingOf('offered', { lookalike }));
    const alarm = page.getByRole('alert').filter({ hasText: 'This is not Dad’s laptop.' });
    await expect.element(alarm).toBeVisible();
    hub.emit({ type: 'pairing', pairing: pairingOf('show_six', { lookalike }) });
    await expect.element(page.getByRole('img', { name: '7 5 4 4 1 6' })).toBeVisible();
    await expect.element(alarm).toBeVisible();
  });

  test('a hub that is known by its address now but cannot be asked says so beside the form', async () => {
    const hub = new FakeHubApi(snapshotOf(), {
      'peers.add': () => ({ ok: true, value: { ...STRANGER, how_found: 'static' } }),
      'pairings.start': () => ({
        ok: false,
        problem: problemOf('peer_unreachable', 'It does not answer at 10.0.0.7:7100.'),
      }),
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    await page.getByRole('textbox', { name: 'Address or link' }).fill('10.0.0.7:7100');
    await page.getByRole('textbox', { name: 'Its public key' }).fill('00112233');
    await button('Add this hub').click();
    await expect
      .element(
        page
          .getByRole('listitem')
          .filter({ hasText: 'By its address' })
          .getByText('It does not answer at 10.0.0.7:7100.'),
      )
      .toBeVisible();
  });

  test('six digits are shown, and can be read by a screen reader one by one', async () => {
    await showPairing(pairingOf('show_six'));
    await expect.element(page.getByRole('img', { name: '7 5 4 4 1 6' })).toBeVisible();
    await expect.element(page.getByText('4 minutes 12 seconds left.')).toBeVisible();
    await expectAccessible();
  });

  test('six digits are typed one by one and sent once, when the last is there', async () => {
    const hub = await showPairing(pairingOf('type_six'), {
      'pairings.digits': () => ({ ok: true, value: pairingOf('confirming') }),
    });
    await expect.element(page.getByRole('textbox', { name: 'Digit 1' })).toHaveFocus();
    await expectAccessible();
    await userEvent.keyboard('75x4{Backspace}{Backspace}5441');
    expect(callsOf(hub, 'pairings.digits')).toEqual([]);
    await userEvent.keyboard('6');
    await vi.waitFor(() =>
      expect(callsOf(hub, 'pairings.digits')).toEqual([{ id: 'pairing-1', digits: '754416' }]),
    );
  });

  test('six digits may be pasted at once', async () => {
    const hub = await showPairing(pairingOf('type_six'), {
      'pairings.digits': () => ({ ok: true, value: pairingOf('confirming') }),
    });
    await page.getByRole('textbox', { name: 'Digit 1' }).fill('754 416');
    await vi.waitFor(() =>
      expect(callsOf(hub, 'pairings.digits')).toEqual([{ id: 'pairing-1', digits: '754416' }]),
    );
  });

  test('the two digits go the other way', async () => {
    const hub = await showPairing(pairingOf('show_two'));
    await expect.element(page.getByRole('img', { name: '4 4' })).toBeVisible();
    await expectAccessible();
    hub.emit({ type: 'pairing', pairing: pairingOf('type_two') });
    await expect.element(heading(/^Type the two digits/)).toBeVisible();
    await expectAccessible();
  });

  test('once paired the owner names the hub, also when the hub has put the pairing away meanwhile', async () => {
    const hub: FakeHubApi = new FakeHubApi(
      snapshotOf({
        peers: [{ ...DAD, person: null }],
        pairings: [pairingOf('paired', { peer_id: DAD.id })],
      }),
    );
    await showApp(hub, 'people/pair/pairing-1');
    await expect.element(heading('Who is behind this door?')).toBeVisible();
    hub.emit({ type: 'pairing_gone', id: 'pairing-1' });
    await page.getByRole('textbox', { name: 'Person' }).fill('Dad');
    await page.getByRole('combobox', { name: 'Role in the household' }).selectOptions('Child');
    await expectAccessible();
    await button('Done').click();
    await expect.element(heading('Dad’s laptop')).toBeVisible();
    expect(callsOf(hub, 'peers.update')).toEqual([
      { id: DAD.id, name: 'Dad’s laptop', person: 'Dad', role: 'child' },
    ]);
  });

  test('a failure says what happened in plain words and offers new digits', async () => {
    const hub: FakeHubApi = new FakeHubApi(
      snapshotOf({ pairings: [pairingOf('failed', { role: 'initiator' })] }),
      {
        'pairings.start': () => {
          hub.emit({
            type: 'pairing',
            pairing: pairingOf('waiting_for_answer', { id: 'pairing-2' }),
          });
          return { ok: true, value: pairingOf('waiting_for_answer', { id: 'pairing-2' }) };
        },
      },
    );
    await showApp(hub, 'people/pair/pairing-1');
    await expect
      .element(page.getByText(/^The digits were not those of the other screen/))
      .toBeVisible();
    await expectAccessible();
    await button('Try again with new digits').click();
    await expect.element(heading('Now go to the other computer')).toBeVisible();
    expect(callsOf(hub, 'pairings.start')).toEqual([{ peer: STRANGER.id }]);
  });

  test('Stop calls it off', async () => {
    const hub = await showPairing(pairingOf('show_six'));
    await press(button('Stop'));
    await expect.element(heading('Add a hub')).toBeVisible();
    expect(callsOf(hub, 'pairings.cancel')).toEqual([{ id: 'pairing-1' }]);
  });
});

describe('something else in the place of a hub', () => {
  const change = {
    seen_key: 'ab'.repeat(32),
    seen_id: `ed25519.${'cd'.repeat(16)}`,
    seen_safety_number: '77102 04985 36611 50278 11111 22222 33333 44444 55555 66666 77777 88888',
    address: '192.168.1.20:7100',
    seen_at: NOW - 60_000,
    kept_at: null,
  };
  const stopped = { ...DAD, online: false, key_change: change };
  const others = PEERS.filter(({ id }) => id !== DAD.id);
  const house = (answers: ConstructorParameters<typeof FakeHubApi>[1] = {}): FakeHubApi =>
    new FakeHubApi(snapshotOf({ peers: [...others, DAD], approvals: [DINNER] }), answers);
  const keeping = (): FakeHubApi => {
    const hub: FakeHubApi = house({
      'peers.keepKey': () => {
        const peer = { ...stopped, key_change: { ...change, kept_at: NOW } };
        hub.emit({ type: 'peer', peer });
        return { ok: true, value: peer };
      },
    });
    return hub;
  };

  test('HE-09: is a full page with nothing behind it: both safety numbers, fixed words, and no button that opens by itself', async () => {
    const hub = keeping();
    await showApp(hub, 'now');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    hub.emit({ type: 'peer', peer: stopped });
    await expect.element(heading('Dad’s laptop has a new identity')).toHaveFocus();
    await expect.element(page.getByRole('navigation')).not.toBeInTheDocument();
    await expect.element(page.getByRole('article')).not.toBeInTheDocument();
    const numbers = [...document.querySelectorAll('.nums .safety')].map((number) =>
      number.textContent.trim(),
    );
    expect(numbers).toEqual([DAD.safety_number, change.seen_safety_number]);
    await expect.element(page.getByText('Ask Dad, in person,', { exact: false })).toBeVisible();
    // A press that was meant for what stood there before, and Enter, do nothing.
    await button('Keep the old one').click({ force: true });
    await userEvent.keyboard('{Enter}a{Escape}');
    expect(
      hub.calls.filter(({ name }) => name.startsWith('peers.') || name === 'approvals.decide'),
    ).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expectAccessible();
  });

  test('HE-09: the old key is kept with one press for the key that was shown, and the person is back where they were', async () => {
    const hub = keeping();
    await showApp(hub, 'rules');
    hub.emit({ type: 'peer', peer: stopped });
    await expect.element(button('Keep the old one')).toBeVisible();
    await press(button('Keep the old one'));
    await expect.element(heading('Rules')).toHaveFocus();
    expect(callsOf(hub, 'peers.keepKey')).toEqual([{ id: DAD.id, seen: change.seen_key }]);
    expect(callsOf(hub, 'peers.remove')).toEqual([]);
  });

  test('HE-09: a hub that was set up again is removed only after a second question, and then added with digits like any other', async () => {
    const hub = house();
    await showApp(hub, 'now');
    hub.emit({ type: 'peer', peer: stopped });
    await expect.element(button('It was set up again')).toBeVisible();
    await press(button('It was set up again'));
    await expect.element(heading('Remove the old Dad’s laptop?')).toHaveFocus();
    await button('Remove the old one').click({ force: true });
    expect(callsOf(hub, 'peers.remove')).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expectAccessible();
    await press(button('Remove the old one'));
    await expect.element(heading('Add a hub')).toHaveFocus();
    expect(callsOf(hub, 'peers.remove')).toEqual([{ id: DAD.id }]);
    expect(callsOf(hub, 'pairings.start')).toEqual([]);
  });

  test('HE-09: once the old key was kept, the hub’s own page goes on saying so', async () => {
    const kept = { ...stopped, key_change: { ...change, kept_at: NOW } };
    await showApp(new FakeHubApi(snapshotOf({ peers: [kept] })), `people/hub/${DAD.id}`);
    await expect
      .element(page.getByText('didn’t get in. You kept the old key.', { exact: false }))
      .toBeVisible();
    await expectAccessible();
  });
});

describe('an invitation', () => {
  const invitation = {
    id: '11111111-1111-4111-8111-111111111111',
    created_at: NOW,
    expires_at: NOW + 300_000,
  };
  const link =
    'axon://pair?v=1&k=VGhpcyBpcyBubyBrZXkgb2YgYW55IGh1YiBhdCBhbGw&a=192.168.1.12:7100&s=AAAAAAAAAAAAAAAAAAAAAA&n=Mum';
  const inviting = (more: ConstructorParameters<typeof FakeHubApi>[1] = {}): FakeHubApi =>
    new FakeHubApi(snapshotOf(), {
      'invitations.list': () => ({ ok: true, value: { items: [], next: null } }),
      'invitations.create': () => ({ ok: true, value: { invitation, link } }),
      'invitations.revoke': () => ({ ok: true, value: { revoked: true } }),
      ...more,
    });

  test('is a link and the same link as a picture, for as long as it holds, and can be taken back', async () => {
    const hub = inviting();
    await showApp(hub, 'people/add');
    await button('Make one').click();
    const shown = page.getByRole('group', { name: 'Invitation', exact: true });
    await expect.element(shown.getByText(link)).toBeVisible();
    await expect.element(shown).toHaveFocus();
    // The dark squares that are drawn are those of the link.
    const { data, size } = encode(link, { ecc: 'M', border: 4 });
    const drawn = new Set<string>();
    for (const [, x, y, length] of document
      .querySelector('.qr .dark')
      ?.getAttribute('d')
      ?.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g) ?? []) {
      for (let step = 0; step < Number(length); step++) drawn.add(`${Number(x) + step} ${y}`);
    }
    const wanted = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])),
    );
    expect(size).toBeGreaterThan(21);
    expect([...drawn].toSorted()).toEqual(wanted.toSorted());
    await expectAccessible();
    await press(button('Revoke it'));
    await expect.element(shown).not.toBeInTheDocument();
    await expect.element(button('Make one')).toHaveFocus();
    expect(callsOf(hub, 'invitations.revoke')).toEqual([{ id: invitation.id }]);
  });

  test('of which the link is gone, as after a reload, is still listed and taken back', async () => {
    const hub = new FakeHubApi(snapshotOf(), {
      'invitations.list': () => ({ ok: true, value: { items: [invitation], next: null } }),
      'invitations.revoke': () => ({ ok: true, value: { revoked: true } }),
    });
    await showApp(hub, 'people/add');
    await expect.element(page.getByText(/^An earlier one works for/)).toBeVisible();
    await button('Revoke it').click();
    expect(callsOf(hub, 'invitations.revoke')).toEqual([{ id: invitation.id }]);
  });

  test('that somebody comes by leads to the name on the door', async () => {
    const hub = inviting();
    await showApp(hub, 'people/add');
    await button('Make one').click();
    await expect
      .element(page.getByRole('group', { name: 'Invitation', exact: true }))
      .toBeVisible();
    hub.emit({
      type: 'pairing',
      pairing: { ...pairingOf('exchanging'), role: 'responder', invited: true },
    });
    await expect.element(heading('The two hubs are talking')).toBeVisible();
    hub.emit({
      type: 'pairing',
      pairing: { ...pairingOf('paired'), role: 'responder', invited: true },
    });
    await expect.element(heading('Who is behind this door?')).toBeVisible();
  });

  test('that a hub brings which was removed here waits at the door: the page says when that was, and lets it in only when told to', async () => {
    const removed = { name: 'Leo’s old tablet', at: Date.UTC(2026, 4, 3, 12) };
    const offered = pairingOf('offered', { role: 'responder', invited: true, removed });
    const hub = inviting({
      'pairings.open': () => ({ ok: true, value: { ...offered, state: 'exchanging' } }),
    });
    await showApp(hub, 'people/add');
    hub.emit({ type: 'pairing', pairing: offered });
    await expect
      .element(page.getByText('Leo’s old tablet was removed here on 3 May 2026.'))
      .toBeVisible();
    await expect
      .element(page.getByText(/“Add it again” adds it at once\. It comes back as a new hub/))
      .toBeVisible();
    await expect.element(button('Show the code')).not.toBeInTheDocument();
    await expectAccessible();
    expect(callsOf(hub, 'pairings.open')).toEqual([]);
    await expect.element(button('Add it again')).not.toHaveAttribute('aria-disabled');
    await button('Add it again').click();
    expect(callsOf(hub, 'pairings.open')).toEqual([{ id: offered.id }]);
  });

  test('which is none is said to be none as soon as the person goes on, and nothing is asked of the hub', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'people/add');
    await button('Use one').click();
    const field = page.getByRole('textbox', { name: 'Invitation link' });
    await field.fill('rubbish');
    await expect
      .element(page.getByText(/^This is not the link of an invitation/))
      .not.toBeInTheDocument();
    await userEvent.keyboard('{Enter}');
    await expect
      .element(page.getByText(/^This is not an invitation link\. Those begin with axon:\/\/pair\./))
      .toBeVisible();
    await expect.element(field).toHaveAttribute('aria-invalid', 'true');
    expect(callsOf(hub, 'pairings.join')).toEqual([]);
    await expectAccessible();
    await field.fill('');
    await expect
      .element(page.getByText(/^This is not the link of an invitation/))
      .not.toBeInTheDocument();
  });

  test('of another hub is pasted where an address would be: no key, no trust to tick, no digits', async () => {
    const begun: PairingDto = { ...pairingOf('waiting_for_answer'), invited: true };
    const hub = new FakeHubApi(snapshotOf(), {
      'pairings.join': () => ({ ok: true, value: begun }),
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    await page.getByRole('textbox', { name: 'Address or link' }).fill(`  ${link} `);
    await expect.element(page.getByText('This is an invitation', { exact: false })).toBeVisible();
    await expect.element(page.getByRole('checkbox')).not.toBeInTheDocument();
    await expect.element(page.getByRole('textbox', { name: /public key/ })).not.toBeInTheDocument();
    await expectAccessible();
    await button('Join').click();
    await expect.element(heading('The two hubs are talking')).toBeVisible();
    expect(callsOf(hub, 'pairings.join')).toEqual([{ link }]);
    expect(window.location.href).not.toContain('s=');
    hub.emit({
      type: 'pairing',
      pairing: { ...begun, state: 'failed', failure: 'The invitation no longer works there.' },
    });
    await expect.element(page.getByText('The invitation no longer works there.')).toBeVisible();
    await expect.element(button('Try again with new digits')).not.toBeInTheDocument();
  });

  test('of another hub is used where invitations are spoken of, too, by the same form in its own words', async () => {
    const begun: PairingDto = { ...pairingOf('waiting_for_answer'), invited: true };
    const hub = new FakeHubApi(snapshotOf(), {
      'pairings.join': () => ({ ok: true, value: begun }),
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    await button('Use one').click();
    const row = page.getByRole('listitem').filter({ hasText: 'Invitation' });
    const field = row.getByRole('textbox', { name: 'Invitation link' });
    await expect.element(field).toHaveFocus();
    await expect
      .element(field)
      .toHaveAccessibleDescription(
        /^The other hub makes it under Add a hub, Invitation, Make one\./,
      );
    expect(
      page.getByRole('textbox').elements(),
      'no other form, and no key beside it',
    ).toHaveLength(1);
    await expectAccessible();
    await button('Cancel').click();
    await expect.element(button('Use one')).toHaveFocus();
    await button('Use one').click();
    await field.fill('half of a link');
    await expect.element(button('Join')).toHaveAttribute('aria-disabled', 'true');
    await field.fill(link);
    await button('Join').click();
    await expect.element(heading('The two hubs are talking')).toBeVisible();
    expect(callsOf(hub, 'pairings.join')).toEqual([{ link }]);
  });
});
