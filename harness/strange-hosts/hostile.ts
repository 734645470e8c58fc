/** Hosts that mean harm: they answer what costs who reads it time, memory or processor, or lead elsewhere. */
import type { Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { HOSTILE_DOCUMENTS } from "./hostile-documents.ts";
import {
  again,
  at,
  card,
  endless,
  errorOf,
  fixed,
  type HostileHost,
  hostileCard,
  hostileMcp,
  hostilePaid,
  json,
  mcpServer,
  messageOf,
  resultOf,
  streaming,
  to,
  tools,
} from "./parts.ts";

const CARD = JSON.stringify(card("Sum"));
const [JSON_TYPE, STREAM] = [{ "content-type": "application/json" }, { "content-type": "text/event-stream" }];
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;

const raw = (name: string, write: (socket: Socket) => void, more: Partial<HostileHost> = {}): HostileHost =>
  ({ ...{ kind: "agent_card", path: "/card.json", mostOffers: 0 }, name, raw: write, ...more }) as HostileHost;

/** Sixteen megabytes of blanks, compressed. */
const bomb = (compress: (bytes: Buffer) => Buffer) => compress(Buffer.alloc(2 ** 24, " "));

const BODIES: HostileHost[] = [
  hostileCard("a letter every 50 ms", endless(JSON_TYPE, " ", 50), { endless: true }),
  hostileCard("a letter every millisecond", endless(JSON_TYPE, " ", 1), { endless: true }),
  raw(
    "a head that never ends, a header every 50 ms",
    (socket) => {
      socket.write(HEAD);
      again(socket, "x: y\r\n", 50);
    },
    { endless: true },
  ),
  raw("no answer at all", () => {}, { endless: true }),
  hostileCard("a body without an end", endless(JSON_TYPE, " ".repeat(16_384))),
  hostileCard("16 MiB in 16 KiB of gzip", fixed(bomb(gzipSync), { "content-encoding": "gzip" })),
  hostileCard("16 MiB in thirty bytes of br", fixed(bomb(brotliCompressSync), { "content-encoding": "br" })),
  hostileCard(
    "gzip in gzip, ten times",
    fixed(
      Array.from({ length: 9 }).reduce<Buffer>((body) => gzipSync(body), bomb(gzipSync)),
      { "content-encoding": Array.from({ length: 10 }, () => "gzip").join(", ") },
    ),
  ),
  hostileCard(
    "gzip of empty members without an end",
    endless(
      { ...JSON_TYPE, "content-encoding": "gzip" },
      Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync(""))),
    ),
  ),
  hostileCard("gzip that is none", fixed(CARD, { "content-encoding": "gzip" })),
];

const WIRE: HostileHost[] = [
  raw("100,000 headers", (socket) => void socket.end(`${HEAD}${"x: y\r\n".repeat(100_000)}\r\n{}`)),
  raw(
    "100 and 103 again and again",
    (socket) => again(socket, "HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n".repeat(100)),
    { endless: true },
  ),
  raw(
    "a megabyte in chunks of one byte",
    (socket) => void socket.end(`${CHUNKED}${"1\r\n \r\n".repeat(2 ** 20 - 100)}0\r\n\r\n`),
  ),
  raw(
    "a chunk extension without an end",
    (socket) => {
      socket.write(`${CHUNKED}1;`);
      again(socket, "a".repeat(16_384));
    },
    { endless: true },
  ),
  raw("a chunk's size that is none", (socket) => void socket.end(`${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`)),
  raw("a chunk of 2^64 bytes", (socket) => void socket.end(`${CHUNKED}fffffffffffffffff\r\n${CARD}\r\n0\r\n\r\n`)),
  raw(
    "trailers without an end",
    (socket) => {
      socket.write(`${CHUNKED}2\r\n{}\r\n0\r\n`);
      again(socket, "x: y\r\n".repeat(1_000));
    },
    { endless: true },
  ),
  raw("fewer bytes than its length says", (socket) => void socket.end(`${HEAD}content-length: 99999\r\n\r\n${CARD}`)),
  raw("two lengths", (socket) => void socket.end(`${HEAD}content-length: 2\r\ncontent-length: 9\r\n\r\n${CARD}`)),
  raw(
    "a length and chunks",
    (socket) => void socket.end(`${HEAD}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
  ),
  raw("an answer that is no HTTP", (socket) => void socket.end("SSH-2.0-OpenSSH_9.6\r\n".repeat(100))),
  raw(
    "a second answer behind the first",
    (socket) =>
      void socket.end(
        `${HEAD}content-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: ${CARD.length}\r\n\r\n${CARD}`,
      ),
  ),
];

const LEADING: HostileHost[] = [
  hostilePaid("redirects in a circle", at({ "/q": to(302, "/r"), "/r": to(307, "/q") })),
  hostilePaid("a redirect to a cloud's metadata", to(302, "http://169.254.169.254/latest")),
  hostilePaid("a redirect into a private network", to(307, "http://10.0.0.1/")),
  hostilePaid("a redirect to a private IPv6 address", to(308, "http://[fd00::1]/")),
  hostilePaid("a redirect to a file", to(301, "file:///etc/passwd")),
  hostilePaid("a redirect to an address of a megabyte", to(302, `/${"a".repeat(15_000)}`)),
  hostileMcp("a POST led to a private address", to(307, "http://192.168.0.1/mcp")),
];

const STREAMS: HostileHost[] = [
  hostileMcp("a stream of blank lines without an end", endless(STREAM, "\n".repeat(16_384))),
  hostileMcp(
    "a stream of notes without an end",
    endless(STREAM, `data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`.repeat(100)),
  ),
  hostileMcp("a stream of comments, one every 50 ms", endless(STREAM, ": ping\n\n", 50), { endless: true }),
  hostileMcp(
    "63 notes before each answer",
    mcpServer({
      list: (cursor) => ({ tools: tools(`t${cursor ?? 0}`), nextCursor: String(Number(cursor ?? 0) + 1) }),
      reply: streaming((text) => `${`data: {"jsonrpc":"2.0","method":"n"}\n\n`.repeat(63)}data: ${text}\n\n`),
    }),
    { mostOffers: 5 },
  ),
  ...(
    [
      ["another host's", "http://10.0.0.1/messages"],
      ["a place that is silent", "/silent"],
      ["no place", "http://["],
    ] as const
  ).map(([what, endpoint]) =>
    hostileMcp(
      `an older stream whose endpoint is ${what}`,
      (request, response) => {
        if (request.method === "POST")
          return request.url === "/silent" ? undefined : void response.writeHead(405).end();
        response.writeHead(200, STREAM).write(`event: endpoint\ndata: ${endpoint}\n\n`);
      },
      { endless: true },
    ),
  ),
  hostileMcp("an older stream of endpoints without an end", (request, response) => {
    if (request.method === "POST") return void response.writeHead(request.url === "/m" ? 202 : 405).end();
    response.writeHead(200, STREAM);
    again(response, "event: endpoint\ndata: /m\n\n".repeat(100));
  }),
  hostileMcp(
    "an older stream that answers 64 times at once",
    (request, response) => {
      if (request.method === "POST")
        return messageOf(request, () => void response.writeHead(request.url === "/m" ? 202 : 405).end());
      const said = [1, 2, 3, 4, 5, 6, 7, 8].map((id) =>
        JSON.stringify(resultOf(id, { protocolVersion: "2024-11-05", tools: tools(`t${id}`), nextCursor: `${id}` })),
      );
      response.writeHead(200, STREAM);
      again(
        response,
        `event: endpoint\ndata: /m\n\n${said
          .map((text) => `data: ${text}\n\n`)
          .join("")
          .repeat(8)}`,
      );
    },
    { mostOffers: 64 },
  ),
];

/** What is asked again and again leads on again and again. */
const CURSORS: HostileHost[] = [
  hostileMcp(
    "pages in a circle",
    mcpServer({ list: (cursor) => ({ tools: tools("a", "b"), nextCursor: cursor === "b" ? "a" : "b" }) }),
    { mostOffers: 6 },
  ),
  hostileMcp(
    "pages without an end",
    mcpServer({ list: (cursor) => ({ tools: tools(`t${cursor}`), nextCursor: `${cursor ?? ""}1` }) }),
    { mostOffers: 5 },
  ),
  hostileMcp(
    "a cursor of half a megabyte",
    mcpServer({ list: () => ({ tools: tools("a"), nextCursor: "c".repeat(500_000) }) }),
    { mostOffers: 1 },
  ),
  hostileMcp("errors to everything", (request, response) =>
    messageOf(request, ({ id }) => json(response, errorOf(id, -32_603), 500)),
  ),
];

export const HOSTILE: readonly HostileHost[] = [
  ...BODIES,
  ...WIRE,
  ...LEADING,
  ...STREAMS,
  ...CURSORS,
  ...HOSTILE_DOCUMENTS,
];
