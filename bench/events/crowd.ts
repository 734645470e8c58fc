/** A crowd of subscribers at one server, and the events that they get. */
import { join } from "node:path";
import { startChild } from "../../harness/child.ts";
import type { Figures, OpenRequest } from "./readers.ts";

export type Crowd = Awaited<ReturnType<typeof openCrowd>>;

/** @param url of the stream; `{n}` in it becomes the subscriber's number @throws Error when one cannot connect */
export async function openCrowd(url: string, readers: number) {
  const child = startChild(join(import.meta.dirname, "readers.ts"));
  await child.asks<"opened">({ open: { url, readers } } satisfies OpenRequest);
  return {
    /** Waits until this number of events has arrived in all, at most `withinMs`. */
    async received(events: number, withinMs: number): Promise<Figures> {
      const ends = performance.now() + withinMs;
      for (;;) {
        const figures = await child.asks<Figures>("figures");
        if (figures.received >= events || performance.now() > ends) return figures;
        await new Promise((done) => setTimeout(done, 100));
      }
    },
    /** Forgets what was counted so far. */
    again: () => void child.process.send("again"),
    leave: () => void child.stop(),
  };
}
