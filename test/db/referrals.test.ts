/** Whose a referral code is, and what it has brought. */
import { beforeAll, describe, expect, it } from "vitest";
import { OG_WALLETS, ogOf } from "../../core/agents/og-wallets.ts";
import { parseReferralCode } from "../../core/agents/referral-codes.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import {
  ensureReferralCodes,
  recordReferral,
  referralCodeOf,
  renewReferralCodes,
} from "../../db/agents/referral-codes.ts";
import { referralOfAgent, referrerOf } from "../../db/agents/referrals.ts";
import { plantOnchain, plantRows } from "../../harness/onchain.ts";
import { plantAgents, walletOf } from "../api/support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const [bendr, quigbot] = OG_WALLETS as [(typeof OG_WALLETS)[0], (typeof OG_WALLETS)[0]];
const NONE = { totalReferrals: 0, pointsEarned: 0 };

const database = perFile(testDatabase);

it("before the first index a referral by a V1 wallet's code waits for nobody", async () => {
  await recordReferral(database.pool, 1, bendr.code);
  expect((await database.pool.query("select from offchain.referral")).rowCount).toBe(0);
});

describe("with an index", () => {
  beforeAll(async () => {
    const { pool } = database;
    await plantOnchain(pool);
    await plantAgents(pool, [{ name: "Zero" }, {}, {}, {}, { name: "Veteran", agentAddress: bendr.wallet }]);
    await pool.query("insert into offchain.referral_code (token_id, code) values (0, 'zero-0000'), (9, 'gone-0000')");
  });

  it("a code is its agent's, and of nobody when the agent is not there", async () => {
    expect(await referrerOf(database.pool, "zero-0000")).toEqual({
      code: "zero-0000",
      tokenId: 0,
      name: "Zero",
      wallets: [walletOf(0), walletOf(0)],
      stats: NONE,
    });
    expect(await referrerOf(database.pool, "gone-0000")).toBeNull();
    expect(await referrerOf(database.pool, "nobody-0000")).toBeNull();
  });

  it("an agent has a code however many tokens of its name name its wallet", async () => {
    const wallet = walletOf(77);
    const agents = Array.from({ length: 60 }, (_, i) => ({
      tokenId: 1_000 + i,
      name: "Same name",
      agentAddress: wallet,
    }));
    expect(await ensureReferralCodes(database.pool, agents)).toBe(60);
    const codes = await Promise.all(agents.map(({ tokenId }) => referralCodeOf(database.pool, tokenId)));
    expect(new Set(codes).size).toBe(60);
    for (const code of codes) expect(parseReferralCode(code!)).toBe(code);
    await renewReferralCodes(
      database.pool,
      agents.map(({ tokenId }) => tokenId),
    );
  });

  it("a V1 wallet's code is its agent's, and its own before there is one", async () => {
    expect(await referrerOf(database.pool, bendr.code)).toMatchObject({ tokenId: 4, name: "Veteran" });
    expect(await referrerOf(database.pool, quigbot.code)).toEqual({
      code: quigbot.code,
      tokenId: null,
      name: quigbot.v1Name,
      wallets: [quigbot.wallet],
      stats: NONE,
    });
  });

  it("counts each agent once, itself never, and the points that were awarded for it", async () => {
    const { pool } = database;
    for (const tokenId of [1, 1, 2, 0]) await recordReferral(pool, tokenId, "zero-0000");
    await recordReferral(pool, 3, bendr.code);
    await recordReferral(pool, 4, bendr.code);
    await recordReferral(pool, 8, quigbot.code);
    // Referred, but not on the chain (any more).
    await recordReferral(pool, 77, "zero-0000");
    const award = (id: string, amount: bigint, reason: string) => ({
      ...{ id, tokenId: 0, amount, reason, awardedAt: 1, block: 1, txHash: "0x00" },
    });
    await plantRows(pool, "pointsAward", [
      award("1", 50n, BONUSES.referrer.reason),
      award("2", 50n, BONUSES.referrer.reason),
      award("3", 100n, "mint"),
    ]);
    expect((await referralOfAgent(pool, 0))?.stats).toEqual({ totalReferrals: 2, pointsEarned: 100 });
    expect((await referrerOf(pool, bendr.code))?.stats).toEqual({ totalReferrals: 1, pointsEarned: 0 });
    expect(await referralOfAgent(pool, 1)).toMatchObject({ tokenId: 1, code: null, stats: NONE });
    expect(await referralOfAgent(pool, 99)).toBeNull();
  });
});

it("the V1 wallets are fourteen, each with a name and a code of its own", () => {
  expect(OG_WALLETS).toHaveLength(14);
  for (const key of ["wallet", "v1Name", "code"] as const)
    expect(new Set(OG_WALLETS.map((og) => og[key])).size).toBe(14);
  for (const { wallet, code } of OG_WALLETS) {
    expect(wallet).toMatch(/^0x[0-9a-f]{40}$/);
    // Codes of agents end in a hyphen and four characters.
    expect(code).toMatch(/^[a-z0-9]+$/);
  }
  expect(ogOf("0x0000000000000000000000000000000000000001", quigbot.wallet)).toBe(quigbot);
});
