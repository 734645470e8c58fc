/**
 * The operator's HTTP server of a process, on a separate port that is never public: `/metrics` for Prometheus, `/health`
 * for the supervisor that restarts it, and the board of the queues where it is mounted.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { bindTo, urlAt } from "../runtime/listen-address.ts";

/** Takes a request below its prefix. */
export type MountedHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export type OpsOptions = {
  host: string;
  port: number;
  registry: Registry;
  /** Metrics in Prometheus' text that others count; appended. */
  more?: () => Promise<string>;
  /** By their prefix, such as `/queues`. */
  mounts?: Record<string, MountedHandler>;
  log: Pick<Logger, "info" | "warn">;
};

export type OpsServer = { url: string; close(): Promise<void> };

/** @throws the listen error, e.g. EADDRINUSE */
export async function startOpsServer({ host, port, registry, more, mounts = {}, log }: OpsOptions): Promise<OpsServer> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (incoming, outgoing) => {
    const path = (incoming.url ?? "").split("?", 1)[0]!;
    const mounted = Object.entries(mounts).find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
    if (mounted) return mounted[1](incoming, outgoing);
    if (incoming.method !== "GET" && incoming.method !== "HEAD") return say(outgoing, 405, "Only GET is understood.\n");
    if (path === "/health") return say(outgoing, 200, "ok\n");
    if (path !== "/metrics") return say(outgoing, 404, "There is nothing at this path.\n");
    sendMetrics(outgoing).catch((error) => {
      log.warn({ err: error }, "the metrics could not be read");
      say(outgoing, 500, "The metrics could not be read; the log says why.\n");
    });
  });
  const sendMetrics = async (outgoing: ServerResponse) => {
    const [own, others] = await Promise.all([registry.metrics(), more?.()]);
    say(outgoing, 200, own + (others ?? ""), registry.contentType);
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(bindTo(host, port), resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const url = urlAt(host, bound);
  log.info({ url }, "metrics can be read");
  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function say(outgoing: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  outgoing.end(text);
}
