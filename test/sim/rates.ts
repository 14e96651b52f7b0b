// Rates so high that no simulated household meets them.
import type { PeerRateTable } from '../../main/services/links/peer-rates.ts';

const PLENTY = { burst: 100_000, perMinute: 100_000 };

export const NO_LIMITS: PeerRateTable = {
  delegate: PLENTY,
  query: PLENTY,
  notify: PLENTY,
  cancel: PLENTY,
};
