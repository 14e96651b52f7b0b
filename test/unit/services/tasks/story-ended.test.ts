// Named stories of requests that end: what every surface says at both hubs.
import { afterEach, expect, it } from 'vitest';
import type { Surfaces } from '../../../fakes/story-surfaces.ts';
import { ToldHubs } from '../../../fakes/told-hubs.ts';
import { ReplayGuard } from '../../../../main/services/tasks/replay-guard.ts';
import { putTrust } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, NO_LIMITS, OWNER, type WorkHubOptions } from '../../../fakes/work-hub.ts';

interface Named {
  readonly title: string;
  /** What is not as usual at mum's. */
  readonly ofMum?: Partial<WorkHubOptions>;
  readonly happens: (hubs: ToldHubs) => Promise<void>;
  /** null: nothing of it is kept there. */
  readonly mum: Surfaces | null;
  readonly dad: Surfaces;
}

const STORIES: readonly Named[] = [
  {
    title: 'is done',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.reply(delivery, { outcome: 'Set for seven.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum. Done.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: Set for seven.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum. Done.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
      quotes: 'An agent on mum: Set for seven.',
    },
  },
  {
    title: 'is partly done',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.reply(delivery, { status: 'partial', outcome: 'Only the soup.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Partly done.',
      row: "mum's person allowed it, on mum. Partly done.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Partly done. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: Only the soup.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Partly done.',
      row: "mum's person allowed it, on mum. Partly done.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
      quotes: 'An agent on mum: Only the soup.',
    },
  },
  {
    title: 'is done after it came back once',
    happens: async (hubs) => {
      const delivery = await hubs.handed();
      await hubs.mum.work.inbox.nack('claude', delivery, null);
      const again = await hubs.mum.claim('claude');
      await hubs.reply(again.delivery_id, {});
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum. Done.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it 2 times, first then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum. Done.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
    },
  },
  {
    title: 'is done, and no report was wanted',
    happens: async (hubs) => {
      await hubs.send({ report_back: false });
      await hubs.decide('allow');
      const { delivery_id: delivery } = await hubs.mum.claim('claude');
      await hubs.reply(delivery, {});
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum. Done.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Delivered to mum. No report was wanted.',
      row: "mum's person allowed it, on mum. Delivered to mum. No report was wanted.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'is stopped, and no report was wanted',
    happens: async (hubs) => {
      await hubs.send({ report_back: false });
      await hubs.decide('allow');
      const { delivery_id: delivery } = await hubs.mum.claim('claude');
      await hubs.cancel();
      await hubs.reply(delivery, { status: 'cancelled' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Stopped.',
      row: "mum's person allowed it, on mum. Stopped.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Stopped. The stop was asked for, then. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Stopped.',
      row: "mum's person allowed it, on mum. Stopped.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Stopped.',
    },
  },
  {
    title: 'fails at its agent',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.reply(delivery, { status: 'failed', error: 'The oven is cold.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Claude could not do it.',
      row: "mum's person allowed it, on mum. Claude could not do it.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Claude could not do it. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: The oven is cold.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'An agent on mum could not do it.',
      row: "mum's person allowed it, on mum. An agent on mum could not do it.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it had ended.',
      quotes: 'An agent on mum: The oven is cold.',
    },
  },
  {
    title: 'is refused by its agent',
    happens: async (hubs) => {
      const delivery = await hubs.handed();
      await hubs.reply(delivery, { status: 'failed', code: 'rejected', error: 'Not on Sundays.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Claude refused it.',
      row: "mum's person allowed it, on mum. Claude refused it.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Claude refused it. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: Not on Sundays.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'An agent on mum refused it.',
      row: "mum's person allowed it, on mum. An agent on mum refused it.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it had ended.',
      quotes: 'An agent on mum: Not on Sundays.',
    },
  },
  {
    title: 'is not understood by its agent',
    happens: async (hubs) => {
      const delivery = await hubs.handed();
      await hubs.reply(delivery, {
        status: 'failed',
        code: 'not_understood',
        error: 'Which table?',
      });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Claude did not understand it.',
      row: "mum's person allowed it, on mum. Claude did not understand it.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Claude did not understand it. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: Which table?',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'An agent on mum did not understand it.',
      row: "mum's person allowed it, on mum. An agent on mum did not understand it.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it had ended.',
      quotes: 'An agent on mum: Which table?',
    },
  },
  {
    title: 'is changed on the disk after a person allowed it',
    happens: async (hubs) => {
      await hubs.send();
      const { id } = hubs.mum.card;
      await hubs.decide('allow');
      await hubs.mum.damageView(id, 'Order for forty');
      await hubs.mum.work.inbox.claim('claude', 1);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'It failed at mum.',
      row: "mum's person allowed it, on mum. It failed at mum.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. It failed at mum. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'No agent got it.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'It failed at mum.',
      row: "mum's person allowed it, on mum. It failed at mum.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'is refused because too much came from that hub',
    ofMum: { rates: { ...NO_LIMITS, delegate: { burst: 1, perMinute: 1 } } },
    happens: async (hubs) => {
      await hubs.send();
      await hubs.send({ task: 'Once more' }).catch(() => undefined);
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
      list: 'mum did not take it.',
      row: 'mum did not take it.',
      thread: 'mum did not take it.',
      task: [],
      cancel: 'Too late: it had ended.',
      quotes: 'mum: Too many delegations: this hub takes 1 a minute from you. Try again in 60 s.',
    },
  },
  {
    title: 'is refused while everything is stopped there',
    happens: async (hubs) => {
      await hubs.mum.work.stopEverything(BROWSER);
      await hubs.send().catch(() => undefined);
    },
    mum: null,
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'mum did not take it.',
      row: 'mum did not take it.',
      thread: 'mum did not take it.',
      task: [],
      cancel: 'Too late: it had ended.',
      quotes:
        'mum: A person stopped everything at this hub. Nothing new gets in until they resume. Ask again later.',
    },
  },
  {
    title: 'is a question while everything is stopped there',
    happens: async (hubs) => {
      await hubs.mum.work.stopEverything(BROWSER);
      await hubs.ask();
    },
    mum: null,
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'mum did not take it.',
      row: 'mum did not take it.',
      thread: 'mum did not take it.',
      task: [],
      cancel: 'Too late: it had ended.',
      quotes:
        'mum: A person stopped everything at this hub. Nothing new gets in until they resume. Ask again later.',
    },
  },
  {
    title: 'is over its time before its agent is done',
    happens: async (hubs) => {
      await hubs.send({ deadline_ms: 60_000 });
      await hubs.decide('allow');
      await hubs.mum.claim('claude');
      await hubs.clock.advance(30 * 60_000);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Its time ran out.',
      row: "mum's person allowed it, on mum. Its time ran out.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Its time ran out. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Its time ran out.',
      row: "mum's person allowed it, on mum. Its time ran out.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'ends with the trust between the two hubs',
    happens: async (hubs) => {
      await hubs.handed();
      await hubs.mum.endTrust(hubs.dad, 'revoked');
      await hubs.dad.endTrust(hubs.mum, 'revoked');
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Ended when the link between the two hubs was ended.',
      row: "mum's person allowed it, on mum. Ended when the link between the two hubs was ended.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Ended when the link between the two hubs was ended. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Ended when the link between the two hubs was ended.',
      row: "mum's person allowed it, on mum. Ended when the link between the two hubs was ended.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'never leaves, because that hub is away',
    happens: async (hubs) => {
      hubs.mum.cut(hubs.dad);
      await hubs.send().catch(() => undefined);
    },
    mum: null,
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Not sent: mum could not be reached.',
      row: 'Not sent: mum could not be reached.',
      thread: 'Not sent: mum could not be reached.',
      task: [],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'is done while the asker is away, which does not know it',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      hubs.mum.cut(hubs.dad);
      await hubs.reply(delivery, {});
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Done.',
      row: "mum's person allowed it, on mum. Done.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done. The agent got exactly what was shown. dad does not have the answer yet.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad does not have the answer yet.',
      ],
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
    title: 'is on its way to a hub that does not answer',
    happens: async (hubs) => {
      hubs.mum.messenger.swallowed.add('ack');
      await hubs.send();
      hubs.mum.messenger.swallowed.clear();
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
      list: 'mum has not confirmed it yet.',
      row: 'mum has not confirmed it yet.',
      thread: 'mum has not confirmed it yet.',
      task: [],
      cancel: 'mum has not confirmed it yet.',
      button: 'Cancel',
    },
  },
  {
    title: 'goes on after the hub that runs it was restarted',
    happens: async (hubs) => {
      await hubs.begun();
      await hubs.restart();
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
    title: 'is a question that is answered by an agent that only looks',
    happens: async (hubs) => {
      await hubs.ask({ domain: 'family.photos' });
      const { delivery_id: delivery } = await hubs.mum.claim('looks');
      await hubs.reply(delivery, { summary: 'The one with the cat.' }, 'looks');
    },
    mum: {
      asked: 'OpenClaw on dad asks Looks a question.',
      list: 'Answered.',
      row: 'Nobody was asked: Looks only looks. Answered.',
      thread: 'Nobody was asked: Looks only looks.',
      card: 'Nobody was asked: Looks only looks. then. Answered.',
      task: ['Nobody was asked: Looks only looks. then.', 'Looks got it, then.'],
      quotes: 'Looks: The one with the cat.',
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Answered.',
      row: 'Answered.',
      thread: 'Answered.',
      task: ['An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
      quotes: 'An agent on mum: The one with the cat.',
    },
  },
  {
    title: 'is a question that is allowed and answered',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('allow');
      const { delivery_id: delivery } = await hubs.mum.claim('claude');
      await hubs.reply(delivery, { summary: 'All of us.' });
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Answered.',
      row: "mum's person allowed it, on mum. Answered.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Answered. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
      ],
      quotes: 'Claude: All of us.',
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Answered.',
      row: "mum's person allowed it, on mum. Answered.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
      quotes: 'An agent on mum: All of us.',
    },
  },
  {
    title: 'is a question that is answered in part by an agent that only looks',
    happens: async (hubs) => {
      await hubs.ask({ domain: 'family.photos' });
      const { delivery_id: delivery } = await hubs.mum.claim('looks');
      await hubs.reply(delivery, { status: 'partial', summary: 'The half of them.' }, 'looks');
    },
    mum: {
      asked: 'OpenClaw on dad asks Looks a question.',
      list: 'Partly answered.',
      row: 'Nobody was asked: Looks only looks. Partly answered.',
      thread: 'Nobody was asked: Looks only looks.',
      card: 'Nobody was asked: Looks only looks. then. Partly answered.',
      task: ['Nobody was asked: Looks only looks. then.', 'Looks got it, then.'],
      quotes: 'Looks: The half of them.',
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Partly answered.',
      row: 'Partly answered.',
      thread: 'Partly answered.',
      task: ['An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
      quotes: 'An agent on mum: The half of them.',
    },
  },
  {
    title: 'is a question that is allowed and answered in part',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('allow');
      const { delivery_id: delivery } = await hubs.mum.claim('claude');
      await hubs.reply(delivery, { summary: 'Some of us.', truncated: true });
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Partly answered.',
      row: "mum's person allowed it, on mum. Partly answered.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Partly answered. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
      ],
      quotes: 'Claude: Some of us.',
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Partly answered.',
      row: "mum's person allowed it, on mum. Partly answered.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it was finished.',
      quotes: 'An agent on mum: Some of us.',
    },
  },
  {
    title: 'is a question that its agent cannot answer',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('allow');
      const { delivery_id: delivery } = await hubs.mum.claim('claude');
      await hubs.reply(delivery, { status: 'failed', error: 'The camera is off.' });
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Claude could not do it.',
      row: "mum's person allowed it, on mum. Claude could not do it.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Claude could not do it. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
      ],
      quotes: 'Claude: The camera is off.',
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'An agent on mum could not do it.',
      row: "mum's person allowed it, on mum. An agent on mum could not do it.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'An agent on mum got it.'],
      cancel: 'Too late: it had ended.',
      quotes: 'An agent on mum: The camera is off.',
    },
  },
  {
    title: 'is a question that its agent does not answer in time',
    happens: async (hubs) => {
      await hubs.ask({ domain: 'family.photos', deadline_ms: 60_000 });
      await hubs.mum.claim('looks');
      await hubs.clock.advance(61_000);
    },
    mum: {
      asked: 'OpenClaw on dad asks Looks a question.',
      list: 'Its time ran out.',
      row: 'Nobody was asked: Looks only looks. Its time ran out.',
      thread: 'Nobody was asked: Looks only looks.',
      card: 'Nobody was asked: Looks only looks. then. Its time ran out.',
      task: ['Nobody was asked: Looks only looks. then.', 'Looks got it, then.'],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Its time ran out.',
      row: 'Its time ran out.',
      thread: 'Its time ran out.',
      task: [],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'is a question that an agent has when its hub is restarted',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('allow');
      await hubs.mum.claim('claude');
      await hubs.mum.restart();
      await hubs.clock.advance(700_000);
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Ended by mum. It may have been done.',
      row: "mum's person allowed it, on mum. Ended by mum. It may have been done.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. Ended by mum. It may have been done.",
      task: ["mum's person allowed it, on mum. then, in the browser."],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'The line to mum broke. It may have been answered.',
      row: "mum's person allowed it, on mum. The line to mum broke. It may have been answered.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'is refused by a hub that was restored from an older copy',
    happens: async (hubs) => {
      const now = hubs.clock.wallMs();
      await hubs.mum.store.write((tables) => ReplayGuard.restored(tables, now + 60_000));
      await hubs.send().catch(() => undefined);
    },
    mum: null,
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'mum did not take it.',
      row: 'mum did not take it.',
      thread: 'mum did not take it.',
      task: [],
      cancel: 'Too late: it had ended.',
      quotes:
        'mum: This hub was restored from a backup after that was sent, so it cannot tell whether it was done already. If it is still wanted, send it again under a fresh id.',
    },
  },
  {
    title: 'is cut off by a hub that was restored from an older copy',
    happens: async (hubs) => {
      await hubs.begun();
      await hubs.mum.work.endRestored({ by: 'owner', surface: 'window' });
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Cut off while Claude had it. It may have been done.',
      row: "mum's person allowed it, on mum. Cut off while Claude had it. It may have been done.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Cut off while Claude had it. It may have been done. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Ended by mum. It may have been done.',
      row: "mum's person allowed it, on mum. Ended by mum. It may have been done.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'waited in the older copy that its hub was restored from',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.mum.work.endRestored({ by: 'owner', surface: 'window' });
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Ended by mum. It may have been done.',
      row: 'Ended by mum. It may have been done.',
      thread: 'Ended by mum. It may have been done.',
      task: ['dad has the answer, then.'],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Ended by mum.',
      row: 'Ended by mum.',
      thread: 'Ended by mum.',
      task: [],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'waits when a person suspends its hub and lets it back in',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.mum.endTrust(hubs.dad, 'suspended');
      await putTrust(hubs.mum, hubs.dad, 'paired');
      await hubs.restart();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Ended when the link between the two hubs was ended.',
      row: 'Ended when the link between the two hubs was ended.',
      thread: 'Ended when the link between the two hubs was ended.',
      task: ['No agent got it.'],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Ended by mum.',
      row: 'Ended by mum.',
      thread: 'Ended by mum.',
      task: [],
      cancel: 'Too late: it had ended.',
    },
  },
  {
    title: 'came back from an agent that crashed',
    happens: async (hubs) => {
      await hubs.handed();
      await hubs.clock.advance(61_000);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Waits for Claude, which is away.',
      row: "mum's person allowed it, on mum. Waits for Claude, which is away.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. Waits for Claude, which is away.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude had it before. It waits for it again.',
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
    title: 'waits for an agent that is removed meanwhile',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.decide('allow');
      await hubs.mum.work.agents.remove('claude', OWNER);
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude (until 15 January) a task.',
      list: 'It failed at mum.',
      row: "mum's person allowed it, on mum. It failed at mum.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. It failed at mum. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'No agent got it.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'It failed at mum.',
      row: "mum's person allowed it, on mum. It failed at mum.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then."],
      cancel: 'Too late: it had ended.',
    },
  },
];

let hubs: ToldHubs;
afterEach(() => hubs.close());

for (const { title, happens, mum, dad, ofMum } of STORIES)
  it(title, async () => {
    hubs = await ToldHubs.open(ofMum);
    await happens(hubs);
    expect(await hubs.told()).toEqual({ mum, dad });
  });
