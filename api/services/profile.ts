/** Reads an agent's profile with the writes on chain that are under way, in one snapshot. */
import { traitKey } from "../../core/agents/trait-input.ts";
import { profileView } from "../../core/views/profile.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { onchainTraits, recentChainWrites } from "../../db/transactions/chain-writes.ts";
import { senderState } from "../../db/transactions/sender-state.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { factsOf } from "./agent-facts.ts";
import { TRAIT_PRICE_LIMIT_WEI } from "./chain-writes.ts";
import { freeWriterOf, gasLeft } from "./free-gas.ts";

const DAY_MS = 86_400_000;
/** Writes are shown for a week: the service may be without funds for days. */
const SHOWN_MS = 7 * DAY_MS;

/** @throws Failure not_found */
export async function readProfile(deps: HandlerDeps, tokenId: number, now: number) {
  const { traitPriceWei } = await deps.contract.current();
  const indexedBlock = deps.index.block;
  return snapshot(deps.db, async (db) => {
    const facts = await factsOf({ db, config: deps.config }, { tokenId });
    const writes = await recentChainWrites(db, tokenId, new Date(now - SHOWN_MS));
    const writer = await freeWriterOf({ tx: db, facts, now: new Date(now), paid: false }, facts.owner);
    const traits = await onchainTraits(db, { tokenId });
    const sender = await senderState(db);
    const chain = {
      writes,
      indexedBlock,
      traitPriceWei,
      traitPriceLimitWei: TRAIT_PRICE_LIMIT_WEI,
      traitsOnchain: new Set(traits.map(({ name }) => traitKey(name))),
      gas: await gasLeft(db, { ...writer!, tokenId }),
      funded: sender === null || (sender.funded && sender.pausedUntil === null),
    };
    return profileView(facts, deps.payments.shown(), chain, new Date(now));
  });
}
