/**
 * What the service is to other agents: its signed A2A card, the key of its signatures, and skills, each a page that a language model follows.
 */
import { hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { array, object, z } from "zod";
import { type AgentCardSignature, publicKeyOf, signaturesOf } from "../../core/agent-card-signatures.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { Failure } from "../../core/errors.ts";
import { costsInWords } from "../../core/payments/prices.ts";
import { quoted } from "../../core/quoted.ts";
import { url } from "../../core/views/fields.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { CACHE, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { API_VERSION } from "../http/headers.ts";
import { DESCRIPTION } from "../services/sign-in-info.ts";
import { TOOLS } from "../tools/tools.ts";
import { A2A_VERSIONS } from "./a2a.ts";

const skill = object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: array(z.string()),
  examples: array(z.string()),
  inputModes: array(z.string()),
  outputModes: array(z.string()),
});

const agentCardSchema = object({
  protocolVersion: z.literal("0.3.0"),
  name: z.string(),
  description: z.string(),
  url: url.meta({ description: "Where A2A is spoken" }),
  preferredTransport: z.literal("JSONRPC"),
  additionalInterfaces: array(object({ url, transport: z.string() })),
  supportedInterfaces: array(object({ url, protocolBinding: z.string(), protocolVersion: z.string() })),
  provider: object({ organization: z.string(), url }),
  version: z.string(),
  documentationUrl: url,
  iconUrl: url,
  capabilities: object({
    streaming: z.boolean(),
    pushNotifications: z.boolean(),
    stateTransitionHistory: z.boolean(),
    extendedAgentCard: z.boolean(),
  }),
  defaultInputModes: array(z.string()),
  defaultOutputModes: array(z.string()),
  skills: array(skill),
  supportsAuthenticatedExtendedCard: z.literal(false),
  signatures: array(object({ protected: z.string(), signature: z.string() }))
    .optional()
    .meta({
      description:
        "JWS (RFC 7515) over the card's canonical form (RFC 8785): one of its members of version 1.0, one of all that is sent, both without `signatures`. Absent while the service has no key.",
    }),
}).meta({ id: "AgentCard" });

const coordinate = z.string().meta({ description: "32 bytes, base64url" });
const thumbprint = z.string().meta({ description: "Thumbprint (RFC 7638)" });
const jsonWebKeySetSchema = object({
  keys: array(
    object({
      kty: z.literal("EC"),
      crv: z.literal("P-256"),
      x: coordinate,
      y: coordinate,
      kid: thumbprint,
      alg: z.literal("ES256"),
      use: z.literal("sig"),
    }),
  ),
}).meta({ id: "JsonWebKeySet" });

const directoryKey = { kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: coordinate, kid: thumbprint };
const signatureKeysSchema = object({
  keys: array(object({ ...directoryKey, use: z.literal("sig") })),
}).meta({ id: "SignatureKeySet" });
const DIRECTORY_TYPE = "application/http-message-signatures-directory+json";

const endpoint = endpointsOf({ tag: "Agent protocols", cache: CACHE.release });
const MODES = ["application/json", "text/plain"];

export const agentCard = endpoint({
  path: "/.well-known/agent-card.json",
  operationId: "getAgentCard",
  summary: "The service's A2A agent card",
  responses: { 200: { description: "The card", schema: agentCardSchema } },
  handler({ deps }, json) {
    const card = cardOf(deps);
    const { service, agentCard } = deps.config;
    const signatures =
      agentCard.privateKey && signed(card, agentCard.privateKey, `${service.publicUrl}${jsonWebKeySet.path}`);
    return json({ ...card, ...(signatures && { signatures }) });
  },
});

export const jsonWebKeySet = endpoint({
  path: "/.well-known/jwks.json",
  operationId: "getJsonWebKeySet",
  summary: "The public key of the agent card's signatures",
  responses: {
    200: { description: "A JSON Web Key Set (RFC 7517); empty without a key", schema: jsonWebKeySetSchema },
  },
  handler({ deps: { config } }, json) {
    const { privateKey } = config.agentCard;
    return json({ keys: privateKey ? [publicKeyOf(privateKey)] : [] });
  },
});

/** @see https://datatracker.ietf.org/doc/draft-meunier-http-message-signatures-directory/01/ */
export const signatureDirectory = endpoint({
  path: "/.well-known/http-message-signatures-directory",
  operationId: "getHttpMessageSignaturesDirectory",
  summary: "The public keys of the requests that the service sends to hosts of others",
  description:
    "Web Bot Auth: the requests by which agents' files and endpoints are read are signed (RFC 9421), and this answer by each of its keys.",
  responses: {
    200: { description: "A JSON Web Key Set; empty without a key", type: DIRECTORY_TYPE, schema: signatureKeysSchema },
  },
  cache: CACHE.minute,
  handler({ deps: { requestSigner } }, json) {
    const { keys, headers } = requestSigner?.directory() ?? { keys: [], headers: {} };
    return json({ keys }, { type: DIRECTORY_TYPE, headers });
  },
});

/** The card's text changes with the prices only, and a signature costs milliseconds. */
let last: { of: string; signatures: AgentCardSignature[] } | undefined;
function signed(card: ReturnType<typeof cardOf>, privateKey: Hex, jku: string): AgentCardSignature[] {
  const of = JSON.stringify([card, privateKey, jku]);
  if (last?.of !== of) last = { of, signatures: signaturesOf(card, privateKey, jku) };
  return last.signatures;
}

function cardOf({
  config,
  payments,
}: Pick<HandlerDeps, "config" | "payments">): Omit<z.output<typeof agentCardSchema>, "signatures"> {
  const { name, publicUrl, webUrl } = config.service;
  const here = `${publicUrl}/a2a`;
  return {
    protocolVersion: "0.3.0",
    name,
    description:
      `${DESCRIPTION} Finds agents for a task, looks agents up, tells their cred score, and checks receipts of cred reports. ${costsInWords(payments.shown())}`.trimEnd(),
    url: here,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [{ url: here, transport: "JSONRPC" }],
    supportedInterfaces: A2A_VERSIONS.map((protocolVersion) => ({
      url: here,
      protocolBinding: "JSONRPC",
      protocolVersion,
    })),
    provider: { organization: name, url: webUrl },
    version: API_VERSION,
    documentationUrl: `${publicUrl}/docs`,
    iconUrl: `${publicUrl}/icon.svg`,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      stateTransitionHistory: false,
      extendedAgentCard: false,
    },
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: TOOLS.map((tool) => ({
      id: tool.name,
      name: tool.title,
      description: tool.when,
      tags: [tool.endpoint.tag.toLowerCase(), "agents", "reputation"],
      examples: [tool.example],
      inputModes: MODES,
      outputModes: MODES,
    })),
    supportsAuthenticatedExtendedCard: false,
  };
}

/**
 * Skills: what agents do with this service, each as a page that a language model follows (SKILL.md, in api/skills).
 * @see https://github.com/cloudflare/agent-skills-discovery-rfc version 0.2.0
 */

const FOLDER = join(PROJECT_ROOT, "api/skills");
const PLACE = "/.well-known/agent-skills";

/** Pages by name; `{service}` in a page is replaced by the URL of the service. */
const PAGES = new Map(
  globSync("*.md", { cwd: FOLDER })
    .toSorted()
    .map((file) => [basename(file, ".md"), readFileSync(join(FOLDER, file), "utf8")]),
);

const pageFor = (page: string, publicUrl: string) => page.replaceAll("{service}", publicUrl);
const descriptionOf = (page: string) => /^description: (.+)$/m.exec(page)![1]!;

export const agentSkills = endpoint({
  path: `${PLACE}/index.json`,
  operationId: "getAgentSkills",
  summary: "Skills: what agents do with this service, step by step",
  description: "Agent Skills Discovery, version 0.2.0.",
  responses: {
    200: {
      description: "The index",
      schema: object({
        $schema: z.literal("https://schemas.agentskills.io/discovery/0.2.0/schema.json"),
        skills: array(
          object({
            name: z.string(),
            type: z.literal("skill-md"),
            description: z.string(),
            url,
            digest: z.string().meta({ description: "sha256:{hex} of the page's bytes" }),
          }),
        ),
      }).meta({ id: "AgentSkillsIndex" }),
    },
  },
  handler({ deps: { config } }, json) {
    const { publicUrl } = config.service;
    return json({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: [...PAGES].map(([name, page]) => ({
        name,
        type: "skill-md",
        description: descriptionOf(page),
        url: `${publicUrl}${PLACE}/${name}/SKILL.md`,
        digest: `sha256:${hash("sha256", pageFor(page, publicUrl), "hex")}`,
      })),
    });
  },
});

export const agentSkill = endpoint({
  path: `${PLACE}/{name}/SKILL.md`,
  operationId: "getAgentSkill",
  summary: "A skill, as Markdown",
  params: object({ name: z.string().max(64).meta({ example: "find-an-agent" }) }),
  responses: { 200: { description: "The page", type: "text/markdown" } },
  errors: ["not_found"],
  handler({ deps: { config }, params: { name } }) {
    const page = PAGES.get(name);
    if (page === undefined)
      throw new Failure("not_found", `There is no skill ${quoted(name)}.`, {
        hint: `The skills are ${[...PAGES.keys()].join(", ")}.`,
      });
    return { status: 200, type: "text/markdown; charset=utf-8", content: pageFor(page, config.service.publicUrl) };
  },
});
