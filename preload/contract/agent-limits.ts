// How much of an agent this hub keeps, for the side that asks and the side that answers. Values only.

/** Areas of one agent, those it offers no longer among them; one that would have more is refused. */
export const AGENT_AREAS_MAX = 64;
