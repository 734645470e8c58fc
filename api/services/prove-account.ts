/** The verb prove: asks a platform for an account's proof, and records it with its trait and the score in one commit. */
import { hash } from "node:crypto";
import type pg from "pg";
import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import type { FoundProof, NoProof, ProofReader, Spend } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import {
  type Bucket,
  failuresOf,
  maxRequested,
  newProofs,
  ofAgent,
  ofNetworks,
  ofWallet,
  type Rate,
  readsOfNewProofs,
} from "../../core/agents/social-proof-allowances.ts";
import { proofTrait } from "../../core/agents/social-proofs.ts";
import type { Networks } from "../../core/callers/shares.ts";
import { foreignText } from "../../core/directory/foreign-text.ts";
import { Failure, fail } from "../../core/errors.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { recordProofOwnership } from "../../db/agents/proof-ownership.ts";
import { agentProvenBy, PROOF_ACCOUNT_INDEX, recordProof, traitTransaction } from "../../db/agents/social-proofs.ts";
import { levelsOf, takeAll, takeTokens } from "../../db/callers/allowances.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { payableTraitPrice, queueOnce } from "./chain-writes.ts";
import { authorizeController, emitVerified, type Write, writeAgent } from "./writing.ts";

/** Max code points of the text that was found in place of a proof. */
const MAX_FOUND = 280;

export type AccountClaim<C> = {
  platform: ProofPlatformKey;
  reader: ProofReader<C>;
  claim: C;
  tokenId: number;
  /** Who asks, and from which networks. */
  wallet: Address;
  networks: Networks;
  /** Milliseconds since the epoch. */
  now: number;
  /** The text that the account must show, and how to show it; part of a refusal. */
  expected: string;
  hint: string;
};

export type ProofResult = FoundProof & {
  trait: string;
  /** The transaction of the trait, or the key of the intent that brings it. */
  transaction: { txHash: Hex } | { intentKey: string };
};

/**
 * Proves an account for an agent. The platform is called before anything is written; nothing is granted unless it
 * confirms the proof. An existing proof is confirmed, and its trait is never given twice.
 * Check then write: the platform's answer, then record and trait; another agent may take the account: unique
 * `proof_account`, and the agent's advisory lock with the controller checked again.
 * @throws Failure not_found, forbidden, rate_limited, proof_missing, conflict, upstream_unavailable, out_of_funds,
 *   indexer_behind
 */
export async function proveAccount<C>(deps: HandlerDeps, claimed: AccountClaim<C>): Promise<ProofResult> {
  const { platform, reader, tokenId, wallet, networks, now, expected, hint, claim } = claimed;
  const authorize = await authorizeController(deps, tokenId, wallet);
  const asker = { platform, tokenId, wallet, networks, claim, now: new Date(now) };
  // Only a platform that states a budget has one.
  const readsPerDay = deps.config.upstreams.proofChecks[platform]?.readsPerDay ?? null;
  const within = { asker, perDay: deps.config.proofsPerAgent, readsPerDay, expected, hint };
  const result = await askWithin(deps.db, within, (spend) =>
    reader.find(claim, { tokenId, prefix: deps.config.service.prefix }, spend),
  );
  if ("reason" in result)
    return fail("proof_missing", result.reason, {
      hint: result.isAbsent ? `Name the account that shows ${expected}, as the platform writes its name.` : hint,
      extra: { expected, found: foreignText(result.found, MAX_FOUND, { lines: true }) },
    });

  const identity = deps.config.contracts.identity.address;
  const valueWei = await payableTraitPrice(deps.chain, identity);
  try {
    return await writeAgent(deps, { tokenId, now }, authorize, async (write) => {
      await refuseIfTaken(write, platform, result);
      const transaction = await giveTrait(write, platform, { identity, valueWei, wallet });
      const txHash = "txHash" in transaction ? transaction.txHash : null;
      if (await recordProof(write.tx, { tokenId, platform, ...result }, txHash, write.now))
        await emitVerified(write, platform, result.handle);
      const { owner, ownership } = write.facts;
      await recordProofOwnership(write.tx, {
        tokenId,
        proof: platform,
        subject: result.accountId,
        owner,
        transfers: ownership.transfers,
        at: write.now,
      });
      const trait = proofTrait(platform).name;
      return { result: { ...result, trait, transaction }, scored: true, cause: trait };
    });
  } catch (error) {
    if ((error as { constraint?: string }).constraint === PROOF_ACCOUNT_INDEX) taken(result);
    throw error;
  }
}

/** A refusal with a reason, before the unique index would refuse. */
async function refuseIfTaken({ tx, facts }: Write, platform: ProofPlatformKey, found: FoundProof): Promise<void> {
  const holder = await agentProvenBy(tx, platform, found.accountId);
  if (holder !== null && holder !== facts.tokenId) taken(found, holder);
}

const taken = ({ handle }: FoundProof, holder?: number): never =>
  fail("conflict", `The account ${handle} proves ${holder === undefined ? "another agent" : `agent ${holder}`}.`, {
    hint: "An account proves one agent at a time. It is free again once its proof there is withdrawn and has lapsed.",
    ...(holder !== undefined && { extra: { provesTokenId: holder } }),
  });

/** The trait is given once for each agent and platform, also when the proof lapses later. */
async function giveTrait(
  write: Write,
  platform: ProofPlatformKey,
  contract: { identity: Address; valueWei: bigint; wallet: Address },
): Promise<ProofResult["transaction"]> {
  const { tx, facts } = write;
  const { tokenId } = facts;
  const trait = proofTrait(platform);
  const given = await traitTransaction(tx, { tokenId, ...trait });
  if (given !== null) return { txHash: given };
  const { intentKey } = await queueOnce(write, contract.wallet, {
    intentKey: `proof:${tokenId}:${platform}`,
    // By the account that has just been proven.
    known: true,
    to: contract.identity,
    valueWei: contract.valueWei,
    data: encodeFunctionData({
      abi: identityAbi,
      functionName: "addTrait",
      args: [BigInt(tokenId), trait.name, trait.category],
    }),
  });
  return { intentKey };
}

/** Who asks, and for which place of a proof. */
type Asker = Pick<AccountClaim<unknown>, "platform" | "tokenId" | "wallet" | "networks" | "claim"> & { now: Date };

/** `perDay`: proofs of one agent. `readsPerDay`: the platform's budget; null: none. */
export type AllowanceQuestion = {
  asker: Asker;
  perDay: number;
  readsPerDay: number | null;
  expected: string;
  hint: string;
};

/**
 * Requests a proof from a platform.
 * Check then write: buckets and remembered failures, then the call of the platform; other calls run meanwhile: the
 * request is counted before it is made, in the one transaction that may refuse it; parallel ones may pass the memory of
 * failures, and each is counted. A failure of the platform gives it back and leaves no trace.
 * @throws Failure proof_missing without a request, where the same proof was missing twice in the last minute;
 *   rate_limited; upstream_unavailable; and the errors of `ask`
 */
export async function askWithin(
  db: pg.Pool,
  { asker, perDay, readsPerDay, expected, hint }: AllowanceQuestion,
  ask: (spend: Spend) => Promise<FoundProof | NoProof>,
): Promise<FoundProof | NoProof> {
  const { platform, tokenId, wallet, claim, now } = asker;
  const failures = failuresOf(platform, tokenId, claimName(claim));
  const counted = [ofAgent(platform, tokenId, perDay), ofWallet(platform, wallet, perDay)];
  await transaction(db, async (tx) => {
    const left = await takeTokens(tx, counted, 1, now);
    await refuseRemembered(tx, failures, { now, expected, hint });
    await refuseEager(tx, asker, counted, left);
  });
  let result: FoundProof | NoProof;
  try {
    result = await ask(spendOf(db, asker, readsPerDay));
  } catch (error) {
    if (error instanceof Failure && error.code === "upstream_unavailable") await takeTokens(db, counted, -1, now);
    throw error;
  }
  if ("reason" in result) await takeTokens(db, [failures], 1, now);
  return result;
}

/** Each request counts for new proofs, and for the networks of its client. A request that had to wait is counted when it is sent. */
function spendOf(db: pg.Pool, { platform, networks, now }: Asker, perDay: number | null): Spend {
  const began = performance.now();
  return async (rate: Rate, count: number) => {
    const at = new Date(now.getTime() + performance.now() - began);
    const budget = readsOfNewProofs(platform, networks, { perDay, count: Math.abs(count) }, at);
    if (count < 0) {
      await takeTokens(db, budget, -1, at);
      return 0;
    }
    return takeAll(db, [newProofs(platform, rate), ...ofNetworks(platform, networks, rate), ...budget], at);
  };
}

/** @throws Failure proof_missing */
async function refuseRemembered(
  tx: Queryable,
  failures: Bucket,
  { now, expected, hint }: { now: Date; expected: string; hint: string },
): Promise<void> {
  const { level } = (await levelsOf(tx, [failures.name], now)).get(failures.name) ?? { level: failures.most };
  if (level >= 1) return;
  const retryAfter = Math.ceil((1 - level) / failures.perSecond);
  fail("proof_missing", `This was looked for twice within a minute and was not there; ask again in ${retryAfter} s.`, {
    hint,
    retryAfter,
    extra: { expected },
  });
}

/** @throws Failure rate_limited */
async function refuseEager(
  tx: Queryable,
  { platform, now }: Asker,
  counted: readonly Bucket[],
  left: ReadonlyMap<string, number>,
): Promise<void> {
  // Its size does not matter here: only how full it is.
  const { name } = newProofs(platform, { burst: 0, perSecond: 0 });
  const shared = (await levelsOf(tx, [name], now)).get(name) ?? { level: 1, most: 1 };
  for (const { name, most, perSecond } of counted) {
    const level = left.get(name)!;
    if (level < 0)
      fail("rate_limited", "This agent or wallet has asked for as many proofs on this platform as it may in a day.", {
        retryAfter: Math.ceil(-level / perSecond),
      });
    const usage = most - level;
    if (usage > maxRequested(most, Math.max(0, shared.level / shared.most)))
      fail("rate_limited", "Many proofs are asked for on this platform now; those who asked for few come first.", {
        retryAfter: 300,
      });
  }
}

const claimName = (claim: unknown): string => hash("sha256", JSON.stringify(claim).toLowerCase(), "hex").slice(0, 32);
