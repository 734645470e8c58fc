/** Messages between a process that needs a table and the process that loads it. */
import type { BuildRequest } from "./build-table.ts";

/** The one message to the loading process. */
export type LoadRequest = BuildRequest;

/** The one message from the loading process. The parts of the image come on `IMAGE_FD`, as they are made. */
export type LoadReply<State> =
  | { kind: "loaded"; state: State; readMs: number; sortMs: number }
  | { kind: "absent" }
  | { kind: "failed"; message: string; code: string | undefined };

export const IMAGE_FD = 4;
