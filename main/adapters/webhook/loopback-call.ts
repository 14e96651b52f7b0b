// Calls a webhook: one POST on a connection of its own, past every proxy and after no redirect. The
// status is all that is wanted; of what follows it a little is read, so that a program that writes
// its answer first is not cut short, and dropped.
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import type { CallWebhook, WebhookAnswer } from '../../ports/webhook.ts';
import { ANSWER_MAX_BYTES, CALL_MAX_MS } from './limits.ts';

export function loopbackCall(clock: Pick<Clock, 'setTimer'>): CallWebhook {
  return ({ url, headers, body }, signal) =>
    new Promise((resolve) => {
      const { hostname, port, pathname } = new URL(url);
      const host = hostname.replaceAll(/[[\]]/g, '');
      let isConnected = false;
      let status: number | undefined;
      const sent = request({
        method: 'POST',
        path: pathname,
        maxHeaderSize: ANSWER_MAX_BYTES,
        headers: {
          ...headers,
          host: port === '' ? hostname : `${hostname}:${port}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          connection: 'close',
        },
        // Without an agent, which might know a proxy.
        createConnection: () =>
          connect({ host, port: port === '' ? 80 : Number(port) }, () => (isConnected = true)),
      });
      const over = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', over);
        sent.destroy();
        resolve(answerOf(status, isConnected));
      };
      const timer = clock.setTimer(CALL_MAX_MS, over);
      signal.addEventListener('abort', over, { once: true });
      sent.on('error', over);
      sent.on('response', (answer) => {
        status = answer.statusCode;
        let size = 0;
        answer.on('data', (part: Buffer) => (size += part.length) > ANSWER_MAX_BYTES && over());
        answer.on('close', over);
      });
      if (signal.aborted) over();
      else sent.end(body);
    });
}

function answerOf(status: number | undefined, isConnected: boolean): WebhookAnswer {
  if (status !== undefined) return { kind: 'answered', status };
  return { kind: isConnected ? 'unclear' : 'not_there' };
}
