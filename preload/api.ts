// The whole API of a page, made from three things: how to ask, how to listen, and where the page
// is. The same code stands behind Electron's bridge, HTTP and the tests. It trusts nothing that
// comes back: an answer of the wrong shape becomes a problem, never a throw.
import type { CallOutcome, HubApi, LinkState } from './contract/hub-api.ts';
import type { Problem } from './contract/errors.ts';
import { ERRORS } from './contract/errors.ts';
import type { ErrorCode } from './contract/errors.ts';
import type { UiEvent } from './contract/dto.ts';
import type { OperationInput, OperationResult } from './contract/operations.ts';
import type { PageOperation } from './contract/window-operations.ts';

export interface EventHandlers {
  onEvent(event: UiEvent): void;
  onGap(): void;
  onLink(link: LinkState): void;
}

export interface HubTransport {
  readonly surface: HubApi['surface'];
  /** Resolves to a CallOutcome; anything else, a rejection too, reads as a broken connection. */
  invoke(name: PageOperation, params: unknown): Promise<unknown>;
  /**
   * Events with a seq above `fromSeq`, in order. After onGap the events go on from the present:
   * take a snapshot and leave out every event whose seq is not above the snapshot's.
   */
  subscribe(fromSeq: number, handlers: EventHandlers): () => void;
}

/** A problem document made on this side of the line. */
export function localProblem(code: ErrorCode, detail: string): Problem {
  const { status, title, retryable } = ERRORS[code];
  return { type: `urn:axon:problem:${code}`, title, status, detail, code, retryable };
}

export function createHubApi(transport: HubTransport): HubApi {
  return {
    surface: transport.surface,
    async call<Name extends PageOperation>(
      name: Name,
      params: OperationInput<Name>,
    ): Promise<CallOutcome<OperationResult<Name>>> {
      try {
        const outcome = await transport.invoke(name, params);
        return isOutcome<Name>(outcome)
          ? outcome
          : {
              ok: false,
              problem: localProblem(
                'internal',
                'The hub gave an answer that this page cannot read. Reload the page.',
              ),
            };
      } catch {
        return {
          ok: false,
          problem: localProblem(
            'hub_unreachable',
            'The hub on this computer does not answer. Is it running?',
          ),
        };
      }
    },
    subscribe: (fromSeq, handlers) => transport.subscribe(fromSeq, handlers),
  };
}

function isOutcome<Name extends PageOperation>(
  value: unknown,
): value is CallOutcome<OperationResult<Name>> {
  if (typeof value !== 'object' || value === null || !('ok' in value)) return false;
  return value.ok === true
    ? 'value' in value
    : value.ok === false && 'problem' in value && isProblem(value.problem);
}

/** True when `value` has the fields that every problem document of the hub has. */
export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    Object.hasOwn(ERRORS, value.code) &&
    'detail' in value &&
    typeof value.detail === 'string' &&
    'status' in value &&
    typeof value.status === 'number'
  );
}
