/** What every process that a test starts finds in its environment, whatever the developer's own has. */

/** A bare PATH, and where Node keeps compiled code: a process that is started a hundred times is compiled once. */
export const CHILD_ENV = {
  PATH: "/usr/bin:/bin",
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
};

/** Worlds of tests that are not about money: registration and reports cost nothing there. A test about money names its phase. */
export const FREE_PHASE = { PRICING_PHASE: "free" } as const;
