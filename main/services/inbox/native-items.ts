// An inbox item in the dialect of the agent that gets it: the message itself where it was written
// in that dialect, else one made of its AXON fields. Reads what is handed out anyway.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { Dialect, Told } from '../../dialects/dialect.ts';
import { dialectNamed } from '../../dialects/index.ts';
import { readOrigin } from '../../dialects/origin.ts';
import { isJsonObject, readObject, type JsonObject } from '../../lib/json-object.ts';
import type { Store } from '../../ports/store.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
}

export class NativeItems {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** undefined: the agent speaks AXON. */
  dialectOf(agent: string): Dialect | undefined {
    return dialectNamed(this.#deps.store.read.agent(agent)?.dialect);
  }

  /** Adds `untrusted.native` where the agent speaks a dialect. */
  show(agent: string, item: DeliveryDto): DeliveryDto {
    const dialect = this.dialectOf(agent);
    if (dialect === undefined) return item;
    const native = this.nativeOf(dialect, agent, item);
    return { ...item, untrusted: { ...item.untrusted, native } };
  }

  nativeOf(dialect: Dialect, agent: string, item: DeliveryDto): JsonObject {
    const { untrusted, kind, envelope } = item;
    const payload = isJsonObject(untrusted.payload) ? untrusted.payload : {};
    const origin = readOrigin(payload);
    if (origin?.dialect === dialect) return origin.message;
    const { from_agent: from, peer_name: hub } = untrusted.origin;
    return dialect.write({
      kind,
      id: envelope.id,
      at: envelope.received_at,
      from: from ?? hub,
      to: agent,
      conversation: item.conversation_id ?? envelope.id,
      payload,
      answers: this.#answered(dialect, item),
    });
  }

  /** What a result or a cancel is about, as the agent wrote or read it. */
  #answered(dialect: Dialect, { kind, task_id }: DeliveryDto): Told['answers'] {
    if (task_id === null || (kind !== 'result' && kind !== 'cancel')) return null;
    const task = this.#deps.store.read.task(task_id);
    if (task === undefined) return null;
    const origin = readOrigin(readObject(task.payload));
    return {
      id: task.messageId,
      message: origin?.dialect === dialect ? origin.message : null,
    };
  }
}
