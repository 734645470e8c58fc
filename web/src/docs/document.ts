/** The OpenAPI document of this service, read once, and its operations one by one. */
import { queryOptions } from "@tanstack/react-query";
import { get } from "../api/answer.ts";

export type Schema = {
  $ref?: string;
  type?: string;
  enum?: readonly unknown[];
  nullable?: boolean;
  description?: string;
  example?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  minimum?: number;
};
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
};
type Body = { content?: Record<string, { schema?: Schema }> };
type DescribedOperation = {
  operationId: string;
  tags: readonly [string];
  summary: string;
  description?: string;
  parameters?: readonly Parameter[];
  requestBody?: Body;
  responses: Record<string, Body & { description: string }>;
  security?: readonly Record<string, unknown>[];
};
export type Method = "get" | "post" | "put" | "delete";
export type OpenApi = {
  servers: readonly [{ url: string }];
  tags: readonly { name: string; description?: string }[];
  paths: Record<string, Partial<Record<Method, DescribedOperation>>>;
  components: { schemas: Record<string, Schema> };
};

/** What an operation answers: the body's type and schema, where it has them. */
type Outcome = { status: string; description: string; type: string | null; schema: Schema | null };
export type Operation = {
  id: string;
  tag: string;
  method: Method;
  path: string;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  /** Of the JSON that is sent. */
  body: Schema | null;
  responses: readonly Outcome[];
  /** Names of the schemes that are taken: `siwa`, `apiKey`, `x402`. */
  schemes: ReadonlySet<string>;
  /** Whether one of the schemes must be used, a payment aside. */
  signsIn: boolean;
};

const PATH = "/api/v2/openapi.json";
export const openApi = queryOptions({
  queryKey: [PATH],
  queryFn: get<OpenApi>(PATH),
  staleTime: Number.POSITIVE_INFINITY,
});

const PAYMENTS = new Set(["x402", "mpp"]);

/** All operations, in the order of their tags and of the document. */
export function operationsOf({ paths, tags }: OpenApi): Operation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(method as Method, path, described)),
  );
  const order = new Map(tags.map(({ name }, place) => [name, place]));
  return all.toSorted((a, b) => (order.get(a.tag) ?? 0) - (order.get(b.tag) ?? 0));
}

function operationOf(method: Method, path: string, described: DescribedOperation): Operation {
  const security = described.security ?? [];
  const free =
    security.length === 0 || security.some((way) => Object.keys(way).every((scheme) => PAYMENTS.has(scheme)));
  return {
    method,
    path,
    id: described.operationId,
    tag: described.tags[0],
    summary: described.summary,
    description: described.description ?? "",
    // Credentials and payments are described once, by the schemes.
    parameters: (described.parameters ?? []).filter((parameter) => parameter.in !== "header"),
    body: described.requestBody?.content?.["application/json"]?.schema ?? null,
    responses: Object.entries(described.responses).map(([status, response]) => {
      const [type, content] = Object.entries(response.content ?? {})[0] ?? [null, null];
      return { status, description: response.description, type, schema: content?.schema ?? null };
    }),
    schemes: new Set(security.flatMap((way) => Object.keys(way))),
    signsIn: !free,
  };
}

/** The type of the body of its success. */
export const answerType = ({ responses }: Operation): string | null =>
  responses.find(({ status }) => status.startsWith("2"))?.type ?? null;

/** A schema without a reference. */
export const resolved = ({ components }: OpenApi, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split("/").at(-1)!] ?? {});

/** Depth at which an example ends: schemas may contain themselves. */
const MAX_EXAMPLE_DEPTH = 4;

/** A value of the schema: its own example, or one made of its parts, as small as it allows. */
export function exampleOf(document: OpenApi, given: Schema, depth = 0): unknown {
  const schema = resolved(document, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const one = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (one) return exampleOf(document, one, depth + 1);
  if (schema.type === "array")
    return depth < MAX_EXAMPLE_DEPTH && schema.items ? [exampleOf(document, schema.items, depth + 1)] : [];
  if (schema.properties) return exampleOfObject(document, schema, depth);
  if (schema.type === "object") return {};
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 0;
  if (schema.type === "boolean") return false;
  return schema.type === "string" ? "string" : null;
}

/** What is required, and what has an example of its own. */
function exampleOfObject(document: OpenApi, { properties = {}, required = [] }: Schema, depth: number): object {
  const named = Object.entries(properties).filter(
    ([name, part]) => required.includes(name) || resolved(document, part).example !== undefined,
  );
  const shown = named.length > 0 || depth > 0 ? named : Object.entries(properties).slice(0, 1);
  return Object.fromEntries(
    shown.map(([name, part]) => [name, depth < MAX_EXAMPLE_DEPTH ? exampleOf(document, part, depth + 1) : null]),
  );
}

/** The kind of a value in a word or two. */
export function kindOf(document: OpenApi, given: Schema): string {
  const schema = resolved(document, given);
  if (schema.type === "array") return `${kindOf(document, schema.items ?? {})}[]`;
  const any = schema.anyOf ?? schema.oneOf;
  if (any) return [...new Set(any.map((one) => kindOf(document, one)))].join(" | ");
  const kind = given.$ref?.split("/").at(-1) ?? schema.type ?? "any";
  return schema.nullable ? `${kind} | null` : kind;
}
