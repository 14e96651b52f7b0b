// Calls another program over HTTP or HTTPS, on a connection of its own, past every proxy and after
// no redirect. A certificate that the system does not trust ends the call before anything is sent.
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import type { CallOutside, OutsideAnswer } from '../../ports/outside.ts';
import { ANSWER_MAX_BYTES, HEAD_MAX_BYTES } from './limits.ts';

export function outsideCall(clock: Pick<Clock, 'setTimer'>): CallOutside {
  return ({ url, method, headers, body, timeoutMs }, signal) =>
    new Promise((resolve) => {
      const isSecret = url.startsWith('https:');
      let isConnected = false;
      const sent = (isSecret ? requestHttps : requestHttp)(url, {
        method,
        agent: false,
        maxHeaderSize: HEAD_MAX_BYTES,
        headers: {
          ...headers,
          accept: 'application/json',
          connection: 'close',
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      });
      const end = (answer: OutsideAnswer): void => {
        timer.cancel();
        signal.removeEventListener('abort', give);
        sent.destroy();
        resolve(answer);
      };
      const give = (): void => end({ kind: isConnected ? 'unclear' : 'not_there' });
      const timer = clock.setTimer(timeoutMs, give);
      signal.addEventListener('abort', give, { once: true });
      sent.on('socket', (socket: Socket) =>
        socket.once(isSecret ? 'secureConnect' : 'connect', () => (isConnected = true)),
      );
      sent.on('error', give);
      sent.on('response', (answer) => readWhole(answer, end, give));
      if (signal.aborted) give();
      else sent.end(body);
    });
}

function readWhole(
  answer: IncomingMessage,
  end: (answer: OutsideAnswer) => void,
  give: () => void,
): void {
  const parts: Buffer[] = [];
  let size = 0;
  answer.on('data', (part: Buffer) => {
    size += part.length;
    if (size > ANSWER_MAX_BYTES) give();
    else parts.push(part);
  });
  answer.on('error', give);
  answer.on('end', () => {
    if (answer.complete && size <= ANSWER_MAX_BYTES)
      end({ kind: 'answered', status: answer.statusCode ?? 0, body: Buffer.concat(parts) });
  });
  answer.on('close', give);
}
