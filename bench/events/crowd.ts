/** A crowd of subscribers at one server, and what they are told. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Figures, Open } from "./readers.ts";

export type Crowd = {
  /** Waits until so many events have arrived in all, at most so long. */
  received(events: number, withinMs: number): Promise<Figures>;
  /** Forgets what was counted so far. */
  again(): void;
  leave(): void;
};

/** @param url of the stream; `{n}` in it becomes the subscriber's number */
export async function openCrowd(url: string, readers: number): Promise<Crowd> {
  const child = fork(join(import.meta.dirname, "readers.ts"));
  child.send({ open: { url, readers } } satisfies Open);
  const [opened] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (opened !== "opened") throw new Error("the subscribers could not connect");
  return {
    async received(events, withinMs) {
      const ends = performance.now() + withinMs;
      for (;;) {
        child.send("figures");
        const [figures] = (await once(child, "message")) as [Figures];
        if (figures.received >= events || performance.now() > ends) return figures;
        await new Promise((done) => setTimeout(done, 100));
      }
    },
    again: () => void child.send("again"),
    leave: () => void child.kill(),
  };
}
