// What a hub answers from its records, all of it: threads, search, exports, details, tasks and
// cards. Two hubs whose answers are the same hold the same.
import type { WorkHub } from './work-hub.ts';

const PAGE = { limit: 50 };
const SEARCHES = ['gate', 'roses', 'milk', 'cake slice', 'after:2020-01', 'from:claude', 'ferry'];

export async function answersOf(hub: WorkHub): Promise<unknown> {
  const { conversations, conversationExport, inspector, search, approvals, agents } = hub.work;
  const never = new AbortController().signal;
  const threads = conversations.list(PAGE);
  const details = await Promise.all(threads.items.map(({ id }) => conversations.get(id, null)));
  const seqs = details
    .flatMap(({ entries }) => entries)
    .flatMap(({ kind, seq }) => (kind === 'decision' ? [] : [seq]));
  const own: Record<string, unknown> = {};
  for (const { name } of agents.list())
    own[name] = {
      threads: await conversations.listAs(name, PAGE, never),
      found: await search.findAs(name, 'roses', PAGE, never),
      tasks: hub.store.read.tasks(PAGE, { knownTo: name }),
    };
  const answers = {
    threads,
    secondPage: conversations.list({ ...PAGE, limit: 2, cursor: String(seqs[3]) }),
    details,
    exported: threads.items.map(({ id }) => conversationExport.piece(id, 'jsonl', undefined, null)),
    inspected: seqs.map((seq) => inspector.inspect(seq)),
    found: SEARCHES.map((typed) => search.find(typed, PAGE)),
    tasks: hub.store.read.tasks(PAGE),
    pending: approvals.pending(),
    own,
  };
  return JSON.parse(JSON.stringify(answers));
}
