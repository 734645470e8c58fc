/** Offers of an agent with kind, name, address and price of each, and why it was found: factors, and the words that matched. Their texts are untrusted. */
import type { ReactNode } from "react";
import type { DiscoveredHit, DiscoveredOffer } from "../api/types.ts";
import { count, counted, dollars } from "../formats.ts";
import { OutLink } from "./out-link.tsx";

/** Offers that are shown before the rest is unfolded. */
const FIRST_OFFERS = 3;

type OffersProps<O> = {
  of: readonly O[];
  /** Number of all its offers: `of` may be the first ones. */
  all: number;
  below?: (offer: O) => ReactNode;
};

export function Offers<O extends DiscoveredOffer>({ of, all, below }: OffersProps<O>) {
  if (of.length === 0) return null;
  const rest = of.slice(FIRST_OFFERS);
  const list = (offers: readonly O[]) => (
    <ul className="offers">
      {offers.map((offer) => (
        <OfferLine key={`${offer.kind} ${offer.name} ${offer.endpoint}`} offer={offer}>
          {below?.(offer)}
        </OfferLine>
      ))}
    </ul>
  );
  return (
    <>
      {list(of.slice(0, FIRST_OFFERS))}
      {rest.length > 0 && (
        <details className="more">
          <summary>{counted(all - FIRST_OFFERS, "more offer", "more offers")}</summary>
          {list(rest)}
          {all > of.length && <p className="faint small">{count(all - of.length)} are not shown.</p>}
        </details>
      )}
    </>
  );
}

type OfferProps = { offer: DiscoveredOffer; children: ReactNode };

const OfferLine = ({ offer: { kind, name, description, endpoint, priceUsd }, children }: OfferProps) => (
  <li className="offer">
    <span className="offer-kind">{kind}</span>
    <span className="offer-words">
      <b>
        <bdi>{name}</bdi>
      </b>
      {description && (
        <span className="muted hit-clamp">
          <bdi>{description}</bdi>
        </span>
      )}
      {endpoint && (
        <span className="small">
          <OutLink text={endpoint} />
        </span>
      )}
    </span>
    {priceUsd !== null && (
      <span className="offer-price" title="US dollars of one call">
        {priceUsd === 0 ? "free" : dollars(priceUsd)}
      </span>
    )}
    {children && <div className="offer-below">{children}</div>}
  </li>
);

/** A field or a factor as a heading. */
export const headingOf = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1);

const percentOf = (fraction: number) => `${Math.round(fraction * 100)}%`;

/** Items of a list: one for each factor. */
export const Factors = ({ of }: { of: DiscoveredHit["factors"] }) =>
  of.map(({ key, weight, says }) => (
    <li key={key}>
      <b>{headingOf(key)}</b> <span className="faint">weight {percentOf(weight)}</span> {says}
    </li>
  ));

type BarProps = { label: string; value: number; says?: string; strong?: boolean };

export const Bar = ({ label, value, says, strong }: BarProps) => (
  <span className="bar-line" data-strong={strong} title={says}>
    <span className="bar-label">{label}</span>
    <svg className="bar-fill" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" className="track" />
      <rect width={Math.round(value * 100)} height="4" className="fill" />
    </svg>
    <span className="bar-value">{Math.round(value * 100)}</span>
  </span>
);

/** @param ranges start and end of each word in UTF-16 units, in order; what does not fit the text is left out */
export function Marked({ text, ranges }: { text: string; ranges: readonly (readonly number[])[] }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [start = 0, end = 0] of ranges) {
    if (start < at || end <= start || end > text.length) continue;
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  parts.push(text.slice(at));
  return <bdi>{parts}</bdi>;
}
