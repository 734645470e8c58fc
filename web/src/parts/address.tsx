/** An address or a transaction, shortened, to be copied or looked up in the explorer. */
import { short } from "../formats.ts";
import { Copy } from "./copy.tsx";

/** Links to the explorer that the service's discovery document names. */
export const EXPLORER_REL = "nofollow noopener noreferrer";

/** @param explorer base URL without a trailing slash; without it the address is only shown */
export const Address = ({ address, explorer }: { address: string; explorer?: string | undefined }) => (
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
