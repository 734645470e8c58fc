/** The evidence of a report: facts behind each signal that anyone can look up, with where to find them. */
import { checksum } from "../addresses.ts";
import type { AgentFacts } from "../facts.ts";
import { tokenLink, txLink } from "../links.ts";
import type { EvidenceContext } from "../signals/signal.ts";
import type { Site } from "../views/site.ts";

/** What signals need beside the facts to name their evidence. */
export const evidenceContext = ({ tokenId }: AgentFacts, { explorer, contract }: Site, now: Date): EvidenceContext => ({
  now,
  tokenLink: tokenLink(explorer, contract, tokenId),
  txLink: (hash) => txLink(explorer, hash),
  checksum,
});
