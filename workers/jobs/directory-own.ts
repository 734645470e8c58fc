/** Shows the own registry's agents in the directory: after each event, and by comparison for rows that no event reached. */
import { z } from "zod";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { staleOwnRows, syncOwnRows } from "../../db/directory/own.ts";
import { beginPull, endPull, pullState } from "../../db/directory/pulls.ts";
import { defineJob } from "../job.ts";

const EVERY_MS = 15_000;

export const directoryOwn = defineJob({
  name: "directory-own",
  concurrency: 2,
  schedule: { everyMs: EVERY_MS },
  input: z.object({ tokenIds: z.array(z.int().min(0)).optional() }),
  async run({ db, clock, config }, { tokenIds }) {
    const registry = { contract: config.contracts.identity.address, chainId: config.chain.id };
    const now = clock();
    const rules = { now, exchangeSchema: config.attestationSchemas[0]! };
    if (tokenIds) return syncOwnRows(db, tokenIds, registry, rules);
    await pullState(db, OWN_PLATFORM);
    await beginPull(db, OWN_PLATFORM, "full", now);
    const changed = await syncOwnRows(db, await staleOwnRows(db), registry, rules);
    await endPull(db, OWN_PLATFORM, {
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
