/** Metrics of requests to upstreams: number, outcome, duration, and which upstreams are paused now. */
import type { Registry } from "prom-client";
import type { UpstreamMeter } from "../../clients/ports.ts";
import { durationsBy, onScrape } from "./metric.ts";

/** Its labels are names out of the code and hosts out of the configuration; hosts that strangers name are one upstream. */
export function upstreamMeter(registry: Registry): UpstreamMeter {
  const asked = durationsBy<"upstream" | "outcome">(registry, {
    name: "agents_upstream_request_duration_seconds",
    help: "Questions to upstreams; answered: a definite answer, trouble: none, refused: not asked (rate, breaker)",
  });
  const breakers = new Map<string, () => boolean>();
  onScrape(
    registry,
    { name: "agents_upstream_breaker_open", help: "1 while an upstream is left alone for its failures", type: "gauge" },
    () => [...breakers].map(([upstream, open]) => ({ labels: { upstream }, value: Number(open()) })),
  );
  return {
    asked: (upstream, outcome, ms) => asked({ upstream, outcome }, ms),
    watch: (upstream, open) => void breakers.set(upstream, open),
  };
}
