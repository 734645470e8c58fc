/** The agents of a wallet: those whose token it owns, and the one whose wallet it is. */
import { queryOptions } from "@tanstack/react-query";
import { get } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import type { Summary } from "../api/types.ts";

/** `total` with those that are not among `agents`. */
export type OwnAgents = { total: number; agents: Summary[] };

const MAX_OWN_AGENTS = 50;
/** With names that other lists hide as spam: they are the wallet's own. */
export const ownAgents = (address: string) => {
  const path = `/api/v2/agents?search=${address}&spam=true&sort=credScore&order=desc&limit=${MAX_OWN_AGENTS}`;
  return queryOptions({ queryKey: [path], queryFn: get<OwnAgents>(path), ...liveEvery() });
};
