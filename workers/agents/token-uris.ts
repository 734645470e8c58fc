/** Reads the URIs of tokens from the chain, and queues the transactions that set missing ones. */
import { tokenUriOf } from "../../core/links.ts";
import {
  type KnownTokenUri,
  mintedWithoutUri,
  queueTokenUri,
  storeTokenUriChecks,
  type TokenUriState,
  tokenUrisFilledSince,
  tokenUrisToCheck,
  tokenUrisToFill,
} from "../../db/agents/token-uris.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";
import { CHECK_AGAIN_MS, RETRY_MS, tokenUriCall } from "../transactions/intents/token-uri.ts";
import { readTokenUris } from "./token-uri-reads.ts";

/** Max tokens per call to the chain, and max calls per run; the next run does the rest. */
const TOKENS_PER_CALL = 100;
const CALLS_PER_RUN = 10;
const DAY_MS = 86_400_000;

/**
 * Check then write: the number chosen today, then queue; another run may choose too: both choose the lowest ids, and
 * the row lock lets one queue each.
 * Resumes: at `check_at` and the highest token id checked; an unreadable token is read again after ten minutes, after
 * the others, and so is one whose transaction failed; an error of the node ends the run.
 * Bound: transactions for token URIs are one for each token of ours and 200 a day for others (`token-uris` of
 * DAILY_BUDGETS); 16 are in flight, within a fifth of the day's budget, after all other intents
 * (workers/transactions/sender/budget.ts).
 */
export const tokenUris = defineJob({
  name: "token-uris",
  // Every registration starts it as well (subscriptions.ts).
  schedule: { everyMs: 30_000 },
  async run({ db, chain, clock, config }) {
    const identity = config.contracts.identity.address;
    const { publicUrl } = config.service;
    let changed = 0;
    for (let round = 0; round < CALLS_PER_RUN; round++) {
      const due = await tokenUrisToCheck(db, { now: clock(), limit: TOKENS_PER_CALL });
      const tokenIds = due.map(({ tokenId }) => tokenId);
      const uris = await readTokenUris(chain, identity, tokenIds);
      const now = clock().getTime();
      const checks = due.map((known) => {
        const verdict = judge(known, uris.get(known.tokenId), publicUrl);
        const checkAt = new Date(now + (verdict.state === "unknown" ? RETRY_MS : CHECK_AGAIN_MS));
        return { ...known, ...verdict, before: known.state, checkAt };
      });
      changed += await storeTokenUriChecks(db, { checks });
      if (due.length < TOKENS_PER_CALL) break;
    }
    if (!config.tokenUris.write) return changed;

    const queue = async (tokenIds: readonly number[], filledAt: Date | null) => {
      for (const tokenId of tokenIds) {
        const call = tokenUriCall(identity, publicUrl, tokenId);
        if (await transaction(db, (tx) => queueTokenUri(tx, { ...call, tokenId, publicUrl, filledAt }))) changed++;
      }
    };
    await queue(await mintedWithoutUri(db, { limit: TOKENS_PER_CALL * CALLS_PER_RUN }), null);
    const now = clock();
    const filled = await tokenUrisFilledSince(db, { since: new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS) });
    const left = Math.min(config.tokenUris.perDay - filled, TOKENS_PER_CALL * CALLS_PER_RUN);
    if (left > 0) await queue(await tokenUrisToFill(db, { publicUrl, limit: left }), now);
    return changed;
  },
});

/** The state of a token's URI, given the base URL that the service set before. */
function judge(
  { tokenId, base }: KnownTokenUri,
  uri: string | undefined,
  publicUrl: string,
): { state: TokenUriState; base: string | null } {
  if (uri === undefined) return { state: "unknown", base };
  if (uri === "") return { state: base === null ? "none" : "cleared", base };
  const isOurs = base !== null && uri === tokenUriOf(base, tokenId);
  // A URI to this service that another party set belongs to that party: it does not follow a change of PUBLIC_URL.
  return { state: isOurs || uri === tokenUriOf(publicUrl, tokenId) ? "set" : "own", base };
}
