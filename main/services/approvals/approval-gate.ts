// What admission, approvals and agents see of remote approval. Types only.
import type { DecidingHubDto } from '../../../preload/contract/remote-approval.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import type { ApprovalView } from '../../core/approval-view.ts';
import type { ApprovalRow, Reads, TaskRow } from '../../ports/store.ts';
import type { ResultWords } from '../tasks/task-endings.ts';

export interface ApprovalGate {
  /** Whether other hubs decide about requests of this class, and nobody here. */
  covers(reads: Pick<Reads, 'getMeta'>, riskClass: RiskClass): boolean;
  /**
   * The same for a request of the store. A request that runs nothing stays with the people here.
   */
  coversTask(reads: Reads, task: Pick<TaskRow, 'id' | 'toAgent'>): boolean;
  /** @throws AppError blocked where other hubs decide: here the request can only be declined */
  checkDecidedHere(
    reads: Reads,
    task: Pick<TaskRow, 'toAgent'>,
    row: Pick<ApprovalRow, 'riskClass'>,
  ): void;
}

/** How far each hub that decides is with a request; null where the people here decide. */
export type DecidingHubs = (row: ApprovalRow, task: TaskRow) => readonly DecidingHubDto[] | null;

/** By whom a verdict is signed. */
export interface Signature {
  /** The person, or the hub where nobody is named there. */
  readonly who: string;
  /** null: nobody is named there. */
  readonly person: string | null;
}

/** What a person here is asked, where this hub runs nothing. */
export interface Question {
  /** What whoever asks is told. */
  allowed(signature: Signature): ResultWords;
  /**
   * @param told the sentence for whoever asked @param reason the person's own words; empty when
   * there are none
   */
  declined(told: string, reason: string, signature: Signature): ResultWords;
}

/** A request of another hub about which a person here is asked. */
export interface RemoteQuestion extends Question {
  /** The request as the asking hub keeps it. */
  readonly view: ApprovalView;
  /** What the asking hub knows it by, and what the verdict is bound to. */
  readonly digest: string;
}

/** null for every other request. */
export type ReadRemoteQuestion = (
  task: TaskRow,
  row: Pick<ApprovalRow, 'view'>,
) => RemoteQuestion | null;
