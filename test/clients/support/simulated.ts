/** Simulators for a test file, an HTTP core on them, and a short way to plant what they hold. */
import { type Http, type HttpOptions, openHttp, type Upstream, type UpstreamOptions } from "../../../clients/http.ts";
import { farcasterProofs } from "../../../clients/proof-platforms/farcaster.ts";
import { hubReader } from "../../../clients/proof-platforms/farcaster-hub.ts";
import { githubProofs } from "../../../clients/proof-platforms/github.ts";
import { xProofs } from "../../../clients/proof-platforms/x.ts";
import type { PublicHttp } from "../../../clients/public-http.ts";
import { Failure } from "../../../core/errors.ts";
import { startSimulators } from "../../../devnet/simulators/server.ts";
import { declaredTimeout, PATIENT } from "../../support/time-limits.ts";

export type Simulated = {
  url: string;
  /** One request to the control: `PUT /_control/<path>` and the like. */
  control(method: "PUT" | "POST" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  /** Makes the next answers of a source fail. */
  fail(
    source: string,
    plan?: { status?: number; hangs?: true; body?: unknown; headers?: Record<string, string>; times?: number },
  ): Promise<unknown>;
  /** An upstream at a path of the simulators, with a breaker of its own. It waits long, but not for what hangs. */
  upstream(path: string, options?: Partial<UpstreamOptions & HttpOptions>): Upstream;
  close(): Promise<void>;
};

export async function simulated(): Promise<Simulated> {
  const timeouts = new Map<string, ReturnType<typeof declaredTimeout>[]>();
  const simulators = await startSimulators({
    onHang: (segment) => {
      for (const timeout of timeouts.get(segment) ?? []) timeout.reach();
    },
  });
  const open: Http[] = [];
  const { url } = simulators;
  async function control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${url}/_control/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
  return {
    url,
    control,
    fail: (source, plan = {}) => control("POST", "fail", { source, times: 1, ...plan }),
    upstream(path, options = {}) {
      const segment = path.split("/")[1]!;
      const timeout = declaredTimeout();
      timeouts.set(segment, [...(timeouts.get(segment) ?? []), timeout]);
      const { signal } = timeout;
      const http = openHttp({ userAgent: "tests", maxWaitMs: 0, limits: PATIENT, signal, ...options });
      open.push(http);
      return http.upstream({ name: "It", baseUrl: url + path, rate: { burst: 1000, perSecond: 1000 }, ...options });
    },
    async close() {
      for (const http of open) await http.close();
      await simulators.stop();
    },
  };
}

/** What reads proofs on each platform of the simulators, with room for as many requests as a file makes. */
export function simulatedProofs(sim: Simulated, raw: PublicHttp) {
  const rate = { burst: 10_000, perSecond: 1_000 };
  return {
    x: xProofs(sim.upstream("/x", { rate, name: "X", headers: { authorization: "Bearer key" } })),
    github: githubProofs(sim.upstream("/github", { rate, name: "GitHub" }), raw),
    farcaster: farcasterProofs(hubReader(sim.upstream("/farcaster", { rate, name: "Farcaster" }))),
  };
}

/** The failure of something that cannot be asked; anything else fails the test. */
export async function unavailable(asked: Promise<unknown>): Promise<Failure> {
  const error: unknown = await asked.then(
    (answer) => new Error(`there was an answer: ${JSON.stringify(answer)}`),
    (reason) => reason,
  );
  if (error instanceof Failure && error.code === "upstream_unavailable") return error;
  throw error;
}
