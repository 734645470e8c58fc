/** Shows the own registry's agents in the directory: after each event and write, and by comparison for rows that neither reached. */
import { z } from "zod";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { staleOwnRows, syncOwnRows } from "../../db/directory/own.ts";
import { OWN_ROWS_JOB } from "../../db/directory/own-shown.ts";
import { beginPull, endPull, pullState } from "../../db/directory/pulls.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { LIST_PAGE, offers } from "../offers/offers.ts";

const EVERY_MS = 15_000;

/** Resumes: at what differs from the index; what is refused is quarantined, and shown by id and addresses only. */
export const directoryOwn = defineJob({
  name: OWN_ROWS_JOB,
  concurrency: 2,
  queued: true,
  schedule: { everyMs: EVERY_MS },
  input: z.object({ tokenIds: z.array(z.int().min(0)).optional() }),
  async run(context, { tokenIds }) {
    const { db, clock, config } = context;
    const registry = { contract: config.contracts.identity.address, chainId: config.chain.id };
    const now = clock();
    const rules = { now, exchangeSchema: config.attestationSchemas[0]! };
    const sync = async (some: readonly number[]) => {
      const changed = await syncOwnRows(db, some, registry, rules);
      if (changed > 0) await readOffers(context, some);
      return changed;
    };
    if (tokenIds) return sync(tokenIds);
    await pullState(db, OWN_PLATFORM);
    await beginPull(db, { source: OWN_PLATFORM, mode: "full", now });
    const changed = await sync(await staleOwnRows(db));
    await endPull(db, {
      source: OWN_PLATFORM,
      mode: "full",
      watermark: now.toISOString(),
      whole: false,
      removed: changed,
      note: null,
      now: clock(),
      nextRunAt: new Date(now.getTime() + EVERY_MS),
    });
    return changed;
  },
});

/** Has what these agents offer read at once. After a change of very many the next runs of the job reach them all. */
async function readOffers({ queue }: JobContext, tokenIds: readonly number[]): Promise<void> {
  if (tokenIds.length <= LIST_PAGE) await queue.add(offers.name, [{ data: { tokenIds } }]);
}
