/** The queries of all views: path, time until an answer is stale, polling interval. */
import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import type { OpenApi } from "../../../core/described-operations.ts";
import { call, get, Problem } from "./answer.ts";
import { liveEvery } from "./events.ts";
import type {
  Agent,
  CredAdvice,
  CredByAddress,
  CredHistory,
  CredProof,
  Discovery,
  Leaderboard,
  Referral,
  Report,
  Status,
  Summary,
  Verifications,
} from "./types.ts";

/** Milliseconds for which another view reuses an answer. */
const HOLDS_MS = 5_000;

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: HOLDS_MS,
        retry: (failures, error) => failures < 2 && (!(error instanceof Problem) || error.status === 0),
        retryDelay: (failures) => 400 * 2 ** failures,
      },
    },
  });

export const asked = <T>(path: string) => queryOptions({ queryKey: [path], queryFn: get<T>(path) });

/** Data about the service itself is kept until the page is reloaded. */
export const discovery = queryOptions({ ...asked<Discovery>("/api/v2"), staleTime: Number.POSITIVE_INFINITY });
/** The OpenAPI document of this service, read once. */
export const openApi = queryOptions({
  ...asked<OpenApi>("/api/v2/openapi.json"),
  staleTime: Number.POSITIVE_INFINITY,
});
/** Asked three times before it counts as away: one missed answer is no reason for alarm. */
export const status = queryOptions({
  ...asked<Status>("/api/v2/status"),
  refetchInterval: 10_000,
  retry: 2,
  retryDelay: 3_000,
});

/** Asks again, when the service has told its state, for what the screen needs and has failed for a reason that passes. */
export function recoverWith(queries: QueryClient): void {
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "success") return;
    if (event.query.queryKey[0] !== status.queryKey[0]) return;
    void queries.refetchQueries({ type: "active", predicate: ({ state: { error } }) => hasPassed(error) });
  });
}

const hasPassed = (error: Error | null): boolean =>
  error instanceof Problem && error.mayPass && Date.now() >= (error.retryAt ?? 0);

export const agentPath = (ref: string) => `/api/v2/agent/${encodeURIComponent(ref)}`;
export const agent = (ref: string) =>
  queryOptions({ ...asked<Agent>(agentPath(ref)), ...liveEvery(), placeholderData: keepPreviousData });
/** The path of an agent's card without its origin: the page may be served under another origin than PUBLIC_URL. */
export const cardPath = ({ image }: Pick<Agent, "image">): string => {
  const { pathname, search } = new URL(image);
  return pathname + search;
};
export const factors = (address: string) => asked<CredByAddress>(`${agentPath(address)}/cred`);
export const report = (tokenId: number) => asked<Report>(`${agentPath(String(tokenId))}/report`);
export const verifications = (tokenId: number) => asked<Verifications>(`${agentPath(String(tokenId))}/verifications`);
export const advice = (tokenId: number) => asked<CredAdvice>(`${agentPath(String(tokenId))}/cred/advice`);
export const referral = (tokenId: number) => asked<Referral>(`${agentPath(String(tokenId))}/referral`);
export const history = (tokenId: number, days: number) =>
  asked<CredHistory>(`${agentPath(String(tokenId))}/cred/history?days=${days}`);
export const credProof = (tokenId: number) => asked<CredProof>(`${agentPath(String(tokenId))}/cred/proof`);

export type LeaderboardSort = "cred" | "points";
export const leaderboardPath = (sort: LeaderboardSort) => `/api/v2/leaderboard?sort=${sort}&limit=100`;
export const leaderboard = (sort: LeaderboardSort) =>
  queryOptions({
    ...asked<Leaderboard>(leaderboardPath(sort)),
    ...liveEvery(),
    placeholderData: keepPreviousData,
  });

type Cursor = string | number | null;
/** The cursor of the page after this one; null: there is none. */
type Paged = { nextCursor: Cursor } | { nextBefore: Cursor };

/** All pages of a list that were asked for. @param path with its query */
export const pagesOf = <Page extends Paged>(path: string) =>
  infiniteQueryOptions({
    queryKey: [path],
    queryFn: ({ pageParam, signal }) => call<Page>(path + pageParam, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ data }) => {
      const [name, next] = "nextCursor" in data ? ["cursor", data.nextCursor] : ["before", data.nextBefore];
      return next === null ? null : `&${name}=${next}`;
    },
  });

/** `total` with those that are not among `agents`. */
type OwnAgents = { total: number; agents: Summary[] };

const MAX_OWN_AGENTS = 50;
/** With names that other lists hide as spam: they are the wallet's own. */
export const ownAgents = (address: string) =>
  queryOptions({
    ...asked<OwnAgents>(`/api/v2/agents?search=${address}&spam=true&sort=credScore&order=desc&limit=${MAX_OWN_AGENTS}`),
    ...liveEvery(),
  });
