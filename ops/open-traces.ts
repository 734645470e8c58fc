/** Begins to keep traces where a collector is configured; the SDK is loaded then only. */
import type { Config } from "../config/config.ts";
import type { Role } from "./open.ts";

/** Must be called before anything is made that wraps itself for traces. @returns sends what is left */
export async function openTraces({ traces, service }: Config, role: Role): Promise<() => Promise<void>> {
  if (!traces) return async () => {};
  const { startTraces } = await import("./traces.ts");
  const { url, headers, share } = traces;
  const serviceName = traces.serviceName ?? `${service.prefix}-${role}`;
  const { close } = startTraces({ url, headers, share, serviceName, version: VERSION });
  return close;
}

/** The version of the API, which is in every answer. */
const VERSION = "2.0.0";
