/** Why a process does not start: every problem of its environment at once, one per line. */
export class ConfigError extends Error {}
