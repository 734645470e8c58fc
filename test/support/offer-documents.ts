/** Documents of endpoints as hosts send them: random ones, the same written another way, and ones that mean something else. */
import { between, pick } from "../../harness/random.ts";

type Random = () => number;
// biome-ignore lint/suspicious/noExplicitAny: documents of hosts have any shape.
type Json = any;
export type Kind = "mcp" | "agent_card" | "x402" | "priced";
/** `path`: of the endpoint on its host. */
export type HostDocument = { kind: Kind; document: Json };

const BASE = "eip155:8453";
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const WORDS = "adds sums quotes prices weather maps routes tokens audits code images sound".split(" ");
const words = (random: Random, count: number) => Array.from({ length: count }, () => pick(random, WORDS)).join(" ");
const address = (random: Random) =>
  `0x${Array.from({ length: 40 }, () => pick(random, [..."0123456789abcdef"])).join("")}`;

const schema = (random: Random): Json => ({
  type: "object",
  description: words(random, 4),
  properties: Object.fromEntries(
    Array.from({ length: between(random, 2, 5) }, (_, i) => [
      `p${i}`,
      pick(random, [
        { type: "number", minimum: 0.5, maximum: between(random, 1, 99), default: 1.5 },
        { type: ["string", "null"], enum: ["a", "b", "c", null] },
        { anyOf: [{ type: "string" }, { type: "integer" }], description: words(random, 3) },
        { type: "array", items: { type: "string" }, examples: [["x", "y"]] },
      ]),
    ]),
  ),
  required: ["p0", "p1"],
});
const accept = (random: Random, i: number): Json => ({
  ...{
    scheme: "exact",
    network: i === 0 ? BASE : pick(random, [BASE, "eip155:137"]),
    asset: i === 0 ? USDC : address(random),
  },
  ...{ amount: String(between(random, 1, 10 ** 6)), payTo: address(random), maxTimeoutSeconds: 300 },
});

/** A random document of a kind. */
export function someDocument(random: Random, kind: Kind): HostDocument {
  const many = between(random, 2, 12);
  const list = <T>(make: (i: number) => T) => Array.from({ length: many }, (_, i) => make(i));
  const documents: Record<Kind, () => Json> = {
    mcp: () => ({
      tools: list((i) => ({ name: `tool_${i}`, description: words(random, 6), inputSchema: schema(random) })),
    }),
    agent_card: () => ({
      ...{ name: "A", url: "https://a.example/a2a" },
      skills: list((i) => ({
        ...{ id: `s${i}`, name: `Skill ${i}`, description: words(random, 6), tags: [`t${i}`, "b", "c"] },
      })),
    }),
    x402: () => ({
      ...{ x402Version: 2, resource: { description: words(random, 5) } },
      accepts: Array.from({ length: between(random, 2, 4) }, (_, i) => accept(random, i)),
    }),
    priced: () => ({
      openapi: "3.1.0",
      paths: Object.fromEntries(
        list((i) => [
          `/path/${i}`,
          {
            get: {
              summary: `Operation ${i}`,
              description: words(random, 5),
              parameters: [{ name: "q", in: "query", required: true, schema: { type: "string" } }],
              "x-payment-info": {
                price: { mode: "fixed", currency: "USD", amount: `0.0${between(random, 1, 99)}` },
                protocols: [{ x402: accept(random, 0) }],
              },
            },
          },
        ]),
      ),
    }),
  };
  return { kind, document: documents[kind]() };
}

const shuffled = <T>(random: Random, list: readonly T[]): T[] => {
  const left = [...list];
  return Array.from(list, () => left.splice(Math.floor(random() * left.length), 1)[0]!);
};

/** Lists that are sets, by their key. */
const SETS = new Set(["tools", "skills", "accepts", "tags", "required", "enum", "anyOf"]);
const ADDRESSES = new Set(["asset", "payTo"]);
const NUMBERS = new Set(["amount"]);
const TEXTS = new Set(["description", "summary"]);

/** JSON that means the same: another order of keys and sets, other white space, numbers and addresses written another way. */
export function rewritten(random: Random, value: Json, key = ""): string {
  const gap = () => pick(random, ["", " ", "\n  ", "\t"]);
  if (Array.isArray(value)) {
    const order = SETS.has(key) || (key === "type" && value.length > 1) ? shuffled(random, value) : value;
    return `[${order.map((each) => gap() + rewritten(random, each)).join(",")}${gap()}]`;
  }
  if (typeof value === "number") {
    const text = String(value);
    return pick(random, [text, text.includes(".") ? `${text}0` : `${text}.0`, `${value * 10}e-1`]);
  }
  if (typeof value === "string") {
    if (ADDRESSES.has(key))
      return JSON.stringify(pick(random, [value, value.toLowerCase(), value.toUpperCase().replace("X", "x")]));
    if (NUMBERS.has(key)) return JSON.stringify(value.includes(".") ? `${value}00` : `00${value}`);
    if (TEXTS.has(key)) return JSON.stringify(value.replaceAll(" ", () => pick(random, [" ", "  ", "\n"])));
    return JSON.stringify(value);
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  // Operations of a document are listed in the order of its paths.
  const members = shuffled(random, Object.entries(value));
  return `{${members.map(([name, each]) => `${gap()}${JSON.stringify(name)}${gap()}:${rewritten(random, each, name)}`).join(",")}${gap()}}`;
}

type Told = "content" | "prices" | "payTo";
/** Changes of one thing, each with what has to be told of it. */
const MUTATIONS: Record<Kind, [Told, (random: Random, document: Json) => void][]> = {
  mcp: [
    ["content", (_, { tools }) => tools.push({ name: "another", inputSchema: { type: "object" } })],
    ["content", (random, { tools }) => tools.splice(between(random, 0, tools.length - 1), 1)],
    ["content", (random, { tools }) => (pick<Json>(random, tools).description += " And pays.")],
    ["content", (random, { tools }) => (pick<Json>(random, tools).name += "_2")],
    ["content", (random, { tools }) => (pick<Json>(random, tools).inputSchema.properties.extra = { type: "string" })],
    ["content", (random, { tools }) => pick<Json>(random, tools).inputSchema.required.pop()],
    ["content", (random, { tools }) => (pick<Json>(random, tools).inputSchema.properties.p0.pattern = "^a  b$")],
    ["content", (random, { tools }) => (pick<Json>(random, tools).inputSchema.properties.p1 = { default: ["y", "x"] })],
  ],
  agent_card: [
    ["content", (_, { skills }) => skills.push({ id: "new", name: "New", description: "New.", tags: [] })],
    ["content", (random, { skills }) => skills.splice(between(random, 0, skills.length - 1), 1)],
    ["content", (random, { skills }) => pick<Json>(random, skills).tags.push("paid")],
    ["content", (random, { skills }) => (pick<Json>(random, skills).description = "Something else.")],
    ["content", (_, card) => (card.url = "https://b.example/a2a")],
  ],
  x402: [
    ["prices", (random, { accepts }) => (pick<Json>(random, accepts).amount += "1")],
    ["prices", (random, { accepts }) => (pick<Json>(random, accepts).asset = address(random))],
    ["prices", (random, { accepts }) => (pick<Json>(random, accepts).network = "eip155:10")],
    ["prices", (random, { accepts }) => (pick<Json>(random, accepts).scheme = "upto")],
    ["payTo", (random, { accepts }) => (pick<Json>(random, accepts).payTo = address(random))],
    ["payTo", (_, { accepts }) => ([accepts[0].payTo, accepts[1].payTo] = [accepts[1].payTo, accepts[0].payTo])],
    ["content", (_, { resource }) => (resource.description += " Now with more.")],
  ],
  priced: [
    ["content", (_, { paths }) => delete paths["/path/0"]],
    ["prices", (_, { paths }) => (paths["/path/1"].get["x-payment-info"].price.amount = "0.5")],
    [
      "payTo",
      (random, { paths }) => (paths["/path/0"].get["x-payment-info"].protocols[0].x402.payTo = address(random)),
    ],
    // Paid elsewhere under another address.
    [
      "payTo",
      (random, { paths }) => {
        const { "/path/0": moved } = paths;
        delete paths["/path/0"];
        moved.get["x-payment-info"].protocols[0].x402.payTo = address(random);
        paths["/moved"] = moved;
      },
    ],
    ["content", (_, { paths }) => (paths["/path/1"].post = { ...paths["/path/1"].get })],
    ["content", (_, { paths }) => (paths["/path/1"].get.parameters[0].required = false)],
  ],
};

/** A document that means something else, and what has to be told of it. */
export function mutated(random: Random, { kind, document }: HostDocument): { document: Json; told: Told } {
  const copy = structuredClone(document);
  const [told, change] = pick(random, MUTATIONS[kind]);
  change(random, copy);
  return { document: copy, told };
}

type Asked = { method?: string | undefined; body?: string | undefined };
/** What a host with a document answers. @param text the document as JSON */
export function answerOf(kind: Kind, text: string, { method, body }: Asked, random: Random) {
  const answer = (status: number, headers: Record<string, string>, content: string) => ({
    status,
    headers,
    text: content,
  });
  if (kind === "x402") {
    const header = Buffer.from(text).toString("base64");
    return random() < 0.5 ? answer(402, {}, text) : answer(402, { "payment-required": header }, "{}");
  }
  if (kind !== "mcp") return answer(200, {}, text);
  if (method !== "POST") return answer(405, {}, "");
  const { id, method: call } = JSON.parse(body ?? "{}");
  if (id === undefined) return answer(202, {}, "");
  const result = call === "initialize" ? '{"protocolVersion":"2025-06-18","capabilities":{}}' : text;
  return answer(200, {}, `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
}
