// Tells an agent whose language has a word for it that its task was taken on, where the language of
// the agent that took it has none. Whoever has such a word says it by itself.
import { TASK_ACCEPTED } from '../../dialects/dialect.ts';
import { given } from '../../dialects/members.ts';
import { readOrigin } from '../../dialects/origin.ts';
import { readObject } from '../../lib/json-object.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import type { NativeItems } from '../inbox/native-items.ts';
import type { Progress } from '../inbox/progress.ts';
import type { Sender } from './sender.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly log: Log;
  readonly natives: Pick<NativeItems, 'dialectOf'>;
  readonly progress: Pick<Progress, 'onAccepted'>;
  readonly sender: Pick<Sender, 'notify'>;
}

export class Acceptances {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.progress.onAccepted((task, estimatedMs) => {
      this.#tell(task, estimatedMs).catch((error: unknown) =>
        deps.log.debug('acceptance not told', { error: String(error) }),
      );
    });
  }

  /** Whether the hub says it for the agent that takes this on. */
  isMade({ kind, toAgent, payload, reportBack }: TaskRow): boolean {
    if (kind !== 'delegate' || toAgent === null || !reportBack) return false;
    const asked = readOrigin(readObject(payload))?.dialect;
    return (
      asked?.hasAcceptance === true && this.#deps.natives.dialectOf(toAgent)?.hasAcceptance !== true
    );
  }

  async #tell(task: TaskRow, estimatedMs: number | null): Promise<void> {
    const { fromAgent, toAgent, party, messageId } = task;
    if (fromAgent === null || !this.isMade(task)) return;
    const hub = this.#deps.store.read.peer(party)?.agentId ?? 'local';
    const data = given({ estimated_ms: estimatedMs });
    const notice = { to: `${hub}/${fromAgent}`, topic: TASK_ACCEPTED, data, ref: messageId };
    await this.#deps.sender.notify({ ...notice, importance: 'medium' }, toAgent);
  }
}
