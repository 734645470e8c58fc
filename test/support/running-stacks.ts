/** What each running stack has printed so far. */
export const runningStacks = new Set<() => string>();
