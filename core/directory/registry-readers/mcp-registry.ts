/** Servers of the official MCP registry: they have names and endpoints, but no wallets. All versions of a server are one row. */
import { z } from "zod";
import { blankEntry } from "../entry.ts";
import { foreignLink, foreignText, foreignTime } from "../foreign-text.ts";
import { field, type ItemReader } from "./reader.ts";

const OFFICIAL = "io.modelcontextprotocol.registry/official";
const item = z.looseObject({
  server: z.looseObject({
    name: z.string().min(1).max(200),
    version: z.string().nullish(),
    remotes: z.array(z.looseObject({})).nullish(),
    packages: z.array(z.looseObject({})).nullish(),
    icons: z.array(z.looseObject({})).nullish(),
  }),
  _meta: z.record(z.string(), z.unknown()).nullish(),
});

export const mcpRegistry: ItemReader<"mcp-registry"> = {
  key: "mcp-registry",
  idOf: (raw) => field(raw, "server", "name"),
  read(raw) {
    const { server, _meta } = item.parse(raw);
    // A cleaned name could be the name of another server.
    if (foreignText(server.name, 200) !== server.name)
      throw new Error("The name has characters that no name may have.");
    const official = (_meta?.[OFFICIAL] ?? {}) as Record<string, unknown>;
    if (official.isLatest === false) return null;
    if (official.status === "deleted") return "gone";
    const version = foreignText(server.version, 32);
    const services = (server.remotes ?? []).slice(0, 32).flatMap((remote) => {
      const endpoint = foreignLink(remote.url);
      return endpoint ? [{ name: "MCP", endpoint, version }] : [];
    });
    const packages = (server.packages ?? [])
      .slice(0, 32)
      .map((p) => `${foreignText(p.registryType, 64)} ${foreignText(p.identifier, 200)}`);
    return {
      sourceId: server.name,
      warnings:
        services.length === 0 && packages.length === 0
          ? ["There is nothing to connect to and nothing to install."]
          : [],
      entry: blankEntry({
        platform: "mcp-registry",
        agentId: server.name,
        name: foreignText(server.title, 64) ?? foreignText(server.name, 64) ?? server.name,
        description: foreignText(server.description, 2_000, { lines: true }),
        imageUrl: foreignLink(server.icons?.[0]?.src),
        registry: "registry.modelcontextprotocol.io",
        services,
        traitCount: new Set([...services.map(({ endpoint }) => endpoint), ...packages]).size,
        createdAt: foreignTime(official.publishedAt),
      }),
    };
  },
};
