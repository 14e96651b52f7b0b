// What an item of an agent's inbox is, as it crosses a process boundary. A kind is added here; what
// has to know of it then fails to compile. Imports nothing.

export const DELIVERY_KINDS = ['delegate', 'query', 'notify', 'result', 'cancel'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/**
 * task: stored, ends with a reply. question: somebody waits for the reply, nothing is stored.
 * notice: stored, done once acknowledged.
 */
const NATURE = {
  delegate: 'task',
  query: 'question',
  notify: 'notice',
  result: 'notice',
  cancel: 'notice',
} as const satisfies Record<DeliveryKind, 'task' | 'question' | 'notice'>;

export const isTask = (kind: DeliveryKind): boolean => NATURE[kind] === 'task';
export const isQuestion = (kind: DeliveryKind): boolean => NATURE[kind] === 'question';
/** Whether its agent owes a reply. */
export const isWork = (kind: DeliveryKind): boolean => isTask(kind) || isQuestion(kind);
