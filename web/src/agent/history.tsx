/** The score over time, and what happened in that time. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { causeSays } from "../../../core/cred/cred-causes.ts";
import { history } from "../api/queries.ts";
import type { CredPoint } from "../api/types.ts";
import { count, date, moment } from "../formats.ts";
import { useMedia } from "../media.ts";
import { NotYet } from "../parts/states.tsx";
import { TIERS, tierOf } from "../tiers.ts";
import { Timeline } from "./timeline.tsx";

const HEIGHT = 200;
const LEFT = 34;
const BOTTOM = 22;
const SPANS = [7, 30, 90, 365];

export function History({ tokenId, mintedAt }: { tokenId: number; mintedAt: string }) {
  const [days, setDays] = useState(90);
  const { data: answer, error, refetch } = useQuery(history(tokenId, days));
  return (
    <>
      <p className="segments history-spans">
        {SPANS.map((span) => (
          <button key={span} type="button" aria-pressed={span === days} onClick={() => setDays(span)}>
            {span} d
          </button>
        ))}
      </p>
      {!answer ? (
        <NotYet error={error} refetch={refetch} rows={4} />
      ) : (
        <>
          <Chart points={answer.data.points} days={days} />
          <Timeline of={{ tokenId, mintedAt }} points={answer.data.points} days={days} />
        </>
      )}
    </>
  );
}

/** A step for each change, over the bands of the tiers. */
function Chart({ points, days }: { points: CredPoint[]; days: number }) {
  // As wide as its place, so that its words are as large as others.
  const width = useMedia("(max-width: 620px)") ? 340 : 720;
  if (points.length === 0) return <p className="muted">The score has not changed in these {count(days)} days.</p>;
  const end = Date.now();
  const start = Math.min(Math.max(Date.parse(points[0]!.at), end - days * 86_400_000), end - 60_000);
  const x = (at: number) => LEFT + ((Math.max(at, start) - start) / (end - start)) * (width - LEFT - 10);
  const y = (score: number) => 8 + (1 - score / 100) * (HEIGHT - BOTTOM - 8);
  const steps = points
    .map(
      (point, i) =>
        `${i === 0 ? "M" : "H"}${x(Date.parse(point.at)).toFixed(1)}${i === 0 ? ` ${y(point.score)}` : `V${y(point.score)}`}`,
    )
    .join("");
  const last = points.at(-1)!;
  return (
    <svg
      className="history"
      data-tier={tierOf(last.score).key}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`Score from ${count(points[0]!.score)} to ${count(last.score)} in ${count(points.length)} changes; the list below has them`}
    >
      {TIERS.map(({ key, from, to }) => (
        <rect
          key={key}
          data-tier={key}
          className="band"
          x={LEFT}
          width={width - LEFT}
          y={y(Math.min(100, to + (to < 100 ? 1 : 0)))}
          height={y(from) - y(Math.min(100, to + (to < 100 ? 1 : 0)))}
        />
      ))}
      {[0, 26, 51, 76, 91, 100].map((score) => (
        <text key={score} x={LEFT - 8} y={y(score) + 4 + (score === 100 ? -1 : 0)} textAnchor="end">
          {score === 91 ? "" : score}
        </text>
      ))}
      <path className="history-area" d={`${steps}H${width - 10}V${y(0)}H${x(Date.parse(points[0]!.at)).toFixed(1)}Z`} />
      <path className="history-line" d={`${steps}H${width - 10}`} />
      {points.map((point) => (
        <circle
          key={`${point.at}${point.score}${point.cause}`}
          className="history-dot"
          cx={x(Date.parse(point.at))}
          cy={y(point.score)}
          r="3.2"
        >
          <title>{`${point.score}: ${causeSays(point.cause)}, ${moment(point.at)}`}</title>
        </circle>
      ))}
      <text x={LEFT} y={HEIGHT - 4}>
        {date(new Date(start).toISOString())}
      </text>
      <text x={width - 10} y={HEIGHT - 4} textAnchor="end">
        now
      </text>
    </svg>
  );
}
