/** What the connected agent needs to join a group: the gate, its own score, and what is missing; joining and leaving; and the queries of groups. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { call, Problem } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath, asked } from "../api/queries.ts";
import type { Agent, Group, Groups, Members } from "../api/types.ts";
import { count } from "../formats.ts";
import { OperationButton, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { signInOf, useSignIns } from "../wallet/sign-ins.ts";

export const GROUPS = "/api/v2/messages/groups";
export const groupPath = (id: string) => `${GROUPS}/${encodeURIComponent(id)}`;
export const groups = queryOptions({ ...asked<Groups>(GROUPS), ...liveEvery(4) });

/** The wallet's own agent; null when it has none. */
export const agentOf = (address: string) =>
  queryOptions({
    queryKey: [agentPath(address), "own"],
    queryFn: ({ signal }) =>
      call<Agent>(agentPath(address), { signal }).then(
        ({ data }) => data,
        (error) => {
          if (error instanceof Problem && error.status === 404) return null;
          throw error;
        },
      ),
  });

/** The header of a wallet that has signed in as an agent; none otherwise. */
export function authorizationOf(address: string | undefined): Record<string, string> {
  const signIn = address === undefined ? null : signInOf(address, "siwa");
  return signIn ? { authorization: signIn.value } : {};
}

/** Whether the wallet is a member; of a private group this is known once it has signed in. */
export const membership = (id: string, address: string) =>
  queryOptions({
    queryKey: [`${groupPath(id)}/members`, address],
    queryFn: ({ signal }) =>
      call<Members>(`${groupPath(id)}/members?wallet=${address}`, { signal, headers: authorizationOf(address) }).then(
        ({ data }) => data.members.length > 0,
        (error) => {
          if (error instanceof Problem && error.status === 403) return false;
          throw error;
        },
      ),
  });

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
      {(isMember || passes) && <Membership group={group} isMember={isMember === true} />}
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

function Membership({ group, isMember }: { group: Group; isMember: boolean }) {
  const op = useOperation<{ group: Group }>({ name: `group.${group.id}`, caller: "siwa", changes: GROUPS });
  const request = { path: `${groupPath(group.id)}/${isMember ? "leave" : "join"}` };
  return <OperationButton op={op} request={request} does={isMember ? "Leave" : "Join"} />;
}
