// What became of a request in one word, by its story, as the sentences of the same story say it. A
// search filters by it, and the states of A2A follow it. Pure.
import type {
  CancelledDto,
  EndDto,
  StopDto,
  StoppedDto,
  StoryDto,
} from '../../../preload/contract/story.ts';

/** cancelled: whoever asked took it back, or nobody says that its agent stopped. */
export const OUTCOMES = [
  'done',
  'partial',
  'failed',
  'declined',
  'expired',
  'stopped',
  'cancelled',
  'waiting',
  'running',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function outcomeOf({ verdict, handed_over: handed, end, stop }: StoryDto): Outcome {
  switch (verdict.outcome) {
    case 'waiting':
      return 'waiting';
    case 'declined':
    case 'expired':
      return verdict.outcome;
    case 'withdrawn':
      return 'cancelled';
    case 'answered':
    case 'chosen':
      return 'done';
    case 'none':
    case 'allowed':
    case 'passed':
      if (end !== null) return endedAs(end, stop);
      return handed.state === 'waits' || handed.state === 'no' ? 'waiting' : 'running';
  }
}

function endedAs(end: EndDto, stop: StopDto | null): Outcome {
  switch (end.kind) {
    case 'completed':
      return 'done';
    case 'partial':
      return 'partial';
    case 'cancelled':
    case 'stopped':
      return stop === null ? end.kind : stoppedAs(end, stop);
    case 'failed':
    case 'refused':
    case 'offered':
    case 'hub_refused':
    case 'not_understood':
    case 'timed_out':
    case 'possibly_executed':
    case 'hub_removed':
      return 'failed';
  }
}

function stoppedAs({ kind }: CancelledDto | StoppedDto, { state, by }: StopDto): Outcome {
  switch (state) {
    case 'obeyed':
      return 'stopped';
    // What a person stops before anybody began is stopped; what its asker does, cancelled.
    case 'nothing_begun':
      return by.who === 'person' ? 'stopped' : 'cancelled';
    case 'unsaid':
      return by.who === 'person' ? 'stopped' : kind;
    case 'asked':
    case 'on_its_way':
    case 'not_told':
    case 'not_taken':
    case 'not_obeyed':
    case 'too_late':
      return 'cancelled';
  }
}
