// How much a household may say about being asked: the same bounds for the page and the hub. Values only.

/** The most quiet hours a household keeps. */
export const QUIET_PERIODS_MAX = 8;
