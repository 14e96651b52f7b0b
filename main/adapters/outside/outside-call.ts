// Calls another program over HTTP or HTTPS, on a connection of its own, past every proxy and after
// no redirect. A certificate that the system does not trust ends the call before anything is sent.
import { request as requestHttp, type ClientRequest } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { loopbackLookup } from '../../lib/loopback-lookup.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CallOutside, OutsideAnswer, OutsideCall } from '../../ports/outside.ts';

/** Bytes of the head of an answer; at more the connection is closed. */
const HEAD_MAX_BYTES = 8_192;

export function outsideCall(clock: Pick<Clock, 'setTimer'>): CallOutside {
  return (call, signal) =>
    new Promise((resolve) => {
      const { url, body, timeoutMs, answerMaxBytes } = call;
      const isSecret = url.startsWith('https:');
      let isConnected = false;
      let status: number | undefined;
      const sent = begun(call);
      if (sent === undefined) return resolve({ kind: 'not_there' });
      const end = (whole: Uint8Array | null): void => {
        timer.cancel();
        signal.removeEventListener('abort', give);
        sent.destroy();
        resolve(answerOf(status, whole, isConnected));
      };
      const give = (): void => end(null);
      const timer = clock.setTimer(timeoutMs, give);
      signal.addEventListener('abort', give, { once: true });
      sent.on('socket', (socket: Socket) =>
        socket.once(isSecret ? 'secureConnect' : 'connect', () => (isConnected = true)),
      );
      sent.on('error', give);
      sent.on('response', (answer) => {
        status = answer.statusCode ?? 0;
        const parts: Buffer[] = [];
        let size = 0;
        answer.on('data', (part: Buffer) => {
          size += part.length;
          if (size > answerMaxBytes) give();
          else parts.push(part);
        });
        answer.on('error', give);
        answer.on('end', () => {
          if (answer.complete && size <= answerMaxBytes) end(Buffer.concat(parts));
        });
        answer.on('close', give);
      });
      if (signal.aborted) give();
      else sent.end(body);
    });
}

/** undefined: Node makes no request of it, as where a header holds something unfit. */
function begun({ url, method, headers, body }: OutsideCall): ClientRequest | undefined {
  try {
    return (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
      method,
      ...loopbackLookup(url),
      // The usual one goes by what the environment says of proxies.
      agent: false,
      maxHeaderSize: HEAD_MAX_BYTES,
      headers: {
        ...headers,
        accept: 'application/json',
        connection: 'close',
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
  } catch {
    return undefined;
  }
}

function answerOf(
  status: number | undefined,
  body: Uint8Array | null,
  isConnected: boolean,
): OutsideAnswer {
  if (status !== undefined) return { kind: 'answered', status, body };
  return { kind: isConnected ? 'unclear' : 'not_there' };
}
