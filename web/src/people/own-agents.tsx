/** The agents of a human: those of the connected wallet are linked by one click, and linked ones unlinked by another. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { OwnHuman, Summary } from "../api/types.ts";
import { counted, short } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { Named } from "../parts/named.tsx";
import { Panel } from "../parts/panel.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { Loading } from "../parts/states.tsx";
import { ConnectWallet } from "../wallet/connect.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";
import { ownAgents } from "../wallet/own-agents.ts";
import { useWallet } from "../wallet/session.ts";
import { disconnect } from "../wallet/sign-ins.ts";

type Props = {
  human: OwnHuman;
  /** Whether the human is signed in by an access token: a connected wallet then only signs links. */
  byToken: boolean;
  changed: () => void;
};

export function OwnAgents({ human, byToken, changed }: Props) {
  const wallet = useWallet();
  const { data } = useQuery({ ...ownAgents(wallet?.address ?? ""), enabled: wallet !== null });
  const link = useOperation<object>({ name: `human.link.${human.id}`, caller: "owner" });
  const unlink = useOperation<object>({ name: `human.unlink.${human.id}`, caller: "human" });
  const linked = new Set(human.linkedAgents.map(({ tokenId }) => tokenId));
  const found = (wallet && data?.data.agents) || [];
  const more = ((wallet && data?.data.total) || 0) - found.length;
  // An agent of this wallet may have another owner, who alone can link it.
  const own = found.filter(({ owner }) => owner.toLowerCase() === wallet?.address.toLowerCase());
  const others = own.filter(({ tokenId }) => !linked.has(tokenId));
  const act = async (op: typeof link, verb: "link" | "unlink", tokenId: number) => {
    await op.run({ method: "POST", path: `/api/v2/human/${human.id}/${verb}-agent`, body: { agentTokenId: tokenId } });
    changed();
  };
  const busy = link.state.at === "working" || unlink.state.at === "working";
  const row = (op: typeof link, verb: "link" | "unlink") => (agent: NamedAgent) => (
    <Row key={agent.tokenId} agent={agent} verb={verb} busy={busy} act={() => void act(op, verb, agent.tokenId)} />
  );
  return (
    <Panel title="Your agents">
      <p className="muted">A link lasts until the token is transferred.</p>
      {wallet && !data && <Loading rows={2} />}
      {linked.size + others.length > 0 && (
        <ul className="person-agents">
          {human.linkedAgents.map(row(unlink, "unlink"))}
          {others.map(row(link, "link"))}
        </ul>
      )}
      {wallet && data && own.length === 0 && <p className="muted">The connected wallet owns no agent.</p>}
      {wallet && more > 0 && (
        <p className="muted">
          {counted(more, "more is", "more are")} not shown here:{" "}
          <Link href={`/owner/${wallet.address}`}>all agents of this wallet</Link>.
        </p>
      )}
      {byToken && <OwnersWallet />}
      <OperationSteps op={link} done={() => null} />
      <OperationSteps op={unlink} done={() => null} />
    </Panel>
  );
}

type NamedAgent = Pick<Summary, "tokenId" | "name" | "credScore">;
type RowProps = { agent: NamedAgent; verb: "link" | "unlink"; busy: boolean; act: () => void };

const Row = ({ agent: { tokenId, name, credScore }, verb, busy, act }: RowProps) => (
  <li className="agent-cell">
    <Sigil seed={`helixa:${tokenId}`} score={credScore} size={32} />
    <Named className="clip" href={`/agent/${tokenId}`} name={name} />
    <button type="button" className="button push" disabled={busy} onClick={act}>
      {verb === "link" ? "Link" : "Unlink"}
    </button>
  </li>
);

/** Who signs a link for a human without a wallet: the wallet that owns the agent, with the human's own sign-in. */
function OwnersWallet() {
  const wallet = useWallet();
  if (!wallet)
    return (
      <div className="beside">
        <p className="muted">
          To link an agent, connect the wallet that owns it. The wallet signs the link, and this page stays that of your
          sign-in.
        </p>
        <ConnectWallet />
      </div>
    );
  return (
    <div className="beside">
      <p className="muted">
        Linking asks {short(wallet.address)} to sign once an hour, as the owner of the agent. This page stays that of
        your sign-in; the wallet's own page shows after you sign out.
      </p>
      <Action onClick={disconnect}>Connect another wallet</Action>
    </div>
  );
}
