/** The A2A agent card by which agents find the service, signed, and the key that its signatures are checked with. */
import type { z } from "zod";
import { type AgentCardSignature, publicKeyOf, signaturesOf } from "../../core/agent-card-signatures.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { costsInWords } from "../../core/payments/prices.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { API_VERSION } from "../http/headers.ts";
import { agentCardSchema, jsonWebKeySetSchema } from "../schemas/agent-card.ts";
import { DESCRIPTION } from "../services/sign-in-info.ts";
import { TOOLS } from "../tools/tools.ts";
import { A2A_VERSIONS } from "./a2a.ts";

const TAG = "Agent protocols";
const MODES = ["application/json", "text/plain"];

export const agentCard = endpoint({
  path: "/.well-known/agent-card.json",
  operationId: "getAgentCard",
  tag: TAG,
  summary: "The service's A2A agent card",
  responses: { 200: { description: "The card", schema: agentCardSchema } },
  cache: CACHE.release,
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
  tag: TAG,
  summary: "The public key of the agent card's signatures",
  responses: {
    200: { description: "A JSON Web Key Set (RFC 7517); empty without a key", schema: jsonWebKeySetSchema },
  },
  cache: CACHE.release,
  handler({ deps: { config } }, json) {
    const { privateKey } = config.agentCard;
    return json({ keys: privateKey ? [publicKeyOf(privateKey)] : [] });
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
