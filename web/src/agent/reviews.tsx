/** Reviews of an agent in the canonical ERC-8004 registry: one line for each client, those first whose ratings count. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { MAX_ENTRIES } from "../../../core/directory/reviews.ts";
import { pagesOf } from "../api/pages.ts";
import type { Review, Reviewers, Reviews as ReviewPage } from "../api/types.ts";
import { count, date, decimals, duration, moment } from "../formats.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { More } from "../parts/more.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";

type Reviewer = Reviewers["reviewers"][number];
/** `path`: of the reviews in the API. */
type Props = { path: string; explorer: string };

const STANDING: Record<Exclude<Reviewer["standing"], "counts">, string> = {
  own: say("reviews.own"),
  taken_back: say("reviews.takenBackAll"),
  unknown: say("reviews.unknown"),
  no_scale: say("reviews.noScale"),
  beyond: say("reviews.beyond"),
};

export const reviewsPath = (agentRef: string, platform: string): string =>
  `/api/terminal/agent/${encodeURIComponent(agentRef)}/reviews?platform=${platform}`;

export function Reviews({ path, explorer }: Props) {
  const { data, error, refetch, ...more } = useInfiniteQuery(
    pagesOf<Reviewers>(path, "after", (page) => page.next_after),
  );
  if (error && !data) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  const { counting } = data.pages[0]!.data;
  const reviewers = data.pages.flatMap((page) => page.data.reviewers);
  if (reviewers.length === 0) return <p className="muted">{say("agent.noClientHasSaidAnything")}</p>;
  const known = reviewers.filter(({ standing }) => standing === "counts");
  const others = reviewers.filter(({ standing }) => standing !== "counts");
  const list = (of: Reviewer[]) => (
    <ul className="reviews">
      {of.map((reviewer) => (
        <Line key={reviewer.client} of={reviewer} path={path} explorer={explorer} />
      ))}
    </ul>
  );
  return (
    <div className="stack">
      <p>
        {counting.rating === null ? (
          <b>{say("reviews.noneCounts")}</b>
        ) : (
          <b>{say("reviews.count", { n: counting.clients, rating: decimals(counting.rating, 0) })}</b>
        )}{" "}
        <span className="muted">{say("reviews.howTheyCount")}</span>
      </p>
      {known.length > 0 && list(known)}
      {others.length > 0 && (
        <details open={known.length === 0}>
          <summary>{say("reviews.others")}</summary>
          {list(others)}
        </details>
      )}
      <More {...more} />
    </div>
  );
}

function Line({ of, path, explorer }: Props & { of: Reviewer }) {
  const [isOpen, setOpen] = useState(false);
  const { client, standing, agent, rating, entries, latest } = of;
  return (
    <li data-counts={standing === "counts" || undefined}>
      <b className="review-value">{rating === null ? latest.value : decimals(rating, 0)}</b>
      <div className="review-who">
        {agent && (
          <>
            <Link href={`/agent/${agent.token_id}`}>
              <bdi>{agent.name || say("agent.unnamed")}</bdi>
            </Link>{" "}
            <span className="faint">{say("reviews.cred", { cred: agent.cred_score })} · </span>
          </>
        )}
        <Address address={client} explorer={explorer} />
        {standing !== "counts" && <span className="muted"> {STANDING[standing]}</span>}
        {entries === 1 ? (
          <Entry of={latest} explorer={explorer} />
        ) : (
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{entriesOf(of)}</summary>
            {isOpen && <Entries path={path.replace("/reviews?", `/reviews/${client}?`)} explorer={explorer} />}
          </details>
        )}
      </div>
    </li>
  );
}

/** `500 entries within 2 minutes, the last on Nov 27, 2026` */
function entriesOf({ entries, taken_back: back, first_at: first, last_at: last }: Reviewer): string {
  const within = duration(Math.max(1, (Date.parse(last) - Date.parse(first)) / 1000));
  const how =
    entries >= MAX_ENTRIES
      ? say("reviews.entriesOrMore", { most: MAX_ENTRIES, date: date(last) })
      : say("reviews.entries", { n: entries, within, date: date(last) });
  return back === 0 ? how : `${how}, ${say("reviews.takenBack", { back: count(back) })}`;
}

function Entries({ path, explorer }: Props) {
  const { data, error, refetch, ...more } = useInfiniteQuery(
    pagesOf<ReviewPage>(path, "before", (page) => page.next_before),
  );
  if (error && !data) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={2} />;
  return (
    <>
      <ul>
        {data.pages
          .flatMap((page) => page.data.reviews)
          .map((review) => (
            <li key={review.index}>
              <Entry of={review} explorer={explorer} value={true} />
            </li>
          ))}
      </ul>
      <More {...more} />
    </>
  );
}

/** Strangers' words about an agent, with when and where they were written. */
const Entry = ({ of, explorer, value }: { of: Review; explorer: string; value?: boolean }) => (
  <span className="review-entry" data-revoked={of.revoked || undefined}>
    {value && <b className="review-value">{of.value}</b>}{" "}
    <a className="faint" href={`${explorer}/tx/${of.tx_hash}`} rel={EXPLORER_REL} title={moment(of.given_at)}>
      {say("reviews.given", { date: date(of.given_at) })}
    </a>
    {of.tags.map((tag) => (
      <span key={tag} className="tag plain">
        <bdi>{tag}</bdi>
      </span>
    ))}
    {of.revoked && <span className="tag">{say("agent.takenBack")}</span>}
    {of.responses > 0 && <span className="faint"> {say("agent.responses", { n: of.responses })}</span>}
    {of.uri && (
      <span className="review-uri">
        <Say k="reviews.file" file={() => <OutLink text={of.uri!} />} />
      </span>
    )}
  </span>
);
