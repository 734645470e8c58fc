/** Checks of the index: whether it is served, how fresh it is, and rows that show a fault. */
import { tokensWithoutUri } from "../../db/agents/token-uris.ts";
import { staleScores } from "../../db/cred/cred-passes.ts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { negativeBalances, sampleWithoutUri } from "../../db/operations/server-health.ts";
import { type Check, error, ok, skipped, warning } from "../check.ts";

/** Seconds behind the chain from which the index counts as late. */
const LATE_SECONDS = 120;

const freshness: Check = {
  name: "freshness",
  needs: ["database"],
  async run(world) {
    const state = await readIndexState(world.db);
    if (!state.ready || state.indexedBlock === null || state.indexedAt === null)
      return skipped("no index is served yet: npm run backfill builds it, and the indexer keeps it");
    if (state.stale)
      return warning(
        `stale: ${state.reason ?? "a new index is being built"}`,
        "Wait for the new index; the alert IndexStale says more (docs/operate/alerts.md).",
      );
    if (state.reason !== null)
      return error(
        state.reason,
        "The indexer reads these blocks again; the alert IndexIncomplete says what to do when it stays (docs/operate/alerts.md).",
      );
    const head = (await world.unmet("node")) === null ? await world.chain.headBlock() : null;
    const at = `block ${state.indexedBlock}${head === null ? "" : ` of ${head}`}`;
    const behind = Math.max(0, Math.round(world.now() / 1000 - state.indexedAt));
    if (head !== null && state.indexedBlock > head)
      return error(
        `${at}: the index is ahead of the node`,
        "The node lags behind or is of another chain: compare it with another, and never let two chains share a database.",
      );
    if (head !== null && state.indexedBlock < head - 1 && behind > LATE_SECONDS)
      return warning(
        `${at}, ${behind} s behind`,
        "Start the indexer, or read its log: the alert IndexBehind lists causes.",
      );
    return ok(`${at}, schema ${state.schema}`);
  },
};

const balances: Check = {
  name: "negative balances",
  needs: ["database", "index"],
  async run({ db, config }) {
    const { holders, lowest, example } = await negativeBalances(db);
    if (holders === 0) return ok("no holder of the service token is below 0");
    return error(
      `${holders} holders of the service token are below 0, the lowest ${lowest} units (${example})`,
      `The index of the token begins at block ${config.contracts.serviceToken.startBlock}, after its first transfers: set serviceToken=@<block> in CONTRACTS to the block where its code begins (see contracts).`,
    );
  },
};

const uris: Check = {
  name: "tokens without a URI",
  needs: ["database", "index"],
  async run({ db, accounts }) {
    const [without, sample] = await Promise.all([tokensWithoutUri(db), sampleWithoutUri(db)]);
    if (without === 0) return ok("every token has a tokenURI");
    const found = `${without}, for example ${sample.join(", ")}`;
    if (accounts.deployer === null)
      return warning(found, "Only the contract's owner can set them: run the workers with DEPLOYER_PRIVATE_KEY.");
    return warning(
      found,
      "The workers fill them in, `token-uris` of DAILY_BUDGETS a day while TOKEN_URIS allows it (docs/operate/token-uris.md).",
    );
  },
};

const scores: Check = {
  name: "scores",
  needs: ["database", "index"],
  async run({ db }) {
    const stale = await staleScores(db);
    if (stale === 0) return ok("every score belongs to its agent's present state");
    return ok(`${stale} scores are behind their agents; the workers catch up while they run`);
  },
};

export const INDEX_CHECKS: readonly Check[] = [freshness, balances, uris, scores];
