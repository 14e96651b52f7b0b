// Which versions of the protocol this hub speaks, and which one two hubs settle on (PROTOCOL.md,
// hello).

/** The `v` of every envelope we send and accept. */
export const PROTOCOL_VERSION = 1;
/** Ascending in our own hello; another hub's may stand in any order. */
export const PROTOCOL_VERSIONS: readonly number[] = [PROTOCOL_VERSION];

/** The highest version both sides speak; undefined when there is none (`incompatible_version`). */
export function selectVersion(theirs: readonly number[]): number | undefined {
  const common = PROTOCOL_VERSIONS.filter((version) => theirs.includes(version));
  return common.length === 0 ? undefined : Math.max(...common);
}
