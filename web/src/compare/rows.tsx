/** The rows of a comparison of agents, of this registry and of others. */
import type { ReactNode } from "react";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { jobsInShort, paymentsInShort } from "../agent/work-in-short.ts";
import type { Agent, Detail, Offering, RowBadges } from "../api/types.ts";
import { Token, UNTOLD } from "../directory/cells.tsx";
import { platformLabel } from "../directory/facets.ts";
import { count, date, decimals, dollars, originWords } from "../formats.ts";
import { Cred, NoData } from "../parts/cred.tsx";
import { endpointsInShort, reviewsInShort, type Short, unreviewed } from "../parts/evidence.ts";
import { ProofBadges } from "../parts/row-badges.tsx";

/** What is known of one agent; undefined while it is loaded. */
export type ComparedFacts = {
  detail: Detail | undefined;
  offering: Offering | undefined;
  badges: RowBadges | undefined;
  /** Own agents only. */
  agent: Agent | undefined;
};

type Cell<T> = (of: T) => ReactNode;
export type Line = { label: string; cell: (of: ComparedFacts) => ReactNode };

const waiting = () => <NoData reason="not loaded" />;
const nothing = (reason: string) => <NoData reason={reason} />;

const ofDetail = (label: string, cell: Cell<Detail>): Line => ({
  label,
  cell: ({ detail }) => (detail ? cell(detail) : waiting()),
});
const ofOffering = (label: string, cell: Cell<Offering>): Line => ({
  label,
  cell: ({ offering }) => (offering ? cell(offering) : waiting()),
});
const ofBadges = (label: string, cell: (of: RowBadges, platform: string) => ReactNode): Line => ({
  label,
  cell: ({ badges, detail }) => (badges && detail ? cell(badges, detail.platform) : waiting()),
});
/** Why an agent of another registry lacks what only the own one has. */
export const OWN_ONLY = "other registries do not tell it";
/** A row of own agents: other registries do not have it. */
const ofOwn = (label: string, cell: Cell<Agent>): Line => ({
  label,
  cell: ({ agent, detail }) =>
    agent ? cell(agent) : detail && detail.platform !== OWN_PLATFORM ? nothing(OWN_ONLY) : waiting(),
});

/** The lowest price that an offer states. */
function lowestPrice({ offers }: Offering): ReactNode {
  const prices = offers.flatMap(({ priceUsd }) => (priceUsd === null ? [] : [priceUsd]));
  return prices.length === 0 ? nothing("no offer states a price") : dollars(Math.min(...prices));
}

/** A figure with its words; a dash with the reason where nothing is known. */
const inShort = ({ figure, words }: Short): ReactNode =>
  figure === null ? (
    nothing(words)
  ) : (
    <>
      <b>{figure}</b> <span className="muted">{words}</span>
    </>
  );

export const LINES: readonly Line[] = [
  ofDetail("Cred", ({ cred_score }) => <Cred score={cred_score} />),
  ofDetail("Registry", ({ platform }) => platformLabel(platform)),
  ofDetail("Registered", ({ created_at }) => (created_at === null ? nothing(UNTOLD.date) : date(created_at))),
  ofBadges("Proofs", (badges, platform) => <ProofBadges badges={badges} own={platform === OWN_PLATFORM} />),
  ofBadges("Speaks", ({ protocols }) =>
    // Marks would break within their words where four agents share the width of a phone.
    protocols.length > 0 ? protocols.join(", ") : nothing(UNTOLD.protocols),
  ),
  ofOffering("Offers", ({ offerCount }) =>
    offerCount === 0 ? nothing("it offers nothing that can be called") : count(offerCount),
  ),
  ofOffering("From", lowestPrice),
  ofOffering("Answers", ({ liveness }) => inShort(endpointsInShort(liveness))),
  ofOffering("Paid", ({ payments }) => inShort(paymentsInShort(payments))),
  ofOffering("Hired", ({ jobs }) => inShort(jobsInShort(jobs))),
  {
    label: "Reviews",
    cell: ({ offering, badges, detail }) => {
      if (!offering || !badges || !detail) return waiting();
      const short = reviewsInShort(offering.reviews);
      const words = offering.reviews ? short.words : unreviewed(badges, detail.platform === OWN_PLATFORM);
      return inShort({ ...short, words });
    },
  },
  ofOffering("Trust", ({ trust }) =>
    trust === null ? nothing("it is new here: it is read within a minute") : decimals(100 * trust, 1),
  ),
  ofDetail("Token", (detail) => <Token row={detail} />),
  ofOwn("Points", ({ points }) => count(points)),
  ofOwn("Framework", ({ framework }) => <bdi>{framework}</bdi>),
  ofOwn("Registration", ({ mintOrigin }) => originWords(mintOrigin)),
  ofOwn("Soulbound", ({ soulbound }) => (soulbound ? "yes" : "no")),
  ofOwn("Traits", ({ traits }) => count(traits.length)),
];
