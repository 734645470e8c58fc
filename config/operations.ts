/** Operations: metrics and traces. */
import { z } from "zod";
import { integer, list, pair, share, webUrl, withoutSlash } from "./checks.ts";
import { secret, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Variables of `Operations` in `.env.example`. */
export const OPERATIONS = {
  OPS_PORT: variable(
    ["api", "workers", "indexer"],
    "Port of the API's metrics; the workers' is one higher, the indexer's two (unset: no metrics)",
    integer(1, 65533),
  ),
  OPS_HOST: variable(
    ["api", "workers", "indexer"],
    "Interface of these ports; they need no credential, so never a public one",
    z.string().min(1),
    "127.0.0.1",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    ["api", "workers"],
    "Collector of traces (OTLP over HTTP); unset: no traces",
    webUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    variable(["api", "workers"], "Headers for it, comma list of name=value", list(pair), ""),
  ),
  OTEL_SERVICE_NAME: variable(
    ["api", "workers"],
    "Name in traces (default: SERVICE_NAME in lower case and the process, as helixa-api)",
    z.string().min(1),
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(["api", "workers"], "Share of requests that are traced, 0 to 1", share, "1"),
} satisfies Record<string, Variable>;

/** Options of `ops` and `traces` in the configuration. */
export function operationsConfig(v: ValuesOf<typeof OPERATIONS>) {
  return {
    /** Undefined port: the process counts nothing. */
    ops: { host: v.OPS_HOST, port: v.OPS_PORT },
    /** Undefined: the process makes no traces. */
    traces: v.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          url: `${withoutSlash(v.OTEL_EXPORTER_OTLP_ENDPOINT)}/v1/traces`,
          headers: Object.fromEntries(v.OTEL_EXPORTER_OTLP_HEADERS),
          serviceName: v.OTEL_SERVICE_NAME,
          share: v.OTEL_TRACES_SAMPLER_ARG,
        }
      : undefined,
  };
}
