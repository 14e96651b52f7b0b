// Named stories of requests that an adult's hub decides for a child's, and of those within one hub:
// what every surface says at each hub that has a part in it.
import { afterEach, describe, expect, it } from 'vitest';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import type { Surfaces } from '../../../fakes/story-surfaces.ts';
import { surfacesOf } from '../../../fakes/story-surfaces.ts';
import { toldAt } from '../../../fakes/told-hubs.ts';
import { closeOneHub, newest, openOneHub, type OneHub } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;

interface Asked {
  readonly title: string;
  readonly happens: (house: RemoteApprovalHouse) => Promise<unknown>;
  /** Of the request that the friend's hub made; at mum's, of the question whether it may be done. */
  readonly mum: Surfaces;
  readonly leo: Surfaces;
  readonly friend: Surfaces;
}

const FOR_A_CHILD: readonly Asked[] = [
  {
    title: 'waits for an adult',
    happens: (house) => house.ask(),
    mum: {
      asked: "leo asks mum's person whether it may be done. Decided here for leo.",
      list: 'Waits for you.',
      row: 'Waits for you.',
      thread: 'Waits for you.',
      task: [],
    },
    leo: {
      asked: 'OpenClaw on friend gives Robot a task.',
      list: 'Waits for an adult at mum.',
      row: 'Waits for an adult at mum.',
      thread: 'Waits for an adult at mum.',
      task: [],
    },
    friend: {
      asked: 'OpenClaw on friend gives leo a task.',
      list: 'Waits until a person decides for leo.',
      row: 'Waits until a person decides for leo.',
      thread: 'Waits until a person decides for leo.',
      task: [],
      cancel: 'Waits until a person decides for leo.',
      button: 'Cancel',
    },
  },
  {
    title: 'is allowed by an adult, and done',
    happens: async (house) => {
      await house.ask();
      await house.decide(house.mum, 'allow');
      const { delivery_id: delivery } = await house.leo.claim('robot');
      const done = { status: 'completed', outcome: 'Mown.', truncated: false } as const;
      await house.leo.work.inbox.reply('robot', delivery, done, null);
      await house.clock.settle();
    },
    mum: {
      asked: "leo asks mum's person whether it may be done. Decided here for leo.",
      list: 'Allowed: leo may do it.',
      row: "mum's person allowed it, on mum, as an adult. Allowed: leo may do it.",
      thread: "mum's person allowed it, on mum, as an adult.",
      card: "mum's person allowed it, on mum, as an adult. then, in the browser. Allowed: leo may do it. leo has the answer, then.",
      task: [
        "mum's person allowed it, on mum, as an adult. then, in the browser.",
        'leo has the answer, then.',
      ],
      quotes: "mum's person on mum: Allow once",
    },
    leo: {
      asked: 'OpenClaw on friend gives Robot a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum, as leo's person’s adult. Done.",
      thread:
        "mum's person allowed it, on mum, as leo's person’s adult. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum, as leo's person’s adult. then. Done. The agent got exactly what was shown. friend has the answer, then.",
      task: [
        "mum's person allowed it, on mum, as leo's person’s adult. then.",
        'Robot got it, then. The agent got exactly what was shown.',
        'friend has the answer, then.',
      ],
      quotes: 'Robot: Mown.',
    },
    friend: {
      asked: 'OpenClaw on friend gives leo a task.',
      list: 'Done.',
      row: 'An adult allowed it for leo. Done.',
      thread: 'An adult allowed it for leo.',
      task: ['An adult allowed it for leo. then.', 'An agent on leo got it.'],
      cancel: 'Too late: it was finished.',
      quotes: 'An agent on leo: Mown.',
    },
  },
  {
    title: 'is declined by an adult',
    happens: async (house) => {
      await house.ask();
      await house.decide(house.mum, 'decline', { reason: 'Too wet.' });
    },
    mum: {
      asked: "leo asks mum's person whether it may be done. Decided here for leo.",
      list: 'Declined.',
      row: "mum's person declined it, on mum, as an adult.",
      thread: "mum's person declined it, on mum, as an adult.",
      card: "mum's person declined it, on mum, as an adult. then, in the browser. leo has the answer, then.",
      task: [
        "mum's person declined it, on mum, as an adult. then, in the browser.",
        'leo has the answer, then.',
      ],
      quotes: "mum's person on mum: Too wet.",
    },
    leo: {
      asked: 'OpenClaw on friend gives Robot a task.',
      list: 'Declined.',
      row: "mum's person declined it, on mum, as leo's person’s adult.",
      thread: "mum's person declined it, on mum, as leo's person’s adult.",
      card: "mum's person declined it, on mum, as leo's person’s adult. then. friend has the answer, then.",
      task: [
        "mum's person declined it, on mum, as leo's person’s adult. then.",
        'No agent got it.',
        'friend has the answer, then.',
      ],
      quotes: "mum's person on mum: Too wet.",
    },
    friend: {
      asked: 'OpenClaw on friend gives leo a task.',
      list: 'Declined.',
      row: 'An adult declined it for leo.',
      thread: 'An adult declined it for leo.',
      task: ['An adult declined it for leo. then.', 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'waits for an adult who stops everything',
    happens: async (house) => {
      await house.ask();
      await house.mum.work.stopEverything(BROWSER);
      await house.clock.settle();
    },
    mum: {
      asked: "leo asks mum's person whether it may be done. Decided here for leo.",
      list: 'Declined.',
      row: "mum's person declined it, on mum, as an adult.",
      thread: "mum's person declined it, on mum, as an adult.",
      card: "mum's person declined it, on mum, as an adult. then, in the browser. leo has the answer, then.",
      task: [
        "mum's person declined it, on mum, as an adult. then, in the browser.",
        'leo has the answer, then.',
      ],
    },
    leo: {
      asked: 'OpenClaw on friend gives Robot a task.',
      list: 'Declined.',
      row: "mum's person declined it, on mum, as leo's person’s adult.",
      thread: "mum's person declined it, on mum, as leo's person’s adult.",
      card: "mum's person declined it, on mum, as leo's person’s adult. then. friend has the answer, then.",
      task: [
        "mum's person declined it, on mum, as leo's person’s adult. then.",
        'No agent got it.',
        'friend has the answer, then.',
      ],
    },
    friend: {
      asked: 'OpenClaw on friend gives leo a task.',
      list: 'Declined.',
      row: 'An adult declined it for leo.',
      thread: 'An adult declined it for leo.',
      task: ['An adult declined it for leo. then.', 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'is decided by no adult in time',
    happens: async (house) => {
      await house.ask('Mow the lawn', { deadline_ms: 60_000 });
      await house.clock.advance(61_000);
    },
    mum: {
      asked: "leo asks mum's person whether it may be done. Decided here for leo.",
      list: 'Cancelled: nobody here had decided.',
      row: 'leo cancelled it before anybody here decided.',
      thread: 'leo cancelled it before anybody here decided.',
      card: 'leo cancelled it before anybody here decided. then.',
      task: ['leo cancelled it before anybody here decided. then.'],
    },
    leo: {
      asked: 'OpenClaw on friend gives Robot a task.',
      list: 'Nobody decided in time.',
      row: 'No adult decided in time. No agent got it.',
      thread: 'No adult decided in time. No agent got it.',
      card: 'No adult decided in time. No agent got it. then. friend has the answer, then.',
      task: ['No adult decided in time. No agent got it. then.', 'friend has the answer, then.'],
    },
    friend: {
      asked: 'OpenClaw on friend gives leo a task.',
      list: 'Nobody decided in time.',
      row: 'Nobody decided for leo in time. No agent got it.',
      thread: 'Nobody decided for leo in time. No agent got it.',
      task: ['Nobody decided for leo in time. No agent got it. then.'],
      cancel: 'Nobody decided in time.',
    },
  },
  {
    title: 'is cancelled while an adult is asked',
    happens: async (house) => {
      const { id } = await house.ask();
      await house.friend.work.tasks.cancel(id, { agent: 'openclaw' }, null);
      await house.clock.settle();
    },
    mum: {
      asked: "leo asks mum's person whether it may be done. Decided here for leo.",
      list: 'Cancelled: nobody here had decided.',
      row: 'leo cancelled it before anybody here decided.',
      thread: 'leo cancelled it before anybody here decided.',
      card: 'leo cancelled it before anybody here decided. then.',
      task: ['leo cancelled it before anybody here decided. then.'],
    },
    leo: {
      asked: 'OpenClaw on friend gives Robot a task.',
      list: 'Cancelled: nobody had decided.',
      row: 'OpenClaw on friend cancelled it before anybody decided. No agent got it.',
      thread: 'OpenClaw on friend cancelled it before anybody decided. No agent got it.',
      card: 'OpenClaw on friend cancelled it before anybody decided. No agent got it. then.',
      task: ['OpenClaw on friend cancelled it before anybody decided. No agent got it. then.'],
    },
    friend: {
      asked: 'OpenClaw on friend gives leo a task.',
      list: 'Cancelled: nobody had begun.',
      row: 'Cancelled: nobody had begun.',
      thread: 'Cancelled: nobody had begun.',
      task: ['The stop was asked for, then.'],
      cancel: 'Cancelled: nobody had begun.',
    },
  },
];

async function requestAt({ leo }: RemoteApprovalHouse): Promise<Surfaces> {
  const [request] = leo.store.read
    .tasks({ limit: 9 })
    .filter(({ direction }) => direction === 'incoming');
  const { story } = await leo.work.tasks.get(request?.id ?? '', { person: BROWSER }, 0, never);
  return surfacesOf(story);
}

describe("a request of a child's hub that", () => {
  let house: RemoteApprovalHouse;
  afterEach(() => house.close());

  for (const { title, happens, mum, leo, friend } of FOR_A_CHILD)
    it(title, async () => {
      house = await new RemoteApprovalHouse().open();
      await house.letDecide();
      await happens(house);
      const told = {
        mum: await toldAt(house.mum, house.clock),
        friend: await toldAt(house.friend, house.clock),
        leo: await requestAt(house),
      };
      expect(told).toEqual({ mum, leo, friend });
    });
});

interface Within {
  readonly title: string;
  readonly happens: (hub: WorkHub) => Promise<unknown>;
  readonly hub: Surfaces;
}

const send = (hub: WorkHub, by: string | null = 'claude') =>
  hub.work.sender.delegate(delegation('local/lists', 'Add salt'), by, null);
const stop = (hub: WorkHub, viewer: Parameters<WorkHub['work']['tasks']['cancel']>[1]) =>
  hub.work.tasks.cancel(newest(hub).id, viewer, null);

const WITHIN: readonly Within[] = [
  {
    title: 'waits for a person',
    happens: (hub) => send(hub),
    hub: {
      asked: 'Claude on mum gives Lists a task.',
      list: 'Waits for you.',
      row: 'Waits for you.',
      thread: 'Waits for you.',
      task: [],
      cancel: 'Waits for you.',
    },
  },
  {
    title: 'is done',
    happens: async (hub) => {
      await send(hub);
      await hub.decide(hub.card, 'allow');
      const { delivery_id: delivery } = await hub.claim('lists');
      const done = { status: 'completed', outcome: 'Added.', truncated: false } as const;
      await hub.work.inbox.reply('lists', delivery, done, null);
    },
    hub: {
      asked: 'Claude on mum gives Lists a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum. Done.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Lists got it, then. The agent got exactly what was shown.',
      ],
      cancel: 'Too late: it was finished.',
      quotes: 'Lists: Added.',
    },
  },
  {
    title: 'is declined',
    happens: async (hub) => {
      await send(hub);
      await hub.decide(hub.card, 'decline');
    },
    hub: {
      asked: 'Claude on mum gives Lists a task.',
      list: 'Declined.',
      row: "mum's person declined it, on mum.",
      thread: "mum's person declined it, on mum.",
      card: "mum's person declined it, on mum. then, in the browser.",
      task: ["mum's person declined it, on mum. then, in the browser.", 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'is taken back by the agent that asked',
    happens: async (hub) => {
      await send(hub);
      await stop(hub, { agent: 'claude' });
    },
    hub: {
      asked: 'Claude on mum gives Lists a task.',
      list: 'Cancelled: nobody had decided.',
      row: 'Claude on mum cancelled it before anybody decided. No agent got it.',
      thread: 'Claude on mum cancelled it before anybody decided. No agent got it.',
      card: 'Claude on mum cancelled it before anybody decided. No agent got it. then.',
      task: ['Claude on mum cancelled it before anybody decided. No agent got it. then.'],
      cancel: 'Cancelled: nobody had begun.',
    },
  },
  {
    title: 'is stopped by a person before its agent has it',
    happens: async (hub) => {
      await send(hub);
      await hub.decide(hub.card, 'allow');
      await stop(hub, { person: BROWSER });
    },
    hub: {
      asked: 'Claude on mum gives Lists a task.',
      list: "Stopped by mum's person on mum: nothing ran.",
      row: "mum's person allowed it, on mum. Stopped by mum's person on mum: nothing ran.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. Stopped by mum's person on mum: nothing ran. The stop was asked for, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'No agent got it.',
        'The stop was asked for, then.',
      ],
      cancel: "Stopped by mum's person on mum: nothing ran.",
    },
  },
  {
    title: 'is asked by a person',
    happens: (hub) => send(hub, null),
    hub: {
      asked: "mum's person on mum gives Lists a task.",
      list: 'Waits for you.',
      row: 'Waits for you.',
      thread: 'Waits for you.',
      task: [],
      cancel: 'Waits for you.',
    },
  },
  {
    title: 'is of an agent that is removed while its request waits',
    happens: async (hub) => {
      await send(hub);
      await hub.work.agents.remove('claude', OWNER);
    },
    hub: {
      asked: 'Claude (until 15 January) on mum gives Lists a task.',
      list: 'The hub ended it while it waited. Nobody decided, and no agent got it.',
      row: 'The hub ended it while it waited. Nobody decided, and no agent got it.',
      thread: 'The hub ended it while it waited. Nobody decided, and no agent got it.',
      task: [],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'is for an agent that is removed before it had it',
    happens: async (hub) => {
      await send(hub);
      await hub.decide(hub.card, 'allow');
      await hub.work.agents.remove('lists', OWNER);
    },
    hub: {
      asked: 'Claude on mum gives Lists (until 15 January) a task.',
      list: 'It failed at mum.',
      row: "mum's person allowed it, on mum. It failed at mum.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. It failed at mum.",
      task: ["mum's person allowed it, on mum. then, in the browser.", 'No agent got it.'],
      cancel: 'Too late: it had ended.',
    },
  },
];

describe('a request within one hub that', () => {
  let one: OneHub;
  afterEach(() => closeOneHub(one));

  for (const { title, happens, hub } of WITHIN)
    it(title, async () => {
      one = await openOneHub();
      await happens(one.hub);
      await one.clock.settle();
      const told = { hub: await toldAt(one.hub, one.clock) };
      expect(told).toEqual({ hub });
    });
});
