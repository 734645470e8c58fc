/** What the connected wallet holds: its agents, each with the way to its management. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { ownAgents } from "../api/queries.ts";
import { counted } from "../formats.ts";
import { Cred, NamedAgent } from "../parts/cred.tsx";
import { Page } from "../parts/panel.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { useWallet } from "../wallet/session.ts";

export default function MePage() {
  const wallet = useWallet();
  return (
    <Page className="page narrow" title="My agents" lead="What the connected wallet holds and may change.">
      <NeedsWallet>{wallet && <Agents address={wallet.address} />}</NeedsWallet>
      <p className="actions me-more">
        <Link className="button" href="/people/join">
          My profile as a human, and organizations
        </Link>
      </p>
    </Page>
  );
}

function Agents({ address }: { address: string }) {
  const { data, error, refetch } = useQuery(ownAgents(address));
  const agents = data?.data.agents;
  if (!agents) return <NotYet error={error} refetch={refetch} rows={3} />;
  if (agents.length === 0)
    return (
      <Empty title="This wallet has no agent yet.">
        <p className="actions">
          <Link className="button strong" href="/mint">
            Register an agent
          </Link>
        </p>
      </Empty>
    );
  const more = data.data.total - agents.length;
  return (
    <>
      <ol className="ranks">
        {agents.map((agent) => (
          <li key={agent.tokenId} className="rank-row me-row">
            <NamedAgent agent={agent} />
            <Cred score={agent.credScore} />
            <Link className="button" href={`/agent/${agent.tokenId}/manage`}>
              Manage
            </Link>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <p className="muted">
          {counted(more, "more is", "more are")} not shown here:{" "}
          <Link href={`/owner/${address}`}>all agents of this wallet</Link>.
        </p>
      )}
    </>
  );
}
