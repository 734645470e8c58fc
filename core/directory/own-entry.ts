/** Converts an own agent's facts, which every other view shows too, to an entry of the directory. */
import type { Address, AgentFacts } from "../agents/facts.ts";
import { linkedToken } from "../agents/linked-token.ts";
import { listingOf } from "../agents/listing.ts";
import { mergeNarrative, NARRATIVE_FIELDS } from "../agents/profile.ts";
import { countedTraits } from "../agents/traits.ts";
import { shownCred } from "../cred/cred.ts";
import { blankEntry, type DirectoryEntry, type Service } from "./entry.ts";
import { foreignAddress, foreignLink, foreignText } from "./foreign-text.ts";
import { OWN_PLATFORM } from "./platforms.ts";

type Entry = DirectoryEntry & { score: number };
type Registry = { contract: Address; chainId: number };

/**
 * The entry of an agent whose texts cannot be stored. It has only the values whose size the contract bounds.
 * @returns the entry, with the score to show until one is stored
 */
export const bareOwnEntry = (facts: AgentFacts, { contract, chainId }: Registry): Entry => ({
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

/** @returns the entry, with the score to show until one is stored */
export function ownEntry(facts: AgentFacts, registry: Registry, now: Date): Entry {
  const narrative = mergeNarrative(facts);
  const said = (["mission", ...NARRATIVE_FIELDS] as const)
    .map((field) => narrative[field])
    .find((text) => text?.trim());
  const token = linkedToken(facts.traits);
  const bare = bareOwnEntry(facts, registry);
  return {
    ...bare,
    name: foreignText(facts.name, 64) ?? bare.name,
    description: foreignText(said, 2_000, { lines: true }),
    services: listedServices(facts),
    traitCount: countedTraits(facts.traits).length,
    // Market data are requested for tokens on Base only.
    tokenAddress: token?.chain === "base" ? foreignAddress(token.contractAddress) : null,
    tokenSymbol: token ? foreignText(token.symbol, 32) : null,
    tokenName: token ? foreignText(token.name, 64) : null,
    score: shownCred(facts, now).score,
  };
}

/** The services of its listing that have a URL. */
const listedServices = (facts: AgentFacts): Service[] =>
  Object.entries(listingOf(facts).services).flatMap(([key, { url, endpoint: stated, version }]) => {
    // `endpoint` is what ERC-8004 files call it.
    const [name, endpoint] = [foreignText(key, 64), foreignLink(url ?? stated)];
    return name && endpoint ? [{ name, endpoint, version: foreignText(version, 32) }] : [];
  });
