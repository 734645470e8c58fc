/** What each running stack has printed so far, and the folder of its logs. */
export const runningStacks = new Set<{ output(): string; logs: string }>();
