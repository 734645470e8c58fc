/** What an agent's ERC-8004 reviews are worth, with their mean, their reviewers, and the reasons of each review's weight. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { pagesOf } from "../api/pages.ts";
import type { AgentReviews, WeighedReview } from "../api/types.ts";
import { count, date, decimals, moment } from "../formats.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { More } from "../parts/more.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { usdcExact } from "./amounts.ts";

/** `path`: of the reviews in the API, with its query. */
type Props = { path: string; explorer: string };

export const reviewsPath = (agentRef: string, platform: string): string =>
  `/api/v2/agent/${encodeURIComponent(agentRef)}/reviews?platform=${platform}`;

const pages = (path: string) => pagesOf<AgentReviews>(path, "cursor", (page) => page.nextCursor);
/** The newest of each reviewer. */
export const reviewPages = (path: string) => pages(`${path}&newest=true`);

export function Reviews({ path, explorer }: Props) {
  const { data, error, refetch, ...more } = useInfiniteQuery(reviewPages(path));
  if (error && !data) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={5} />;
  const figures = data.pages[0]!.data;
  const reviews = data.pages.flatMap((page) => page.data.reviews);
  if (reviews.length === 0) return <p className="muted">{say("agent.noClientHasSaidAnything")}</p>;
  const counting = reviews.filter(({ weight }) => weight > 0);
  const others = reviews.filter(({ weight }) => weight === 0);
  const list = (of: WeighedReview[]) => (
    <ul className="reviews">
      {of.map((review) => (
        <Line key={review.client} of={review} path={path} explorer={explorer} />
      ))}
    </ul>
  );
  return (
    <div className="stack">
      <Worth of={figures} />
      <Dimensions of={figures.dimensions} />
      <Clusters of={figures.clusters} explorer={explorer} />
      {counting.length > 0 && list(counting)}
      {others.length > 0 && (
        <details open={counting.length === 0}>
          <summary>{say("reviews.others")}</summary>
          {list(others)}
        </details>
      )}
      <More {...more} />
    </div>
  );
}

const known = (value: number | null): string => (value === null ? "–" : decimals(value, 0));

/** The mean and the worth side by side, and both on one scale with the interval. */
function Worth({ of: { raw, adjusted, interval, inflation, reviewers, voices } }: { of: AgentReviews }) {
  return (
    <div className="worth">
      <dl className="worth-figures">
        <Figure label={say("reviews.mean")} value={raw} says={say("reviews.ofAccounts", { n: reviewers })} />
        <Figure
          label={say("reviews.worth")}
          value={adjusted}
          says={adjusted === null ? say("reviews.noVoice") : say("reviews.byVoices", { n: voices })}
          strong={true}
        />
      </dl>
      {adjusted === null || raw === null ? (
        <p className="muted">{say(raw === null ? "reviews.noneHasScale" : "reviews.nothingIsKnown")}</p>
      ) : (
        <>
          <svg
            className="worth-scale"
            role="img"
            aria-label={say("reviews.scale", {
              raw: known(raw),
              adjusted: known(adjusted),
              low: known(interval.low),
              high: known(interval.high),
            })}
          >
            <rect className="track" y="9" width="100%" height="4" rx="2" />
            <rect
              className="range"
              x={`${interval.low}%`}
              y="9"
              width={`${interval.high - interval.low}%`}
              height="4"
            />
            <line className="mean" x1={`${raw}%`} x2={`${raw}%`} y1="3" y2="19" />
            <circle className="point" cx={`${adjusted}%`} cy="11" r="6" />
          </svg>
          <p className="muted">
            {say("reviews.interval", { low: known(interval.low), high: known(interval.high) })}{" "}
            {inflationOf(inflation!)}
          </p>
        </>
      )}
      <p className="faint">{say("reviews.howTheyCount")}</p>
    </div>
  );
}

function inflationOf(inflation: number): string {
  if (Math.abs(inflation) < 1) return say("reviews.meanIsAlike");
  const points = known(Math.abs(inflation));
  return inflation > 0 ? say("reviews.meanIsHigher", { points }) : say("reviews.meanIsLower", { points });
}

type FigureProps = { label: string; value: number | null; says: string; strong?: boolean };
const Figure = ({ label, value, says, strong }: FigureProps) => (
  <div data-strong={strong}>
    <dt>{label}</dt>
    <dd>
      <b>{known(value)}</b>
      <span className="faint">{says}</span>
    </dd>
  </div>
);

/** What the reviews of each tag say, where there is more than one. */
const Dimensions = ({ of }: { of: AgentReviews["dimensions"] }) =>
  of.length > 1 && (
    <table className="dimensions">
      <thead>
        <tr>
          <th scope="col">{say("reviews.tag")}</th>
          <th scope="col">{say("reviews.number")}</th>
          <th scope="col">{say("reviews.mean")}</th>
          <th scope="col">{say("reviews.worth")}</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ tag, reviews, raw, adjusted }) => (
          <tr key={tag}>
            <th scope="row">{tag === "" ? <span className="faint">{say("reviews.noTag")}</span> : <bdi>{tag}</bdi>}</th>
            <td>{count(reviews)}</td>
            <td>{known(raw)}</td>
            <td>{known(adjusted)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );

/** Reviewers that count as one, with what connects them. */
const Clusters = ({ of, explorer }: { of: AgentReviews["clusters"]; explorer: string }) =>
  of.length > 0 && (
    <details>
      <summary>{say("reviews.clusters", { n: of.reduce((sum, { reviewers }) => sum + reviewers, 0) })}</summary>
      <ul className="reviews clusters">
        {of.map(({ id, reviewers, reasons }) => (
          <li key={id}>
            <b className="review-value">{count(reviewers)}</b>
            <div className="review-who">
              {say("reviews.clusterOf")} <Address address={id} explorer={explorer} />
              {reasons.map(({ evidence, says }) => (
                <p key={evidence} className="review-why">
                  {says}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </details>
  );

function Line({ of, path, explorer }: Props & { of: WeighedReview }) {
  const [isOpen, setOpen] = useState(false);
  const { client, weight, reasons, written = 1 } = of;
  return (
    <li data-counts={weight > 0 || undefined}>
      <Value of={of} />
      <div className="review-who">
        <p className="review-head">
          <Address address={client} explorer={explorer} />
          <span className="review-weight">{weightOf(weight)}</span>
        </p>
        <Why of={reasons} />
        <Entry of={of} explorer={explorer} />
        {written > 1 && (
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{say(written < 1_000 ? "reviews.entries" : "reviews.entriesOrMore", { n: written })}</summary>
            {isOpen && <Entries path={`${path}&client=${client}`} explorer={explorer} />}
          </details>
        )}
      </div>
    </li>
  );
}

/** From 0 to 100 where the tag has a scale, else as written. */
const Value = ({ of: { rating, value, revoked } }: { of: WeighedReview }) => (
  <b className="review-value" data-revoked={revoked || undefined} data-scale={rating !== null || undefined}>
    {rating === null ? value : decimals(rating, 0)}
  </b>
);

/** Smaller weights are shown as "smaller than", never as 0. */
const SMALL = 0.01;
const weightOf = (weight: number): string => {
  if (weight === 0) return say("reviews.countsNothing");
  return weight < SMALL
    ? say("reviews.weightBelow", { weight: decimals(SMALL, 2) })
    : say("reviews.weight", { weight: decimals(weight, 2) });
};

const Why = ({ of }: { of: WeighedReview["reasons"] }) => (
  <p className="review-why">{of.map(({ says }) => says).join(" ")}</p>
);

/** All that one account wrote, each with why it counts how much. */
function Entries({ path, explorer }: Props) {
  const { data, error, refetch, ...more } = useInfiniteQuery(pages(path));
  if (error && !data) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={2} />;
  return (
    <>
      <ul className="reviews entries">
        {data.pages
          .flatMap((page) => page.data.reviews)
          .map((review) => (
            <li key={review.index} data-counts={review.weight > 0 || undefined}>
              <Value of={review} />
              <div className="review-who">
                <span className="review-weight">{weightOf(review.weight)}</span>
                <Entry of={review} explorer={explorer} />
              </div>
            </li>
          ))}
      </ul>
      <More {...more} />
    </>
  );
}

const InTransaction = ({
  hash,
  at,
  explorer,
  children,
}: {
  hash: string;
  at: string;
  explorer: string;
  children: ReactNode;
}) => (
  <a className="faint" href={`${explorer}/tx/${hash}`} rel={EXPLORER_REL} title={moment(at)}>
    {children}
  </a>
);

/** What the payment that a review's file names shows by the logs of its transaction. */
const Paid = ({ of, explorer }: { of: NonNullable<WeighedReview["paid"]>; explorer: string }) => (
  <span className="review-uri" data-state={of.state}>
    {of.state === "paid" && of.usdc !== null ? say("reviews.paid", { usdc: usdcExact(of.usdc) }) : of.says}{" "}
    {of.txHash && (
      <a href={`${explorer}/tx/${of.txHash}`} rel={EXPLORER_REL} {...(of.at && { title: moment(of.at) })}>
        {of.at ? say("reviews.transaction", { date: date(of.at) }) : say("reviews.transactionNamed")}
      </a>
    )}
  </span>
);

/** Strangers' words about an agent, with when and where they were written, and what was answered. */
const Entry = ({ of, explorer }: { of: WeighedReview; explorer: string }) => (
  <div className="review-entry">
    <InTransaction hash={of.txHash} at={of.givenAt} explorer={explorer}>
      {say("reviews.given", { date: date(of.givenAt) })}
    </InTransaction>
    {of.tags.map((tag) => (
      <span key={tag} className="tag plain">
        <bdi>{tag}</bdi>
      </span>
    ))}
    {of.revoked && <span className="tag">{say("agent.takenBack")}</span>}
    {of.uri && (
      <span className="review-uri">
        <Say k="reviews.file" file={() => <OutLink text={of.uri!} />} />
      </span>
    )}
    {of.file && (
      <span className="review-uri" data-state={of.file.state}>
        {of.file.says}
      </span>
    )}
    {of.paid && <Paid of={of.paid} explorer={explorer} />}
    {of.answers.map(({ responder, own, uri, at, txHash }) => (
      <span key={txHash + responder + at} className="review-uri" data-own={own || undefined}>
        {own ? (
          say("reviews.agentAnswered")
        ) : (
          <Say k="reviews.answered" who={() => <Address address={responder} explorer={explorer} />} />
        )}{" "}
        <InTransaction hash={txHash} at={at} explorer={explorer}>
          {say("reviews.given", { date: date(at) })}
        </InTransaction>
        {uri && (
          <>
            {": "}
            <OutLink text={uri} />
          </>
        )}
      </span>
    ))}
    {of.responses > of.answers.length && (
      <span className="faint">{say("reviews.moreAnswers", { n: of.responses - of.answers.length })}</span>
    )}
  </div>
);
