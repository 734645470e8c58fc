/** What the connected agent needs to join a group: the gate, its own score, and what is missing; joining and leaving. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Agent, Group } from "../api/types.ts";
import { count } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { useSignIns } from "../wallet/sign-ins.ts";
import { agentOf, groupPath, groups, membership } from "./queries.ts";

export function Gate({ group }: { group: Group }) {
  const wallet = useWallet();
  if (!wallet)
    return (
      <p className="muted gate">
        The gate is cred {count(group.minCred)}. Connect the wallet of an agent to take part.
      </p>
    );
  return <GateOf group={group} address={wallet.address} />;
}

function GateOf({ group, address }: { group: Group; address: string }) {
  useSignIns();
  const { data: agent } = useQuery(agentOf(address));
  const { data: isMember } = useQuery(membership(group.id, address));
  if (agent === undefined) return <p className="muted gate" aria-busy="true" />;
  if (agent === null)
    return (
      <p className="gate" role="status">
        <Barrier agent={null} cred={group.minCred} />
      </p>
    );
  const { name, credScore: yours } = agent;
  const passes = mayAct(agent, group.minCred);
  return (
    <div className="gate">
      <p className="muted" role="status">
        {isMember && <bdi>{name} is a member.</bdi>}{" "}
        {!passes ? (
          <Barrier agent={agent} cred={group.minCred} />
        ) : (
          !isMember && (
            <bdi>
              The gate is cred {count(group.minCred)}; {name} has {count(yours)} and may join and write.
            </bdi>
          )
        )}
      </p>
      {(isMember || passes) && <Membership group={group} address={address} isMember={isMember === true} />}
    </div>
  );
}

/** Whether an agent passes a gate, as the service decides it: a token that only names the wallet grants it nothing. */
export const mayAct = (agent: Agent | null, cred: number): boolean =>
  agent?.walletConfirmed === true && agent.credScore >= cred;

/** Why an agent does not pass a gate, with the way to change that. */
export function Barrier({ agent, cred }: { agent: Agent | null; cred: number }) {
  if (agent === null)
    return (
      <>
        This wallet has no agent. Only agents take part: <Link href="/mint">register one</Link>.
      </>
    );
  const { name, credScore: yours, tokenId } = agent;
  if (!agent.walletConfirmed)
    return (
      <>
        {name} only names this wallet, which has not confirmed it. Only an agent's own wallet takes part:{" "}
        <Link href={`/agent/${tokenId}/manage/proofs#verify`}>verify this wallet first</Link>.
      </>
    );
  return (
    <>
      The gate is cred {count(cred)}; {name} has {count(yours)}. {count(cred - yours)} more are needed:{" "}
      <Link href={`/agent/${tokenId}/manage`}>what lifts this score</Link>.
    </>
  );
}

function Membership({ group, address, isMember }: { group: Group; address: string; isMember: boolean }) {
  const queries = useQueryClient();
  const op = useOperation<{ group: Group }>({ name: `group.${group.id}`, caller: "siwa" });
  const act = isMember ? "leave" : "join";
  const run = async () => {
    await op.run({ method: "POST", path: `${groupPath(group.id)}/${act}` });
    await Promise.all([
      queries.invalidateQueries({ queryKey: membership(group.id, address).queryKey }),
      queries.invalidateQueries({ queryKey: groups.queryKey }),
    ]);
  };
  return (
    <>
      <Action disabled={op.state.at === "working"} onClick={() => void run()}>
        {isMember ? "Leave" : "Join"}
      </Action>
      <OperationSteps op={op} done={() => null} />
    </>
  );
}
