// A query from an agent to an agent, all the way: the local API of one hub, the line, the other
// hub, the event stream of the agent there, its reply, and back. The hubs run already; `told` names
// the one that each half talks to, and its token. The bare relay is asked in the same way.
import { LocalApi, type Told } from './local-api.ts';
import type { Subject } from './subject.ts';

/** The agent that answers, as the asking one names it. */
export const ANSWERING = 'Working/reader';
export const DOMAIN = 'household.notes';

export const hubQuery: Subject = {
  async serve(host, told = '') {
    const api = new LocalApi(JSON.parse(told) as Told); // the runner's own words
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
    const api = new LocalApi(JSON.parse(told) as Told); // the runner's own words
    return {
      ask: async (body, conversation) => {
        const { untrusted } = await api.post('/v1/query', {
          to: ANSWERING,
          question: body.toString(),
          domain: DOMAIN,
          ...(conversation === undefined ? {} : { conversation: { id: conversation } }),
        });
        const { data } = untrusted as { data: { echo: string } }; // what the other half sent
        return Buffer.from(data.echo);
      },
      close: () => Promise.resolve(),
    };
  },
};
