// A query from an agent to an agent, all the way: the local API of one hub, both QUIC processes,
// the other hub, the event stream of the agent there, its reply, and back. The hubs run already;
// `told` names the one that each half talks to, and its token.
import { Agent, request } from 'node:http';
import { createParser } from 'eventsource-parser';
import type { Subject } from './subject.ts';

/** The agent that answers, as the asking one names it. */
export const ANSWERING = 'Working/reader';
export const DOMAIN = 'household.notes';

interface Told {
  readonly port: number;
  readonly token: string;
}

interface Delivery {
  readonly delivery_id: string;
  readonly untrusted: { readonly text: string };
}

class LocalApi {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #told: Told;

  constructor(told: string) {
    this.#told = JSON.parse(told) as Told; // the runner's own words
  }

  /** Resolves once the stream is open. */
  follow(onDelivery: (item: Delivery) => void): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, data }) =>
        event === 'delivery' ? onDelivery(JSON.parse(data) as Delivery) : undefined, // the hub's own JSON
    });
    const headers = { authorization: `Bearer ${this.#told.token}`, accept: 'text/event-stream' };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#told.port,
          path: '/v1/inbox/stream',
          headers,
          agent: false,
        },
        (answer) => {
          answer.setEncoding('utf8');
          answer.on('data', (text: string) => parser.feed(text));
          resolve();
        },
      );
      sent.once('error', reject);
      sent.end();
    });
  }

  post(path: string, body: object): Promise<Record<string, unknown>> {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.#told.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#told.port,
          path,
          method: 'POST',
          headers,
          agent: this.#agent,
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const said = Buffer.concat(chunks).toString();
            if (answer.statusCode === 200)
              resolve(JSON.parse(said) as Record<string, unknown>); // the hub's own JSON
            else reject(new Error(`${path} was answered ${answer.statusCode}: ${said}`));
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

export const hubQuery: Subject = {
  async serve(host, told = '') {
    const api = new LocalApi(told);
    await api.follow(({ delivery_id: id, untrusted }) => {
      void api.post(`/v1/inbox/${id}/reply`, {
        status: 'completed',
        summary: 'Said again.',
        data: { echo: untrusted.text },
      });
    });
    return { host, port: 0 };
  },
  async connect(_address, told = '') {
    const api = new LocalApi(told);
    return {
      ask: async (body) => {
        const { untrusted } = await api.post('/v1/query', {
          to: ANSWERING,
          question: body.toString(),
          domain: DOMAIN,
        });
        const { data } = untrusted as { data: { echo: string } }; // what the other half sent
        return Buffer.from(data.echo);
      },
      close: () => Promise.resolve(),
    };
  },
};
