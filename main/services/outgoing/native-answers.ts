// What a call is answered in the language of the message that made it: the answer to a question, an
// acknowledgement, or why it came to nothing.
import type { SendReportDto } from '../../../preload/contract/dto.ts';
import { ERRORS, type WireErrorCode } from '../../../preload/contract/errors.ts';
import { escapeJson } from '../../core/text-escape.ts';
import type { Acknowledgement, Dialect } from '../../dialects/dialect.ts';
import { objectOf } from '../../dialects/members.ts';
import { checkFailure, readOrigin, type Writers } from '../../dialects/origin.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { Said, wireCode } from '../../protocol/error-payload.ts';
import { answerersThere } from '../admission/asking-agents.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { NativeItems } from '../inbox/native-items.ts';
import { endedByAgent } from '../tasks/task-endings.ts';
import type { Recipient } from './candidates.ts';

/** A message, and who says it. */
export interface Spoken {
  readonly agent: string;
  readonly dialect: Dialect;
  readonly message: JsonObject;
}

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly agents: AgentRegistry;
  readonly natives: NativeItems;
}

const NOBODY: Writers = { hub: null, agents: [] };

export class NativeAnswers {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  addressing(from: string, to: string) {
    const id = this.#deps.random.uuid();
    return { id, at: this.#deps.clock.wallMs(), from, to, conversation: id };
  }

  /**
   * The error with itself as a message in the language of what was said.
   * @param writers in whose names that may be written
   */
  withNative(error: unknown, spoken: Spoken, from: string, writers = NOBODY): unknown {
    if (!(error instanceof AppError)) return error;
    const untrusted = objectOf(error.data['untrusted']);
    if (untrusted['native'] !== undefined) return error;
    const native = escapeJson(
      tooLate(error, spoken, this.addressing(from, spoken.agent)) ??
        this.#failure(error, spoken, from, writers),
    );
    return new AppError(error.code, error.message, {
      failedBy: error.failedBy,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
      data: { ...error.data, untrusted: { ...untrusted, native } },
      cause: error.cause,
    });
  }

  /** As the agent wrote it that failed, or made of its words and its data. */
  #failure(
    error: AppError,
    { agent, dialect, message }: Spoken,
    from: string,
    writers: Writers,
  ): JsonObject {
    const read = dialect.read(message);
    const said = error.cause instanceof Said ? error.cause : new Said('');
    const { data, outcome, origin } = said;
    const words = said.message === '' ? error.message : said.message;
    const { retryable } = error;
    const code = codeFor(error, read.ok);
    const failure = { code, retryable, data };
    const written = readOrigin({ origin });
    if (
      written?.dialect === dialect &&
      checkFailure({ ...failure, message: words, origin }, writers).ok &&
      !this.#deps.natives.answersAnother(dialect, agent, written.message, {
        ids: read.ok ? read.value.ids : [],
      })
    )
      return written.message;
    const addressing = this.addressing(from, agent);
    const payload = { status: 'failed', outcome, error: words, ...failure } as const;
    const isAgents = objectOf(error.data['untrusted'])['ended_by'] === 'agent';
    return dialect.write({
      ...addressing,
      kind: 'result',
      payload,
      answers: { id: null, at: addressing.at, message },
      isTakenOn: isAgents && endedByAgent(payload, code, false).kind === 'failed',
    });
  }

  /** The answer to a query, in the dialect of the question. */
  ofQuery(
    { agent, dialect, message }: Spoken,
    { id, untrusted, chosen }: SendReportDto,
  ): JsonObject | undefined {
    if (untrusted === null) return undefined;
    const origin = readOrigin(untrusted);
    const asked = dialect.read(message, true);
    const ids = [id, ...(asked.ok ? asked.value.ids : [])];
    if (
      origin?.dialect === dialect &&
      !this.#deps.natives.answersAnother(dialect, agent, origin.message, { ids })
    )
      return origin.message;
    const at = this.#deps.clock.wallMs();
    return dialect.write({
      kind: 'result',
      id,
      at,
      // What a person says is told in no agent's name.
      from: (untrusted.answered_by === null ? chosen.agent : null) ?? chosen.peer_name,
      to: agent,
      conversation: id,
      payload: { status: 'completed', outcome: untrusted.summary, ...untrusted },
      answers: { id, at, message },
    });
  }

  /** Why a question was not answered, as whoever ended it may have written it. */
  refused(error: unknown, spoken: Spoken, asked: Recipient): unknown {
    return this.withNative(error, spoken, ...this.#refuserOf(error, asked, spoken.agent));
  }

  /** Of another hub: that, unless its agent ended it; and who may have written that. */
  #refuserOf(error: unknown, asked: Recipient, agent: string): readonly [string, Writers] {
    if (asked.at === 'local') {
      const agents = this.#deps.agents.active().map(({ name }) => name);
      return [asked.agent ?? agent, { hub: null, agents }];
    }
    const { peer, agent: named } = asked;
    const said = error instanceof AppError ? objectOf(error.data['untrusted']) : {};
    const from = said['ended_by'] === 'agent' ? (named ?? peer.petname) : peer.petname;
    return [from, answerersThere(peer, named)];
  }

  /** The acknowledgement of a call that is settled with its answer; null: it is not. */
  settled(
    { agent, dialect, message }: Spoken,
    from: string | null,
    ack: Acknowledgement | null,
  ): { readonly untrusted?: JsonObject } {
    if (ack === null) return {};
    const native = dialect.ack?.(this.addressing(from ?? agent, agent), ack, message);
    return native === undefined ? {} : { untrusted: { native: escapeJson(native) } };
  }
}

/** Of what this hub itself did not take, whether it was understood. */
function codeFor({ code, failedBy }: AppError, isUnderstood: boolean): WireErrorCode {
  const isOwn = failedBy === 'input' && !('wire' in ERRORS[code]) && code !== 'forbidden';
  if (isOwn) return isUnderstood ? 'rejected' : 'not_understood';
  return wireCode(code);
}

/** A cancel that came too late is settled with the call; not each language has a word for that. */
function tooLate(
  { code, message: reason }: AppError,
  { dialect, message }: Spoken,
  addressing: Parameters<NonNullable<Dialect['ack']>>[0],
): JsonObject | undefined {
  const read = dialect.read(message);
  if (code !== 'conflict' || !read.ok || read.value.kind !== 'cancel') return undefined;
  return dialect.ack?.(addressing, { accepted: false, estimatedMs: null, reason }, message);
}
