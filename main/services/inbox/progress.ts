// Reports a request's progress to its asker: a notify `axon.progress` with the request's id as ref
// (PROTOCOL.md, Delegation states). It promises nothing and holds nothing up.
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import { DECISIONS } from '../../protocol/decision.ts';
import { PROGRESS_TOPIC } from '../../protocol/kinds.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import type { TaskEndings } from '../tasks/task-endings.ts';
import { ENDED, toWire, type ReportedState } from '../tasks/wire-states.ts';

const PROGRESS = 'progress/1';

interface ProgressWords {
  readonly state: ReportedState | typeof ENDED;
  readonly text?: string;
  /** For `held`: in how many ms a person is asked; null when nobody knows yet. */
  readonly heldMs?: number | null;
  /** The agent that has it now, handed on by the one that was asked; null: that has it again. */
  readonly handedOnTo?: string | null;
  /** The agent that it is to be handed on to, which waits for a person. */
  readonly wantsToHandOnTo?: string;
  /** How long its agent says that it takes. */
  readonly estimatedMs?: number | null;
  /** Its agent has taken it on, and its language has no word for that. */
  readonly isAccepted?: boolean;
  /** What was decided about it just now. */
  readonly decision?: JsonObject;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly endings: Pick<TaskEndings, 'onEnding'>;
}

type ReportedTask = Pick<
  TaskRow,
  'direction' | 'party' | 'messageId' | 'conversationId' | 'fromAgent' | 'toAgent' | 'reportBack'
>;

export class Progress {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    // Where no report was wanted, only that it is over is told, and not how.
    deps.endings.onEnding((_, after, { task, ending }) => {
      const isAgents = ending.from === 'runner' && ending.ended.kind !== 'stopped';
      const isUntold = isAgents && task.kind === 'delegate' && !task.reportBack;
      if (isUntold && task.direction === 'incoming') after(() => this.tell(task, { state: ENDED }));
    });
  }

  tell(task: ReportedTask, words: ProgressWords): void {
    this.#tell(task, words).catch((error: unknown) =>
      this.#deps.log.warn('progress not told', { error: String(error) }),
    );
  }

  async #tell(task: ReportedTask, words: ProgressWords): Promise<void> {
    const { store, clock, random, messenger, log } = this.#deps;
    const state = words.state === ENDED ? ENDED : toWire(words.state);
    const { heldMs = null, estimatedMs = null } = words;
    const data = {
      state,
      ...(heldMs === null ? {} : { held_ms: heldMs }),
      ...(words.handedOnTo === undefined ? {} : { handed_on_to: words.handedOnTo }),
      ...(words.wantsToHandOnTo === undefined
        ? {}
        : { wants_to_hand_on_to: words.wantsToHandOnTo }),
      ...(estimatedMs === null ? {} : { estimated_ms: estimatedMs }),
      ...(task.reportBack && words.isAccepted === true ? { accepted: true } : {}),
      // For a task that was to report nothing, nothing the agent says leaves this hub.
      ...(task.reportBack && words.text !== undefined ? { text: words.text } : {}),
    };
    const incoming = task.direction === 'incoming';
    const extensions = incoming ? messenger.extensions(task.party) : [];
    if (incoming && !extensions.includes(PROGRESS)) return;
    const decision =
      words.decision !== undefined && extensions.includes(DECISIONS)
        ? { decision: words.decision }
        : {};
    const payload = { topic: PROGRESS_TOPIC, data, importance: 'low', ...decision };
    const message = { id: random.uuid(), kind: 'notify', ref: task.messageId, payload };
    const raw = incoming ? messenger.encode(task.party, message) : JSON.stringify(message);
    const at = clock.wallMs();
    store.writeBehind((tables) =>
      tables.insertMessage({
        messageId: message.id,
        direction: incoming ? 'out' : 'local',
        party: task.party,
        kind: message.kind,
        ref: message.ref,
        // A state without words is only for the hub that asked; words belong to the conversation
        // that people read.
        conversationId: 'text' in data ? task.conversationId : null,
        taskId: null,
        fromAgent: task.toAgent,
        toAgent: task.fromAgent,
        payload: JSON.stringify(message.payload),
        at,
      }),
    );
    if (!incoming) return;
    const sent = await messenger.sendEncoded(task.party, raw);
    if (!sent.ok) log.debug('progress not told', { code: sent.error.code });
  }
}
