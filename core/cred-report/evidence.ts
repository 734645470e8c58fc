/** What stands behind each signal: facts anyone can look up, with where to look. */
import { checksum } from "../addresses.ts";
import { ageDays, exchangeCounts } from "../cred.ts";
import type { AgentFacts, Proof, SignalKey } from "../facts.ts";
import { tokenLink, txLink } from "../links.ts";
import { mintOriginAt } from "../mint-origins.ts";
import { mergeNarrative, NARRATIVE_FIELDS } from "../profile.ts";
import { lengthOf } from "../text.ts";
import { countedTraits } from "../traits.ts";
import type { Site } from "../views/site.ts";
import { isoSeconds } from "../views/summary.ts";

/** `source` says who stands for a fact: the chain, the agent's profile, a platform's account, or an attester. */
export const EVIDENCE_SOURCES = ["onchain", "profile", "proof", "attestation"] as const;
export type Evidence = {
  source: (typeof EVIDENCE_SOURCES)[number];
  detail: string;
  /** A link to the explorer, or an attestation's UID. */
  reference?: string;
};

type Show = (facts: AgentFacts, site: Site, now: Date) => Evidence[];

/** The record is exhaustive: a new signal does not compile until it shows its evidence. */
const EVIDENCE: Record<SignalKey, Show> = {
  activity: (facts, site) => [{ source: "onchain", detail: `${facts.points} points`, reference: token(facts, site) }],
  traits: (facts) =>
    countedTraits(facts.traits).map(({ name, category, addedAt }) => ({
      source: "profile",
      detail: `${category}: ${name}, added ${addedAt}`,
    })),
  verify: (facts, site) => [
    ...(facts.verified
      ? [{ source: "onchain" as const, detail: "The agent's wallet is verified", reference: token(facts, site) }]
      : []),
    ...facts.proofs.map((proof) => proofEvidence(proof, site)),
  ],
  coinbase: (facts, _, now) => {
    const { exchange } = facts;
    if (!exchange) return [];
    const state = exchangeCounts(facts, now) ? "valid" : "no longer valid for the current owner";
    return [
      {
        source: "attestation",
        detail: `Attested for ${checksum(exchange.recipient)}, ${state}, claimed ${exchange.verifiedAt}`,
        reference: exchange.attestationUid,
      },
    ];
  },
  age: (facts, site, now) => [
    {
      source: "onchain",
      detail: `Registered ${isoSeconds(facts.mintedAt)}, ${ageDays(facts, now)} days ago`,
      reference: txLink(site.explorer, facts.mintTx),
    },
  ],
  narrative: (facts) => {
    const narrative = mergeNarrative(facts);
    return NARRATIVE_FIELDS.map((field) => [field, lengthOf(narrative[field].trim())] as const)
      .filter(([, length]) => length > 0)
      .map(([field, length]) => ({ source: "profile", detail: `${field}: ${length} characters` }));
  },
  origin: (facts, site) => [
    {
      source: "onchain",
      detail: `Registered as ${mintOriginAt(facts.origin).name}`,
      reference: txLink(site.explorer, facts.mintTx),
    },
  ],
  soulbound: (facts, site) => [
    {
      source: "onchain",
      detail: facts.soulbound ? "Locked to its wallet" : "Can be transferred",
      reference: token(facts, site),
    },
  ],
};

/** What stands behind one signal of an agent. */
export const evidenceOf = (key: SignalKey, facts: AgentFacts, site: Site, now: Date): Evidence[] =>
  EVIDENCE[key](facts, site, now);

const token = (facts: AgentFacts, site: Site) => tokenLink(site.explorer, site.contract, facts.tokenId);

const proofEvidence = ({ platform, handle, accountId, status, checkedAt, txHash }: Proof, site: Site): Evidence => ({
  source: "proof",
  detail: `${platform}: ${handle} (account ${accountId}), ${status}, last checked ${checkedAt}`,
  ...(txHash && { reference: txLink(site.explorer, txHash) }),
});
