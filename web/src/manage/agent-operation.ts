/** A write about an agent: after it the page's data about the agent are fetched again. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { agentPath } from "../api/queries.ts";
import { type RunningOperation, useOperation } from "../wallet/operation.tsx";

/** @param name of the operation; its subject, the agent, is added */
export function useAgentOperation<T>(name: string, tokenId: number): RunningOperation<T> {
  const op = useOperation<T>({ name: `${name}.${tokenId}`, caller: "siwa" });
  const queries = useQueryClient();
  const done = op.state.at === "done";
  useEffect(() => {
    const path = agentPath(String(tokenId));
    const isAbout = (key: unknown) => typeof key === "string" && (key === path || key.startsWith(`${path}/`));
    if (done) void queries.invalidateQueries({ predicate: ({ queryKey }) => isAbout(queryKey[0]) });
  }, [done, queries, tokenId]);
  return op;
}
