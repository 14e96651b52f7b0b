// What the name of an agent looks like, for every side that reads one: words of lower-case letters and digits, with ".", "_" or "-" between.
// Its length is bounded by whoever reads it.

export const AGENT_NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
