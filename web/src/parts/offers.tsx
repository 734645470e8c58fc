/** Offers of an agent: kind, name, address and price of each. Their texts are strangers'. */
import type { ReactNode } from "react";
import type { DiscoveredOffer } from "../api/types.ts";
import { count, counted, dollars } from "../formats.ts";
import { OutLink } from "./out-link.tsx";

/** Offers that are shown before the rest is unfolded. */
const FIRST_OFFERS = 3;

type OffersProps<O> = {
  of: readonly O[];
  /** Number of all its offers: `of` may be the first ones. */
  all: number;
  /** What is shown below an offer. */
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
