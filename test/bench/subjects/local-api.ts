// The local API of a hub as an agent's own program calls it: HTTP on this computer with a kept
// connection, and the event stream of its inbox. The bare relay answers the same calls.
import { Agent, request } from 'node:http';
import { createParser } from 'eventsource-parser';

/** Where a half of a subject calls, and with which token: what the runner tells it, as JSON. */
export interface Told {
  readonly port: number;
  readonly token: string;
}

/** An item of the inbox, of which a bench reads this much. */
export interface Delivery {
  readonly delivery_id: string;
  readonly kind: string;
  readonly task_id: string | null;
  readonly untrusted: { readonly text: string };
}

export class LocalApi {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #told: Told;

  constructor(told: Told) {
    this.#told = told;
  }

  /** Resolves once the stream is open. */
  follow(onDelivery: (item: Delivery) => void): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, data }) =>
        event === 'delivery' ? onDelivery(JSON.parse(data) as Delivery) : undefined, // the hub's own JSON
    });
    const { port, token } = this.#told;
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const place = { host: '127.0.0.1', port, path: '/v1/inbox/stream' };
    return new Promise((resolve, reject) => {
      const sent = request({ ...place, headers, agent: false }, (answer) => {
        answer.setEncoding('utf8');
        answer.on('data', (text: string) => parser.feed(text));
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`the stream was answered ${answer.statusCode}`));
      });
      sent.once('error', reject);
      sent.end();
    });
  }

  /** The answer; anything but 200 or 202 is thrown. */
  post(path: string, body: object): Promise<Record<string, unknown>> {
    const text = JSON.stringify(body);
    const { port, token } = this.#told;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const place = { host: '127.0.0.1', port, path, method: 'POST', agent: this.#agent };
    return new Promise((resolve, reject) => {
      const sent = request({ ...place, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const said = Buffer.concat(chunks).toString();
          if (answer.statusCode === 200 || answer.statusCode === 202)
            resolve(JSON.parse(said) as Record<string, unknown>); // the hub's own JSON
          else reject(new Error(`${path} was answered ${answer.statusCode}: ${said}`));
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
}
