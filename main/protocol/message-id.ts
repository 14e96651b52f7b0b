// The form of a message's id (PROTOCOL.md, Envelope). Reads nothing else.

const MESSAGE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** True for a UUID version 4 in lower case, the only form of a message id. */
export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text);
}
