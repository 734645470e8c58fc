/** Documents within the limits of size that cost as much as may be: parsers, texts, schemas. */
import { base64 } from "../payment-signing.ts";
import {
  at,
  card,
  filled,
  fixed,
  type HostileHost,
  hostileCard,
  hostileMcp,
  hostilePaid,
  mcpServer,
  streaming,
  termsV2,
} from "./parts.ts";

const documentHost = (name: string, body: string | Buffer, mostOffers = 0): HostileHost =>
  hostileCard(name, fixed(body), { mostOffers });
const toolsHost = (name: string, list: unknown, mostOffers: number): HostileHost =>
  hostileMcp(name, mcpServer({ list: () => list }), { mostOffers });
const streamHost = (name: string, stream: string): HostileHost => {
  const streamed = fixed(Buffer.from(stream), { "content-type": "text/event-stream" });
  return hostileMcp(name, (request, response) =>
    request.method === "POST" ? streamed(request, response) : void response.writeHead(405).end(),
  );
};

/** Written out, because what is this deep cannot be made of objects. */
const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
const wide = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, { type: "string" }]));
const sixtyFour = (tool: (i: number) => object) => ({
  tools: Array.from({ length: 64 }, (_, i) => ({ name: `t${i}`, ...tool(i) })),
});
const COMBINING = "e\u0301";

const claim = { protected: Buffer.from('{"alg":"ES256","kid":"k"}').toString("base64url"), signature: "A".repeat(86) };
const badKey = { kty: "EC", crv: "P-256", kid: "k", x: "A".repeat(43), y: "A".repeat(43) };
const priced = { get: { "x-payment-info": { price: "1e999", offers: [{ amount: "9".repeat(30) }] } } };

const ALSO_READ: HostileHost[] = [
  hostileCard(
    "a card with a thousand signatures, a set of a thousand keys",
    at({
      "/card.json": fixed({
        ...card(...Array.from({ length: 700 }, (_, i) => `s${i}`)),
        signatures: Array(500).fill(claim),
      }),
      "/.well-known/jwks.json": fixed({ keys: Array(1_000).fill(badKey) }),
    }),
    { mostOffers: 64 },
  ),
  hostilePaid(
    "OpenAPI of 5,000 paid paths",
    fixed({
      openapi: "3.1.0",
      paths: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`/${i}`, priced])),
    }),
    { path: "/openapi.json", mostOffers: 64 },
  ),
  hostilePaid("OpenAPI of a megabyte of paths", fixed(filled('{"openapi":"3","paths":{"/a":{}', ',"/":{}', "}}")), {
    path: "/",
  }),
];

export const HOSTILE_DOCUMENTS: readonly HostileHost[] = [
  ...ALSO_READ,
  documentHost("JSON that opens and opens", filled("", '{"a":[')),
  documentHost("JSON of 100,000 levels", nested(100_000, "[", "]")),
  documentHost("a megabyte of empty lists", filled("[", "[],", "1]")),
  documentHost("a megabyte of empty objects among skills", filled('{"name":"A","skills":[', "{},", "{}]}")),
  documentHost("a megabyte of numbers", filled('{"name":"A","skills":[', "1e999,", "1]}")),
  documentHost("a megabyte of escapes", filled('{"name":"A","skills":[],"x":"', "\\u0000", '"}')),
  documentHost("a hundred thousand fields", `{${Array.from({ length: 70_000 }, (_, i) => `"k${i}":[]`).join(",")}}`),
  documentHost("fields of one name", filled("{", '"__proto__":{},', '"a":1}')),
  documentHost("a name of combining marks", filled('{"skills":[{"name":"', "\u0301", '"}],"name":"A"}'), 1),
  documentHost(
    "skills of combining marks",
    filled('{"name":"A","skills":[', `{"name":"${COMBINING}"},`, '{"name":"a"}]}'),
    64,
  ),
  documentHost(
    "skills with NUL, halves of pairs and turned text",
    JSON.stringify({
      ...card(),
      skills: ["\0", "\ud800", "\u202e\u2066", "\u200b"].map((name) => ({ name })),
    }).replaceAll("\ufffd", "\\udc00"),
    4,
  ),
  documentHost("not JSON: a megabyte of one letter", filled("", "a")),
  documentHost("UTF-8 broken in each byte", Buffer.alloc(2 ** 20 - 100, 0xff)),
  toolsHost("10,000 tools", { tools: Array.from({ length: 10_000 }, (_, i) => ({ name: `t${i}` })) }, 64),
  toolsHost(
    "64 tools with schemas of 200 levels",
    sixtyFour(() => ({ description: COMBINING.repeat(900), inputSchema: deep(200) })),
    64,
  ),
  toolsHost(
    "64 tools with schemas of 300 fields",
    sixtyFour(() => ({ inputSchema: wide(300) })),
    64,
  ),
  toolsHost(
    "64 tools with texts of combining marks in their schemas",
    sixtyFour(() => ({
      inputSchema: { description: COMBINING.repeat(4_000), properties: wide(20) },
    })),
    64,
  ),
  toolsHost("a schema of half a megabyte", { tools: [{ name: "t", inputSchema: wide(20_000) }] }, 1),
  streamHost("a megabyte of events that are no JSON", filled("", "data:x\n\n")),
  streamHost("a megabyte of events that begin JSON", filled("", 'data:{"id":\n\n')),
  streamHost("one event of a megabyte of lines", filled("", "data:\n")),
  streamHost("a megabyte of answers to others", filled("", 'data:{"jsonrpc":"2.0","id":99,"result":{}}\n\n')),
  hostilePaid(
    "terms of a thousand ways to pay",
    fixed({ ...termsV2("Quotes"), accepts: Array.from({ length: 5_000 }, () => termsV2("x").accepts[0]) }, {}, 402),
    { mostOffers: 1 },
  ),
  hostilePaid(
    "terms of 15 KB in the header, a megabyte in the body",
    fixed(filled("[", "[],", "1]"), { "payment-required": base64("x".repeat(10_000)) }, 402),
  ),
  hostilePaid("a stream in the place of terms", (_, response) =>
    streaming(() => filled("", "data:x\n\n"))(response, {}, {}),
  ),
];
