// Named stories of requests that wait, or are decided: what every surface says at both hubs.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Surfaces } from '../../../fakes/story-surfaces.ts';
import { ToldHubs } from '../../../fakes/told-hubs.ts';
import { BROWSER } from '../../../fakes/work-hub.ts';

interface Named {
  readonly title: string;
  readonly happens: (hubs: ToldHubs) => Promise<void>;
  /** null: nothing of it is kept there. */
  readonly mum: Surfaces | null;
  readonly dad: Surfaces;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ALWAYS = {
  name: 'Always',
  from: '00:00',
  to: '23:59',
  days: [1, 2, 3, 4, 5, 6, 7],
  on: true,
};
const NEVER = {
  effect: 'never',
  peer: 'dad',
  kind: null,
  agent: null,
  domain: null,
  asking_agent: null,
  topic: null,
} as const;
const CHOICE = {
  domain: undefined,
  options: [
    { id: 'pizza', label: 'Pizza', pros: [], cons: [] },
    { id: 'soup', label: 'Soup', pros: [], cons: [] },
  ],
};

const STORIES: readonly Named[] = [
  {
    title: 'waits for a person',
    happens: async (hubs) => {
      await hubs.send();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Waits for you.',
      row: 'Waits for you.',
      thread: 'Waits for you.',
      task: [],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Waits until a person decides for mum.',
      row: 'Waits until a person decides for mum.',
      thread: 'Waits until a person decides for mum.',
      task: [],
      cancel: 'Waits until a person decides for mum.',
      button: 'Cancel',
    },
  },
  {
    title: 'is held for quiet hours',
    happens: async (hubs) => {
      await hubs.mum.work.doNotDisturb.setQuietHours([ALWAYS], undefined, BROWSER);
      await hubs.send();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Held for quiet hours.',
      row: 'Held for quiet hours.',
      thread: 'Held for quiet hours.',
      task: [],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'On hold: nobody has decided for mum yet.',
      row: 'On hold: nobody has decided for mum yet.',
      thread: 'On hold: nobody has decided for mum yet.',
      task: [],
      cancel: 'On hold: nobody has decided for mum yet.',
      button: 'Cancel',
    },
  },
  {
    title: 'is held while requests are paused',
    happens: async (hubs) => {
      await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
      await hubs.send();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Held while requests are paused.',
      row: 'Held while requests are paused.',
      thread: 'Held while requests are paused.',
      task: [],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'On hold: nobody has decided for mum yet.',
      row: 'On hold: nobody has decided for mum yet.',
      thread: 'On hold: nobody has decided for mum yet.',
      task: [],
      cancel: 'On hold: nobody has decided for mum yet.',
      button: 'Cancel',
    },
  },
  {
    title: 'is held because its hub is muted',
    happens: async (hubs) => {
      const tomorrow = hubs.clock.wallMs() + DAY_MS;
      await hubs.mum.work.doNotDisturb.mute('dad', tomorrow, BROWSER);
      await hubs.send();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Held because dad is muted.',
      row: 'Held because dad is muted.',
      thread: 'Held because dad is muted.',
      task: [],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'On hold: nobody has decided for mum yet.',
      row: 'On hold: nobody has decided for mum yet.',
      thread: 'On hold: nobody has decided for mum yet.',
      task: [],
      cancel: 'On hold: nobody has decided for mum yet.',
      button: 'Cancel',
    },
  },
  {
    title: 'is put off by a person',
    happens: async (hubs) => {
      await hubs.send();
      const later = hubs.clock.wallMs() + HOUR_MS;
      await hubs.mum.work.holds.snooze(hubs.mum.card.id, later, BROWSER);
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Put off by a person.',
      row: 'Put off by a person.',
      thread: 'Put off by a person.',
      task: [],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'On hold: nobody has decided for mum yet.',
      row: 'On hold: nobody has decided for mum yet.',
      thread: 'On hold: nobody has decided for mum yet.',
      task: [],
      cancel: 'On hold: nobody has decided for mum yet.',
      button: 'Cancel',
    },
  },
  {
    title: 'is allowed, and waits for its agent, which has not come yet',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.decide('allow');
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Waits for Claude, which is away.',
      row: "mum's person allowed it, on mum. Waits for Claude, which is away.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. Waits for Claude, which is away.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'It waits for Claude, which has not been here yet.',
      ],
      button: 'Stop',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'mum has it.',
      row: "mum's person allowed it, on mum. mum has it.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'mum has it.',
      button: 'Cancel',
    },
  },
  {
    title: 'is allowed by a person who is not named',
    happens: async (hubs) => {
      hubs.mum.person = null;
      await hubs.send();
      await hubs.decide('allow');
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Waits for Claude, which is away.',
      row: 'A person allowed it, on mum. Waits for Claude, which is away.',
      thread: 'A person allowed it, on mum.',
      card: 'A person allowed it, on mum. then, in the browser. Waits for Claude, which is away.',
      task: [
        'A person allowed it, on mum. then, in the browser.',
        'It waits for Claude, which has not been here yet.',
      ],
      button: 'Stop',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'mum has it.',
      row: 'A person allowed it for mum. mum has it.',
      thread: 'A person allowed it for mum.',
      task: ['A person allowed it for mum. then.'],
      cancel: 'mum has it.',
      button: 'Cancel',
    },
  },
  {
    title: 'is with its agent, which has not said anything',
    happens: async (hubs) => {
      await hubs.handed();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Claude has it.',
      row: "mum's person allowed it, on mum. Claude has it.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Claude has it. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
      ],
      button: 'Stop',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'mum has it.',
      row: "mum's person allowed it, on mum. mum has it.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'mum has it.',
      button: 'Cancel',
    },
  },
  {
    title: 'is being worked on',
    happens: async (hubs) => {
      await hubs.begun();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Claude is working on it.',
      row: "mum's person allowed it, on mum. Claude is working on it.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Claude is working on it. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
      ],
      button: 'Stop',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'An agent on mum has begun.',
      row: "mum's person allowed it, on mum. An agent on mum has begun.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'An agent on mum has begun.',
      button: 'Cancel',
    },
  },
  {
    title: 'is declined by a person, with a reason',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.decide('decline', { reason: 'Not tonight.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Declined.',
      row: "mum's person declined it, on mum.",
      thread: "mum's person declined it, on mum.",
      card: "mum's person declined it, on mum. then, in the browser. dad has the answer, then.",
      task: [
        "mum's person declined it, on mum. then, in the browser.",
        'No agent got it.',
        'dad has the answer, then.',
      ],
      quotes: "mum's person on mum: Not tonight.",
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Declined.',
      row: "mum's person declined it, on mum.",
      thread: "mum's person declined it, on mum.",
      task: ["mum's person declined it, on mum. then.", 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'is turned away by a rule',
    happens: async (hubs) => {
      await hubs.mum.work.rules.create(NEVER, BROWSER);
      await hubs.send().catch(() => undefined);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Declined.',
      row: 'Your rule “dad may never ask any agent for anything in any area” declined it.',
      thread: 'Your rule “dad may never ask any agent for anything in any area” declined it.',
      card: 'Your rule “dad may never ask any agent for anything in any area” declined it. then.',
      task: [
        'Your rule “dad may never ask any agent for anything in any area” declined it. then.',
        'No agent got it.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Declined.',
      row: 'mum declined it.',
      thread: 'mum declined it.',
      task: ['mum declined it. then.', 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'is let through by a rule, and done',
    happens: async (hubs) => {
      await hubs.mum.work.agents.setClass('claude', { riskClass: 'R1' }, BROWSER);
      await hubs.send();
      await hubs.decide('allow', { scope: 'always' });
      await hubs.send();
      await hubs.mum.claim('claude').then(({ delivery_id: first }) => hubs.reply(first, {}));
      await hubs.mum.claim('claude').then(({ delivery_id: second }) => hubs.reply(second, {}));
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Done.',
      row: 'Your rule “OpenClaw on dad may give Claude tasks in Family chat” allowed it. Done.',
      thread: 'Your rule “OpenClaw on dad may give Claude tasks in Family chat” allowed it.',
      card: 'Your rule “OpenClaw on dad may give Claude tasks in Family chat” allowed it. then. Done. dad has the answer, then.',
      task: [
        'Your rule “OpenClaw on dad may give Claude tasks in Family chat” allowed it. then.',
        'Claude got it, then.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Done.',
      row: 'A rule of mum allowed it. Done.',
      thread: 'A rule of mum allowed it.',
      task: ['A rule of mum allowed it. then.', 'An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
    },
  },
  {
    title: 'is answered by a person, and no agent gets it',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.decide('answer', { answer: 'At eight.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: "Answered by mum's person on mum.",
      row: "mum's person answered it, on mum.",
      thread: "mum's person answered it, on mum.",
      card: "mum's person answered it, on mum. then, in the browser. dad has the answer, then.",
      task: [
        "mum's person answered it, on mum. then, in the browser.",
        'No agent got it.',
        'dad has the answer, then.',
      ],
      quotes: "mum's person on mum: At eight.",
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: "Answered by mum's person on mum.",
      row: "mum's person answered it, on mum.",
      thread: "mum's person answered it, on mum.",
      task: ["mum's person answered it, on mum. then.", 'No agent got it.'],
      cancel: 'Too late: it was finished.',
      quotes: "mum's person on mum: At eight.",
    },
  },
  {
    title: 'is a choice that a person makes',
    happens: async (hubs) => {
      await hubs.send(CHOICE);
      await hubs.decide('answer', { choice: 'pizza' });
    },
    mum: {
      asked: "OpenClaw on dad asks mum's person to choose.",
      list: "Chosen by mum's person on mum.",
      row: "mum's person chose, on mum.",
      thread: "mum's person chose, on mum.",
      card: "mum's person chose, on mum. then, in the browser. dad has the answer, then.",
      task: [
        "mum's person chose, on mum. then, in the browser.",
        'No agent got it.',
        'dad has the answer, then.',
      ],
      quotes: "mum's person on mum: Pizza",
    },
    dad: {
      asked: 'OpenClaw on dad asks mum to choose.',
      list: "Chosen by mum's person on mum.",
      row: "mum's person chose, on mum.",
      thread: "mum's person chose, on mum.",
      task: ["mum's person chose, on mum. then.", 'No agent got it.'],
      cancel: 'Too late: it was finished.',
      quotes: "mum's person on mum: Pizza",
    },
  },
  {
    title: 'is a choice that a person answers in words of their own',
    happens: async (hubs) => {
      await hubs.send(CHOICE);
      await hubs.decide('answer', { answer: 'Neither.' });
    },
    mum: {
      asked: "OpenClaw on dad asks mum's person to choose.",
      list: "Answered by mum's person on mum.",
      row: "mum's person answered it, on mum.",
      thread: "mum's person answered it, on mum.",
      card: "mum's person answered it, on mum. then, in the browser. dad has the answer, then.",
      task: [
        "mum's person answered it, on mum. then, in the browser.",
        'No agent got it.',
        'dad has the answer, then.',
      ],
      quotes: "mum's person on mum: Neither.",
    },
    dad: {
      asked: 'OpenClaw on dad asks mum to choose.',
      list: "Answered by mum's person on mum.",
      row: "mum's person answered it, on mum.",
      thread: "mum's person answered it, on mum.",
      task: ["mum's person answered it, on mum. then.", 'No agent got it.'],
      cancel: 'Too late: it was finished.',
      quotes: "mum's person on mum: Neither.",
    },
  },
  {
    title: 'is a choice that a person declines',
    happens: async (hubs) => {
      await hubs.send(CHOICE);
      await hubs.decide('decline');
    },
    mum: {
      asked: "OpenClaw on dad asks mum's person to choose.",
      list: 'Declined.',
      row: "mum's person declined it, on mum.",
      thread: "mum's person declined it, on mum.",
      card: "mum's person declined it, on mum. then, in the browser. dad has the answer, then.",
      task: [
        "mum's person declined it, on mum. then, in the browser.",
        'No agent got it.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum to choose.',
      list: 'Declined.',
      row: "mum's person declined it, on mum.",
      thread: "mum's person declined it, on mum.",
      task: ["mum's person declined it, on mum. then.", 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'is decided by nobody in time',
    happens: async (hubs) => {
      await hubs.send({ deadline_ms: 60_000 });
      await hubs.clock.advance(61_000);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Nobody decided in time.',
      row: 'Nobody here decided in time. No agent got it.',
      thread: 'Nobody here decided in time. No agent got it.',
      card: 'Nobody here decided in time. No agent got it. then. dad has the answer, then.',
      task: ['Nobody here decided in time. No agent got it. then.', 'dad has the answer, then.'],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Nobody decided in time.',
      row: 'Nobody decided for mum in time. No agent got it.',
      thread: 'Nobody decided for mum in time. No agent got it.',
      task: ['Nobody decided for mum in time. No agent got it. then.'],
      cancel: 'Nobody decided in time.',
    },
  },
  {
    title: 'is held until its time is over',
    happens: async (hubs) => {
      await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
      await hubs.send({ deadline_ms: 60_000 });
      await hubs.clock.advance(61_000);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Nobody decided in time.',
      row: 'Nobody here decided in time. No agent got it.',
      thread: 'Nobody here decided in time. No agent got it.',
      card: 'Nobody here decided in time. No agent got it. then. dad has the answer, then.',
      task: ['Nobody here decided in time. No agent got it. then.', 'dad has the answer, then.'],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Nobody decided in time.',
      row: 'Nobody decided for mum in time. No agent got it.',
      thread: 'Nobody decided for mum in time. No agent got it.',
      task: ['Nobody decided for mum in time. No agent got it. then.'],
      cancel: 'Nobody decided in time.',
    },
  },
  {
    title: 'is a question that waits for a person',
    happens: async (hubs) => {
      await hubs.ask();
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Waits for you.',
      row: 'Waits for you.',
      thread: 'Waits for you.',
      task: [],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Waits until a person decides for mum.',
      row: 'Waits until a person decides for mum.',
      thread: 'Waits until a person decides for mum.',
      task: [],
      cancel: 'Waits until a person decides for mum.',
      button: 'Cancel',
    },
  },
  {
    title: 'is a question that a person answers',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('answer', { answer: 'All of us.' });
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: "Answered by mum's person on mum.",
      row: "mum's person answered it, on mum.",
      thread: "mum's person answered it, on mum.",
      card: "mum's person answered it, on mum. then, in the browser.",
      task: ["mum's person answered it, on mum. then, in the browser.", 'No agent got it.'],
      quotes: "mum's person on mum: All of us.",
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: "Answered by mum's person on mum.",
      row: "mum's person answered it, on mum.",
      thread: "mum's person answered it, on mum.",
      task: ["mum's person answered it, on mum. then.", 'No agent got it.'],
      cancel: 'Too late: it was finished.',
      quotes: "mum's person on mum: All of us.",
    },
  },
  {
    title: 'is a question that a person declines',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('decline');
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Declined.',
      row: "mum's person declined it, on mum.",
      thread: "mum's person declined it, on mum.",
      card: "mum's person declined it, on mum. then, in the browser.",
      task: ["mum's person declined it, on mum. then, in the browser.", 'No agent got it.'],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Declined.',
      row: "mum's person declined it, on mum.",
      thread: "mum's person declined it, on mum.",
      task: ["mum's person declined it, on mum. then.", 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'is a question that a rule turns away',
    happens: async (hubs) => {
      await hubs.mum.work.rules.create(NEVER, BROWSER);
      await hubs.ask();
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Declined.',
      row: 'Your rule “dad may never ask any agent for anything in any area” declined it.',
      thread: 'Your rule “dad may never ask any agent for anything in any area” declined it.',
      card: 'Your rule “dad may never ask any agent for anything in any area” declined it. then.',
      task: [
        'Your rule “dad may never ask any agent for anything in any area” declined it. then.',
        'No agent got it.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Declined.',
      row: 'mum declined it.',
      thread: 'mum declined it.',
      task: ['mum declined it. then.', 'No agent got it.'],
      cancel: 'Declined.',
    },
  },
  {
    title: 'is a question about which nobody decides in time',
    happens: async (hubs) => {
      await hubs.ask({ deadline_ms: 60_000 });
      await hubs.clock.advance(61_000);
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Nobody decided in time.',
      row: 'Nobody here decided in time. No agent got it.',
      thread: 'Nobody here decided in time. No agent got it.',
      card: 'Nobody here decided in time. No agent got it. then.',
      task: ['Nobody here decided in time. No agent got it. then.'],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Nobody decided in time.',
      row: 'Nobody decided for mum in time. No agent got it.',
      thread: 'Nobody decided for mum in time. No agent got it.',
      task: ['Nobody decided for mum in time. No agent got it. then.'],
      cancel: 'Nobody decided in time.',
    },
  },
];

let hubs: ToldHubs;
beforeEach(async () => {
  hubs = await ToldHubs.open();
});
afterEach(() => hubs.close());

for (const { title, happens, mum, dad } of STORIES)
  it(title, async () => {
    await happens(hubs);
    expect(await hubs.told()).toEqual({ mum, dad });
  });
