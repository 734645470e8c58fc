/** Who paid, hired, reviewed or owns: the wallet's address, with its name and score where the service knows it, and the explorer. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { directoryLink } from "../../../core/directory/link.ts";
import type { WalletName } from "../api/types.ts";
import { count, short } from "../formats.ts";
import { tierOf } from "../tiers.ts";
import { EXPLORER_REL } from "./address.tsx";
import { Copy } from "./copy.tsx";
import { TierShape } from "./cred.tsx";
import { Icon } from "./icon.tsx";
import { Named } from "./named.tsx";
import { Sigil } from "./sigil.tsx";
import { walletName } from "./wallet-names.ts";

/** @param explorer base URL without a trailing slash; without it there is no second link */
export function Party({ address, explorer }: { address: string; explorer?: string | undefined }) {
  const { data: name = null } = useQuery(walletName(address));
  return (
    <span className="party">
      {name && <Known as={name} />}
      <Link className="mono" href={`/owner/${address}`} title={address}>
        {short(address)}
      </Link>
      {explorer && (
        <a className="party-explorer" href={`${explorer}/address/${address}`} rel={EXPLORER_REL} title={address}>
          <Icon name="out" />
          <span className="unseen">{short(address)} in the explorer</span>
        </a>
      )}
      <Copy text={address} />
    </span>
  );
}

function Known({ as: { agent, human, organization } }: { as: WalletName }) {
  if (agent) return <NamedAgent agent={agent} />;
  const [href, name] = human
    ? [`/human/${human.id}`, human.name]
    : [`/org/${organization?.slug}`, organization?.name ?? ""];
  return <Named href={href} name={name} />;
}

const NamedAgent = ({ agent }: { agent: NonNullable<WalletName["agent"]> }) => (
  <>
    <Sigil seed={`${agent.platform}:${agent.agentId}`} score={agent.credScore} size={20} />
    <Named href={directoryLink("", agent)} name={agent.name || "Unnamed"} />
    <span
      className="party-cred"
      data-tier={tierOf(agent.credScore).key}
      title={`Cred ${tierOf(agent.credScore).label}`}
    >
      <TierShape tier={tierOf(agent.credScore).key} />
      <span className="unseen">cred</span> {count(agent.credScore)}
    </span>
  </>
);
