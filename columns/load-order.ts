/** What a process that wants a table filled and the one that fills it say to each other. */
import type { FillOrder } from "./fill-table.ts";
import type { ImageDescription } from "./image-transfer.ts";

/** The one message to the process. */
export type LoadOrder = FillOrder;

/** The one message of the process. After `loaded` the bytes of the image follow on `IMAGE_FD`. */
export type Loaded<State> =
  | { kind: "loaded"; image: ImageDescription; state: State; readMs: number; sortMs: number }
  | { kind: "absent" }
  | { kind: "failed"; message: string; code: string | undefined };

export const IMAGE_FD = 4;
