/** The evidence of a report: the public facts behind each signal, with the places where they can be looked up. */
import { checksum } from "../../addresses.ts";
import type { AgentFacts } from "../../agents/facts.ts";
import { tokenLink, txLink } from "../../links.ts";
import type { EvidenceContext } from "../../signals/signal.ts";
import type { Site } from "../../views/agent.ts";
import type { Reservation } from "../../views/fields.ts";

/** Inputs of a signal's evidence in addition to the facts. */
export const evidenceContext = (
  { tokenId }: AgentFacts,
  { explorer, contract }: Site,
  { now, reservations }: { now: Date; reservations: readonly Reservation[] },
): EvidenceContext => ({
  now,
  reservation: (about) =>
    reservations
      .filter((each) => each.about === about)
      .map(({ says }) => `. ${says}`)
      .join("")
      .replaceAll(/\.(?=\. )|\.$/g, ""),
  tokenLink: tokenLink(explorer, contract, tokenId),
  txLink: (hash) => txLink(explorer, hash),
  checksum,
});
