/** Testing: faults on demand, and longer waits for a machine that is busy. */
import { z } from "zod";
import { integer } from "./checks.ts";
import { API_AND_WORKERS, INDEXER, type Variable, variable } from "./variable.ts";

/** Variables of `Testing` in `.env.example`. */
export const TESTING = {
  FAULT_POINT: variable(
    API_AND_WORKERS,
    "Name of a point at which the process kills itself, once; for crash tests only",
    z.string(),
  ),
  WATCHDOG_STALL_MS: variable(
    INDEXER,
    "Milliseconds without progress after which the watchdog restarts Ponder; for tests of what must go on without it",
    integer(1, Number.MAX_SAFE_INTEGER),
  ),
} satisfies Record<string, Variable>;
