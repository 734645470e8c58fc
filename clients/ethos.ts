/** Reputation scores from Ethos, in bulk. https://developers.ethos.network */
import { z } from "zod";
import type { Upstream } from "./http.ts";
import type { Ethos } from "./ports.ts";

const WALLETS_PER_CALL = 100;
const MAX_SCORE = 2_800;
const scores = z.record(z.string(), z.unknown());
const entry = z.object({ score: z.number() }).nullish();

/** @param api opened on ETHOS_API_URL */
export function ethosScores(api: Upstream): Ethos {
  return {
    batch: WALLETS_PER_CALL,
    scores: (wallets) =>
      api.ask({
        method: "POST",
        path: "/api/v2/score/addresses",
        body: { addresses: wallets },
        statuses: [200],
        read: ({ json }) => {
          const answered = new Map(
            Object.entries(scores.parse(json)).map(([address, found]) => [address.toLowerCase(), found]),
          );
          return new Map(wallets.map((wallet) => [wallet, known(answered.get(wallet))]));
        },
      }),
  };
}

/** Reads one entry: null for 0, which means an unknown wallet; undefined for an unreadable entry, which affects its own wallet only. */
function known(found: unknown): number | null | undefined {
  const { success, data } = entry.safeParse(found);
  if (!success) return undefined;
  const score = data?.score ?? 0;
  return Number.isInteger(score) && score > 0 && score <= MAX_SCORE ? score : null;
}
