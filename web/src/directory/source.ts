/** Where the directory's rows come from: the terminal's list, or the service's own agents where it has no such list. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { TerminalRow } from "../../../core/terminal/row.ts";
import { type Answer, call, Problem } from "../api/answer.ts";
import { LIVE_MS } from "../api/queries.ts";
import type { Summary } from "../api/types.ts";
import { type Filter, PAGE_SIZE, type View } from "./view.ts";

export type Row = TerminalRow;
export type Directory = {
  agents: Row[];
  total: number;
  stats: { total: number; scored: number; avgScore: number | null; x402: number } | null;
  /** False where only the own agents are known: then there are no filters. */
  everything: boolean;
};

/** The exact call behind a view. */
export function directoryPath({ q, filter, sort, dir, page }: View, limit = PAGE_SIZE): string {
  const params = new URLSearchParams({ limit: String(limit) });
  if (page > 1) params.set("page", String(page));
  if (filter !== "all") params.set("filter", filter);
  if (sort) {
    params.set("sort", sort);
    params.set("dir", dir.toUpperCase());
  }
  if (q) params.set("q", q);
  return `/api/terminal/agents?${params}`;
}

/** Whether the service has the list; known after the first answer. */
let hasList = true;

async function load(view: View, limit: number, signal: AbortSignal): Promise<Answer<Directory>> {
  if (hasList) {
    try {
      const answer = await call<Omit<Directory, "everything">>(directoryPath(view, limit), { signal });
      return { ...answer, data: { ...answer.data, everything: true } };
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) throw error;
      hasList = false;
    }
  }
  const answer = await call<{ total: number; agents: Summary[] }>(ownPath(view, limit), { signal });
  const { agents, total } = answer.data;
  return { ...answer, data: { agents: agents.map(ownRow), total, stats: null, everything: false } };
}

const OWN_SORTS: Partial<Record<string, string>> = { cred_score: "credScore", name: "name", created_at: "mintedAt" };

export function ownPath({ q, sort, dir, page }: View, limit = PAGE_SIZE): string {
  const params = new URLSearchParams({ limit: String(limit), page: String(page) });
  params.set("sort", OWN_SORTS[sort ?? "cred_score"] ?? "credScore");
  params.set("order", sort ? dir : "desc");
  if (q) params.set("search", q);
  return `/api/v2/agents?${params}`;
}

const ownRow = (agent: Summary): Row => ({
  id: agent.tokenId,
  address: agent.agentAddress,
  agent_id: String(agent.tokenId),
  token_id: agent.tokenId,
  chain_id: 8453,
  name: agent.name,
  description: null,
  image_url: agent.image,
  platform: "helixa",
  x402_supported: 0,
  verified: agent.verified ? 1 : 0,
  cred_score: agent.credScore,
  cred_tier: agent.credTier as Row["cred_tier"],
  created_at: agent.mintedAt,
  owner_address: agent.owner,
  registry: null,
  token_symbol: null,
  token_name: null,
  token_address: null,
  token_market_cap: null,
  price_change_24h: null,
  volume_24h: null,
  liquidity_usd: null,
  ethos_score: null,
  market_data_source: null,
  updated_at: agent.mintedAt,
});

export const directory = (view: View) =>
  queryOptions({
    queryKey: ["directory", view],
    queryFn: ({ signal }) => load(view, PAGE_SIZE, signal),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });

/** How many agents a filter lets through, under the same search. */
export const filterCount = (filter: Filter, q: string) =>
  queryOptions({
    queryKey: ["directory-count", filter, q],
    queryFn: async ({ signal }) => {
      const { data } = await load({ q, filter, sort: null, dir: "desc", page: 1 }, 1, signal);
      return data.everything || filter === "all" ? data.total : null;
    },
    staleTime: 30_000,
    refetchInterval: 60_000,
  });

/** The page of a row: identities have one each, agents of other registries share a view. */
export const rowLink = (row: Row): string =>
  row.platform === "helixa" && row.token_id !== null
    ? `/agent/${row.token_id}`
    : `/terminal/${encodeURIComponent(row.address ?? row.agent_id)}`;
