// Why a person's word about a request is refused, each with what to do instead.
import type { StoryDto } from '../../../preload/contract/story.ts';
import { decisionOf } from '../../../preload/contract/strings/story.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { ApprovalRow } from '../../ports/store.ts';

/** Another hub does it or leaves it: nothing can be said for its agent. */
export function noAnswer(): AppError {
  return inputError(
    'bad_request',
    'This asks whether another hub may do something: allow it once or decline it.',
  );
}

/** No agent is asked for anything: a person chooses. */
export function nothingToAllow(): AppError {
  return inputError(
    'bad_request',
    'This asks you to choose, and nothing runs: choose one, answer in your own words, or decline.',
  );
}

export function noSuchRequest(): AppError {
  return inputError('not_found', 'There is no such request.');
}

/** @param story of the same request */
export function alreadyDecided(row: ApprovalRow, story: StoryDto): AppError {
  const { state, decidedBy, surface, decidedAt } = row;
  return new AppError(
    'already_decided',
    `This request waits for no decision any more. ${decisionOf(story)}`,
    { data: { state, decided_by: decidedBy, surface, decided_at: decidedAt } },
  );
}

export function requestChanged(row: ApprovalRow): AppError {
  return inputError(
    'request_changed',
    'This request is not the one you were shown. Read it again, then decide.',
    {
      hint: 'Fetch the request again and send its revision and digest.',
      data: { revision: row.revision, digest: row.digest },
    },
  );
}

export function requestDamaged(): AppError {
  return new AppError(
    'request_changed',
    'The stored request does not fit its digest; it was not run.',
    {
      hint: 'Ask for it to be sent again, and check the disk of this computer.',
    },
  );
}

export function conflict(sentence: string): AppError {
  return inputError('conflict', sentence);
}

export function waitChanged(waitMs: number): AppError {
  return inputError(
    'request_changed',
    'This request does not wait as long as you were shown. Look at it again.',
    {
      hint: 'Fetch the request again and send its wait_ms.',
      data: { wait_ms: waitMs },
    },
  );
}

/** No timer has said so yet. */
export function timeIsOver(): AppError {
  return new AppError('approval_expired', 'Its time was over a moment ago; nothing was run.', {
    failedBy: 'timeout',
  });
}
