// The operation behind GET /metrics: the same numbers as the status, for a collector.
import type { OperationResult } from '../../../preload/contract/operations.ts';
import type { HandlersOf } from '../caller.ts';
import { metricsText, type ProcessUsage } from '../metrics-text.ts';

export interface MetricsHandlersDeps {
  readonly status: () => Promise<OperationResult<'hub.status'>>;
  readonly usage: () => ProcessUsage;
}

export function metricsHandlers({ status, usage }: MetricsHandlersDeps): HandlersOf<'metrics'> {
  return { 'metrics.read': async () => ({ text: metricsText(await status(), usage()) }) };
}
