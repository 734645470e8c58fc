/** `npm run backfill -- --watch`: shows the progress that an indexer on this database records. */
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { readBackfillProgress } from "../../db/operations/backfill-progress.ts";
import { CommandError } from "./arguments.ts";
import type { Display } from "./display.ts";

/**
 * Ends when the index has caught up, or at an interrupt.
 * @throws CommandError when no indexer runs
 */
export async function watchIndexer(
  db: pg.Client,
  { display, stopping }: { display: Display; stopping: AbortSignal },
): Promise<void> {
  for (;;) {
    const recorded = await readBackfillProgress(db);
    if (recorded === null || recorded.silent)
      throw new CommandError("No indexer runs on this database: start npm run indexer, or npm run backfill.");
    const done = recorded.state === "done";
    display.show(recorded, { force: done });
    if (done) return display.line("the index has caught up and is served");
    if (stopping.aborted) return;
    await wait(display.everyMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
  }
}
