/** Agents with a vector, and those that wait for one. Every worker shows the same. */
import type { Registry } from "prom-client";
import type { Embeddings } from "../../clients/ports.ts";
import { countMeanings } from "../../db/discovery/meanings.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead } from "./cached-read.ts";
import { onScrape } from "./metric.ts";

const MAX_AGE_MS = 30_000;

/** @param embeddings null: there is no provider, and the metric has no values */
export function meaningGauges(registry: Registry, db: Queryable, embeddings: Pick<Embeddings, "model"> | null): void {
  const counts = cachedRead(
    async () => countMeanings(db, { model: embeddings!.model }),
    MAX_AGE_MS,
    () => performance.now(),
  );
  const name = "agents_meanings";
  const help =
    "Agents by the vector of their text: found (they have one), waiting (not sent yet), missing (sent, without a usable answer)";
  onScrape(registry, { name, help, type: "gauge" }, async () => {
    const read = embeddings && (await counts());
    return read ? Object.entries(read).map(([state, value]) => ({ labels: { state }, value })) : [];
  });
}
