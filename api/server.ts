/** The Node HTTP server: limits against slow and oversized clients, malformed requests, and an end without broken answers. */
import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Server as NetServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { SHARED_PLACES } from "../core/callers/shared-places.ts";
import { places } from "../core/callers/shares.ts";
import { bindTo, urlAt } from "../runtime/listen-address.ts";
import type { Api } from "./app.ts";
import { comesFrom, networksOf, peerOf } from "./http/client-network.ts";

const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle timeout of common load balancers (60 s), so that the balancer closes idle connections. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/**
 * A client that takes no byte of its answer for this long is disconnected: the rest of the answer would stay in memory.
 */
const TAKE_TIMEOUT_MS = 30_000;
/** Open connections of the process. */
const MAX_CONNECTIONS = SHARED_PLACES.connections.inAll;
const DRAIN_MS = 250;
const STOP_MS = 9_000;

export type RunningServer = {
  /** `http://host:port` as bound. */
  url: string;
  port: number;
  /** Finishes requests in flight (at most 9 s) with `Connection: close`, then closes. */
  stop(): Promise<void>;
};

/**
 * Max milliseconds for a request's headers, for the whole request, and for a client to take the next bytes of its
 * answer.
 */
export type ReadTimeouts = { headersMs: number; requestMs: number; takeMs?: number };
const READ_TIMEOUTS: ReadTimeouts = { headersMs: HEADERS_TIMEOUT_MS, requestMs: REQUEST_TIMEOUT_MS };

export type Binding = {
  host: string;
  port: number;
  /** Addresses and CIDR ranges of our own proxies: they bring many clients. */
  trustedProxies?: string[];
  /** Open connections of one client network; 0 = no limit. */
  connectionsPerClient?: number;
};

/**
 * Bound: headers 32 KiB, a body 256 KiB (http/request-body.ts), a request 30 s, an answer that is not read 30 s.
 * @throws the listen error, e.g. EADDRINUSE
 */
export async function startServer(
  api: Api,
  bind: Binding,
  timeouts: ReadTimeouts = READ_TIMEOUTS,
): Promise<RunningServer> {
  let stopping = false;
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      // The listener refuses a missing Host itself, with a body like any other refusal.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      if (stopping) outgoing.setHeader("Connection", "close");
      outgoing.once("prefinish", () => {
        // Without a socket it waits behind another answer on its connection, and begins after that one.
        if (outgoing.socket?.writableLength !== 0) outgoing.setTimeout(timeouts.takeMs ?? TAKE_TIMEOUT_MS);
      });
      api.listener(incoming, outgoing);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  limitConnections(server, bind);
  const connections = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("clientError", answerMalformed);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(bindTo(bind.host, bind.port), resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: urlAt(bind.host, port),
    port,
    async stop() {
      stopping = true;
      const closed = closeListener(server);
      api.stop();
      // Idle keep-alive clients may be about to send: for 250 ms they are still answered, with `Connection: close`.
      await pause(DRAIN_MS);
      const closeIdle = () => {
        server.closeIdleConnections();
        // For Node a connection that has never sent anything (browsers open some ahead) is not idle but begins a request.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      };
      const sweep = setInterval(closeIdle, 100);
      closeIdle();
      const force = setTimeout(() => server.closeAllConnections(), STOP_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(force);
    },
  };
}

/**
 * Closes new connections of a network that has reached its limit, and those of all while only our proxies' are left.
 */
function limitConnections(server: Server, { connectionsPerClient: most = 0, trustedProxies = [] }: Binding): void {
  if (most === 0) return;
  const isProxy = comesFrom(trustedProxies);
  const open = places({ perHolder: most, inAll: MAX_CONNECTIONS });
  // Runs before Node's own listener, which would begin to read.
  server.prependListener("connection", (socket: Socket) => {
    if (isProxy({ socket })) return;
    const release = open.take([networksOf(peerOf({ socket }))]);
    if (typeof release === "string") return void socket.destroy();
    socket.once("close", release);
  });
}

/** Stops listening without closing idle connections, which http.Server's own close would do at once. */
const closeListener = (server: Server): Promise<void> =>
  new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));

/** Answers on the socket itself, because input that the HTTP parser refuses never becomes a request. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, code, message] = MALFORMED[error.code ?? ""] ?? [400, "invalid_input", "This is not an HTTP request."];
  const body = JSON.stringify({ error: message, code, requestId: "unknown" });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "Access-Control-Allow-Origin: *",
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const MALFORMED: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, "headers_too_large", "The request's headers are larger than 32 KiB."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "timeout", "The request took too long to arrive."],
};
