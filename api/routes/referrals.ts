/** Referral codes, and the wallets that held a V1 identity. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { BONUSES } from "../../core/bonuses.ts";
import { fail } from "../../core/errors.ts";
import { referralLink } from "../../core/links.ts";
import { OG_BENEFITS, ogOf } from "../../core/og-wallets.ts";
import { parseReferralCode } from "../../core/referral-codes.ts";
import { ensureReferralCodes, referralCodeOf } from "../../db/referral-codes.ts";
import { referralOfAgent, referrerOf } from "../../db/referrals.ts";
import { CACHE, endpoint, json } from "../endpoint.ts";
import { tokenId, walletAddress } from "../parameters.ts";
import { ogSchema, referralCodeSchema, referralSchema } from "../schemas/referral.ts";

export const referral = endpoint({
  method: "get",
  path: "/api/v2/agent/{id}/referral",
  operationId: "getReferral",
  tag: "Referrals",
  summary: "An agent's referral code and what it has brought",
  data: true,
  params: z.object({ id: tokenId }),
  responses: { 200: { description: "The code", schema: referralSchema } },
  errors: ["not_found"],
  async handler({ deps: { db, config }, params: { id } }) {
    const agent = await referralOfAgent(db, id);
    if (!agent) return fail("not_found", `There is no agent ${id}.`);
    // Every agent has a code; before the worker has made it, the code that it will make is returned.
    if (agent.code === null) await ensureReferralCodes(db, [agent]);
    const code = agent.code ?? (await referralCodeOf(db, id))!;
    return json({
      tokenId: id,
      code,
      link: referralLink(config.service.webUrl, code),
      referrer: agent.name,
      isOG: ogOf(...agent.wallets) !== undefined,
      stats: agent.stats,
    });
  },
});

export const referralCode = endpoint({
  method: "get",
  path: "/api/v2/referral/{code}",
  operationId: "checkReferralCode",
  tag: "Referrals",
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
  async handler({ deps, params }) {
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
  method: "get",
  path: "/api/v2/og/{address}",
  operationId: "getOgStatus",
  tag: "Referrals",
  summary: "Whether a wallet held a V1 identity, and what its mint is granted",
  params: z.object({ address: walletAddress }),
  responses: { 200: { description: "The wallet's status", schema: ogSchema } },
  cache: CACHE.release,
  handler({ deps, params: { address } }) {
    const known = ogOf(address);
    if (!known) return json({ isOG: false, address: checksum(address) });
    return json({
      isOG: true,
      address: checksum(address),
      v1Name: known.v1Name,
      referralCode: known.code,
      referralLink: referralLink(deps.config.service.webUrl, known.code),
      benefits: OG_BENEFITS,
    });
  },
});
