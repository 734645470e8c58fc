/** What people state of themselves, as lists and cards show it. */
import { Link } from "wouter";
import { type ListedService, placeOf } from "../../../core/agents/listing.ts";
import type { Humans } from "../api/types.ts";
import { OutLink, webAddress } from "../parts/out-link.tsx";
import { Fact } from "../parts/panel.tsx";

export const Description = ({ text }: { text: string }) =>
  text ? (
    <p className="muted about">
      <bdi>{text}</bdi>
    </p>
  ) : null;

export const Words = ({ of }: { of: string[] }) =>
  of.length === 0 ? null : (
    <ul className="tags">
      {[...new Set(of)].map((word) => (
        <li key={word} className="tag plain">
          <bdi>{word}</bdi>
        </li>
      ))}
    </ul>
  );

/** Addresses of services by name, from texts or objects; a service without one is left out. */
export const placesOf = (services: Humans["humans"][number]["services"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(services).flatMap(([name, service]) => {
      const place = typeof service === "string" ? service : placeOf(service as ListedService);
      return place === null ? [] : [[name, place]];
    }),
  );

/** Stated accounts elsewhere; none of them is proven. */
export const Stated = ({ of }: { of: Record<string, string> }) => {
  const entries = Object.entries(of);
  return entries.length === 0 ? null : (
    <dl className="facts">
      {entries.map(([key, text]) => (
        <Fact
          key={key}
          label={
            <>
              <bdi>{key}</bdi>, as stated
            </>
          }
          className="wrap"
        >
          {webAddress(text) ? <OutLink text={text} /> : <bdi>{text}</bdi>}
        </Fact>
      ))}
    </dl>
  );
};

/** The way to the public page. */
export const PublicPage = ({ href }: { href: string }) => (
  <Link className="button" href={href}>
    Open the public page
  </Link>
);
