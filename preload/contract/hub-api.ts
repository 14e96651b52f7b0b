// What a page can do with its hub: the same object whether it is made over Electron's IPC, over
// HTTP and SSE, or by a test.
import type { PeopleSurface } from './closed-lists.ts';
import type { Problem } from './errors.ts';
import type { UiEvent } from './dto.ts';
import type { OperationInput, OperationResult } from './operations.ts';
import type { PageOperation } from './window-operations.ts';

export type CallOutcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

export interface LinkState {
  /**
   * live: events flow; lost: the hub cannot be heard and nothing may be decided; logged_out: a
   * login is needed.
   */
  readonly state: 'live' | 'lost' | 'logged_out';
  readonly since: number;
  readonly retry_in_ms: number | null;
}

export interface HubApi {
  readonly surface: Exclude<PeopleSurface, 'command_line'>;
  /** Never throws for an operating error: the problem document is the other outcome. */
  call<Name extends PageOperation>(
    name: Name,
    params: OperationInput<Name>,
  ): Promise<CallOutcome<OperationResult<Name>>>;
  /**
   * Events after the last snapshot, in order. Returns the way to stop. `onGap`: take a new
   * snapshot.
   */
  subscribe(
    fromSeq: number,
    handlers: { onEvent(event: UiEvent): void; onGap(): void; onLink(link: LinkState): void },
  ): () => void;
}
