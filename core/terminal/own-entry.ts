/** An agent of the own registry as an entry of the directory, from the same facts that every other view shows. */
import { shownCred } from "../cred.ts";
import type { Address, AgentFacts } from "../facts.ts";
import { mergeNarrative, NARRATIVE_FIELDS } from "../profile.ts";
import { countedTraits, linkedToken } from "../traits.ts";
import { blankEntry, type DirectoryEntry } from "./entry.ts";
import { foreignAddress, foreignText } from "./foreign-text.ts";
import { OWN_PLATFORM } from "./platforms.ts";

/** @returns the entry, with the score to show while none is stored */
export function ownEntry(
  facts: AgentFacts,
  { contract, chainId }: { contract: Address; chainId: number },
  now: Date,
): DirectoryEntry & { score: number } {
  const narrative = mergeNarrative(facts);
  const said = (["mission", ...NARRATIVE_FIELDS] as const)
    .map((field) => narrative[field])
    .find((text) => text?.trim());
  const token = linkedToken(facts.traits);
  return {
    ...blankEntry({
      platform: OWN_PLATFORM,
      agentId: String(facts.tokenId),
      tokenId: facts.tokenId,
      chainId,
      name: foreignText(facts.name, 64) ?? `Agent ${facts.tokenId}`,
      address: facts.agentAddress,
      ownerAddress: facts.owner,
      description: foreignText(said, 2_000, { lines: true }),
      registry: contract,
      walletProven: facts.verified && facts.walletConfirmed,
      walletConfirmed: facts.walletConfirmed,
      traitCount: countedTraits(facts.traits).length,
      createdAt: new Date(facts.mintedAt * 1000).toISOString(),
      // Markets are asked about tokens of this chain only.
      tokenAddress: token?.chain === "base" ? foreignAddress(token.contractAddress) : null,
      tokenSymbol: token ? foreignText(token.symbol, 32) : null,
      tokenName: token ? foreignText(token.name, 64) : null,
    }),
    score: shownCred(facts, now).score,
  };
}

/** The entry of an agent whose texts cannot be stored: what the chain itself bounds. */
export const bareOwnEntry: typeof ownEntry = (facts, { contract, chainId }) => ({
  ...blankEntry({
    platform: OWN_PLATFORM,
    agentId: String(facts.tokenId),
    tokenId: facts.tokenId,
    chainId,
    name: `Agent ${facts.tokenId}`,
    address: facts.agentAddress,
    ownerAddress: facts.owner,
    registry: contract,
    walletProven: facts.verified && facts.walletConfirmed,
    walletConfirmed: facts.walletConfirmed,
    createdAt: new Date(facts.mintedAt * 1000).toISOString(),
  }),
  score: facts.cred?.score ?? 0,
});
