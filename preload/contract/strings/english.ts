// The catalogue: every word this product says to a person, in one object. Another language is
// another object of the same type.
import { attention } from './attention.ts';
import { audit } from './audit.ts';
import { remoteApproval } from './remote-approval.ts';
import { common, locale } from './shared-words.ts';
import { activity, now } from './now.ts';
import { making } from './rule-form.ts';
import { agents, settings } from './owner.ts';
import { people } from './people.ts';
import { conversations, feed, removed } from './records.ts';
import { rules } from './rules.ts';
import { story } from './story.ts';

export const ENGLISH = {
  locale,
  activity,
  common,
  now,
  people,
  feed,
  conversations,
  removed,
  rules,
  story,
  making,
  attention,
  remoteApproval,
  audit,
  agents,
  settings,
} as const;
