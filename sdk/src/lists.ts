/** The service's lists as iterators over all of their items, page by page. */
import type { Call } from "./call.ts";
import type { components, paths } from "./openapi.ts";

type Schemas = components["schemas"];
type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;
/** What a list is filtered and sorted by; `limit` is the size of a page. */
export type Filter<Path extends keyof paths> = Omit<
  Query<Path>,
  "page" | "offset" | "cursor" | "before" | "after" | "format"
>;
export type Stopping = { signal?: AbortSignal };
/** Position in a growing list: returns the items after it. */
export type After = { after?: number };

export type Lists = {
  /** Every agent that matches the filter; registrations during the iteration shift no page. */
  agents(filter?: Filter<"/api/v2/agents">, options?: Stopping): AsyncGenerator<Schemas["AgentSummary"]>;
  /** Agents of all registries. */
  directory(filter?: Filter<"/api/terminal/agents">, options?: Stopping): AsyncGenerator<Schemas["TerminalAgent"]>;
  /** Agents that can do what `q` says, the most relevant and most trusted first; each with why it is found. */
  discover(filter?: Filter<"/api/v2/discover">, options?: Stopping): AsyncGenerator<Schemas["DiscoverHit"]>;
  humans(filter?: Filter<"/api/v2/humans">, options?: Stopping): AsyncGenerator<Schemas["Human"]>;
  organizations(filter?: Filter<"/api/v2/organizations">, options?: Stopping): AsyncGenerator<Schemas["Organization"]>;
  /** Every change of a score, up to now. */
  credUpdates(options?: Stopping & After): AsyncGenerator<Schemas["CredUpdate"]>;
  /** Members of a message group, in the order of joining. */
  members(groupId: string, options?: Stopping): AsyncGenerator<Schemas["MessageGroupMembers"]["members"][number]>;
  /** A group's messages, from the first one on, up to now. */
  messages(groupId: string, options?: Stopping & After): AsyncGenerator<Schemas["Message"]>;
};

const idOf = ({ id }: { id: unknown }) => id;

export function lists(call: Call): Lists {
  return {
    agents: (filter, { signal } = {}) =>
      byCursor(async (cursor?: string) => {
        const query = { limit: 200, ...filter, cursor };
        const { data } = await call("get", "/api/v2/agents", { params: { query }, signal });
        if (Array.isArray(data)) throw new TypeError("A page of agents was asked for, and an array came.");
        return { items: data.agents, next: data.nextCursor };
      }),
    directory: (filter, { signal } = {}) =>
      byOffset(async (offset) => {
        const query = { limit: 100, ...filter, offset };
        const { data } = await call("get", "/api/terminal/agents", { params: { query }, signal });
        return { items: data.agents, total: data.total };
      }, idOf),
    discover: (filter, { signal } = {}) =>
      byCursor(async (cursor?: string) => {
        const { data } = await call("get", "/api/v2/discover", { params: { query: { ...filter, cursor } }, signal });
        return { items: data.hits, next: data.nextCursor };
      }),
    humans: (filter, { signal } = {}) =>
      byOffset(async (offset) => {
        const { data } = await call("get", "/api/v2/humans", { params: { query: { ...filter, offset } }, signal });
        return { items: data.humans, total: data.total };
      }, idOf),
    organizations: (filter, { signal } = {}) =>
      byOffset(async (offset) => {
        const query = { ...filter, offset };
        const { data } = await call("get", "/api/v2/organizations", { params: { query }, signal });
        return { items: data.organizations, total: data.total };
      }, idOf),
    credUpdates: ({ after: from, signal } = {}) =>
      byCursor(async (after?: number) => {
        const { data } = await call("get", "/api/v2/cred/updates", { params: { query: { after } }, signal });
        return { items: data.updates, next: data.more ? data.nextAfter : null };
      }, from),
    members: (groupId, { signal } = {}) =>
      byCursor(async (after?: number) => {
        const params = { path: { groupId }, query: { after } };
        const { data } = await call("get", "/api/v2/messages/groups/{groupId}/members", { params, signal });
        return { items: data.members, next: data.nextAfter };
      }),
    messages: (groupId, { after: from = 0, signal } = {}) =>
      byCursor(async (after: number = from) => {
        const params = { path: { groupId }, query: { after, limit: 200 } };
        const { data } = await call("get", "/api/v2/messages/groups/{groupId}/messages", { params, signal });
        return { items: data.messages, next: data.messages.at(-1)?.id ?? null };
      }),
  };
}

/** Pages that each name where the next one begins. @param next null is the end */
export async function* byCursor<Item, Cursor>(
  page: (cursor: Cursor | undefined) => Promise<{ items: readonly Item[]; next: Cursor | null }>,
  from?: Cursor,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor = from; ; ) {
    const { items, next } = await page(cursor);
    yield* items;
    if (next === null) return;
    cursor = next;
  }
}

/**
 * Pages counted from the beginning. What is added meanwhile moves everything behind it, so that items come again: they
 * are given once.
 * @param key what makes an item the same one
 */
async function* byOffset<Item>(
  page: (offset: number) => Promise<{ items: readonly Item[]; total: number }>,
  key: (item: Item) => unknown,
): AsyncGenerator<Item, void, undefined> {
  const given = new Set<unknown>();
  for (let offset = 0; ; ) {
    const { items, total } = await page(offset);
    for (const item of items) {
      if (given.has(key(item))) continue;
      given.add(key(item));
      yield item;
    }
    offset += items.length;
    if (items.length === 0 || offset >= total) return;
  }
}
