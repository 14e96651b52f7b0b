// A delegation that a rule lets in. Up to its ack: the hub that is asked has stored it, and so has
// the one that asks; what waits then is worked off after the load, when nobody measures. Or up to
// its result at the agent that asked, with an agent that works while it is measured. `told` names
// the hub of each half, and its token.
import { LocalApi, type Delivery, type Told } from './local-api.ts';
import type { Asker } from '../load.ts';
import type { Subject } from './subject.ts';
import { ANSWERING, DOMAIN } from './hub-query.ts';

export interface DelegationTold {
  readonly asking: Told;
  readonly working: Told;
}

const CLAIM_MAX = 32;
const CLAIM_WAIT_MS = 20_000;

/** Sends the delegation of this text; the id of its task. */
type Post = (api: LocalApi, text: string) => Promise<string>;

const delegate: Post = async (api, task) => {
  const { id, state } = await api.post('/v1/delegate', { to: ANSWERING, task, domain: DOMAIN });
  if (state !== 'queued') throw new Error(`a delegation was taken as ${String(state)}`);
  return String(id);
};

/** The same in a dialect, at the door for messages. */
const message: Post = async (api, task) => {
  const sent = {
    id: crypto.randomUUID(),
    kind: 'delegate',
    to: ANSWERING,
    payload: { task, domain: DOMAIN },
  };
  const { report } = await api.post('/v1/messages', sent);
  const { id, state } = report as { id: string; state: string }; // the hub's own JSON
  if (state !== 'queued') throw new Error(`a message was taken as ${state}`);
  return id;
};

/** Takes items of the inbox until `count` of them had the kind, and has each settled. */
async function takeAll(
  api: LocalApi,
  kind: string,
  count: number,
  settle: (item: Delivery) => Promise<unknown>,
): Promise<void> {
  for (let left = count; left > 0;) {
    const said = await api.post('/v1/inbox/claim', { max: CLAIM_MAX, wait_ms: CLAIM_WAIT_MS });
    const items = said['items'] as readonly Delivery[]; // the hub's own JSON
    if (items.length === 0) throw new Error(`${left} items of the kind ${kind} did not come`);
    left -= items.filter((item) => item.kind === kind).length;
    await Promise.all(items.map(settle));
  }
}

function untilAck(post: Post): Subject {
  return {
    serve: (host) => Promise.resolve({ host, port: 0 }),
    connect(_address, told = '') {
      const { asking, working } = JSON.parse(told) as DelegationTold; // the runner's own words
      const [asker, worker] = [new LocalApi(asking), new LocalApi(working)];
      const asked = new Map<string, string>();
      return Promise.resolve({
        ask: async (body) => {
          asked.set(await post(asker, body.toString()), body.toString());
          return body;
        },
        settle: async () => {
          await takeAll(worker, 'delegate', asked.size, (item) => work(worker, item));
          await takeAll(asker, 'result', asked.size, async (item) => {
            await asker.post(`/v1/inbox/${item.delivery_id}/ack`, {});
            if (item.kind === 'result') checked(asked, item);
          });
          if (asked.size > 0) throw new Error(`${asked.size} delegations have no result`);
        },
        close: () => Promise.resolve(),
      } satisfies Asker);
    },
  };
}

/** Does what it is asked, and says it again as its outcome. */
async function work(api: LocalApi, { delivery_id: id, kind, untrusted }: Delivery): Promise<void> {
  await api.post(`/v1/inbox/${id}/ack`, {});
  if (kind === 'delegate') await api.post(`/v1/inbox/${id}/reply`, { outcome: untrusted.text });
}

/** A result of what was asked, in the words of it; it counts once. */
function checked(asked: Map<string, string>, { task_id: id, untrusted }: Delivery): void {
  if (id === null || asked.get(id) !== untrusted.text)
    throw new Error(`the result of ${String(id)} is not that of what was asked`);
  asked.delete(id);
}

export const delegationToAck: Subject = untilAck(delegate);
export const messageToAck: Subject = untilAck(message);

export const delegationToResult: Subject = {
  async serve(host, told = '') {
    const { working } = JSON.parse(told) as DelegationTold; // the runner's own words
    const api = new LocalApi(working);
    await api.follow((item) => void work(api, item));
    return { host, port: 0 };
  },
  async connect(_address, told = '') {
    const { asking } = JSON.parse(told) as DelegationTold; // the runner's own words
    const api = new LocalApi(asking);
    /** A result may overtake the answer that its task was taken. */
    const results = new Map<string, string>();
    const waiting = new Map<string, (outcome: string) => void>();
    await api.follow(({ delivery_id: delivery, kind, task_id: id, untrusted }) => {
      void api.post(`/v1/inbox/${delivery}/ack`, {});
      if (kind !== 'result' || id === null) return;
      const tell = waiting.get(id);
      waiting.delete(id);
      if (tell === undefined) results.set(id, untrusted.text);
      else tell(untrusted.text);
    });
    return {
      ask: async (body) => {
        const { id } = await api.post('/v1/delegate', {
          to: ANSWERING,
          task: body.toString(),
          domain: DOMAIN,
        });
        const task = String(id);
        const early = results.get(task);
        results.delete(task);
        return Buffer.from(
          early ?? (await new Promise<string>((resolve) => waiting.set(task, resolve))),
        );
      },
      close: () => Promise.resolve(),
    };
  },
};
