// The first draft of AXON: the same kinds and fields, older addresses, and no payload where a kind
// has none.
import { err, ok } from '../lib/result.ts';
import type { Dialect, ReadingKind } from './dialect.ts';
import { entryOf, given, objectOf, textOf } from './members.ts';

const KINDS: Readonly<Record<string, ReadingKind>> = {
  query: 'query',
  delegate: 'delegate',
  notify: 'notify',
  cancel: 'cancel',
  discover: 'discover',
  response: 'result',
  result: 'result',
  error: 'result',
  ack: 'accept',
};

export const ACP_DRAFT: Dialect = {
  name: 'acp-draft',

  detect: ({ kind }) => entryOf(KINDS, kind) !== undefined,

  read(message) {
    const word = textOf(message['kind']);
    const kind = entryOf(KINDS, word);
    if (kind === undefined) return err(`"kind" must be one of ${Object.keys(KINDS).join(', ')}`);
    const id = textOf(message['id']);
    if (id === null) return err('"id" must be text that is unique to the message');
    const payload = objectOf(message['payload']);
    const text = textOf(payload['message']);
    return ok({
      kind,
      payload:
        word === 'error'
          ? given({
              status: 'failed',
              outcome: '',
              error: text ?? 'It failed.',
              code: payload['code'],
            })
          : word === 'ack' && payload['accepted'] === false
            ? given({
                status: 'failed',
                outcome: '',
                error: textOf(payload['reason']),
                code: 'rejected',
              })
            : payload,
      ...(word === 'ack' && payload['accepted'] === false ? { kind: 'result' } : {}),
      from: textOf(message['from']),
      to: textOf(message['to']),
      capability: null,
      ids: [id],
      replyTo: textOf(message['ref']),
      conversation: null,
    });
  },

  write({ kind, id, at, from, to, payload, answers }) {
    const isAnswer = kind === 'result' && payload['summary'] !== undefined;
    return {
      v: 1,
      id,
      from,
      to,
      ts: at,
      kind: isAnswer ? 'response' : kind,
      ref: answers === null ? null : (objectOf(answers.message)['id'] ?? answers.id),
      payload,
    };
  },
};
