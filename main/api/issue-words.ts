// What is wrong with a parameter, in words for the caller. The schemas keep their own words where
// there is more to say.
import type * as v from 'valibot';

/** How the library begins the words it makes by itself. */
const OWN_WORDS_OF_LIBRARY = 'Invalid ';

/** The beginning names the parameter; `path` is null for the whole. */
export function issueWords(issue: v.BaseIssue<unknown>, path: string | null): string {
  const words = issue.message.startsWith(OWN_WORDS_OF_LIBRARY) ? plainWords(issue) : issue.message;
  return path === null ? words : `${path}: ${words}`;
}

function plainWords(issue: v.BaseIssue<unknown>): string {
  const { type, requirement, received, message } = issue;
  switch (type) {
    case 'strict_object':
      return issue.expected === 'never' ? 'nothing of this name is taken here' : message;
    case 'min_length':
      return requirement === 1
        ? 'it must not be empty'
        : `it is shorter than ${String(requirement)}`;
    case 'max_length':
      return `it is longer than ${String(requirement)}, which is the most`;
    case 'min_value':
      return `it must be ${String(requirement)} or more, and is ${received}`;
    case 'max_value':
      return `it must be ${String(requirement)} or less, and is ${received}`;
    case 'safe_integer':
      return 'it must be a whole number';
    case 'uuid':
      return `it must be an id of 36 characters, like 0b8f5c1e-8d5c-4c8e-9f43-2f6f0f0a7b11, and is ${received}`;
    default:
      return message;
  }
}
