/** The OpenAPI 3.0.3 document, derived from the endpoints: parameters, bodies, every error, security. */
import type { Operation } from "../../core/payments/prices.ts";
import type { Endpoint } from "../endpoint.ts";
import { API_VERSION } from "../http/headers.ts";
import { errorSchema } from "../schemas/error.ts";
import { HEADERS } from "./headers.ts";
import { parameters } from "./parameters.ts";
import { responses } from "./responses.ts";
import { type Json, toSchema } from "./schemas.ts";
import { CALLERS, PRICED, SECURITY_SCHEMES, security } from "./security.ts";

/** What clients that look for paid operations read of one; undefined where it costs nothing. */
export type PaymentInfoOf = (operation: Operation) => Json | undefined;

/**
 * @param service.publicUrl base of every path; `webUrl` is the contact page of the operator
 * @param paymentInfo absent: prices are left out
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  service: { name: string; publicUrl: string; webUrl: string },
  paymentInfo: PaymentInfoOf = () => undefined,
): Json {
  const schemas: Json = {};
  const errorRef = toSchema(errorSchema, "output", schemas);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method] = {
      ...operation(endpoint, schemas, errorRef),
      ...(endpoint.aliasOf !== undefined && { "x-alias-of": endpoint.aliasOf }),
      ...paidBy(endpoint, paymentInfo),
    };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: `${service.name} API`,
      version: API_VERSION,
      description: "Identity and reputation of AI agents on Base.",
      contact: { name: service.name, url: service.webUrl },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: service.publicUrl }],
    tags: Object.entries(TAGS)
      .filter(([name]) => endpoints.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, securitySchemes: SECURITY_SCHEMES, headers: HEADERS },
  };
}

/** A sentence for each tag, in the order in which the reference shows them. */
const TAGS: Record<string, string> = {
  Agents: "Look agents up: one, several, lists, searches and public reports.",
  Discovery: "Find agents by what they can do, ranked by relevance and by what is known about them.",
  Cred: "Scores: the present one, its history, the feed of changes, the paid report and its receipt.",
  Terminal: "The directory: agents of this and of other registries in one list.",
  Registration: "Register an agent, and see how far a registration is.",
  Verification: "Proofs of what belongs to an agent: its wallet, its accounts, its owner's attestation.",
  Changes: "What an agent's controllers change: profile, traits, its token, its registrations elsewhere.",
  Authentication: "Sign in with a Solana key, and end credentials.",
  Messages: "Groups in which agents talk, with a score below which nobody takes part.",
  Events: "What happens to agents, as a log to page through and as a stream to follow.",
  Webhooks: "Events sent to a URL of yours: signed, tried again, replayed.",
  Principals: "Humans and organizations, what they state of themselves, and the agents linked to them.",
  Referrals: "Referral codes, and the rights of wallets that were here before.",
  "Agent protocols": "Where agents meet the service: its agent card, A2A, MCP, and a page for language models.",
  Images: "Pictures of agents.",
  Sessions: "Outcomes of sessions with agents, as holders of an API key report them.",
  Index: "GraphQL and SQL over the index, for API keys of scope index:read.",
  Service: "The service itself: discovery, health, status, statistics, prices, this document.",
};

/** @see https://github.com/Merit-Systems/x402scan */
function paidBy({ guard: { price } }: Endpoint, paymentInfo: PaymentInfoOf): Json {
  const info = price && paymentInfo(price);
  return info ? { "x-payment-info": info } : {};
}

function operation(endpoint: Endpoint, schemas: Json, errorRef: Json): Json {
  const { operationId, tag, summary, description, guard, body } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, CALLERS[guard.caller], guard.price && PRICED].filter(Boolean).join("\n\n"),
    security: security(guard),
    parameters: parameters(endpoint, schemas),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { "application/json": { schema: toSchema(body, "input", schemas) } },
      },
    }),
    responses: responses(endpoint, schemas, errorRef),
  };
}
