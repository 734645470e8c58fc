/** Messages between a process that needs a table and the process that loads it. */
import type { BuildRequest } from "./build-table.ts";
import type { ImageDescription } from "./image-transfer.ts";

/** The one message to the loading process. */
export type LoadRequest = BuildRequest;

/** The one message from the loading process. After `loaded` the bytes of the image follow on `IMAGE_FD`. */
export type LoadReply<State> =
  | { kind: "loaded"; image: ImageDescription; state: State; readMs: number; sortMs: number }
  | { kind: "absent" }
  | { kind: "failed"; message: string; code: string | undefined };

export const IMAGE_FD = 4;
