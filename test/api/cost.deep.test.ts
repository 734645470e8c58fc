/** What a request may cost the process that answers it: CPU in proportion to its bytes, whatever stands in it and wherever. */
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { requestUrl } from "../../api/app.ts";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { cpuOf, cpuSince } from "../support/cpu.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, HOST, type Operation, type TestApi } from "./support/api.ts";
import { NASTY, REPEATED } from "./support/hostile-text.ts";

const { cases, seed, share } = inject("fuzz");
/** `npm run trial -- fuzz` tries more at each place, in larger bodies, and prints what cost most. */
const IS_FUZZ = share === 1;
const TRIES = Math.ceil(cases / 500);
/** Milliseconds of CPU, the client's own among them; three times what is usual. What this finds takes seconds. */
const most = (kilobytes: number) => 3 * (20 + 0.2 * kilobytes);
const BODY_BYTES = IS_FUZZ ? 240_000 : 64_000;
/** A request line and its headers have 32 KiB together. */
const LINE_BYTES = 12_000;
const [MARKS, DISTINCT] = REPEATED as [string, string];

const ENV = {
  ...{ MINT_WAIT_MS: "0", LIMITS: "writes=1000000,proofs=1000000" },
  RECEIPT_SIGNER_PRIVATE_KEY: `0x${"11".repeat(32)}`,
};
const api = apiForFile({ alone: true, env: ENV }, { provoked: true });
const paid = apiForFile({ alone: true, env: { ...ENV, PRICING_PHASE: "paid" } }, { provoked: true });
const credentials: Record<string, Record<string, string>> = {};
beforeAll(async () => {
  const wallet = agentWallet({ host: HOST });
  const owner = wallet.address.toLowerCase() as Lowercase<typeof wallet.address>;
  for (const { database } of [api, paid])
    await plantAgents(database.pool, [{ tokenId: 1, owner, agentAddress: owner }]);
  const [siwa, siwe] = [{ authorization: await wallet.siwa() }, { authorization: await wallet.siwe() }];
  Object.assign(credentials, { anyone: {}, anyoneOrSiwa: siwa, siwa, human: siwe, owner: siwe });
});
afterAll(() => {
  if (IS_FUZZ) printWorst();
});

type Cost = { endpoint: string; what: string; kilobytes: number; cpuMs: number; share: number };
const worst = new Map<string, Cost>();

/** Sends a request; when it costs too much, twice more: the first may have met a collection of garbage. */
async function cost(on: TestApi, endpoint: string, what: string, path: string, init: RequestInit): Promise<void> {
  const [method] = endpoint.split(" ");
  const sent = [path, typeof init.body === "string" ? init.body : "", JSON.stringify(init.headers ?? {})];
  const kilobytes = Buffer.byteLength(sent.join("")) / 1_000;
  let cpuMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && cpuMs > most(kilobytes); tries++) {
    const from = process.threadCpuUsage();
    const { status } = await on.send(method!, path, init);
    cpuMs = Math.min(cpuMs, cpuSince(from));
    expect(status, what).toBeLessThan(500);
  }
  const share = cpuMs / most(kilobytes);
  if (share > (worst.get(endpoint)?.share ?? 0)) worst.set(endpoint, { endpoint, what, kilobytes, cpuMs, share });
  expect(cpuMs, `milliseconds of CPU for ${what}`).toBeLessThan(most(kilobytes));
}

function printWorst(): void {
  console.log("CPU of the dearest request to each endpoint: share of what is allowed, ms, kB, what it was");
  for (const { endpoint, what, kilobytes, cpuMs, share } of [...worst.values()].sort((a, b) => b.share - a.share)) {
    const numbers = [`${(100 * share).toFixed(0)} %`, cpuMs.toFixed(0), kilobytes.toFixed(0)];
    console.log(numbers.map((number) => number.padStart(6)).join(" "), ` ${endpoint}: ${what}`);
  }
}

type Schema = {
  type?: string | string[];
  $ref?: string;
  anyOf?: Schema[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  pattern?: string;
  format?: string;
};
const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : resolved((api.document.components.schemas as Record<string, Schema>)[schema.$ref.split("/").at(-1)!]!);

const SAMPLES = ["1", "x", "hum_none", "org-none", "00000000-0000-4000-8000-000000000000", `0x${"1".repeat(40)}`];
/** A value that the schema allows, so that the rest of a body is read. */
function sample(given: Schema): unknown {
  const schema = resolved(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf[0]!);
  const type = [schema.type].flat()[0];
  if (type === "integer" || type === "number") return 1;
  if (type === "boolean") return true;
  if (type === "array") return [];
  if (type === "object")
    return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]));
  if (schema.format === "uuid") return SAMPLES[4];
  return SAMPLES.find((text) => new RegExp(schema.pattern ?? "").test(text)) ?? "1";
}

/** Each place of a body, at most four deep, with the function that puts a value there. */
function* placesIn(given: Schema, depth = 0): Generator<[place: string, put: (value: unknown) => unknown]> {
  const schema = resolved(given);
  yield ["", (value) => value];
  if (depth === 4) return;
  for (const each of schema.anyOf ?? []) yield* [...placesIn(each, depth + 1)].slice(1);
  if (schema.items)
    for (const [place, put] of placesIn(schema.items, depth + 1)) yield [`[]${place}`, (value) => [put(value)]];
  if (typeof schema.additionalProperties === "object")
    for (const [place, put] of placesIn(schema.additionalProperties, depth + 1))
      yield [`.*${place}`, (value) => ({ any: put(value) })];
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    for (const [place, put] of placesIn(each, depth + 1))
      yield [`.${name}${place}`, (value) => ({ ...(sample(schema) as object), [name]: put(value) })];
}

const repeated = (piece: string, bytes: number) =>
  `a${piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(JSON.stringify(piece).slice(1, -1)))))}`;
/** A text as one text, as a key, as a host, and in many parts. */
const VALUES: Record<string, (piece: string) => unknown> = {
  text: (piece) => repeated(piece, BODY_BYTES),
  key: (piece) => ({ [repeated(piece, BODY_BYTES / 2)]: repeated(piece, BODY_BYTES / 2) }),
  url: (piece) => `https://${repeated(piece, 8_000)}.com/`,
  urls: (piece) =>
    Object.fromEntries(
      Array.from({ length: BODY_BYTES / 2_000 }, (_, i) => [`k${i}`, `https://${repeated(piece, 1_900)}.com/`]),
    ),
  texts: (piece) => Array.from({ length: BODY_BYTES / 60 }, (_, i) => `${i}${repeated(piece, 40)}`),
  keys: (piece) =>
    Object.fromEntries(Array.from({ length: BODY_BYTES / 60 }, (_, i) => [`k${i}${repeated(piece, 20)}`, piece])),
};
const nameOf = (piece: string) =>
  `${[...piece]
    .map((one) => `U+${one.codePointAt(0)!.toString(16)}`)
    .join(" ")
    .slice(0, 40)}…`;

const KINDS = Object.keys(VALUES);
const PIECES = [...REPEATED, ...NASTY.filter((text) => text !== "" && text.isWellFormed() && !text.includes("\0"))];
/** What is tried at a place: marks, and of all the rest a few, at each place others. */
function tries(turn: number): [kind: string, piece: string][] {
  const others = Array.from({ length: TRIES }, (_, i): [string, string] => {
    const pick = seed + turn * TRIES + i;
    return [KINDS[pick % KINDS.length]!, PIECES[pick % PIECES.length]!];
  });
  return [["text", MARKS], ["key", MARKS], ["urls", DISTINCT], ...others];
}

const filled = (path: string, parameters: Operation["parameters"]) =>
  parameters
    .filter((one) => one.in === "path")
    .reduce(
      (at, { name, schema }) => at.replace(`{${name}}`, encodeURIComponent(String(sample(schema as Schema)))),
      path,
    );

const strangers = ENDPOINTS.filter(({ guard }) => !/key$/i.test(guard.caller)).map(({ method, path, guard }) => ({
  endpoint: `${method.toUpperCase()} ${path}`,
  method,
  path,
  caller: guard.caller,
}));

describe("a body of any shape", () => {
  it.each(strangers.filter(({ method }) => method !== "get"))(
    "$endpoint",
    async ({ endpoint, method, path, caller }) => {
      const { parameters, requestBody } = api.document.paths[path]![method]!;
      const headers = { "content-type": "application/json", ...credentials[caller] };
      let turn = 0;
      for (const [place, put] of placesIn((requestBody?.content["application/json"].schema ?? {}) as Schema))
        for (const [kind, piece] of tries(turn++))
          await cost(api, endpoint, `${kind} ${nameOf(piece)} at body${place}`, filled(path, parameters), {
            headers,
            body: JSON.stringify(put(VALUES[kind]!(piece))),
          });
    },
  );

  it.each(["find_agents", "search_agents", "get_cred"])("POST /mcp: %s", async (tool) => {
    for (const [kind, piece] of [
      ["text", MARKS],
      ["key", MARKS],
      ["text", "xn--"],
    ] as const)
      for (const name of ["q", "ref", "name"])
        await cost(api, "POST /mcp", `${kind} ${nameOf(piece)} at ${tool}.${name}`, "/mcp", {
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify({
            ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
            params: { name: tool, arguments: { [name]: VALUES[kind]!(piece) } },
          }),
        });
  });

  it.each(REPEATED)("POST /a2a asks in words: %j", async (piece) => {
    const text = `find agents that can ${repeated(piece, BODY_BYTES)}`;
    await cost(api, "POST /a2a", `text ${nameOf(piece)}`, "/a2a", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "message/send" },
        params: { message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text }] } },
      }),
    });
  });
});

/** Without a credential, in milliseconds of CPU: of one such request, and until /health answered beside eight of them. */
const ANONYMOUS = { one: 20, health: 50 };

it.each([
  ["/api/v2/register/solana", { address: "x", nonce: "x", signature: "x", framework: "custom" }, "name"],
  ["/api/v2/agent/1/human-update", {}, "name"],
  [`/api/terminal/agent/0x${"1".repeat(40)}/token`, { token_address: `0x${"1".repeat(40)}` }, "token_symbol"],
  ["/api/v2/cred-report/verify-receipt", { signature: "0x" }, "payload"],
  ["/api/v2/preflight", {}, "url"],
])("240 kB of marks from anyone to %s are 400 soon, and /health is heard beside them", async (path, rest, place) => {
  const body = JSON.stringify({ ...rest, [place]: MARKS.repeat(60_000) });
  const post = () => api.send("POST", path, { headers: { "content-type": "application/json" }, body });
  const best = { one: Number.POSITIVE_INFINITY, health: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < 5 && (best.one > ANONYMOUS.one || best.health > ANONYMOUS.health); tries++) {
    let from = process.threadCpuUsage();
    expect((await post()).status).toBe(400);
    best.one = Math.min(best.one, cpuSince(from));
    from = process.threadCpuUsage();
    const posts = Array.from({ length: 8 }, post);
    expect((await api.get("/health")).status).toBe(200);
    best.health = Math.min(best.health, cpuSince(from));
    await Promise.all(posts);
  }
  expect(best.one).toBeLessThan(ANONYMOUS.one);
  expect(best.health).toBeLessThan(ANONYMOUS.health);
});

describe("a path and a query of any text", () => {
  it.each(strangers)("$endpoint", async ({ endpoint, method, path, caller }) => {
    const { parameters } = api.document.paths[path]![method]!;
    const pieces = (turn: number) => (IS_FUZZ ? REPEATED : [MARKS, REPEATED[(turn * 7) % REPEATED.length]!]);
    for (const [turn, { name, in: where }] of parameters.entries())
      for (const piece of where === "header" || name === "minBlock" ? [] : pieces(turn)) {
        const text = encodeURIComponent(piece.repeat(LINE_BYTES / encodeURIComponent(piece).length));
        const at =
          where === "path"
            ? filled(path.replace(`{${name}}`, text), parameters)
            : `${filled(path, parameters)}?${name}=${text}`;
        await cost(api, endpoint, `${nameOf(piece)} at ${where}.${name}`, at, {
          headers: { ...credentials[caller], ...(method !== "get" && { "content-type": "application/json" }) },
          ...(method !== "get" && { body: "{}" }),
        });
      }
  });

  it.each(REPEATED)("that no endpoint has: %j", async (piece) => {
    const text = encodeURIComponent(piece.repeat(LINE_BYTES / encodeURIComponent(piece).length));
    const written = /^[\w.:/=-]+$/.test(piece) ? piece.repeat(LINE_BYTES / piece.length) : text;
    for (const path of [`/${text}`, `/api/v2/${text}`, `/nowhere/${text}`, `/api/v2/${written}`])
      await cost(api, "GET /*", `${nameOf(piece)} in a path`, path, {});
  });
});

it("a host in the request line or in its header costs nothing when it is longer than any name", () => {
  const cpuMs = cpuOf(() => {
    for (const piece of REPEATED) {
      const host = `${encodeURIComponent(piece.repeat(LINE_BYTES / encodeURIComponent(piece).length))}.com`;
      expect(requestUrl({ url: `http://${host}/`, headers: {} } as IncomingMessage)).toBeNull();
      expect(requestUrl({ url: "/%20", headers: { host } } as IncomingMessage)).toBeNull();
    }
  });
  expect(cpuMs).toBeLessThan(most(REPEATED.length * 2 * (LINE_BYTES / 1_000)) / 10);
});

describe("a header of any text", () => {
  const HEADERS = [
    ...["authorization", "x-siwa", "x-api-key"],
    ...["payment-signature", "x-payment", "x-payment-tx", "payment-authorization"],
  ];
  const OTHERS = [
    ...["idempotency-key", "if-none-match", "accept", "accept-language", "origin", "cookie", "range"],
    ...["last-event-id", "x-forwarded-for", "traceparent", "content-type", "a2a-version"],
  ];
  const beginnings = ["", "Bearer ", "Payment ", `0x${"1".repeat(40)}:`];
  it.each([...HEADERS, ...OTHERS])("%s", async (name) => {
    const plain = REPEATED.filter((piece) => /^[\x20-\x7e]+$/.test(piece));
    for (const piece of [...plain, Buffer.from(JSON.stringify({ a: MARKS.repeat(1_500) })).toString("base64")])
      for (const beginning of HEADERS.indexOf(name) < 0 ? [""] : beginnings) {
        const value = `${beginning}${piece.repeat(Math.max(1, LINE_BYTES / piece.length))}`;
        const headers = { "content-type": "application/json", [name]: value };
        await cost(paid, "POST /api/v2/mint", `${beginning}${piece.slice(0, 9)}… in ${name}`, "/api/v2/mint", {
          headers,
          body: "{}",
        });
        await cost(paid, "GET /api/v2/agents", `${beginning}${piece.slice(0, 9)}… in ${name}`, "/api/v2/agents", {
          headers,
        });
      }
  });
});
