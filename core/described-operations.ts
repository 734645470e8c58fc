/** The operations of the OpenAPI document one by one, as pages and Markdown show them, and examples made of its schemas. */

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
  minimum?: number;
  format?: string;
  pattern?: string;
  minItems?: number;
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
  /** The path of the operation that this is a further path of. */
  "x-alias-of"?: string;
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
  /** In the menu and as its heading: `Cred history`, `Create webhook`. */
  name: string;
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
  /** Further paths at which the same is answered, with the name of each in the document. */
  aliases: readonly { id: string; path: string }[];
};

/** The schemes that pay. */
export const PAYMENTS: ReadonlySet<string> = new Set(["x402", "mpp"]);

/** Words of names that are written otherwise. */
const SPELLED: Record<string, string> = {
  ...{ mcp: "MCP", a2a: "A2A", json: "JSON", csv: "CSV", sql: "SQL", graphql: "GraphQL", og: "OG", github: "GitHub" },
  ...{ openapi: "OpenAPI", llms: "llms.txt", api: "API", farcaster: "Farcaster", solana: "Solana", x: "X" },
};

/** `getCredHistory` is "Cred history", `createWebhook` "Create webhook". */
const nameOf = (operationId: string): string => {
  const words = operationId.replace("GraphQL", "Graphql").replace("OpenApi", "Openapi").replace("GitHub", "Github");
  const said = (words.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? [])
    .filter((word, place) => place > 0 || word !== "get")
    .map((word) => SPELLED[word.toLowerCase()] ?? word.toLowerCase())
    .join(" ");
  return said.charAt(0).toUpperCase() + said.slice(1);
};

/** All operations, in the order of their tags and of the document; a further path belongs to the operation that it leads to. */
export function operationsOf({ paths, tags }: OpenApi): Operation[] {
  const given = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method as Method, path, described })),
  );
  const all = given
    .filter(({ described }) => described["x-alias-of"] === undefined)
    .map(({ method, path, described }) => ({
      ...operationOf(method, path, described),
      aliases: given
        .filter((one) => one.described["x-alias-of"] === path && one.method === method)
        .map((one) => ({ id: one.described.operationId, path: one.path })),
    }));
  const order = new Map(tags.map(({ name }, place) => [name, place]));
  return all.toSorted((a, b) => (order.get(a.tag) ?? 0) - (order.get(b.tag) ?? 0));
}

function operationOf(method: Method, path: string, described: DescribedOperation): Omit<Operation, "aliases"> {
  const security = described.security ?? [];
  const free =
    security.length === 0 || security.some((way) => Object.keys(way).every((scheme) => PAYMENTS.has(scheme)));
  return {
    method,
    path,
    id: described.operationId,
    name: nameOf(described.operationId),
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

export const successOf = ({ responses }: Operation): Outcome | undefined =>
  responses.find(({ status }) => status.startsWith("2"));

/** The type of the body of its success. */
export const answerType = (operation: Operation): string | null => successOf(operation)?.type ?? null;

/** A schema without a reference. */
export const resolved = ({ components }: OpenApi, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split("/").at(-1)!] ?? {});

/** The objects that a schema describes, or that its list has for entries: several where it has alternatives. */
export function objectsOf(document: OpenApi, given: Schema): Schema[] {
  const schema = resolved(document, given);
  if (schema.type === "array") return schema.items ? objectsOf(document, schema.items) : [];
  if (schema.properties) return [schema];
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((one) => objectsOf(document, one));
}

/** Texts by what is in the format or the pattern of their schema. */
const TEXTS: readonly [inside: string, text: string][] = [
  ["date-time", "2026-01-31T12:00:00.000Z"],
  ["uri", "https://agent.example/mcp"],
  ["1-9A-HJ-NP-Z", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"],
  ["[0-4]", "4/4"],
  [String.raw`\d`, "1"],
];
const HEX = /^\^(0x)?\[0-9a-f(?:A-F)?\](?:\{(\d+)\}|\+)\$$/;

function textOf({ format = "", pattern = "" }: Schema): string {
  const [isHex, prefix = "", digits = "2"] = HEX.exec(pattern) ?? [];
  if (isHex !== undefined) return prefix + "5e".repeat(Number(digits) / 2);
  return TEXTS.find(([inside]) => format === inside || pattern.includes(inside))?.[1] ?? "…";
}

/** How deep an example goes: schemas may contain themselves. */
const MAX_EXAMPLE_DEPTH = 12;

/**
 * A value of the schema: its own example, or one made of its parts.
 * @param whole with the parts that may be left out, as in an answer; without them it is as small as the schema allows
 */
export function exampleOf(document: OpenApi, given: Schema, whole = false, depth = 0): unknown {
  const schema = resolved(document, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const made = (part: Schema) => exampleOf(document, part, whole, depth + 1);
  const one = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (one) return made(one);
  if (schema.type === "array")
    return depth < MAX_EXAMPLE_DEPTH && schema.items
      ? Array.from({ length: schema.minItems ?? 1 }, () => made(schema.items!))
      : [];
  if (schema.properties) {
    const { properties, required = [] } = schema;
    const named = Object.entries(properties).filter(
      ([name, part]) => whole || required.includes(name) || resolved(document, part).example !== undefined,
    );
    const shown = named.length > 0 || depth > 0 ? named : Object.entries(properties).slice(0, 1);
    return Object.fromEntries(
      shown.filter(() => depth < MAX_EXAMPLE_DEPTH).map(([name, part]) => [name, made(part)] as const),
    );
  }
  if (schema.type === "object") return {};
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return false;
  return schema.type === "string" ? textOf(schema) : null;
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
