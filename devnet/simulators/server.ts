/** All simulators behind one HTTP server: each upstream at `/<source>`, their control at `/_control`. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { ZodError, z } from "zod";
import { type Hang, reply, type SimulatedUpstream, type Simulator, simulatedWorld } from "./simulator.ts";
import { SIMULATORS } from "./upstreams.ts";

const plan = z.object({
  source: z.string(),
  status: z.int().min(200).max(599).optional(),
  delayMs: z.int().min(0).max(600_000).optional(),
  /** There is no answer. */
  hangs: z.literal(true).optional(),
  /** A text is sent unchanged (HTML), anything else as JSON. */
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** How many answers; 0 clears what was planned before. */
  times: z.int().min(0).default(1),
});
type FaultPlan = z.output<typeof plan>;

/** The next answers of an upstream fail, hang, or say something else. */
function plannedFaults() {
  const plans = new Map<string, FaultPlan>();
  return {
    /** @throws ZodError for what is no plan */
    plan(body: unknown): FaultPlan {
      const planned = plan.parse(body);
      if (planned.times === 0) plans.delete(planned.source);
      else plans.set(planned.source, { ...planned });
      return planned;
    },
    /** The failure of the next answer of a source, used up by this call. */
    take(source: string): FaultPlan | undefined {
      const planned = plans.get(source);
      if (!planned) return undefined;
      if (--planned.times <= 0) plans.delete(source);
      return planned;
    },
  };
}

/** As the API's: a client on a busy machine that uses a connection again after Node's 5 s finds it closed. */
const KEEP_ALIVE_MS = 65_000;

export type RunningSimulators = { url: string; stop(): Promise<void> };

/**
 * Starts the simulators on the loopback interface.
 * @param options.port a free one by default @param options.file where they keep what they hold; nowhere by default
 * @param options.rows rows that each registry makes up in addition to those it was given; 0 by default
 * @param options.rpcUrl of the chain on which simulated agents are paid; none by default
 * @param options.upstreams what is simulated; every upstream of the service by default
 * @param options.onHang called with the first segment of a request that is never answered
 */
export async function startSimulators({
  port = 0,
  file,
  rows = 0,
  rpcUrl,
  upstreams = SIMULATORS,
  onHang,
}: {
  port?: number;
  file?: string;
  rows?: number;
  rpcUrl?: string;
  upstreams?: readonly SimulatedUpstream[];
  onHang?: (segment: string) => void;
} = {}): Promise<RunningSimulators> {
  // Its URL is part of some answers, and known once it listens.
  let listener: ReturnType<typeof getRequestListener> | undefined;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
    void listener?.(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world = simulatedWorld(file);
  const hang: Hang = (segment) => {
    onHang?.(segment);
    return new Promise<never>(() => {});
  };
  const app = simulatorApp(
    upstreams.map(({ make }) => make({ world, baseUrl: url, rows, rpcUrl, hang })),
    hang,
  );
  listener = getRequestListener(app.fetch);
  return {
    url,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The HTTP surface of some simulators. */
function simulatorApp(simulators: readonly Simulator[], hang: Hang): Hono {
  // Upstreams are asked with and without a slash at the end.
  const app = new Hono({ strict: false });
  const faults = plannedFaults();
  app.get("/health", () => reply({ status: "ok", sources: simulators.map(({ source }) => source) }));
  app.post("/_control/fail", async (c) => {
    const planned = faults.plan(await c.req.json());
    const known = simulators.some(({ source }) => source === planned.source);
    return known ? reply(planned) : reply({ error: `there is no simulator of ${planned.source}` }, 404);
  });
  for (const simulator of simulators) {
    if (simulator.root) app.route("/", simulator.root);
    if (simulator.control) app.route(`/_control/${simulator.controlPath ?? simulator.source}`, simulator.control);
    for (const segment of [simulator.source, ...(simulator.aliases ?? [])]) {
      app.use(`/${segment}/*`, async (c, next) => {
        const planned = faults.take(simulator.source);
        if (planned?.hangs) await hang(segment);
        // At most until the client has given up.
        if (planned?.delayMs) await wait(planned.delayMs, undefined, { signal: c.req.raw.signal }).catch(() => {});
        if (planned === undefined || (planned.status === undefined && planned.body === undefined)) return next();
        return failed(simulator, planned);
      });
      app.route(`/${segment}`, simulator.api);
    }
  }
  app.onError((error) => {
    const known = error instanceof ZodError || error instanceof SyntaxError;
    return reply({ error: error.message }, known ? 400 : 500);
  });
  return app;
}

/** An answer that fails as planned, in the upstream's words where the plan has none. */
function failed(simulator: Simulator, planned: FaultPlan): Response {
  const status = planned.status ?? 200;
  const own = simulator.failure?.(status) ?? { body: { error: `simulated ${status}` } };
  const headers = { ...own.headers, ...planned.headers };
  if (planned.body === undefined) return reply(own.body, status, headers);
  if (typeof planned.body !== "string") return reply(planned.body, status, headers);
  return new Response(planned.body, { status, headers: { "content-type": "text/html; charset=utf-8", ...headers } });
}
