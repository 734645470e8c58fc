/** A finished mint as its registrant sees it. */
import type { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { OG_TRAIT, ogOf } from "../../core/agents/og-wallets.ts";
import { referralLink, tokenLink } from "../../core/links.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { mintOriginAt } from "../../core/mints/mint-origins.ts";
import { quoted } from "../../core/quoted.ts";
import { agentView } from "../../core/views/agent.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { ensureReferralCodes, referralCodeOf } from "../../db/agents/referral-codes.ts";
import { referrerOf } from "../../db/agents/referrals.ts";
import type { Mint } from "../../db/mints/mints.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { registrationSchema } from "../schemas/mint.ts";
import { siteOf } from "./agent-facts.ts";

/** A mint that is done: its token, transaction and block are known. */
export type MintedMint = Mint & { tokenId: number; txHash: string; block: number };

export type RegistrationView = z.output<typeof registrationSchema>;

export const isMinted = (mint: Mint): mint is MintedMint => mint.state === "minted";

/** The registration of a finished mint, with its agent once the index has it. */
export async function registrationOf(deps: HandlerDeps, mint: MintedMint, now: number): Promise<RegistrationView> {
  const { db, config, index } = deps;
  const { service, contracts } = config;
  const { tokenId } = mint;
  const [facts] = index.block >= mint.block ? await loadFacts(db, [tokenId]) : [];
  const code = await ownCode(deps, mint);
  const og = mint.solanaAddress === null ? ogOf(mint.wallet) : undefined;
  const referrer = mint.referralCode === null ? null : await referrerOf(db, mint.referralCode);
  return {
    success: true,
    tokenId,
    txHash: mint.txHash,
    block: mint.block,
    mintOrigin: mintOriginAt(mint.origin).name,
    explorer: tokenLink(service.explorer, contracts.identity.address, tokenId),
    message: `${quoted(mint.name)} is registered as agent ${tokenId}.`,
    canonical8004: {
      status: "manual_required",
      registry: checksum(contracts.erc8004Identity.address),
      note: "The canonical registration is the owner wallet's to submit.",
    },
    yourReferralCode: code,
    yourReferralLink: referralLink(service.webUrl, code),
    agent: facts ? agentView(facts, siteOf(config), new Date(now), index.block) : null,
    og: og ? { v1Name: og.v1Name, bonusPoints: BONUSES.og.points, trait: OG_TRAIT.name } : null,
    referral: referrer && {
      code: mint.referralCode!,
      // A V1 wallet whose code this is may have no agent to refer with.
      referrerTokenId: referrer.tokenId,
      referrerPoints: referrer.tokenId === null ? 0 : BONUSES.referrer.points,
      minterPoints: BONUSES.minter.points,
    },
  };
}

/** Of a Solana key's registration: the key, and the wallet that has the identity. */
export const receiverOf = ({ solanaAddress, recipient }: Mint) =>
  solanaAddress === null ? {} : { solanaAddress, evmAddress: checksum(recipient) };

/** The agent's own code. It is written with the mint; a mint that was finished by hand gets it here. */
async function ownCode({ db }: HandlerDeps, { tokenId, name, wallet }: MintedMint): Promise<string> {
  const known = await referralCodeOf(db, tokenId);
  if (known !== null) return known;
  await ensureReferralCodes(db, [{ tokenId, name, agentAddress: wallet }]);
  return (await referralCodeOf(db, tokenId))!;
}
