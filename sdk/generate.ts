/** Makes the two generated sources of the SDK of an OpenAPI document: the types, and what types cannot say. */
import openapiTS, { astToString } from "openapi-typescript";

type Parameter = { name: string; in: string; schema: { type?: string } };
type Operation = {
  parameters?: Parameter[];
  security?: Record<string, unknown>[];
  responses: Record<string, { headers?: unknown; content?: Record<string, { schema?: { $ref?: string } }> }>;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};

/** File name under `src/` → its text. */
export type Sources = { "openapi.ts": string; "operations.ts": string };

export async function generate(document: Document): Promise<Sources> {
  const ast = await openapiTS(spare(document) as never, { silent: true });
  return {
    "openapi.ts": `/** Shapes of every operation, made by \`npm run generate -- sdk\` of the OpenAPI document. Do not edit. */\n\n${astToString(ast)}`,
    "operations.ts": operationsText(document),
  };
}

const ERROR = "#/components/schemas/Error";

/**
 * The document without what every answer has alike: the error body and the headers, which would be three quarters of the
 * types. An agent in a path may be given by its token id as a number, as answers have it.
 */
function spare(document: Document): Document {
  const copy = structuredClone(document);
  for (const { responses, parameters = [] } of operationsOf(copy).map(([, operation]) => operation)) {
    for (const parameter of parameters)
      if (parameter.in === "path" && parameter.name === "ref")
        Object.assign(parameter, { schema: { oneOf: [{ type: "string" }, { type: "integer" }] } });
    for (const [status, response] of Object.entries(responses)) {
      delete response.headers;
      const bodies = Object.values(response.content ?? {});
      if (status === "304" || (bodies.length > 0 && bodies.every(({ schema }) => schema?.$ref === ERROR)))
        delete responses[status];
    }
  }
  delete copy.components.headers;
  return copy;
}

const operationsOf = ({ paths }: Document): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

const PAYMENTS = new Set(["x402", "mpp"]);

/** Who may call, told from the sets of credentials an operation takes; null = anybody. */
function accessOf({ security = [] }: Operation): string | null {
  const sets = security.map((set) => Object.keys(set).filter((scheme) => !PAYMENTS.has(scheme)));
  const takes = (scheme: string) => sets.some((set) => set.includes(scheme));
  if (takes("apiKey")) return "apiKey";
  if (sets.some((set) => set.includes("bearer") && set.includes("siwaHeader"))) return "owner";
  if (takes("bearer")) return "human";
  if (!takes("siwa")) return null;
  return sets.some((set) => set.length === 0) ? "walletOrAnyone" : "wallet";
}

function operationsText(document: Document): string {
  const lines = operationsOf(document).flatMap(([name, operation]) => {
    const access = accessOf(operation);
    const paid = (operation.security ?? []).some((set) => Object.keys(set).some((scheme) => PAYMENTS.has(scheme)));
    if (access === null && !paid) return [];
    const facts = [access && `access: "${access}"`, paid && "paid: true"].filter(Boolean).join(", ");
    return [`  "${name}": { ${facts} },`];
  });
  return [
    "/** Who may call which operation and what has a price, made by `npm run generate -- sdk` of the OpenAPI document. Do not edit. */",
    "",
    "/**",
    " * Whose credential an operation takes: a wallet's, a wallet's if there is one, a person's (wallet or access token), a",
    " * person's together with the wallet that owns an agent, or an operator's key.",
    " */",
    'export type Access = "wallet" | "walletOrAnyone" | "human" | "owner" | "apiKey";',
    "",
    "/** Operations that take a credential or a payment; all others are for anyone. */",
    "export const OPERATIONS: Readonly<Record<string, { access?: Access; paid?: true }>> = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}
