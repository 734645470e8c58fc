/** Badges of a row: proofs, protocols, history of the score, token. */
import { PROOF_BADGE_LIST } from "../../../core/proof-platforms/badges.ts";
import type { RowBadges } from "../api/types.ts";
import type { Row } from "../directory/source.ts";
import { count, moment, percent, short, usd } from "../formats.ts";
import { tierOf } from "../tiers.ts";
import { NoData } from "./cred.tsx";

/** Why the registry of an agent does not have a value. */
export const UNTOLD = {
  protocols: "its registry names no known protocol",
  date: "its registry does not say",
} as const;

/** What each badge stands for. */
export const BADGE_MEANINGS = {
  siwa: "The agent's own wallet has signed, so whoever holds its key stands behind it.",
  x: "The bio of an account on X shows the agent's number.",
  github: "A public gist of an account on GitHub shows the agent's number.",
  farcaster: "A cast of an account on Farcaster shows the agent's number.",
  coinbase: "Coinbase attests on chain that the owner's account is a verified one.",
} as const;

/** The proofs by their letters, in the order of the columns. */
export const PROOFS = [
  { key: "siwa", letter: "W", label: "Wallet" },
  ...PROOF_BADGE_LIST.map(({ key, letter, label }) => ({ key, letter, label })),
  { key: "coinbase", letter: "C", label: "Coinbase" },
] as const;

/**
 * Five letters, filled where something is proven.
 * @param column in a column of a table: a letter that is not asked for leaves its place empty
 */
export function ProofBadges({ badges, own, column }: { badges: RowBadges; own: boolean; column?: boolean }) {
  const proven = PROOFS.filter(({ key }) => badges.verifications[key]).map(({ label }) => label);
  // Other registries prove wallets and owners' accounts only, so the other proofs are not shown as missing there.
  const proofs = own ? PROOFS : PROOFS.filter(({ key }) => key === "siwa" || key === "coinbase");
  return (
    <span className="badges" title={proven.length > 0 ? `Proven: ${proven.join(", ")}` : "Nothing is proven"}>
      <span className="unseen">{proven.length > 0 ? `Proven: ${proven.join(", ")}` : "Nothing is proven"}</span>
      {(column ? PROOFS : proofs).map(({ key, letter, label }) => (
        <i
          key={key}
          aria-hidden="true"
          title={`${letter}: ${label}, ${badges.verifications[key] ? "proven" : "not proven"}. ${BADGE_MEANINGS[key]}`}
          data-proven={badges.verifications[key] || undefined}
          data-na={!proofs.some((other) => other.key === key) || undefined}
        >
          {letter}
        </i>
      ))}
    </span>
  );
}

export const Protocols = ({ of }: { of: RowBadges["protocols"] }) => (
  <span className="tags one-line">
    {of.map((protocol) => (
      <span key={protocol} className="tag">
        {protocol}
      </span>
    ))}
  </span>
);

const WIDTH = 64;
const HEIGHT = 22;

/** Sparkline of the score's last changes; renders nothing before the first change. */
export function Sparkline({ points, score }: { points: RowBadges["points"]; score: number }) {
  const first = points[0];
  if (!first || points.length < 2) return <span className="spark" aria-hidden="true" />;
  const scores = points.map((point) => point.score);
  const least = Math.max(0, Math.min(...scores) - 4);
  const most = Math.min(100, Math.max(...scores) + 4);
  const y = (value: number) => (HEIGHT - 2 - ((value - least) / Math.max(1, most - least)) * (HEIGHT - 4)).toFixed(1);
  const x = (i: number) => ((i / points.length) * WIDTH).toFixed(1);
  const line = `M0 ${y(first.score)}${scores.map((value, i) => `H${x(i)}V${y(value)}`).join("")}H${WIDTH}`;
  const words = `From ${count(first.score)} to ${count(scores.at(-1)!)} in ${count(points.length)} changes since ${moment(first.at)}`;
  return (
    <svg
      className="spark"
      data-tier={tierOf(score).key}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      <path className="spark-area" d={`${line}V${HEIGHT}H0Z`} />
      <path className="spark-line" d={line} />
    </svg>
  );
}

/** The change within a week; renders nothing without a change. */
export const Change = ({ by, of = "points" }: { by: number | null | undefined; of?: "points" | "places" }) =>
  by ? (
    <span className={by > 0 ? "change up" : "change down"} title={`${of} within seven days`}>
      <span aria-hidden="true">{by > 0 ? "▲" : "▼"}</span>
      <span className="unseen">{by > 0 ? "up by" : "down by"}</span> {Math.abs(by)}
      <span className="unseen"> {of} within seven days</span>
    </span>
  ) : null;

export const PriceChange = ({ of, before = "" }: { of: number; before?: string }) => (
  <span className={of < 0 ? "down" : "up"}>
    {before}
    {percent(of)}
  </span>
);

/** Shows with a token that does not count who states that it is the agent's. */
const TokenMark = ({ row }: { row: Pick<Row, "token_source" | "counts"> }) =>
  row.counts === false ? (
    <span
      className="tag"
      title={
        row.token_source === "claimed"
          ? "Anybody may have said that this token is the agent's. It counts in no order and no filter."
          : "The agent's owner linked this token, and nothing shows that it is theirs. It counts in no order and no filter."
      }
    >
      {row.token_source === "claimed" ? "claimed" : "linked"}
    </span>
  ) : null;

/** The token in a list. Anybody can claim a token: a list says that one is claimed, and its name and figures are on the agent's page. */
export const TokenCell = ({ row }: { row: Row }) =>
  row.token_source === "claimed" ? <TokenMark row={row} /> : <Token row={row} />;

/** An agent's token with its figures, and who states that it is the agent's. */
export function Token({ row }: { row: Row }) {
  if (row.token_source === null) return <NoData reason="no token is known" />;
  return (
    <span className="token">
      <span>
        <b>
          <bdi>{row.token_symbol ?? short(row.token_address!)}</bdi>
        </b>
        <TokenMark row={row} />
      </span>
      <span className="faint">
        {row.token_market_cap === null ? "no market data" : usd(row.token_market_cap)}
        {row.price_change_24h !== null && <PriceChange of={row.price_change_24h} before=" " />}
      </span>
    </span>
  );
}
