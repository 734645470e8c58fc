/** The rows of a comparison of agents, of this registry and of others. */
import type { ReactNode } from "react";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import type { Agent, Detail, Offering, RowBadges } from "../api/types.ts";
import { Token } from "../directory/cells.tsx";
import { platformLabel } from "../directory/facets.ts";
import { count, date, dollars, originWords } from "../formats.ts";
import { Cred, NoData } from "../parts/cred.tsx";
import { ProofBadges } from "../parts/row-badges.tsx";
import { say } from "../say.tsx";

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

const waiting = () => <NoData reason={say("compare.notLoaded")} />;
const nothing = (reason: string) => <NoData reason={reason} />;
const yes = (is: boolean, words: [yes: string, no: string]) => (is ? words[0] : words[1]);

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
/** A row of own agents: other registries do not have it. */
const ofOwn = (label: string, cell: Cell<Agent>): Line => ({
  label,
  cell: ({ agent, detail }) =>
    agent ? cell(agent) : detail && detail.platform !== OWN_PLATFORM ? nothing(say("compare.ownOnly")) : waiting(),
});

/** The lowest price that an offer states. */
function lowestPrice({ offers }: Offering): ReactNode {
  const prices = offers.flatMap(({ priceUsd }) => (priceUsd === null ? [] : [priceUsd]));
  return prices.length === 0 ? nothing(say("compare.noPrice")) : dollars(Math.min(...prices));
}

function feedbackOf({ feedback }: RowBadges): ReactNode {
  if (feedback === null) return nothing(say("directory.takesNoFeedback"));
  if (feedback.count === 0) return nothing(say("directory.noFeedback"));
  return say("directory.feedback", { count: feedback.count, reviewers: feedback.reviewers });
}

export const LINES: readonly Line[] = [
  ofDetail(say("compare.cred"), ({ cred_score }) => <Cred score={cred_score} />),
  ofDetail(say("compare.registry"), ({ platform }) => platformLabel(platform)),
  ofDetail(say("compare.registered"), ({ created_at }) =>
    created_at === null ? nothing(say("directory.notSaid")) : date(created_at),
  ),
  ofBadges(say("compare.proofs"), (badges, platform) => (
    <ProofBadges badges={badges} own={platform === OWN_PLATFORM} />
  )),
  ofBadges(say("compare.speaks"), ({ protocols }) =>
    // Marks would break within their words where four agents share the width of a phone.
    protocols.length > 0 ? protocols.join(", ") : nothing(say("directory.noProtocol")),
  ),
  ofOffering(say("compare.offers"), ({ offerCount }) =>
    offerCount === 0 ? nothing(say("compare.noOffer")) : count(offerCount),
  ),
  ofOffering(say("compare.price"), lowestPrice),
  ofOffering(say("compare.answers"), ({ liveness }) =>
    liveness === null || liveness.named
      ? nothing(say(liveness ? "compare.onlyNamed" : "compare.notAsked"))
      : liveness.says,
  ),
  ofBadges(say("compare.reviews"), feedbackOf),
  ofDetail(say("compare.token"), (detail) => <Token row={detail} />),
  ofOwn(say("compare.points"), ({ points }) => count(points)),
  ofOwn(say("compare.framework"), ({ framework }) => <bdi>{framework}</bdi>),
  ofOwn(say("compare.registeredBy"), ({ mintOrigin }) => originWords(mintOrigin)),
  ofOwn(say("compare.soulbound"), ({ soulbound }) => yes(soulbound, [say("compare.yes"), say("compare.no")])),
  ofOwn(say("compare.traits"), ({ traits }) => count(traits.length)),
];
