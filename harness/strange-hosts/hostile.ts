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

const cardHost = { kind: "agent_card", path: "/card.json", mostOffers: 0 } as const;
const mcpHost = { kind: "mcp", path: "/mcp", mostOffers: 0 } as const;
const raw = (name: string, write: (socket: Socket) => void, more: Partial<HostileHost> = {}): HostileHost =>
  ({ ...cardHost, name, raw: write, ...more }) as HostileHost;

/** Sixteen megabytes of blanks, compressed. */
const bomb = (compress: (bytes: Buffer) => Buffer) => compress(Buffer.alloc(2 ** 24, " "));

const BODIES: HostileHost[] = [
  {
    ...{ ...cardHost, name: "a letter every 50 ms", endless: true },
    serve: endless(JSON_TYPE, " ", 50),
  },
  {
    ...{ ...cardHost, name: "a letter every millisecond", endless: true },
    serve: endless(JSON_TYPE, " ", 1),
  },
  raw(
    "a head that never ends, a header every 50 ms",
    (socket) => {
      socket.write(HEAD);
      again(socket, "x: y\r\n", 50);
    },
    { endless: true },
  ),
  raw("no answer at all", () => {}, { endless: true }),
  {
    ...{ ...cardHost, name: "a body without an end" },
    serve: endless(JSON_TYPE, " ".repeat(16_384)),
  },
  {
    ...{ ...cardHost, name: "16 MiB in 16 KiB of gzip" },
    serve: fixed(bomb(gzipSync), { "content-encoding": "gzip" }),
  },
  {
    ...{ ...cardHost, name: "16 MiB in thirty bytes of br" },
    serve: fixed(bomb(brotliCompressSync), { "content-encoding": "br" }),
  },
  {
    ...{ ...cardHost, name: "gzip in gzip, ten times" },
    serve: fixed(
      Array.from({ length: 9 }).reduce<Buffer>((body) => gzipSync(body), bomb(gzipSync)),
      { "content-encoding": Array.from({ length: 10 }, () => "gzip").join(", ") },
    ),
  },
  {
    ...{ ...cardHost, name: "gzip of empty members without an end" },
    serve: endless(
      { ...JSON_TYPE, "content-encoding": "gzip" },
      Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync(""))),
    ),
  },
  { ...{ ...cardHost, name: "gzip that is none" }, serve: fixed(CARD, { "content-encoding": "gzip" }) },
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

const x402Host = { kind: "x402", path: "/q", mostOffers: 0 } as const;
const LEADING: HostileHost[] = [
  { ...{ ...x402Host, name: "redirects in a circle" }, serve: at({ "/q": to(302, "/r"), "/r": to(307, "/q") }) },
  { ...{ ...x402Host, name: "a redirect to a cloud's metadata" }, serve: to(302, "http://169.254.169.254/latest") },
  { ...{ ...x402Host, name: "a redirect into a private network" }, serve: to(307, "http://10.0.0.1/") },
  { ...{ ...x402Host, name: "a redirect to a private IPv6 address" }, serve: to(308, "http://[fd00::1]/") },
  { ...{ ...x402Host, name: "a redirect to a file" }, serve: to(301, "file:///etc/passwd") },
  { ...{ ...x402Host, name: "a redirect to an address of a megabyte" }, serve: to(302, `/${"a".repeat(15_000)}`) },
  { ...{ ...mcpHost, name: "a POST led to a private address" }, serve: to(307, "http://192.168.0.1/mcp") },
];

const STREAMS: HostileHost[] = [
  {
    ...{ ...mcpHost, name: "a stream of blank lines without an end" },
    serve: endless(STREAM, "\n".repeat(16_384)),
  },
  {
    ...{ ...mcpHost, name: "a stream of notes without an end" },
    serve: endless(STREAM, `data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`.repeat(100)),
  },
  {
    ...{ ...mcpHost, name: "a stream of comments, one every 50 ms", endless: true },
    serve: endless(STREAM, ": ping\n\n", 50),
  },
  {
    ...{ ...mcpHost, name: "63 notes before each answer", mostOffers: 5 },
    serve: mcpServer({
      list: (cursor) => ({ tools: tools(`t${cursor ?? 0}`), nextCursor: String(Number(cursor ?? 0) + 1) }),
      reply: streaming((text) => `${`data: {"jsonrpc":"2.0","method":"n"}\n\n`.repeat(63)}data: ${text}\n\n`),
    }),
  },
  ...(
    [
      ["another host's", "http://10.0.0.1/messages"],
      ["a place that is silent", "/silent"],
      ["no place", "http://["],
    ] as const
  ).map(
    ([what, endpoint]): HostileHost => ({
      ...{ ...mcpHost, name: `an older stream whose endpoint is ${what}`, endless: true },
      serve(request, response) {
        if (request.method === "POST")
          return request.url === "/silent" ? undefined : void response.writeHead(405).end();
        response.writeHead(200, STREAM).write(`event: endpoint\ndata: ${endpoint}\n\n`);
      },
    }),
  ),
  {
    ...{ ...mcpHost, name: "an older stream of endpoints without an end" },
    serve(request, response) {
      if (request.method === "POST") return void response.writeHead(request.url === "/m" ? 202 : 405).end();
      response.writeHead(200, STREAM);
      again(response, "event: endpoint\ndata: /m\n\n".repeat(100));
    },
  },
  {
    ...{ ...mcpHost, name: "an older stream that answers 64 times at once", mostOffers: 64 },
    serve(request, response) {
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
  },
];

/** What is asked again and again leads on again and again. */
const CURSORS: HostileHost[] = [
  {
    ...{ ...mcpHost, name: "pages in a circle", mostOffers: 6 },
    serve: mcpServer({ list: (cursor) => ({ tools: tools("a", "b"), nextCursor: cursor === "b" ? "a" : "b" }) }),
  },
  {
    ...{ ...mcpHost, name: "pages without an end", mostOffers: 5 },
    serve: mcpServer({ list: (cursor) => ({ tools: tools(`t${cursor}`), nextCursor: `${cursor ?? ""}1` }) }),
  },
  {
    ...{ ...mcpHost, name: "a cursor of half a megabyte", mostOffers: 1 },
    serve: mcpServer({ list: () => ({ tools: tools("a"), nextCursor: "c".repeat(500_000) }) }),
  },
  {
    ...{ ...mcpHost, name: "errors to everything" },
    serve: (request, response) => messageOf(request, ({ id }) => json(response, errorOf(id, -32_603), 500)),
  },
];

export const HOSTILE: readonly HostileHost[] = [
  ...BODIES,
  ...WIRE,
  ...LEADING,
  ...STREAMS,
  ...CURSORS,
  ...HOSTILE_DOCUMENTS,
];
