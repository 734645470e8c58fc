/** Requests by route: how many, how they ended, how long they took (rate, errors, duration). */
import type { Registry } from "prom-client";
import type { RequestMeter } from "../../api/deps.ts";
import { Counts, type Durations, Histogram } from "./metric.ts";
import { streamGauge } from "./process.ts";

/**
 * The meter of an API. Its labels are method, template and class of status of the endpoints there are: what callers send
 * makes no series.
 */
export function requestMeter(registry: Registry): RequestMeter {
  const durations = new Histogram(registry, {
    name: "agents_http_request_duration_seconds",
    help: "From taking up a request to its answer, by method, route and class of status; a stream's until it is open",
  });
  const unrouted = new Counts(
    registry,
    {
      name: "agents_http_unrouted_total",
      help: "Requests that no endpoint answers: pages, preflights, unknown paths and verbs, what is no request",
    },
    "kind",
  );
  return {
    route(method, route) {
      const labels = { method: method.toUpperCase(), route };
      const byClass: (Durations | undefined)[] = [];
      return (status, ms) => {
        const digit = (status / 100) | 0;
        byClass[digit] ??= durations.series({ ...labels, status: `${digit}xx` });
        byClass[digit].observe(ms);
      };
    },
    unrouted: (kind) => unrouted.add(kind),
    streams: (count) => streamGauge(registry, count),
  };
}
