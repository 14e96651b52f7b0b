// What every surface says of one request: the pages, the terminal, an agent's tool and an export, by
// the functions that they use. Moments read "then": whose clock it was is no matter here.
import type { StoryDto } from '../../preload/contract/story.ts';
import {
  askedOf,
  becameOf,
  cancelledOf,
  decisionOf,
  headlineOf,
  mayBeCancelled,
  mayBeStopped,
  saidOf,
  shownOf,
} from '../../preload/contract/strings/story.ts';
import { decisionLine, storyLines } from '../../main/cli/story-lines.ts';
import { outcomeOf } from '../../renderer/features/approvals/sentences.ts';

export interface Surfaces {
  /** "What my agents ask", before how it stands. */
  readonly asked: string;
  /** Every list: `axon tasks`, `axon history`, threads, open requests. */
  readonly list: string;
  /** "Recently decided", "By your rules", and what a search finds. */
  readonly row: string;
  /** The decision in a thread, in `axon history` and in an export. */
  readonly thread: string;
  /**
   * The decided card, `axon approvals` and the answer to `axon approve`, which agree; undefined: it
   * is asked of another hub, or not decided.
   */
  readonly card?: string;
  /** Below the headline of `axon tasks ID`. */
  readonly task: readonly string[];
  /** What whoever cancels it now, or did, reads: at a terminal and by MCP; not where it is asked. */
  readonly cancel?: string;
  /** Whose words stand with it. */
  readonly quotes?: string;
  readonly button?: 'Cancel' | 'Stop';
}

const LOCAL_TIME = /\d{4}-\d\d-\d\d \d\d:\d\d \([^)]*\)/g;
const EXACT_TIME = /\b\d\d:\d\d:\d\d\b/g;
const then = (words: string): string =>
  words.replaceAll(LOCAL_TIME, 'then').replaceAll(EXACT_TIME, 'then');

export function surfacesOf(story: StoryDto): Surfaces {
  const isDecided = !['none', 'waiting'].includes(story.verdict.outcome);
  const hasCard = story.direction !== 'outgoing' && isDecided;
  const said = saidOf(story);
  return {
    asked: askedOf(story),
    list: headlineOf(story),
    row: becameOf(story),
    thread: [decisionOf(story), shownOf(story)].filter((words) => words !== null).join(' '),
    ...(hasCard ? { card: cardOf(story) } : {}),
    task: storyLines(story).map(then),
    ...(story.direction === 'incoming' ? {} : { cancel: cancelledOf(story) }),
    ...(said === null ? {} : { quotes: `${said.by}: ${said.words}` }),
    ...buttonOf(story),
  };
}

function cardOf(story: StoryDto): string {
  const { title, detail } = outcomeOf({ story, decided_at: 0, expires_at: 0 });
  const [card, line] = [then(`${title} ${detail}`), then(decisionLine(story))];
  if (card !== line) throw new Error(`The card says "${card}", the terminal "${line}".`);
  return card;
}

function buttonOf(story: StoryDto): Pick<Surfaces, 'button'> {
  if (story.direction !== 'outgoing') return mayBeStopped(story) ? { button: 'Stop' } : {};
  return mayBeCancelled(story) ? { button: 'Cancel' } : {};
}
