/** The catalog of this host's APIs (RFC 9727), and the links by which its answers lead to it. */
import { z } from "zod";
import { CACHE, endpoint } from "../endpoint.ts";
import { CATALOG_LINKS, CATALOG_PATH } from "../http/catalog-links.ts";

const target = z.object({ href: z.string(), type: z.string().optional(), title: z.string().optional() });
const catalogSchema = z
  .object({
    linkset: z.array(
      z.object({
        anchor: z.string().meta({ description: "The API" }),
        "service-desc": z.array(target).meta({ description: "Descriptions for programs" }),
        "service-doc": z.array(target).meta({ description: "Documentation for people and language models" }),
        "service-meta": z.array(target).meta({ description: "What else programs read of it" }).optional(),
        status: z.array(target).optional(),
      }),
    ),
  })
  .meta({ id: "ApiCatalog" });

export const apiCatalog = endpoint({
  path: CATALOG_PATH,
  operationId: "getApiCatalog",
  tag: "Service",
  summary: "The APIs of this host, for programs that know nothing of it yet",
  description: "RFC 9727, as a linkset of RFC 9264.",
  responses: { 200: { description: "The linkset", type: CATALOG_LINKS.type, schema: catalogSchema } },
  cache: CACHE.release,
  handler({ deps: { config } }, json) {
    const { publicUrl, name } = config.service;
    const at = (path: string, type: string, title?: string) => ({
      href: publicUrl + path,
      type,
      ...(title && { title }),
    });
    const jsonAt = (path: string, title: string) => at(path, "application/json", title);
    const linkset = [
      {
        anchor: `${publicUrl}/api/v2`,
        "service-desc": [at("/openapi.json", "application/vnd.oai.openapi+json;version=3.0", `${name} API`)],
        "service-doc": [at("/docs", "text/html"), at("/llms.txt", "text/plain")],
        "service-meta": [
          jsonAt("/.well-known/x402.json", "What is paid for, with its terms"),
          jsonAt("/.well-known/agent-skills/index.json", "Skills: what agents do with it, step by step"),
        ],
        status: [jsonAt("/api/v2/status", "State of the service")],
      },
      {
        anchor: `${publicUrl}/mcp`,
        "service-desc": [jsonAt("/.well-known/mcp.json", "MCP server")],
        "service-doc": [at("/docs/guide/mcp", "text/html")],
      },
      {
        anchor: `${publicUrl}/a2a`,
        "service-desc": [jsonAt("/.well-known/agent-card.json", "A2A agent")],
        "service-doc": [at("/docs/guide/mcp", "text/html")],
      },
    ];
    return json({ linkset }, { type: CATALOG_LINKS.type, headers: { link: CATALOG_LINKS.header } });
  },
});
