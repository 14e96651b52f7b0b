// One half of a subject, in a process of its own: it serves, or it asks what it is told to over the
// channel to the runner.
import { putLoad, type Load } from './load.ts';
import type { Address } from './subjects/subject.ts';
import { SUBJECTS, isSubjectName } from './subjects/subjects.ts';

export type Order =
  | { readonly type: 'serve'; readonly host: string; readonly told?: string | undefined }
  | { readonly type: 'connect'; readonly address: Address; readonly told?: string | undefined }
  | { readonly type: 'load'; readonly load: Load };

const [, , name] = process.argv;
if (!isSubjectName(name)) throw new Error(`there is no subject ${String(name)}`);
const subject = SUBJECTS[name];
process.once('disconnect', () => process.exit(0));

const first = await nextOrder();
if (first.type === 'serve') {
  say(await subject.serve(first.host, first.told));
} else if (first.type === 'connect') {
  const asker = await subject.connect(first.address, first.told);
  say({ connected: true });
  for (;;) {
    const order = await nextOrder();
    if (order.type === 'load') say(await putLoad(asker, order.load));
  }
}

async function nextOrder(): Promise<Order> {
  return await new Promise((resolve) =>
    process.once('message', (message: Order) => resolve(message)),
  );
}

function say(message: object): void {
  process.send?.(message);
}
