/** Values that exist on this service for the places of paths: an agent, its wallet, a human, an organization. */
import { queryOptions } from "@tanstack/react-query";
import type { Operation, Parameter } from "../../../core/described-operations.ts";
import { OWN_PLATFORM, rowRef } from "../../../core/directory/platforms.ts";
import { call } from "../api/answer.ts";

type FirstOf<K extends string, T> = Record<K, readonly T[]>;
type AgentRow = { tokenId: number; agentAddress: string; name: string };

/** By what a place names; absent where the service has none. */
export type LiveValues = Partial<Record<"agent" | "wallet" | "name" | "human" | "organization" | "code", string>>;

/** A read that may find nothing: its place keeps the document's example. */
const first = <T>(path: string): Promise<T | null> =>
  call<T>(path).then(
    ({ data }) => data,
    () => null,
  );

export const liveValues = queryOptions({
  queryKey: ["docs", "live-values"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<LiveValues> => {
    const [agents, humans, organizations] = await Promise.all([
      first<FirstOf<"agents", AgentRow>>("/api/v2/agents?sort=credScore&order=desc&limit=1"),
      first<FirstOf<"humans", { id: string }>>("/api/v2/humans?limit=1"),
      first<FirstOf<"organizations", { slug: string }>>("/api/v2/organizations?limit=1"),
    ]);
    const agent = agents?.agents[0];
    const referral = agent && (await first<{ code: string }>(`/api/v2/agent/${agent.tokenId}/referral`));
    const found = {
      agent: agent && String(agent.tokenId),
      wallet: agent?.agentAddress,
      name: agent?.name,
      human: humans?.humans[0]?.id,
      organization: organizations?.organizations[0]?.slug,
      code: referral?.code,
    };
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  },
});

/** What a place of a path names: by the path it is in, and its own name. The first that fits. */
const PLACES: readonly [path: RegExp, name: RegExp, value: (live: LiveValues) => string | undefined][] = [
  [/\/human\//, /^id$/, ({ human }) => human],
  [/\/org\//, /^id$/, ({ organization }) => organization],
  [/\/referral\/\{/, /^code$/, ({ code }) => code],
  [/\/name\//, /^name$/, ({ name }) => name],
  [/\/og\//, /^address$/, ({ wallet }) => wallet],
  [/\/terminal\/agent\//, /^ref$/, ({ agent }) => agent && rowRef(OWN_PLATFORM, agent)],
  [/\/(aura|card)\//, /^file$/, ({ agent }) => agent && `${agent}.png`],
  [/\/badge\//, /^file$/, ({ agent }) => agent && `${agent}.svg`],
  [/\/(agent|metadata)\//, /^(id|ref)$/, ({ agent }) => agent],
];

/** The value that a parameter begins with: one that exists here, or the document's; none for what may be left out. */
export function beginning({ path }: Pick<Operation, "path">, parameter: Parameter, live: LiveValues): string {
  if (!parameter.required) return "";
  const [, , value] = PLACES.find(([where, name]) => where.test(path) && name.test(parameter.name)) ?? [];
  const given = value?.(live) ?? parameter.example ?? parameter.schema.example ?? parameter.schema.enum?.[0] ?? "";
  return String(given);
}
