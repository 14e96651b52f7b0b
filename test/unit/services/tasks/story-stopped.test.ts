// Named stories of requests that are cancelled or stopped: what every surface says at both hubs.
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

const STORIES: readonly Named[] = [
  {
    title: 'is cancelled before anybody decides',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.cancel();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Cancelled: nobody had decided.',
      row: 'OpenClaw on dad cancelled it before anybody decided. No agent got it.',
      thread: 'OpenClaw on dad cancelled it before anybody decided. No agent got it.',
      card: 'OpenClaw on dad cancelled it before anybody decided. No agent got it. then.',
      task: ['OpenClaw on dad cancelled it before anybody decided. No agent got it. then.'],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Cancelled: nobody had begun.',
      row: 'Cancelled: nobody had begun.',
      thread: 'Cancelled: nobody had begun.',
      task: ['The stop was asked for, then.'],
      cancel: 'Cancelled: nobody had begun.',
    },
  },
  {
    title: 'is cancelled while it is held',
    happens: async (hubs) => {
      await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
      await hubs.send();
      await hubs.cancel();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Cancelled: nobody had decided.',
      row: 'OpenClaw on dad cancelled it before anybody decided. No agent got it.',
      thread: 'OpenClaw on dad cancelled it before anybody decided. No agent got it.',
      card: 'OpenClaw on dad cancelled it before anybody decided. No agent got it. then.',
      task: ['OpenClaw on dad cancelled it before anybody decided. No agent got it. then.'],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Cancelled: nobody had begun.',
      row: 'Cancelled: nobody had begun.',
      thread: 'Cancelled: nobody had begun.',
      task: ['The stop was asked for, then.'],
      cancel: 'Cancelled: nobody had begun.',
    },
  },
  {
    title: 'is cancelled before its agent has it',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.decide('allow');
      await hubs.cancel();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Cancelled: nobody had begun.',
      row: "mum's person allowed it, on mum. Cancelled: nobody had begun.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. Cancelled: nobody had begun. The stop was asked for, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'No agent got it.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Cancelled: nobody had begun.',
      row: "mum's person allowed it, on mum. Cancelled: nobody had begun.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Cancelled: nobody had begun.',
    },
  },
  {
    title: 'is cancelled, and still runs',
    happens: async (hubs) => {
      await hubs.begun();
      await hubs.cancel();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Asked Claude to stop; it still runs.',
      row: "mum's person allowed it, on mum. Asked Claude to stop; it still runs.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Asked Claude to stop; it still runs. The stop was asked for, then. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Asked an agent on mum to stop; it had begun.',
      row: "mum's person allowed it, on mum. Asked an agent on mum to stop; it had begun.",
      thread: "mum's person allowed it, on mum.",
      task: [
        "mum's person allowed it, on mum. then.",
        'An agent on mum got it.',
        'The stop was asked for, then.',
      ],
      cancel: 'Asked an agent on mum to stop; it had begun.',
    },
  },
  {
    title: 'is cancelled while its agent has it and has said nothing',
    happens: async (hubs) => {
      await hubs.handed();
      await hubs.cancel();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Asked Claude to stop; it had it already.',
      row: "mum's person allowed it, on mum. Asked Claude to stop; it had it already.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Asked Claude to stop; it had it already. The stop was asked for, then. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Asked an agent on mum to stop; it had it already.',
      row: "mum's person allowed it, on mum. Asked an agent on mum to stop; it had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Asked an agent on mum to stop; it had it already.',
    },
  },
  {
    title: 'is cancelled, and its agent stops',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.cancel();
      await hubs.reply(delivery, { status: 'cancelled' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Stopped.',
      row: "mum's person allowed it, on mum. Stopped.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Stopped. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
        'dad has the answer, then.',
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
    title: 'is cancelled, and its agent gives it back',
    happens: async (hubs) => {
      const delivery = await hubs.handed();
      await hubs.cancel();
      await hubs.mum.work.inbox.nack('claude', delivery, null);
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Cancelled: Claude had it already.',
      row: "mum's person allowed it, on mum. Cancelled: Claude had it already.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Cancelled: Claude had it already. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Cancelled: an agent on mum had it already.',
      row: "mum's person allowed it, on mum. Cancelled: an agent on mum had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Cancelled: an agent on mum had it already.',
    },
  },
  {
    title: 'is cancelled, and its agent finishes it',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.cancel();
      await hubs.reply(delivery, { outcome: 'Set already.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Done, though OpenClaw on dad asked it to stop.',
      row: "mum's person allowed it, on mum. Done, though OpenClaw on dad asked it to stop.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done, though OpenClaw on dad asked it to stop. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'Asked to stop; Claude finished all the same. The stop was asked for, then.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: Set already.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Done, though OpenClaw on dad asked it to stop.',
      row: "mum's person allowed it, on mum. Done, though OpenClaw on dad asked it to stop.",
      thread: "mum's person allowed it, on mum.",
      task: [
        "mum's person allowed it, on mum. then.",
        'An agent on mum got it.',
        'Asked to stop; an agent on mum finished all the same. The stop was asked for, then.',
      ],
      cancel: 'Asked to stop; an agent on mum finished all the same.',
      quotes: 'An agent on mum: Set already.',
    },
  },
  {
    title: 'is cancelled, and its agent fails',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.cancel();
      await hubs.reply(delivery, { status: 'failed', error: 'The oven is cold.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Claude could not do it.',
      row: "mum's person allowed it, on mum. Claude could not do it. Asked to stop; it ended otherwise.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Claude could not do it. Asked to stop; it ended otherwise. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'Asked to stop; it ended otherwise. The stop was asked for, then.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: The oven is cold.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'An agent on mum could not do it.',
      row: "mum's person allowed it, on mum. An agent on mum could not do it. Asked to stop; it ended otherwise.",
      thread: "mum's person allowed it, on mum.",
      task: [
        "mum's person allowed it, on mum. then.",
        'An agent on mum got it.',
        'Asked to stop; it ended otherwise. The stop was asked for, then.',
      ],
      cancel: 'Asked to stop; it ended otherwise.',
      quotes: 'An agent on mum: The oven is cold.',
    },
  },
  {
    title: 'is cancelled, and its agent never says anything',
    happens: async (hubs) => {
      await hubs.handed();
      await hubs.cancel();
      await hubs.clock.advance(120_000);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Cancelled: Claude had it already.',
      row: "mum's person allowed it, on mum. Cancelled: Claude had it already.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Cancelled: Claude had it already. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Cancelled: an agent on mum had it already.',
      row: "mum's person allowed it, on mum. Cancelled: an agent on mum had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Cancelled: an agent on mum had it already.',
    },
  },
  {
    title: 'is cancelled after it came back from an agent that may still answer',
    happens: async (hubs) => {
      await hubs.handed();
      await hubs.clock.advance(61_000);
      await hubs.cancel();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Asked Claude to stop; it had it already.',
      row: "mum's person allowed it, on mum. Asked Claude to stop; it had it already.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. Asked Claude to stop; it had it already. The stop was asked for, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude had it before. It waits for it again.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Asked an agent on mum to stop; it had it already.',
      row: "mum's person allowed it, on mum. Asked an agent on mum to stop; it had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Asked an agent on mum to stop; it had it already.',
    },
  },
  {
    title: 'is cancelled after it came back, and is done by then',
    happens: async (hubs) => {
      const delivery = await hubs.handed();
      await hubs.clock.advance(61_000);
      await hubs.cancel();
      await hubs.reply(delivery, { outcome: 'Set already.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Done, though OpenClaw on dad asked it to stop.',
      row: "mum's person allowed it, on mum. Done, though OpenClaw on dad asked it to stop.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done, though OpenClaw on dad asked it to stop. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'Asked to stop; Claude finished all the same. The stop was asked for, then.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: Set already.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Done, though OpenClaw on dad asked it to stop.',
      row: "mum's person allowed it, on mum. Done, though OpenClaw on dad asked it to stop.",
      thread: "mum's person allowed it, on mum.",
      task: [
        "mum's person allowed it, on mum. then.",
        'An agent on mum got it.',
        'Asked to stop; an agent on mum finished all the same. The stop was asked for, then.',
      ],
      cancel: 'Asked to stop; an agent on mum finished all the same.',
      quotes: 'An agent on mum: Set already.',
    },
  },
  {
    title: 'is cancelled after it came back, and is handed to nobody again',
    happens: async (hubs) => {
      await hubs.handed();
      await hubs.clock.advance(61_000);
      await hubs.cancel();
      const items = await hubs.mum.work.inbox.claim('claude', 9);
      if (items.map(({ kind }) => kind).join() !== 'cancel') throw new Error('handed over again');
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Cancelled: Claude had it already.',
      row: "mum's person allowed it, on mum. Cancelled: Claude had it already.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Cancelled: Claude had it already. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Cancelled: an agent on mum had it already.',
      row: "mum's person allowed it, on mum. Cancelled: an agent on mum had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Cancelled: an agent on mum had it already.',
    },
  },
  {
    title: 'is cancelled, which the other hub refuses',
    happens: async (hubs) => {
      await hubs.begun();
      const { messenger } = hubs.mum;
      const take = messenger.takeRequest.bind(messenger);
      messenger.takeRequest = (from, raw, signal) =>
        take(from, raw.replace(/"ref":"[^"]*"/, `"ref":"${crypto.randomUUID()}"`), signal);
      await hubs.cancel().catch(() => undefined);
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
    title: 'is cancelled, and the answer to that is lost until that hub is asked again',
    happens: async (hubs) => {
      await hubs.begun();
      hubs.mum.messenger.swallowed.add('ack');
      await hubs.cancel();
      hubs.mum.messenger.swallowed.clear();
      await hubs.clock.advance(60_000);
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Asked Claude to stop; it still runs.',
      row: "mum's person allowed it, on mum. Asked Claude to stop; it still runs.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Asked Claude to stop; it still runs. The stop was asked for, then. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Asked an agent on mum to stop; it had it already.',
      row: "mum's person allowed it, on mum. Asked an agent on mum to stop; it had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Asked an agent on mum to stop; it had it already.',
    },
  },
  {
    title: 'is cancelled when nobody knows whether it arrived',
    happens: async (hubs) => {
      hubs.mum.messenger.swallowed.add('ack');
      await hubs.send();
      hubs.dad.cut(hubs.mum);
      await hubs.cancel();
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
      list: 'Asked mum to cancel it; no answer yet.',
      row: 'Asked mum to cancel it; no answer yet.',
      thread: 'Asked mum to cancel it; no answer yet.',
      task: ['The stop was asked for, then.'],
      cancel: 'Asked mum to cancel it; no answer yet.',
    },
  },
  {
    title: 'is stopped by a person before its agent has it',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.decide('allow');
      await hubs.stop();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: "Stopped by mum's person on mum: nothing ran.",
      row: "mum's person allowed it, on mum. Stopped by mum's person on mum: nothing ran.",
      thread: "mum's person allowed it, on mum.",
      card: "mum's person allowed it, on mum. then, in the browser. Stopped by mum's person on mum: nothing ran. The stop was asked for, then. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'No agent got it.',
        'The stop was asked for, then.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: "Stopped by mum's person on mum.",
      row: "mum's person allowed it, on mum. Stopped by mum's person on mum.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: "Stopped by mum's person on mum.",
    },
  },
  {
    title: 'is stopped by a person while it waits, which declines it',
    happens: async (hubs) => {
      await hubs.send();
      await hubs.stop();
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
    title: 'is stopped by a person, and still runs',
    happens: async (hubs) => {
      await hubs.begun();
      await hubs.stop();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Asked Claude to stop; it still runs.',
      row: "mum's person allowed it, on mum. Asked Claude to stop; it still runs.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Asked Claude to stop; it still runs. The stop was asked for, then. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
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
    title: 'is stopped by a person, and its agent stops',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.stop();
      await hubs.reply(delivery, { status: 'cancelled' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: "Stopped by mum's person on mum.",
      row: "mum's person allowed it, on mum. Stopped by mum's person on mum.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Stopped by mum's person on mum. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: "Stopped by mum's person on mum.",
      row: "mum's person allowed it, on mum. Stopped by mum's person on mum.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: "Stopped by mum's person on mum.",
    },
  },
  {
    title: 'is stopped by a person, and its agent finishes it',
    happens: async (hubs) => {
      const delivery = await hubs.begun();
      await hubs.stop();
      await hubs.reply(delivery, { outcome: 'Set already.' });
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: "Done, though mum's person on mum asked it to stop.",
      row: "mum's person allowed it, on mum. Done, though mum's person on mum asked it to stop.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Done, though mum's person on mum asked it to stop. The stop was asked for, then. The agent got exactly what was shown. dad has the answer, then.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'Asked to stop; Claude finished all the same. The stop was asked for, then.',
        'dad has the answer, then.',
      ],
      quotes: 'Claude: Set already.',
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: "Done, though mum's person on mum asked it to stop.",
      row: "mum's person allowed it, on mum. Done, though mum's person on mum asked it to stop.",
      thread: "mum's person allowed it, on mum.",
      task: [
        "mum's person allowed it, on mum. then.",
        'An agent on mum got it.',
        'Asked to stop; an agent on mum finished all the same. The stop was asked for, then.',
      ],
      cancel: 'Asked to stop; an agent on mum finished all the same.',
      quotes: 'An agent on mum: Set already.',
    },
  },
  {
    title: 'is stopped by a person who is not named',
    happens: async (hubs) => {
      hubs.mum.person = null;
      await hubs.send();
      await hubs.decide('allow');
      await hubs.stop();
    },
    mum: {
      asked: 'OpenClaw on dad gives Claude a task.',
      list: 'Stopped by a person on mum: nothing ran.',
      row: 'A person allowed it, on mum. Stopped by a person on mum: nothing ran.',
      thread: 'A person allowed it, on mum.',
      card: 'A person allowed it, on mum. then, in the browser. Stopped by a person on mum: nothing ran. The stop was asked for, then. dad has the answer, then.',
      task: [
        'A person allowed it, on mum. then, in the browser.',
        'No agent got it.',
        'The stop was asked for, then.',
        'dad has the answer, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad gives mum a task.',
      list: 'Stopped by a person on mum.',
      row: 'A person allowed it for mum. Stopped by a person on mum.',
      thread: 'A person allowed it for mum.',
      task: ['A person allowed it for mum. then.', 'The stop was asked for, then.'],
      cancel: 'Stopped by a person on mum.',
    },
  },
  {
    title: 'is a question that a person stops while its agent has it',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('allow');
      await hubs.mum.claim('claude');
      await hubs.stop();
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: "Cancelled by mum's person on mum: Claude had it already.",
      row: "mum's person allowed it, on mum. Cancelled by mum's person on mum: Claude had it already.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Cancelled by mum's person on mum: Claude had it already. The stop was asked for, then. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: "Cancelled by mum's person on mum: an agent on mum had it already.",
      row: "mum's person allowed it, on mum. Cancelled by mum's person on mum: an agent on mum had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: "Cancelled by mum's person on mum: an agent on mum had it already.",
    },
  },
  {
    title: 'is a question whose asker hangs up before anybody decides',
    happens: async (hubs) => {
      await hubs.ask();
      hubs.line.abort();
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Cancelled: nobody had decided.',
      row: 'OpenClaw on dad cancelled it before anybody decided. No agent got it.',
      thread: 'OpenClaw on dad cancelled it before anybody decided. No agent got it.',
      card: 'OpenClaw on dad cancelled it before anybody decided. No agent got it. then.',
      task: ['OpenClaw on dad cancelled it before anybody decided. No agent got it. then.'],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Cancelled: nobody had begun.',
      row: 'Cancelled: nobody had begun.',
      thread: 'Cancelled: nobody had begun.',
      task: ['The stop was asked for, then.'],
      cancel: 'Cancelled: nobody had begun.',
    },
  },
  {
    title: 'is a question whose asker hangs up while its agent has it',
    happens: async (hubs) => {
      await hubs.ask();
      await hubs.decide('allow');
      await hubs.mum.claim('claude');
      hubs.line.abort();
      await hubs.clock.settle();
    },
    mum: {
      asked: 'OpenClaw on dad asks Claude a question.',
      list: 'Cancelled: Claude had it already.',
      row: "mum's person allowed it, on mum. Cancelled: Claude had it already.",
      thread: "mum's person allowed it, on mum. The agent got exactly what was shown.",
      card: "mum's person allowed it, on mum. then, in the browser. Cancelled: Claude had it already. The stop was asked for, then. The agent got exactly what was shown.",
      task: [
        "mum's person allowed it, on mum. then, in the browser.",
        'Claude got it, then. The agent got exactly what was shown.',
        'The stop was asked for, then.',
      ],
    },
    dad: {
      asked: 'OpenClaw on dad asks mum a question.',
      list: 'Cancelled: an agent on mum had it already.',
      row: "mum's person allowed it, on mum. Cancelled: an agent on mum had it already.",
      thread: "mum's person allowed it, on mum.",
      task: ["mum's person allowed it, on mum. then.", 'The stop was asked for, then.'],
      cancel: 'Cancelled: an agent on mum had it already.',
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
