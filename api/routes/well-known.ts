/**
 * Documents at fixed paths by which programs find the service: its MCP server card, its paid endpoints, its registrations, its manifest, the catalog of its APIs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { array, object, z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { Failure } from "../../core/errors.ts";
import { priceUnits, shownPricing } from "../../core/payments/prices.ts";
import { offerVersion2, resourceVersion2 } from "../../core/payments/terms.ts";
import { url } from "../../core/views/fields.ts";
import { firstAgent } from "../../db/lists/agent-list-sql.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { declarationOf } from "../bazaar.ts";
import { isOpen } from "../caller-types.ts";
import { CACHE, type Endpoint, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { API_VERSION, CATALOG_LINKS, CATALOG_PATH } from "../http/headers.ts";
import { manifestSchema } from "../schemas/service.ts";
import { agentRegistrationSchema, mcpServerCardSchema, x402ManifestSchema } from "../schemas/well-known.ts";
import { DESCRIPTION, signInInfo } from "../services/sign-in-info.ts";
import { instructionsOf, REVISIONS, serverInfoOf, toolDescriptions } from "./mcp.ts";

const endpoint = endpointsOf({ tag: "Agent protocols", cache: CACHE.release });

export const mcpServerCard = endpoint({
  path: "/.well-known/mcp.json",
  operationId: "getMcpJson",
  summary: "The MCP server and its tools, readable without a connection",
  responses: { 200: { description: "The server card", schema: mcpServerCardSchema } },
  handler({ deps: { config, payments } }, json) {
    const { name, publicUrl, webUrl } = config.service;
    const reversed = new URL(publicUrl).hostname.split(".").reverse().join(".");
    return json({
      name: `${reversed}/${name.toLowerCase()}`,
      title: name,
      version: API_VERSION,
      description: DESCRIPTION,
      websiteUrl: webUrl,
      documentationUrl: `${publicUrl}/docs`,
      protocolVersion: REVISIONS[0]!,
      serverInfo: serverInfoOf(config.service),
      transport: { type: "streamable-http", endpoint: "/mcp" },
      remotes: [{ type: "streamable-http", url: `${publicUrl}/mcp`, supportedProtocolVersions: REVISIONS }],
      capabilities: { tools: {} },
      authentication: { required: false },
      instructions: instructionsOf(payments.shown()),
      tools: toolDescriptions().map(({ name, title, description, inputSchema }) => ({
        name,
        title,
        description,
        inputSchema,
      })),
    });
  },
});

/** @param listed every endpoint there is */
export const x402Manifest = (listed: () => readonly Endpoint[]): Endpoint =>
  endpoint({
    path: "/.well-known/x402.json",
    operationId: "getX402Json",
    summary: "What is paid for by x402: each endpoint with its terms, input and output",
    description:
      "`resources` are addresses that answer 402 to any request: what is sold about one agent is listed with the first one. `items` has what needs a credential as well.",
    responses: { 200: { description: "The manifest; empty while nothing has a price", schema: x402ManifestSchema } },
    errors: ["upstream_unavailable"],
    async handler({ deps }, json) {
      const agent = await firstAgent(deps.db);
      const items = listed().flatMap((endpoint) => itemOf(endpoint, agent, deps));
      return json({
        version: 1,
        x402Version: 2,
        resources: items.filter(({ requires }) => requires.length === 0).map(({ resource }) => resource.url),
        items,
        pricing: shownPricing(deps.payments.shown()),
        instructions:
          "Call a resource without a payment: the 402 names the terms. Pay them by x402 and repeat the request. What needs a signature (SIWA) says how at /api/v2.",
      });
    },
  });

/** The entry of an endpoint; none while it cannot be paid by x402. @param agent the example in its URL; null: there is no agent */
function itemOf(
  endpoint: Endpoint,
  agent: number | null,
  { config, payments }: HandlerDeps,
): z.output<typeof x402ManifestSchema>["items"] {
  const { method, path, guard, aliasOf } = endpoint;
  if (!guard.price || aliasOf !== undefined || !payments.settlement.facilitator || !config.payments.payTo) return [];
  const units = priceUnits(guard.price, payments.shown());
  if (units === 0n) return [];
  if (path.includes("{") && agent === null) return [];
  const declaration = declarationOf(endpoint, null);
  const examplePath = path.replaceAll(/\{\w+\}/g, String(agent));
  const sold = { operation: guard.price, method, path: examplePath, declaration };
  const terms = payments.termsFor(sold, { units, honoured: [units] });
  const { input, output } = declaration.outputSchema as Record<"input" | "output", Record<string, unknown>>;
  const { type: _, discoverable: __, ...call } = input;
  return [
    {
      type: "http",
      resource: resourceVersion2(terms.resource),
      accepts: [offerVersion2(terms)],
      input: { method: method.toUpperCase(), routeTemplate: path.replaceAll(/\{(\w+)\}/g, ":$1"), ...call },
      output: { mimeType: "application/json", schema: output },
      requires: isOpen(guard.caller) ? [] : ["siwa"],
    },
  ];
}

/** Proves to readers of ERC-8004 that the service's agent there is this host's. */
export const agentRegistration = endpoint({
  path: "/.well-known/agent-registration.json",
  operationId: "getAgentRegistration",
  summary: "The service as an ERC-8004 agent, and the registrations that are its own",
  responses: { 200: { description: "The registration file", schema: agentRegistrationSchema } },
  handler({ deps: { config, payments } }, json) {
    const { name, publicUrl, webUrl, erc8004AgentId } = config.service;
    const registry = `eip155:${config.chain.id}:${checksum(config.contracts.erc8004Identity.address)}`;
    return json({
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name,
      description: DESCRIPTION,
      image: `${publicUrl}/icon.svg`,
      services: [
        { name: "web", endpoint: webUrl },
        { name: "A2A", endpoint: `${publicUrl}/.well-known/agent-card.json`, version: "1.0" },
        { name: "MCP", endpoint: `${publicUrl}/mcp`, version: REVISIONS[0]! },
        { name: "OpenAPI", endpoint: `${publicUrl}/api/v2/openapi.json` },
      ],
      x402Support: payments.settlement.facilitator !== null,
      active: true,
      registrations: erc8004AgentId === undefined ? [] : [{ agentId: erc8004AgentId, agentRegistry: registry }],
      supportedTrust: ["reputation"],
    });
  },
});

let icon: string | undefined;

export const serviceIcon = endpoint({
  path: "/icon.svg",
  operationId: "getIcon",
  tag: "Service",
  summary: "The service's icon",
  responses: { 200: { description: "The icon", type: "image/svg+xml" } },
  unlisted: true,
  handler() {
    icon ??= readFileSync(join(PROJECT_ROOT, "web/icon.svg"), "utf8");
    return { status: 200, type: "image/svg+xml; charset=utf-8", content: icon };
  },
});

/** @param listed every endpoint there is */
export const robotsText = (listed: () => readonly Endpoint[]): Endpoint =>
  endpoint({
    path: "/robots.txt",
    operationId: "getRobotsText",
    tag: "Service",
    summary: "What crawlers may read: all but streams, exports and what is paid for",
    responses: { 200: { description: "The rules", type: "text/plain" } },
    unlisted: true,
    handler: ({ deps }) => ({
      status: 200,
      type: "text/plain; charset=utf-8",
      content: `User-agent: *\nContent-Signal: search=yes, ai-input=yes\n${listed()
        .filter(({ method, stream, sliced, guard }) => method === "get" && (stream || sliced || guard.price))
        .map(({ path }) => `Disallow: ${path.replaceAll(/\{\w+\}/g, "*")}\n`)
        .join("")}Allow: /\n\nSitemap: ${deps.config.service.webUrl}/sitemap.xml\n`,
    }),
  });

export const protectedResource = endpoint({
  path: "/.well-known/oauth-protected-resource",
  operationId: "getProtectedResource",
  tag: "Authentication",
  summary: "The authorization server whose access tokens people sign in with",
  description: "RFC 9728. Agents and wallets need none: they sign in by a signature (`GET /api/v2`).",
  responses: {
    200: {
      description: "The metadata",
      schema: object({
        resource: url,
        authorization_servers: array(url),
        bearer_methods_supported: array(z.literal("header")),
        resource_name: z.string(),
        resource_documentation: url,
      }).meta({ id: "ProtectedResource" }),
    },
  },
  errors: ["not_found"],
  handler({ deps: { config } }, json) {
    const { identityProvider, service } = config;
    if (!identityProvider)
      throw new Failure("not_found", "This service accepts no access tokens: sign in with a wallet.", {
        hint: "GET /api/v2 shows the text to sign.",
      });
    return json({
      resource: service.publicUrl,
      authorization_servers: [identityProvider.issuer],
      bearer_methods_supported: ["header"],
      resource_name: service.name,
      resource_documentation: `${service.publicUrl}/docs/guide/signing-in`,
    });
  },
});

const target = object({ href: z.string(), type: z.string().optional(), title: z.string().optional() });
const catalogSchema = object({
  linkset: array(
    object({
      anchor: z.string().meta({ description: "The API" }),
      "service-desc": array(target).meta({ description: "Descriptions for programs" }),
      "service-doc": array(target).meta({ description: "Documentation for people and language models" }),
      "service-meta": array(target).meta({ description: "What else programs read of it" }).optional(),
      status: array(target).optional(),
    }),
  ),
}).meta({ id: "ApiCatalog" });

export const apiCatalog = endpoint({
  path: CATALOG_PATH,
  operationId: "getApiCatalog",
  tag: "Service",
  summary: "The APIs of this host, for programs that know nothing of it yet",
  description: "RFC 9727, as a linkset of RFC 9264.",
  responses: { 200: { description: "The linkset", type: CATALOG_LINKS.type, schema: catalogSchema } },
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

/** The capabilities of the service by their paths: a capability is listed while its path exists. */
const CAPABILITIES: Record<string, string> = {
  "agent-registration": "/api/v2/mint",
  "solana-registration": "/api/v2/register/solana",
  "agent-profiles": "/api/v2/agent/{ref}",
  "agent-search": "/api/v2/search",
  "cred-score": "/api/v2/agent/{ref}/cred",
  "cred-report": "/api/v2/agent/{ref}/cred-report",
  "cred-updates": "/api/v2/cred/updates",
  verification: "/api/v2/agent/{ref}/verifications",
  metadata: "/api/v2/metadata/{id}",
  "card-images": "/api/v2/card/{file}",
  names: "/api/v2/name/{name}",
  referrals: "/api/v2/referral/{code}",
  messaging: "/api/v2/messages/groups",
  principals: "/api/v2/organizations",
  directory: "/api/terminal/agents",
  events: "/api/v2/events",
  mcp: "/mcp",
  a2a: "/a2a",
};

/** @param listed every endpoint there is */
export const manifestEndpoint = (listed: () => readonly Endpoint[]): Endpoint =>
  endpoint({
    path: "/.well-known/agent-registry",
    operationId: "getManifest",
    tag: "Service",
    summary: "The service's manifest, for machines",
    responses: { 200: { description: "The manifest", schema: manifestSchema } },
    handler({ deps: { config, payments } }, json) {
      const { service, chain, contracts } = config;
      const paths = new Set(listed().map(({ path }) => path));
      const api = `${service.publicUrl}/api/v2`;
      return json({
        name: service.name,
        description: DESCRIPTION,
        version: API_VERSION,
        chain: "base",
        chainId: chain.id,
        contract: checksum(contracts.identity.address),
        standards: ["ERC-721", "ERC-8004", "SIWA", "x402", "MPP"],
        capabilities: Object.keys(CAPABILITIES).filter((capability) => paths.has(CAPABILITIES[capability]!)),
        endpoints: {
          api,
          mcp: `${service.publicUrl}/mcp`,
          a2a: `${service.publicUrl}/a2a`,
          agentCard: `${service.publicUrl}/.well-known/agent-card.json`,
          x402: `${service.publicUrl}/.well-known/x402.json`,
          agents: `${api}/agents`,
          mint: `${api}/mint`,
          metadata: `${api}/metadata/{id}`,
          openapi: `${api}/openapi.json`,
          website: service.webUrl,
          docs: `${service.publicUrl}/docs`,
        },
        pricing: shownPricing(payments.shown()),
        auth: signInInfo(config),
        social: service.social,
      });
    },
  });
