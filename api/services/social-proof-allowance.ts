/** Limits the requests of proofs to a platform: per agent, wallet and network; those with the fewest requests come first. */
import { hash } from "node:crypto";
import type pg from "pg";
import type { FoundProof, NoProof, Spend } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import {
  type Bucket,
  failuresOf,
  maxRequested,
  ofAgent,
  ofNetworks,
  ofWallet,
  type Rate,
  readsOfStrangers,
  strangers,
} from "../../core/agents/social-proof-allowances.ts";
import type { Networks } from "../../core/callers/shares.ts";
import { Failure, fail } from "../../core/errors.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { levelsOf, takeAll, takeTokens } from "../../db/callers/allowances.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";

type Asker = {
  platform: ProofPlatformKey;
  tokenId: number;
  /** Who asks, and from which networks. */
  wallet: Address;
  networks: Networks;
  /** The claimed place of the proof. */
  claim: unknown;
  now: Date;
};

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
  let found: FoundProof | NoProof;
  try {
    found = await ask(spendOf(db, asker, readsPerDay));
  } catch (error) {
    if (error instanceof Failure && error.code === "upstream_unavailable") await takeTokens(db, counted, -1, now);
    throw error;
  }
  if ("reason" in found) await takeTokens(db, [failures], 1, now);
  return found;
}

/** Each request is for strangers, and for the networks of one of them. A request that had to wait is counted when it is sent. */
function spendOf(db: pg.Pool, { platform, networks, now }: Asker, perDay: number | null): Spend {
  const began = performance.now();
  return async (rate: Rate, count: number) => {
    const at = new Date(now.getTime() + performance.now() - began);
    const budget = readsOfStrangers(platform, networks, { perDay, count: Math.abs(count) }, at);
    if (count < 0) {
      await takeTokens(db, budget, -1, at);
      return 0;
    }
    return takeAll(db, [strangers(platform, rate), ...ofNetworks(platform, networks, rate), ...budget], at);
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
  const { name } = strangers(platform, { burst: 0, perSecond: 0 });
  const shared = (await levelsOf(tx, [name], now)).get(name) ?? { level: 1, most: 1 };
  for (const { name, most, perSecond } of counted) {
    const level = left.get(name)!;
    if (level < 0)
      fail("rate_limited", "This agent or wallet has asked for as many proofs on this platform as it may in a day.", {
        retryAfter: Math.ceil(-level / perSecond),
      });
    const asked = most - level;
    if (asked > maxRequested(most, Math.max(0, shared.level / shared.most)))
      fail("rate_limited", "Many proofs are asked for on this platform now; those who asked for few come first.", {
        retryAfter: 300,
      });
  }
}

const claimName = (claim: unknown): string => hash("sha256", JSON.stringify(claim).toLowerCase(), "hex").slice(0, 32);
