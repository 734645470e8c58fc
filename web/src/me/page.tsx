/** What the connected wallet holds: its agents, each with the way to its management. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Cred } from "../parts/cred.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { ownAgents } from "../wallet/own-agents.ts";
import { useWallet } from "../wallet/session.ts";

export default function MePage() {
  const wallet = useWallet();
  return (
    <div className="page narrow">
      <div className="page-head">
        <div>
          <h1>{say("me.title")}</h1>
          <p>{say("me.lead")}</p>
        </div>
      </div>
      <NeedsWallet>{wallet && <Agents address={wallet.address} />}</NeedsWallet>
      <p className="actions me-more">
        <Link className="button" href="/people/join">
          {say("me.human")}
        </Link>
      </p>
    </div>
  );
}

function Agents({ address }: { address: string }) {
  const { data, error, refetch } = useQuery(ownAgents(address));
  const agents = data?.data.agents;
  if (error && !agents) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!agents) return <Loading rows={3} />;
  if (agents.length === 0)
    return (
      <Empty title={say("me.none")}>
        <p className="actions">
          <Link className="button strong" href="/mint">
            {say("me.register")}
          </Link>
        </p>
      </Empty>
    );
  const more = data.data.total - agents.length;
  return (
    <>
      <ol className="ranks">
        {agents.map(({ tokenId, name, credScore }) => (
          <li key={tokenId} className="rank-row me-row">
            <Sigil seed={`helixa:${tokenId}`} score={credScore} />
            <Link className="clip" href={`/agent/${tokenId}`}>
              <bdi>{name}</bdi>
            </Link>
            <Cred score={credScore} />
            <Link className="button" href={`/agent/${tokenId}/manage`}>
              {say("me.manage")}
            </Link>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <p className="muted">
          <Say k="me.more" n={more} all={(text) => <Link href={`/owner/${address}`}>{text}</Link>} />
        </p>
      )}
    </>
  );
}
