/** What processes count as they work: requests by route, questions to upstreams, runs of jobs, attempts to deliver webhooks. */
import type { Registry } from "prom-client";
import type { RequestMeter } from "../../api/deps.ts";
import type { UpstreamMeter } from "../../clients/ports.ts";
import type { JobMeter } from "../../workers/context.ts";
import type { WebhookMeter } from "../../workers/webhooks/parts.ts";
import { Counts, type Durations, durationsBy, Histogram, samplesBy, showOnScrape } from "./metric.ts";

/**
 * The meter of an API: how many requests, how they ended, how long they took. Its labels are method, template and class of
 * status of the endpoints there are: what callers send makes no series.
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
    streams: (count) =>
      showOnScrape(registry, count, { agents_event_streams: ["Readers of event streams at this process", (n) => n] }),
  };
}

/**
 * Requests to upstreams: number, outcome, duration, and which upstreams are paused now. Its labels are names out of the code
 * and hosts out of the configuration; hosts that strangers name are one upstream.
 */
export function upstreamMeter(registry: Registry): UpstreamMeter {
  const durations = durationsBy<"upstream" | "outcome">(registry, {
    name: "agents_upstream_request_duration_seconds",
    help: "Questions to upstreams; answered: a definite answer, trouble: none, refused: not asked (rate, breaker)",
  });
  const breakers = new Map<string, () => boolean>();
  showOnScrape(registry, () => [...breakers], {
    agents_upstream_breaker_open: [
      "1 while an upstream is left alone for its failures",
      (all) => samplesBy("upstream", Object.fromEntries(all.map(([upstream, open]) => [upstream, open()]))),
    ],
  });
  return {
    asked: (upstream, outcome, ms) => durations({ upstream, outcome }, ms),
    watch: (upstream, open) => void breakers.set(upstream, open),
  };
}

/** Runs of jobs by name and outcome. */
export function jobMeter(registry: Registry): JobMeter {
  const ran = durationsBy<"job" | "outcome">(registry, {
    name: "agents_job_duration_seconds",
    help: "Runs of jobs; done, failed, or away: what it needed of others was not to be had",
  });
  return { ran: (job, outcome, ms) => ran({ job, outcome }, ms) };
}

/** Attempts to deliver webhooks by outcome, and webhooks that were switched off. */
export function webhookMeter(registry: Registry): WebhookMeter {
  const attempted = durationsBy<"outcome">(registry, {
    name: "agents_webhook_attempt_duration_seconds",
    help: "Attempts to deliver: delivered, failed (comes again), dead (given up), deferred (not sent: no room for its host)",
  });
  const disabled = new Counts(
    registry,
    { name: "agents_webhooks_disabled_total", help: "Webhooks switched off: gone (410), or failing for too long" },
    "reason",
  );
  return {
    attempted: (outcome, ms) => attempted({ outcome }, ms),
    disabled: (reason) => disabled.add(reason),
  };
}
