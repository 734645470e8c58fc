/** The queries of the groups' pages. */
import { queryOptions } from "@tanstack/react-query";
import { call, get, Problem } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath } from "../api/queries.ts";
import type { Agent, Groups, Members } from "../api/types.ts";
import { signInOf } from "../wallet/sign-ins.ts";

export const GROUPS = "/api/v2/messages/groups";
export const groupPath = (id: string) => `${GROUPS}/${encodeURIComponent(id)}`;
export const groups = queryOptions({ queryKey: [GROUPS], queryFn: get<Groups>(GROUPS), ...liveEvery(4) });

/** The wallet's own agent; null when it has none. */
export const agentOf = (address: string) =>
  queryOptions({
    queryKey: ["agent-of", address],
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
    queryKey: ["membership", id, address],
    queryFn: ({ signal }) =>
      call<Members>(`${groupPath(id)}/members?wallet=${address}`, { signal, headers: authorizationOf(address) }).then(
        ({ data }) => data.members.length > 0,
        (error) => {
          if (error instanceof Problem && error.status === 403) return false;
          throw error;
        },
      ),
  });
