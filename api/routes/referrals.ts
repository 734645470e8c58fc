/** Referral codes and the agents that registered with them, and the wallets that held a V1 identity. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { OG_BENEFITS, ogOf } from "../../core/agents/og-wallets.ts";
import { parseReferralCode } from "../../core/agents/referral-codes.ts";
import { fail, failNoAgent } from "../../core/errors.ts";
import { referralLink } from "../../core/links.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { summaryView } from "../../core/views/agent.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { ensureReferralCodes, referralCodeOf } from "../../db/agents/referral-codes.ts";
import { referralOfAgent, referredBy, referrerOf } from "../../db/agents/referrals.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { CACHE, endpointsOf } from "../endpoint.ts";
import { agentRef, limit, tokenId as tokenIdParameter, walletAddress } from "../parameters.ts";
import { ogSchema, referralCodeSchema, referralSchema, referredSchema } from "../schemas/mint.ts";
import { tokenIdOf } from "../services/agent-facts.ts";

const endpoint = endpointsOf({ tag: "Referrals", named: { ref: agentRef } });

export const referral = endpoint({
  path: "/api/v2/agent/{ref}/referral",
  operationId: "getReferral",
  summary: "An agent's referral code and what it has brought",
  data: true,
  responses: { 200: { description: "The code", schema: referralSchema } },
  async handler({ deps, params: { ref } }, json) {
    const { db, config } = deps;
    const tokenId = await tokenIdOf(deps, ref);
    const agent = await referralOfAgent(db, tokenId);
    if (!agent) return failNoAgent({ tokenId });
    // Every agent has a code; before the worker has made it, the code that it will make is returned.
    if (agent.code === null) await ensureReferralCodes(db, [agent]);
    const code = agent.code ?? (await referralCodeOf(db, tokenId))!;
    return json({
      tokenId,
      code,
      link: referralLink(config.service.webUrl, code),
      referrer: agent.name,
      isOG: ogOf(...agent.wallets) !== undefined,
      stats: agent.stats,
    });
  },
});

export const referred = endpoint({
  path: "/api/v2/agent/{ref}/referrals",
  operationId: "listReferrals",
  summary: "The agents that were registered with an agent's code, the newest first",
  data: true,
  query: z.object({
    limit: limit({ default: 20, max: 100 }),
    before: tokenIdParameter.optional().meta({ description: "`nextBefore` of the page before" }),
  }),
  responses: { 200: { description: "A page of agents", schema: referredSchema } },
  async handler({ deps, params: { ref }, query: { limit, before }, at }, json) {
    const tokenId = await tokenIdOf(deps, ref);
    const { total, facts, nextBefore } = await snapshot(deps.db, async (db) => {
      const agent = await referralOfAgent(db, tokenId);
      if (!agent) return failNoAgent({ tokenId });
      // One row above the limit shows whether there is a next page.
      const rows = await referredBy(db, { tokenId, before: before ?? null, limit: limit + 1 });
      const tokenIds = rows.slice(0, limit);
      return {
        total: agent.stats.totalReferrals,
        facts: await loadFacts(db, tokenIds),
        nextBefore: rows.length > limit ? tokenIds.at(-1)! : null,
      };
    });
    return json({ tokenId, total, limit, agents: facts.map((f) => summaryView(f, deps.site, at)), nextBefore });
  },
});

export const referralCode = endpoint({
  path: "/api/v2/referral/{code}",
  operationId: "checkReferralCode",
  summary: "Whether a referral code is valid, and whose it is",
  data: true,
  params: z.object({
    code: z.string().meta({
      documented: { type: "string" },
      description: "A referral code, in any case",
      examples: ["atlas-7k2p"],
    }),
  }),
  responses: { 200: { description: "The code is valid", schema: referralCodeSchema } },
  errors: ["not_found"],
  async handler({ deps, params }, json) {
    const code = parseReferralCode(params.code);
    const referrer = code === null ? null : await referrerOf(deps.db, code);
    if (!referrer)
      return fail("not_found", "There is no such referral code.", { extra: { valid: false, code: params.code } });
    return json({
      valid: true,
      code: referrer.code,
      referrer: referrer.name,
      bonusPoints: BONUSES.minter.points,
      isOG: ogOf(...referrer.wallets) !== undefined,
      stats: referrer.stats,
    });
  },
});

export const og = endpoint({
  path: "/api/v2/og/{address}",
  operationId: "getOgStatus",
  summary: "Whether a wallet held a V1 identity, and what its mint is granted",
  params: z.object({ address: walletAddress }),
  responses: { 200: { description: "The wallet's status", schema: ogSchema } },
  cache: CACHE.release,
  handler({ deps, params: { address } }, json) {
    const code = ogOf(address);
    if (!code) return json({ isOG: false, address: checksum(address) });
    return json({
      isOG: true,
      address: checksum(address),
      v1Name: code.v1Name,
      referralCode: code.code,
      referralLink: referralLink(deps.config.service.webUrl, code.code),
      benefits: OG_BENEFITS,
    });
  },
});
