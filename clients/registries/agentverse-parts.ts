/**
 * The parts into which the search of Agentverse divides its agents: by the filters of `AgentFilters` and by
 * `exclude_geo_agents` of `AgentSearchRequest` in the API's own client (fetchai/api-clients, June 2026).
 */
import { z } from "zod";

export const partSchema = z.object({
  agent_type: z.string().optional(),
  /** Who made the agent. */
  category: z.string().optional(),
  /** Whether it states a place on earth. */
  located: z.boolean().optional(),
  protocol_digest: z.string().optional(),
  tags: z.string().optional(),
});
/** A search by filters; one that is absent restricts nothing. */
export type Part = z.output<typeof partSchema>;

export const isWhole = (part: Part): boolean => Object.keys(part).length === 0;

/** A filter by a field with known values, of which every agent has one: its parts together are the whole. */
type ExactFilter = { filter: "agent_type" | "category"; field: string; values: readonly string[] };
const EXACT: readonly ExactFilter[] = [
  {
    filter: "agent_type",
    field: "type",
    values: ["uagent", "a2a", "hosted", "local", "mailbox", "proxy", "custom"],
  },
  { filter: "category", field: "category", values: ["fetch-ai", "community"] },
];

/** The parts of a part by its next filter whose parts are the whole; none when every such filter is set. */
export function splitOf(part: Part): Part[] {
  for (const { filter, values } of EXACT)
    if (part[filter] === undefined) return values.map((value) => ({ ...part, [filter]: value }));
  return part.located === undefined ? [true, false].map((located) => ({ ...part, located })) : [];
}

/** Max values of one filter, of those that the agents of a page have, that become parts. */
const MAX_VALUES = 10;
/** Max characters of a value: it is part of the cursor. */
const MAX_VALUE = 100;

const listed = z.looseObject({
  protocols: z.array(z.looseObject({ digest: z.string() })).catch([]),
  system_wide_tags: z.array(z.string()).catch([]),
});

/** Parts within a part, by what its agents have. They overlap, and an agent may be in none of them. */
export function partsWithin(part: Part, agents: readonly unknown[]): Part[] {
  const read = agents.flatMap((agent) => listed.safeParse(agent).data ?? []);
  const by = (filter: "protocol_digest" | "tags", values: string[]) => {
    if (part[filter] !== undefined) return [];
    const distinct = [...new Set(values)].filter((value) => value !== "" && value.length <= MAX_VALUE);
    return distinct.slice(0, MAX_VALUES).map((value): Part => ({ ...part, [filter]: value }));
  };
  return [
    ...by(
      "protocol_digest",
      read.flatMap(({ protocols }) => protocols.map(({ digest }) => digest)),
    ),
    ...by(
      "tags",
      read.flatMap(({ system_wide_tags }) => system_wide_tags),
    ),
  ];
}

/** The filters of a part, as a search has them. Only active agents are listed in the directory. */
export function searchOf({ agent_type, category, located, protocol_digest, tags }: Part) {
  return {
    filters: {
      state: ["active"],
      ...(agent_type !== undefined && { agent_type: [agent_type] }),
      ...(category !== undefined && { category: [category] }),
      ...(located && { has_location: true }),
      ...(protocol_digest !== undefined && { protocol_digest: [protocol_digest] }),
      ...(tags !== undefined && { tags: [tags] }),
    },
    // By default a search leaves out the agents that state a place on earth.
    exclude_geo_agents: located === false,
  };
}

/** Whether an agent has a value that is not among those of an exact filter: no part shows it. */
export const hasUnknownValue = (agents: readonly unknown[]): boolean =>
  agents.some((agent) =>
    EXACT.some(({ field, values }) => {
      const value = (agent as Record<string, unknown> | null)?.[field];
      return typeof value === "string" && !values.includes(value);
    }),
  );
