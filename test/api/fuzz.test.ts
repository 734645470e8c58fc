/** Every operation under generated requests: no 5xx, every status documented, every body valid. A failure prints its seed. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { agentWallet } from "../support/agent-wallet.ts";
import { plantAgents } from "./support/agents.ts";
import { HOST, type Operation, startApi, type TestApi } from "./support/api.ts";

const RUNS = 200;
/** 503 where it is the operation's own answer and nothing is broken. */
const OWN_503 = new Set(["getStatus"]);

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { MINT_WAIT_MS: "0" } });
  await plantAgents(api.database.pool, [
    { score: 50 },
    { name: "Ünïcode ✓", score: 80 },
    { name: "Third", traits: [["a", "b"]] },
  ]);
});
afterAll(() => api?.close());

type Parameter = Operation["parameters"][number];

/** Text that has broken somebody before. */
const nasty = fc.constantFrom(
  "",
  "0",
  "-0",
  "-1",
  "1e3",
  "0x10",
  "NaN",
  "Infinity",
  "null",
  "true",
  "9007199254740991",
  "9007199254740993",
  "1".repeat(400),
  "%",
  "_",
  "\\",
  "'",
  '"',
  "' or 1=1--",
  "$1",
  "{{7*7}}",
  "../..",
  "\0",
  "\ud800",
  "\u202e",
  "\u200b",
  "a\u0301",
  "🤖",
  "ﬁ",
  "__proto__",
  "constructor",
  "[]",
  "{}",
  "x".repeat(5000),
  "\r\nX: y",
  "<script>",
  "0x",
  `0x${"0".repeat(40)}`,
  `0x${"F".repeat(40)}`,
);

/** Values for a parameter: what its schema allows, its edges, and what it does not. */
function values({ schema }: Parameter): fc.Arbitrary<string> {
  const {
    type,
    minimum = 0,
    maximum = 1000,
    enum: words,
  } = schema as {
    type: string;
    minimum?: number;
    maximum?: number;
    enum?: string[];
  };
  const own =
    type === "integer"
      ? fc.oneof(
          fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) }).map(String),
          fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1).map(String),
        )
      : type === "boolean"
        ? fc.constantFrom("true", "false", "TRUE")
        : words
          ? fc.constantFrom(...words)
          : fc.constantFrom("0", "1", "2", "77", "atlas", `0x${"aa".repeat(20)}`);
  return fc.oneof(
    { weight: 4, arbitrary: own },
    { weight: 1, arbitrary: nasty },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  );
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll("%EF%BF%BD", "%ED%A0%80");

function requests(path: string, { parameters }: Operation): fc.Arbitrary<string> {
  // A minBlock beyond the index waits five seconds: only values that are there, or none at all, are of use here.
  const query = parameters.filter((p) => p.in === "query" && p.name !== "minBlock");
  const inPath = parameters.filter((p) => p.in === "path");
  return fc
    .tuple(
      fc.tuple(...inPath.map((p) => values(p).filter((v) => v !== ""))),
      fc.tuple(...query.map((p) => fc.option(values(p)))),
      fc.option(
        fc.constantFrom(
          "minBlock=0",
          "minBlock=1000",
          "minBlock=-1",
          "minBlock=x",
          "unknown=1",
          "&&=&",
          "%zz=%",
          "limit=1&limit=2",
        ),
      ),
    )
    .map(([segments, options, extra]) => {
      const filled = inPath.reduce((at, p, i) => at.replace(`{${p.name}}`, encoded(segments[i]!)), path);
      const parts = [
        ...query.flatMap((p, i) => (options[i] === null ? [] : [`${p.name}=${encoded(options[i]!)}`])),
        ...(extra ? [extra] : []),
      ];
      return parts.length > 0 ? `${filled}?${parts.join("&")}` : filled;
    });
}

describe("reads", () => {
  it.each(ENDPOINTS.filter(({ method }) => method === "get").map(({ path }) => path))("GET %s", async (path) => {
    const operation = api.document.paths[path]!.get!;
    await fc.assert(
      fc.asyncProperty(requests(path, operation), async (request) => {
        // The client holds status and body to the document; `.` and `..` as a whole segment change the path.
        const { status } = await api.get(request);
        if (status >= 500) expect([request, status, OWN_503.has(operation.operationId)]).toEqual([request, 503, true]);
      }),
      { numRuns: RUNS },
    );
    expect(api.errors).toEqual([]);
  });
});

describe("POST /api/v2/mint", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    nasty,
  );
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
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.jsonValue()), async (value) => {
        const { status } = await api.send("POST", "/api/v2/mint", {
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify(value),
        });
        expect([202, 400, 409, 413]).toContain(status);
      }),
      { numRuns: RUNS },
    );
    expect(api.errors).toEqual([]);
  });
});
