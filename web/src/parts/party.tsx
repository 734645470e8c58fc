/** Who paid, hired, reviewed or owns: the wallet's address, with its name and score where the service knows it, and the explorer. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { use } from "react";
import { Link } from "wouter";
import { directoryLink } from "../../../core/directory/link.ts";
import { call } from "../api/answer.ts";
import type { WalletName } from "../api/types.ts";
import { count, short } from "../formats.ts";
import { tierOf } from "../tiers.ts";
import { Icon } from "./button.tsx";
import { Copy, EXPLORER_REL, Explorer } from "./copy.tsx";
import { Named, Sigil, TierShape } from "./cred.tsx";

/** @param props.explorer by default that of the page; without one there is no second link */
export function Party({ address, explorer = use(Explorer) }: { address: string; explorer?: string | undefined }) {
  const { data: name = null } = useQuery(walletName(address));
  return (
    <span className="party">
      {name && <Known as={name} />}
      <span className="party party-address">
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

/** Addresses of one request, as the API takes them. */
const MAX_AT_ONCE = 100;
/** Milliseconds in which the parts of a page ask: those that are rendered together do so at once. */
const GATHERED_MS = 20;
/** Milliseconds for which a name is used again. */
const HOLDS_MS = 60_000;

type Waiting = { address: string; answer: PromiseWithResolvers<WalletName | null> };
let waiting: Waiting[] = [];

function ask(address: string): Promise<WalletName | null> {
  const answer = Promise.withResolvers<WalletName | null>();
  if (waiting.length === 0) setTimeout(send, GATHERED_MS);
  waiting.push({ address, answer });
  if (waiting.length === MAX_AT_ONCE) send();
  return answer.promise;
}

async function send(): Promise<void> {
  const batch = waiting;
  waiting = [];
  if (batch.length === 0) return;
  try {
    const addresses = batch.map(({ address }) => address).join(",");
    const { data } = await call<{ wallets: WalletName[] }>(`/api/v2/wallets?addresses=${addresses}`);
    const names = new Map(data.wallets.map((name) => [name.address.toLowerCase(), name]));
    for (const { address, answer } of batch) answer.resolve(names.get(address) ?? null);
  } catch (error) {
    for (const { answer } of batch) answer.reject(error);
  }
}

/** @returns the query of one wallet's name; null is one that nothing is known of */
const walletName = (address: string) =>
  queryOptions({
    queryKey: ["wallet-name", address.toLowerCase()],
    queryFn: () => ask(address.toLowerCase()),
    staleTime: HOLDS_MS,
  });
