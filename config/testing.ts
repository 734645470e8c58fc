/** Testing: faults on demand. */
import { z } from "zod";
import { API_AND_WORKERS, type Variable, variable } from "./variable.ts";

/** Variables of `Testing` in `.env.example`. */
export const TESTING = {
  FAULT_POINT: variable(
    API_AND_WORKERS,
    "Name of a point at which the process kills itself, once; for crash tests only",
    z.string(),
  ),
} satisfies Record<string, Variable>;
