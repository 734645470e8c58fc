/** The OpenAPI document: valid for a strict validator, complete, and served with a page that needs no other site. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { exampleOf, objectsOf, operationsOf, type Schema } from "../../core/described-operations.ts";
import { plantAgents, walletOf } from "./support/agents.ts";
import { apiForFile, type Operation } from "./support/api.ts";
import { problemOf } from "./support/conformance.ts";

let operations: [string, string, Operation][];
const api = apiForFile({}, { provoked: true });
beforeAll(async () => {
  operations = Object.entries(api.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method, path, operation] as [string, string, Operation]),
  );
});

const SECURITY = {
  anyone: [],
  anyoneOrSiwa: [{}, { siwa: [] }, { siwaHeader: [] }, { signature: [] }],
  siwa: [{ siwa: [] }, { siwaHeader: [] }, { signature: [] }],
  human: [{ siwe: [] }, { siwa: [] }, { siwaHeader: [] }, { signature: [] }, { bearer: [] }],
  owner: [
    ...[{ siwe: [] }, { siwa: [] }, { siwaHeader: [] }, { signature: [] }],
    ...[
      { bearer: [], siwaHeader: [] },
      { bearer: [], signature: [] },
    ],
  ],
  apiKey: [{ apiKey: [] }],
  indexKey: [{ apiKey: [] }],
  operatorKey: [{ apiKey: [] }],
};

type Node = Record<string, unknown>;

/** Every object of a document with its place; of the maps of properties only what they hold, of examples nothing. */
function* nodesOf(node: unknown, at = "#", isMap = false): Generator<[at: string, node: Node]> {
  if (typeof node !== "object" || node === null) return;
  if (!isMap && !Array.isArray(node)) yield [at, node as Node];
  for (const [key, value] of Object.entries(node))
    if (isMap || !["example", "default", "enum"].includes(key))
      yield* nodesOf(value, `${at}/${key}`, key === "properties" && !isMap);
}

describe("the document", () => {
  it("is a valid OpenAPI 3.0.3 document", async () => {
    const { body } = await api.get("/api/v2/openapi.json");
    expect(body.openapi).toBe("3.0.3");
    const result = await new Validator().validate(body);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    // Every reference leads somewhere.
    const refs = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, ref]) => ref!);
    for (const ref of new Set(refs))
      expect([ref, ref.split("/").reduce((at: unknown, key) => (at as never)?.[key], body)]).not.toEqual([
        ref,
        undefined,
      ]);
    expect(JSON.stringify(body)).not.toMatch(
      /"nullable":true,"required":false|"definitions"|"\$schema":"https?:\/\/json-schema|"documented"|9007199254740991/,
    );
  });

  it("gives an example of every body and of every answer that the schema allows", () => {
    const document = api.document as never;
    const { schemas } = api.document.components;
    const faults = operationsOf(document).flatMap(({ id, body, responses }) => {
      const success = responses.find(({ status, type }) => status.startsWith("2") && type === "application/json");
      const wrong = (schema: Schema | null | undefined, whole: boolean) =>
        schema && problemOf(schema, schemas, exampleOf(document, schema, whole));
      return [wrong(body, false), wrong(success?.schema, true)].flatMap((problem) =>
        problem ? [{ id, problem }] : [],
      );
    });
    expect(faults).toEqual([]);
    const { responses } = operationsOf(document).find(({ id }) => id === "getMint")!;
    expect(responses.map(({ schema }) => schema && objectsOf(document, schema).length)[0]).toBe(3);
  });

  it("has one name and one schema for each segment of its paths, of which generators make one node", () => {
    const nodes = new Map<string, Set<string>>();
    for (const [, path, { parameters }] of operations) {
      const segments = path.split("/");
      for (const [i, segment] of segments.entries()) {
        const name = /^\{(\w+)\}$/.exec(segment)?.[1];
        if (name === undefined) continue;
        const node = segments
          .slice(0, i)
          .join("/")
          .replaceAll(/\{\w+\}/g, "{}");
        const { schema } = parameters.find((each) => each.in === "path" && each.name === name)!;
        nodes.set(node, (nodes.get(node) ?? new Set()).add(`${name} ${JSON.stringify(schema)}`));
      }
    }
    expect(nodes.get("/api/v2/agent")?.size).toBe(1);
    for (const [node, forms] of nodes) expect([node, [...forms]]).toEqual([node, [[...forms][0]]]);
  });

  it("has paths of an agent that each take its id, its id in the directory and its wallet", async () => {
    await plantAgents(api.pool, [{ tokenId: 7, score: 10 }]);
    const paths = operations.filter(([method, path]) => method === "get" && path.startsWith("/api/v2/agent/{ref}"));
    expect(paths.length).toBeGreaterThan(15);
    for (const [, path] of paths) {
      const answers = await Promise.all(
        ["7", "helixa-7", "HELIXA-7", walletOf(7), walletOf(7).replace(/[a-f]/g, (letter) => letter.toUpperCase())].map(
          async (ref) => {
            const { status, body } = await api.get(path.replace("{ref}", ref));
            expect([undefined, 7]).toContain(body.tokenId);
            return [path, status];
          },
        ),
      );
      expect(answers).toEqual(answers.map(() => answers[0]));
      expect(answers[0]![1]).not.toBe(400);
    }
  });

  it("says null beside a type, where tools look for it, and among the words of an enum", () => {
    const nullable = [...nodesOf(api.document)].filter(([, node]) => "nullable" in node);
    expect(nullable.length).toBeGreaterThan(50);
    for (const [at, { type, enum: words = [null] }] of nullable)
      expect([at, typeof type, (words as unknown[]).includes(null)]).toEqual([at, "string", true]);
  });

  it("joins no schema with itself alone", () => {
    const alone = [...nodesOf(api.document)].filter(([, { allOf }]) => Array.isArray(allOf) && allOf.length < 2);
    expect(alone.map(([at]) => at)).toEqual([]);
  });

  it("has examples that fit what they are examples of", () => {
    const { schemas } = api.document.components;
    const examples = [...nodesOf(api.document)].filter(([, node]) => "example" in node);
    expect(examples.length).toBeGreaterThan(50);
    for (const [at, { example, ...node }] of examples)
      expect([at, problemOf((node.schema as object | undefined) ?? node, schemas, example)]).toEqual([at, undefined]);
  });

  it("says what it is of: whom to ask, under which terms, and what each tag and each operation is about", () => {
    const { info, servers, tags } = api.document;
    expect(info).toMatchObject({
      contact: { name: "Helixa", url: "https://agents.test" },
      license: { name: "MIT", url: expect.stringMatching(/^https:/) },
    });
    expect(servers).toEqual([{ url: "https://agents.test" }]);
    for (const { name, description } of tags) expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)]);
    const known = new Set(tags.map(({ name }) => name));
    expect(known.size).toBe(tags.length);
    for (const [method, path, operation] of operations) {
      expect([path, operation.tags.every((tag) => known.has(tag))]).toEqual([path, true]);
      expect([method, path, operation.summary, operation.description]).toEqual([
        method,
        path,
        ...Array(2).fill(expect.stringMatching(/\S/)),
      ]);
      expect(Object.keys(operation.responses)).toContain("400");
    }
  });

  it("has every endpoint, each with a name of its own", () => {
    expect(operations).toHaveLength(ENDPOINTS.length);
    expect(new Set(operations.map(([, , { operationId }]) => operationId)).size).toBe(ENDPOINTS.length);
  });

  it("documents every parameter of each path, required, and the query's as what they mean", () => {
    for (const [, path, { parameters }] of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((p) => p.in === "path").map(({ name, required }) => [name, required])).toEqual(
        inPath.map((name) => [name, true]),
      );
      for (const { name, schema } of parameters)
        for (const one of (schema.anyOf ?? [schema]) as object[]) expect(one, `${path} ${name}`).toHaveProperty("type");
    }
    const list = operations.find(([, path]) => path === "/api/v2/agents")![2].parameters;
    expect(list.find(({ name }) => name === "limit")).toMatchObject({
      required: false,
      schema: { type: "integer", minimum: 1, default: 100 },
    });
    expect(list.find(({ name }) => name === "sort")?.schema.enum).toContain("credScore");
    expect(list.map(({ name }) => name)).toContain("minBlock");
  });

  it("gives each operation its errors and security", () => {
    for (const [method, path, { responses, ...operation }] of operations) {
      const statuses = Object.keys(responses).map(Number);
      expect(statuses).toContain(500);
      const own = ENDPOINTS.find((e) => e.path === path && e.method === method)!;
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      for (const [status, { content }] of errors)
        if (!own.responses[Number(status)]) expect(JSON.stringify(content)).toContain("#/components/schemas/Error");
      const { security } = operation as unknown as { security: object[] };
      const { caller, price, bucket } = own.guard;
      const ways = SECURITY[caller];
      const free = ways.length > 0 ? ways : [{}];
      const paid = ["x402", "mpp"].flatMap((payment) => free.map((way) => ({ ...way, [payment]: [] })));
      expect(security).toEqual(price ? [...free, ...paid] : ways);
      if (caller !== "anyone") expect(statuses).toEqual(expect.arrayContaining([401, 503]));
      if (bucket !== "unlimited") expect(statuses).toContain(429);
      if (method !== "get") expect(statuses).toEqual(expect.arrayContaining([400, 409, 413, 415, 422]));
    }
  });

  it("shows the body of a registration with its limits", () => {
    const { MintRequest } = api.document.components.schemas as Record<
      string,
      { required: string[]; properties: Record<string, object> }
    >;
    expect(MintRequest).toMatchObject({
      required: ["name"],
      additionalProperties: false,
      properties: { name: { type: "string", minLength: 1, maxLength: 64 }, soulbound: { type: "boolean" } },
    });
  });
});
