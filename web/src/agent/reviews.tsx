/** What an agent's ERC-8004 reviews are worth, with their mean, their reviewers, and the reasons of each review's weight. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pagesOf } from "../api/queries.ts";
import type { AgentReviews, WeighedReview } from "../api/types.ts";
import { count, counted, date, decimals, moment } from "../formats.ts";
import { More } from "../parts/button.tsx";
import { TxLink } from "../parts/copy.tsx";
import { usdcExact } from "../parts/evidence.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Party } from "../parts/party.tsx";
import { NotYet } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";

/** `path`: of the reviews in the API, with its query. */
type Props = { path: string };

export const reviewsPath = (agentRef: string, platform: string): string =>
  `/api/v2/agent/${encodeURIComponent(agentRef)}/reviews?platform=${platform}`;

/** The newest of each reviewer. */
export const reviewPages = (path: string) => pagesOf<AgentReviews>(`${path}&newest=true`);

export function Reviews({ path }: Props) {
  const { data, error, refetch, ...more } = useInfiniteQuery(reviewPages(path));
  if (!data) return <NotYet error={error} refetch={refetch} rows={5} />;
  const figures = data.pages[0]!.data;
  const reviews = data.pages.flatMap((page) => page.data.reviews);
  if (reviews.length === 0) return <p className="muted">No client has said anything about it yet.</p>;
  const counting = reviews.filter(({ weight }) => weight > 0);
  const others = reviews.filter(({ weight }) => weight === 0);
  const list = (of: WeighedReview[]) => (
    <ul className="reviews">
      {of.map((review) => (
        <Line key={review.client} of={review} path={path} />
      ))}
    </ul>
  );
  return (
    <div className="stack">
      <Worth of={figures} />
      <Dimensions of={figures.dimensions} />
      <Clusters of={figures.clusters} />
      {counting.length > 0 && list(counting)}
      {others.length > 0 && (
        <details open={counting.length === 0}>
          <summary>Others, which count nothing</summary>
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
        <Figure label="Plain mean" value={raw} says={counted(reviewers, "account", "accounts")} />
        <Figure
          label="Worth"
          value={adjusted}
          says={
            adjusted === null ? "nobody with proof" : `${counted(voices, "independent voice", "independent voices")}`
          }
          strong={true}
        />
      </dl>
      {adjusted === null || raw === null ? (
        <p className="muted">
          {raw === null
            ? "None of its valid reviews has a scale from bad to good."
            : "No reviewer has proof behind it: nothing is known, good or bad."}
        </p>
      ) : (
        <>
          <svg
            className="worth-scale"
            role="img"
            aria-label={`On a scale to 100: worth ${known(adjusted)}, between ${known(interval.low)} and ${known(interval.high)}; plain mean ${known(raw)}`}
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
            One more reviewer with proof could make it {known(interval.low)}, or {known(interval.high)}.{" "}
            {inflationOf(inflation!)}
          </p>
        </>
      )}
      <p className="faint">
        Anybody writes any number of reviews for less than a cent. Each counts by what the chain proves about its
        writer.
      </p>
    </div>
  );
}

function inflationOf(inflation: number): string {
  if (Math.abs(inflation) < 1) return "The mean is the same.";
  const points = known(Math.abs(inflation));
  return inflation > 0 ? `The mean is ${points} points higher.` : `The mean is ${points} points lower.`;
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
    <Table
      className="dimensions"
      of={of}
      columns={[
        ["Tag", ({ tag }) => (tag === "" ? <span className="faint">without a tag</span> : <bdi>{tag}</bdi>)],
        ["Reviews", ({ reviews }) => count(reviews)],
        ["Plain mean", ({ raw }) => known(raw)],
        ["Worth", ({ adjusted }) => known(adjusted)],
      ]}
    />
  );

/** Reviewers that count as one, with what connects them. */
const Clusters = ({ of }: { of: AgentReviews["clusters"] }) =>
  of.length > 0 && (
    <details>
      <summary>
        {counted(
          of.reduce((sum, { reviewers }) => sum + reviewers, 0),
          "of the reviewers counts",
          "of the reviewers count as one",
        )}{" "}
        with others
      </summary>
      <ul className="reviews clusters">
        {of.map(({ id, reviewers, reasons }) => (
          <li key={id}>
            <b className="review-value">{count(reviewers)}</b>
            <div className="review-who">
              reviewers count as one, the first of them <Party address={id} />
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

function Line({ of, path }: Props & { of: WeighedReview }) {
  const [isOpen, setOpen] = useState(false);
  const { client, weight, reasons, written = 1 } = of;
  return (
    <li data-counts={weight > 0 || undefined}>
      <Value of={of} />
      <div className="review-who">
        <p className="review-head">
          <Party address={client} />
          <span className="review-weight">{weightOf(weight)}</span>
        </p>
        <Why of={reasons} counts={weight > 0} />
        <Entry of={of} />
        {written > 1 && (
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>
              {written < 1_000 ? `All ${count(written)} reviews by it` : `All its reviews, ${count(written)} or more`}
            </summary>
            {isOpen && <Entries path={`${path}&client=${client}`} />}
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
  if (weight === 0) return "counts nothing";
  return weight < SMALL ? `weight below ${decimals(SMALL, 2)}` : `weight ${decimals(weight, 2)}`;
};

/** What speaks for the writer of a review that counts nothing would read as a contradiction. */
const Why = ({ of: [first, ...others], counts }: { of: WeighedReview["reasons"]; counts: boolean }) => (
  <p className="review-why">
    {first?.says}
    {!counts && others.length > 0 && " Known of its writer all the same:"} {others.map(({ says }) => says).join(" ")}
  </p>
);

/** All that one account wrote, each with why it counts how much. */
function Entries({ path }: Props) {
  const { data, error, refetch, ...more } = useInfiniteQuery(pagesOf<AgentReviews>(path));
  if (!data) return <NotYet error={error} refetch={refetch} rows={2} />;
  return (
    <>
      <ul className="reviews entries">
        {data.pages
          .flatMap((page) => page.data.reviews)
          .map((review) => (
            <li key={`${review.agentId} ${review.index}`} data-counts={review.weight > 0 || undefined}>
              <Value of={review} />
              <div className="review-who">
                <span className="review-weight">{weightOf(review.weight)}</span>
                <Entry of={review} />
              </div>
            </li>
          ))}
      </ul>
      <More {...more} />
    </>
  );
}

/** What the payment that a review's file names shows by the logs of its transaction. */
const Paid = ({ of }: { of: NonNullable<WeighedReview["paid"]> }) => (
  <span className="review-uri" data-state={of.state}>
    {of.state === "paid" && of.usdc !== null ? `Paid ${usdcExact(of.usdc)} USDC before:` : of.says}{" "}
    {of.txHash && (
      <TxLink hash={of.txHash} title={of.at ? moment(of.at) : undefined}>
        {of.at ? `transaction of ${date(of.at)}` : "the transaction that it names"}
      </TxLink>
    )}
  </span>
);

/** Strangers' words about an agent, with when and where they were written, and what was answered. */
const Entry = ({ of }: { of: WeighedReview }) => (
  <div className="review-entry">
    <TxLink className="faint" hash={of.txHash} title={moment(of.givenAt)}>
      on {date(of.givenAt)}
    </TxLink>
    {of.tags.map((tag) => (
      <span key={tag} className="tag plain">
        <bdi>{tag}</bdi>
      </span>
    ))}
    {of.revoked && <span className="tag">taken back</span>}
    {of.uri && (
      <span className="review-uri">
        Its file: <OutLink text={of.uri!} />
      </span>
    )}
    {of.file && (
      <span className="review-uri" data-state={of.file.state}>
        {of.file.says}
      </span>
    )}
    {of.paid && <Paid of={of.paid} />}
    {of.answers.map(({ responder, own, uri, at, txHash }) => (
      <span key={txHash + responder + at} className="review-uri" data-own={own || undefined}>
        {own ? (
          "The agent answered"
        ) : (
          <>
            <Party address={responder} /> answered
          </>
        )}{" "}
        <TxLink className="faint" hash={txHash} title={moment(at)}>
          on {date(at)}
        </TxLink>
        {uri && (
          <>
            {": "}
            <OutLink text={uri} />
          </>
        )}
      </span>
    ))}
    {of.responses > of.answers.length && (
      <span className="faint">and {counted(of.responses - of.answers.length, "more answer", "more answers")}</span>
    )}
  </div>
);
