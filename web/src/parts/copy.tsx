/** A button that copies a text and says so, and addresses and transactions with it, shortened, to be looked up in the explorer. */
import { type ComponentProps, createContext, use, useEffect, useState } from "react";
import { short } from "../formats.ts";

/** Max letters of the text in the button's name. */
const MAX_NAMED_LETTERS = 24;

/** @param props.label names what is copied; without one the button is named after the text, as a page may have several */
export function Copy({ text, label }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed"),
    ) ?? setSaid("Not allowed");
  return (
    <button type="button" className="copy" onClick={copy}>
      <span aria-live="polite">{said || (label ?? "Copy")}</span>
      {label === undefined && !said && (
        <span className="unseen">
          {" "}
          {text.length > MAX_NAMED_LETTERS ? `${text.slice(0, MAX_NAMED_LETTERS)}…` : text}
        </span>
      )}
    </button>
  );
}

/** Links to the explorer that the service's discovery document names. */
export const EXPLORER_REL = "nofollow noopener noreferrer";

/** Base URL of the explorer of the page's chain, without a trailing slash; undefined: the page has none. */
export const Explorer = createContext<string | undefined>(undefined);
/** The explorer that a link of the service leads to. */
export const explorerOf = ({ explorer }: { explorer: string }): string => new URL(explorer).origin;

type ShownAddress = { address: string; explorer?: string | undefined };

/** @param props.explorer by default that of the page; without one the address is only shown */
export const Address = ({ address, explorer = use(Explorer) }: ShownAddress) => (
  <span className="address">
    {explorer && /^0x[0-9a-f]{40}$/i.test(address) ? (
      <a className="mono" href={`${explorer}/address/${address}`} rel={EXPLORER_REL} title={address}>
        {short(address)}
      </a>
    ) : (
      <span className="mono" title={address}>
        {short(address)}
      </span>
    )}
    <Copy text={address} />
  </span>
);

/** A text to be used exactly as it is. */
export const Exact = ({ label, text }: { label: string; text: string }) => (
  <p className="exact">
    <span className="faint">{label}</span>
    <code>{text}</code>
    <Copy text={text} />
  </p>
);

/** A link to a transaction in the page's explorer. */
export const TxLink = ({ hash, ...link }: ComponentProps<"a"> & { hash: string }) => (
  <a href={`${use(Explorer)}/tx/${hash}`} rel={EXPLORER_REL} {...link} />
);

/** A transaction by its hash. */
export const Transaction = ({ hash }: { hash: string }) => (
  <TxLink className="mono" hash={hash} title={hash}>
    {short(hash)}
  </TxLink>
);
