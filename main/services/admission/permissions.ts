// What a program of this computer wants to do, put before a person here while the program waits: a
// card without a runner, which no rule, no agent and no quiet hour answers. This hub runs nothing
// of it, and never knows whether it ran.
import type { OperationParams, OperationResult } from '../../../preload/contract/operations.ts';
import type { RiskClass } from '../../../preload/contract/closed-lists.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { partyOfAgent } from '../tasks/parties.ts';
import { ASKED, type Assessment } from '../tasks/verdict.ts';
import { readWorkRequest, type WorkRequest } from '../tasks/work-request.ts';
import type { ApprovalGate } from '../approvals/approval-gate.ts';
import type { QueryService } from './query-service.ts';

/** They read, by their programs' own account; whatever else there is may do anything. */
const READERS: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead']);

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly queryService: Pick<QueryService, 'askPerson'>;
  readonly gate: Pick<ApprovalGate, 'covers'>;
}

export class Permissions {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Allowed or declined by a person here, and by nobody else.
   * @throws AppError approval_expired, cancelled, overloaded, rejected, blocked, bad_request: then
   * nobody has said anything
   */
  async ask(
    agent: string,
    params: OperationParams<'send.permission'>,
    signal: AbortSignal,
  ): Promise<OperationResult<'send.permission'>> {
    const { store, gate, queryService } = this.#deps;
    const riskClass: RiskClass = READERS.has(params.tool) ? 'R2' : 'R3';
    if (gate.covers(store.read, riskClass))
      throw inputError('blocked', 'An adult’s hub decides here, and is not asked about this.');
    const request = this.#request(agent, params);
    const assessment: Assessment = {
      agent: null,
      why: 'A person is asked.',
      risk: { riskClass, reason: 'own_tool' },
      verdict: ASKED,
    };
    try {
      await queryService.askPerson(request, assessment, signal);
      return { decision: 'allow', reason: null };
    } catch (error) {
      const task = store.read.taskByMessage('local', request.party, request.messageId);
      const isDeclined = task?.state === 'declined' && task.verdictAs === 'owner';
      if (!isDeclined || !(error instanceof AppError)) throw error;
      return { decision: 'decline', reason: task.reason };
    }
  }

  #request(agent: string, params: OperationParams<'send.permission'>): WorkRequest {
    const { clock, random } = this.#deps;
    const { tool, input, folder, deadline_ms } = params;
    const { command, ...more } = input;
    const isCommand = typeof command === 'string' && command.trim() !== '';
    // What is typed to allow it is its last word, and never a bracket.
    const said = isCommand ? command : `${JSON.stringify(input, null, 2)}\nTool: ${tool}`;
    const payload: JsonObject = {
      question: `${tool}\n${said}`,
      deadline_ms,
      route: { from: agent },
      context: { folder, ...(isCommand ? { argument: more } : {}) },
    };
    const read = readWorkRequest({
      kind: 'query',
      direction: 'local',
      party: partyOfAgent(agent),
      messageId: random.uuid(),
      payload,
      receivedMonotonicMs: clock.monotonicMs(),
    });
    if (!read.ok) throw inputError('bad_request', `This cannot be shown: ${read.error}.`);
    return read.value;
  }
}
