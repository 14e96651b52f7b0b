// The story of a request at a terminal: who decided, where and when, and what came of it since, in
// the sentences of the pages. Pure.
import type { StoryDto } from '../../preload/contract/story.ts';
import {
  decisionOf,
  handedOverOf,
  headlineOf,
  shownOf,
  sinceOf,
  stopAskedOf,
  stopOf,
  surfaceOf,
  toldOf,
} from '../../preload/contract/strings/story.ts';
import { localTime } from './local-time.ts';

/** Who decided, where and when; how it stands since, and whether its asker knows. */
export function decisionLine(story: StoryDto): string {
  return sentences([
    decisionOf(story),
    whenOf(story),
    sinceOf(story),
    stopAskedOf(story, localTime),
    shownOf(story),
    toldOf(story, localTime),
  ]);
}

/** All that its headline leaves open: who decided, which agent got it, who asked it to stop. */
export function storyLines(story: StoryDto): readonly string[] {
  const [headline, decision] = [headlineOf(story), decisionOf(story)];
  const stop = stopOf(story);
  return [
    decision === headline ? '' : sentences([decision, whenOf(story)]),
    sentences([handedOverOf(story, localTime), shownOf(story)]),
    sentences([stop === headline ? null : stop, stopAskedOf(story, localTime)]),
    sentences([toldOf(story, localTime)]),
  ].filter((line) => line !== '');
}

function whenOf(story: StoryDto): string | null {
  const { verdict } = story;
  const surface = surfaceOf(story);
  if (!('at' in verdict)) return null;
  return surface === null ? `${localTime(verdict.at)}.` : `${localTime(verdict.at)}, ${surface}.`;
}

const sentences = (said: readonly (string | null)[]): string =>
  said.filter((part) => part !== null).join(' ');
