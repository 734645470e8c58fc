/**
 * Pulls every foreign registry that is due.
 * One item: each registry has its own state, and errors are caught one by one, so one that does not answer delays no
 * other.
 */
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { isIndexed } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";
import { pullRegistry } from "./pull-registry.ts";

export const directoryPull = defineJob({
  name: "directory-pull",
  readsStrangers: true,
  // Checks often; pulls each registry once per interval, and sooner when a pull was interrupted.
  schedule: { everyMs: 10_000, keepsPace: true },
  async run(context) {
    const { db, clock, log, config, registries } = context;
    // Scores need the index; before there is one, no row can be written.
    if (!(await isIndexed(db))) return 0;
    const known = new Map((await pullProgress(db)).map((pull) => [pull.key, pull]));
    const due = REGISTRY_READERS.filter(({ key }) => {
      const pull = known.get(key);
      return !pull?.nextRunAt || pull.nextRunAt <= clock();
    });
    const pulled = await Promise.all(
      due.map((reader) =>
        pullRegistry(
          {
            ...context,
            exchangeSchema: config.attestationSchemas[0]!,
            chainId: config.chain.id,
            everyMs: config.upstreams.pullMs,
          },
          registries[reader.key]!,
          reader,
        ).catch((error) => {
          log.warn(
            { err: error, registry: reader.key },
            "a registry could not be pulled; the next attempt goes on from there",
          );
          return 0;
        }),
      ),
    );
    return pulled.reduce<number>((sum, rows) => sum + (rows ?? 0), 0);
  },
});
