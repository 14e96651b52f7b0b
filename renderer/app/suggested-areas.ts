// Areas that many households have, offered where a person types one. Any other is as good: nothing
// but a text field reads this list.
export const SUGGESTED_AREAS = [
  'family.calendar',
  'family.chat',
  'family.school',
  'family.health',
  'work.calendar',
  'work.projects',
  'logistics.travel',
  'logistics.grocery',
  'logistics.errands',
] as const;
