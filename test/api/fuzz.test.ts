/** Every operation under generated requests: no 5xx, every status documented, every body valid. A failure prints its seed. */
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { AGENT_SORTS } from "../../db/lists/agent-list-sql.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { forAllLater } from "../support/for-all.ts";
import { shareOf } from "../support/share.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, HOST, type Operation } from "./support/api.ts";
import { NASTY } from "./support/hostile-text.ts";

/** `npm run trial -- fuzz --cases N --seed N` asks for more of them, or for the same again. */
const { cases: CASES, seed: SEED } = inject("fuzz");
/** So many requests are under way at once. */
const TOGETHER = 20;
/** 503 where it is the operation's own answer and nothing is broken. */
const OWN_503 = new Set(["getStatus", "listAgentPayments", "listAgentJobs"]);
/** Operations that read although they are no GET. */
const READS = new Set(["getAgents"]);

const api = apiForFile(
  { env: { MINT_WAIT_MS: "0", RECEIPT_SIGNER_PRIVATE_KEY: `0x${"11".repeat(32)}` } },
  { provoked: true },
);
beforeAll(async () => {
  await plantAgents(api.pool, [
    { score: 50 },
    { name: "Ünïcode ✓", score: 80 },
    { name: "Third", traits: [["a", "b"]] },
  ]);
});

/** Text that has broken somebody before. */
const nasty = fc.constantFrom(...NASTY);

type Schema = {
  type?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

/** What the world of this test holds, in every way to name it. */
const known = fc.constantFrom("0", "1", "2", "77", "atlas", `0x${"aa".repeat(20)}`, "Third", "ünïcode");
const text = fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 12 }), fc.string({ unit: "grapheme" }));

/** Values that a schema allows, and its edges with the first value beyond each. */
function allowed(schema: Schema): fc.Arbitrary<unknown> {
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, pattern, format, enum: words } = schema;
  if (words) return fc.constantFrom(...words);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(allowed));
  if (type === "integer" || type === "number")
    return fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) }),
      fc.maxSafeNat(),
      fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1),
    );
  if (type === "boolean") return fc.boolean();
  if (type === "array") return fc.array(allowed(schema.items ?? {}), { maxLength: (schema.maxItems ?? 8) + 1 });
  if (type === "object") {
    const fields = Object.entries(schema.properties ?? {}).map(([name, value]) => [name, allowed(value)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
  }
  if (pattern) return fc.oneof(known, fc.stringMatching(new RegExp(pattern)));
  if (format === "uuid") return fc.uuid();
  if (format === "date-time")
    return fc.oneof(
      known,
      fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
    );
  return fc.oneof(known, fc.string({ unit: "grapheme", maxLength: (schema.maxLength ?? 64) + 1 }));
}

/** A cursor as the list writes it, of values that are none of its own. */
const cursor = fc
  .tuple(fc.constantFrom(...AGENT_SORTS, "other"), fc.constantFrom("asc", "desc"), fc.anything(), fc.anything())
  .map((parts) => Buffer.from(JSON.stringify(parts) ?? "").toString("base64url"));

/** Values for a parameter: mostly what its schema allows, sometimes what nobody would send. */
const values = ({ name, schema }: Operation["parameters"][number]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: allowed(schema).map(String) },
    { weight: name === "cursor" ? 6 : 0, arbitrary: cursor },
    { weight: 2, arbitrary: text },
  );

/** Bodies: what the schema allows, parts of it replaced by anything, and anything. */
function bodies(schema: Schema): fc.Arbitrary<unknown> {
  const parts = Object.keys(schema.properties ?? {});
  const replaced = fc
    .tuple(allowed(schema), fc.constantFrom(...parts, "other"), fc.jsonValue())
    .map(([body, part, value]) => ({ ...(body as object), [part]: value }));
  return fc.oneof({ weight: 3, arbitrary: allowed(schema) }, { weight: 2, arbitrary: replaced }, fc.jsonValue());
}

const encoded = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll("%EF%BF%BD", "%ED%A0%80");

type Request = { method: string; path: string; init: { headers: Record<string, string>; body?: string } };

function requests(method: string, path: string, { parameters, requestBody }: Operation): fc.Arbitrary<Request> {
  // A minBlock beyond the index waits five seconds: only values that are there, or none at all, are of use here.
  const query = parameters.filter((p) => p.in === "query" && p.name !== "minBlock");
  const inPath = parameters.filter((p) => p.in === "path");
  const extra = fc.constantFrom(
    "minBlock=0",
    "minBlock=1000",
    "minBlock=-1",
    "minBlock=x",
    "unknown=1",
    "&&=&",
    "%zz=%",
    "limit=1&limit=2",
  );
  const body = requestBody?.content["application/json"].schema;
  return fc
    .record({
      segments: fc.tuple(...inPath.map((p) => values(p).filter((v) => v !== ""))),
      options: fc.tuple(...query.map((p) => fc.option(values(p)))),
      extra: fc.option(extra),
      validator: fc.option(fc.constantFrom("*", '"x"', 'W/"x", *', "\t"), { freq: 8 }),
      body: body
        ? fc.oneof({ weight: 9, arbitrary: bodies(body).map((b) => JSON.stringify(b)) }, text)
        : fc.constant(undefined),
    })
    .map(({ segments, options, extra, validator, body }) => {
      const filled = inPath.reduce((at, p, i) => at.replace(`{${p.name}}`, encoded(segments[i]!)), path);
      const parts = [
        ...query.flatMap((p, i) => (options[i] === null ? [] : [`${p.name}=${encoded(options[i]!)}`])),
        ...(extra ? [extra] : []),
      ];
      const headers: Record<string, string> = {};
      if (validator) headers["if-none-match"] = validator;
      if (body !== undefined) headers["content-type"] = "application/json";
      return {
        method,
        path: parts.length > 0 ? `${filled}?${parts.join("&")}` : filled,
        init: { headers, ...(body !== undefined && { body: body.toWellFormed() }) },
      };
    });
}

describe(`reads (${CASES} cases each, seed ${SEED})`, () => {
  const reads = ENDPOINTS.filter(({ method, operationId }) => method === "get" || READS.has(operationId));
  it.each(reads.map(({ method, path }) => [method.toUpperCase(), path]))("%s %s", async (method, path) => {
    const operation = api.document.paths[path]![method.toLowerCase()]!;
    const together = fc.array(requests(method, path, operation), { minLength: TOGETHER, maxLength: TOGETHER });
    await fc.assert(
      // The client holds status and body to the document.
      fc.asyncProperty(together, async (requests) => {
        const answers = await Promise.all(requests.map(({ method, path, init }) => api.send(method, path, init)));
        for (const [i, { status }] of answers.entries())
          if (status >= 500)
            expect([requests[i], status, OWN_503.has(operation.operationId)]).toEqual([requests[i], 503, true]);
      }),
      { numRuns: Math.ceil(CASES / TOGETHER), seed: SEED },
    );
    expect(api.errors).toEqual([]);
  });
});

describe("POST /api/v2/mint", () => {
  const any = fc.oneof(
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant([]),
    fc.constant({}),
  );
  const body = fc.record(
    {
      name: fc.oneof({ weight: 3, arbitrary: text }, any),
      framework: fc.oneof(fc.constantFrom("eliza", "ELIZAOS", "custom"), any),
      soulbound: fc.oneof(fc.boolean(), any),
      personality: fc.oneof(fc.record({ humor: any, riskTolerance: any }, { requiredKeys: [] }), any),
      narrative: fc.oneof(fc.record({ origin: text, extra: any }, { requiredKeys: [] }), any),
      referralCode: any,
      other: any,
    },
    { requiredKeys: [] },
  );

  it("with any body is accepted or refused, never worse", async () => {
    const wallet = agentWallet({ host: HOST });
    const authorization = await wallet.siwa();
    await forAllLater([fc.oneof(body, fc.jsonValue())], { numRuns: shareOf(300), seed: SEED }, async (value) => {
      const { status } = await api.send("POST", "/api/v2/mint", {
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(value),
      });
      expect([202, 400, 409, 413]).toContain(status);
    });
    expect(api.errors).toEqual([]);
  });
});

describe("principals", () => {
  it.each([
    ["/api/v2/principals/human/register", "/api/v2/principals/human/register"],
    ["/api/v2/principals/organization/register", "/api/v2/principals/organization/register"],
    ["/api/v2/human/{id}/link-agent", "/api/v2/human/hum_none/link-agent"],
  ])("POST %s with any body is accepted or refused, never worse", async (template, path) => {
    const schema = api.document.paths[template]!.post!.requestBody!.content["application/json"].schema;
    const resolved = (api.document.components.schemas as Record<string, Schema>)[
      String(schema.$ref).split("/").at(-1)!
    ]!;
    const authorization = await agentWallet({ host: HOST }).siwe();
    await forAllLater([bodies(resolved)], { numRuns: shareOf(300), seed: SEED }, async (value) => {
      const { status } = await api.send("POST", path, {
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(value),
      });
      expect([200, 201, 400, 403, 404, 409]).toContain(status);
    });
    expect(api.errors).toEqual([]);
  });
});

it("POST /api/v2/webhooks with any body is accepted or refused, never worse", async () => {
  const wallet = agentWallet({ host: HOST });
  // Only a wallet with an agent of its own may have any.
  const owner = wallet.address.toLowerCase() as Lowercase<typeof wallet.address>;
  await plantAgents(api.pool, [{ tokenId: 900, owner, agentAddress: owner }]);
  const authorization = await wallet.siwa();
  const path = "/api/v2/webhooks";
  const { schema } = api.document.paths[path]!.post!.requestBody!.content["application/json"];
  const name = String(schema.$ref).split("/").at(-1)!;
  const body = bodies((api.document.components.schemas as Record<string, Schema>)[name]!);
  const urls = fc.oneof(fc.webUrl({ validSchemes: ["https", "http"], withQueryParameters: true }), nasty);
  const asked = fc.oneof(
    body,
    fc.tuple(body, urls).map(([value, url]) => ({ ...(value as object), url, events: ["cred.changed"] })),
  );
  await forAllLater([asked], { numRuns: shareOf(300), seed: SEED }, async (value) => {
    const { status } = await api.send("POST", path, {
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(value),
    });
    expect([201, 400, 409]).toContain(status);
  });
  expect(api.errors).toEqual([]);
});
