// What `axon` says of a hub that is locked: why, and what its owner can do. Pure.
import type { HubDto } from '../../preload/contract/dto.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';

/** Nothing where the hub is open. */
export function lockedLines({ audit, state, state_detail: detail }: HubDto): readonly string[] {
  if (audit === 'restored') return restoredLines();
  if (state === 'running') return [];
  const why = detail === null ? '' : ` ${detail}`;
  return [
    `This hub is not open.${why}`,
    state === 'starting'
      ? 'It is just starting: try again in a moment.'
      : '"axon status" says how it is. Its pages say what to do: "axon login" opens them.',
  ];
}

/** That the hub was restored from an older copy, and how its owner confirms that. */
export function restoredLines(): readonly string[] {
  const { title, detail } = ENGLISH.audit.restored;
  return [`${title} ${detail}`, 'Confirm it with "axon confirm-restore".'];
}
