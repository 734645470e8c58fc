/** Reputation scores from Ethos, in bulk. https://developers.ethos.network */
import { z } from "zod";
import type { Address } from "../core/facts.ts";
import type { Upstream } from "./http.ts";
import type { Ethos } from "./ports.ts";

const BATCH = 100;
const MAX_SCORE = 2_800;
const scores = z.record(z.string(), z.object({ score: z.number() }).nullish());

/** @param api opened on ETHOS_API_URL */
export function ethosScores(api: Upstream): Ethos {
  return {
    batch: BATCH,
    scores: (wallets) =>
      api.ask({
        method: "POST",
        path: "/api/v2/score/addresses",
        body: { addresses: wallets },
        statuses: [200],
        read: ({ json }) => {
          const answered = new Map(
            Object.entries(scores.parse(json)).map(([address, found]) => [address.toLowerCase(), found?.score]),
          );
          return new Map(wallets.map((wallet): [Address, number | null] => [wallet, known(answered.get(wallet))]));
        },
      }),
  };
}

/** Ethos answers 0 for whom it has never seen. */
const known = (score: number | undefined): number | null =>
  score !== undefined && Number.isInteger(score) && score > 0 && score <= MAX_SCORE ? score : null;
