/** Every endpoint of the service. Adding one is one line here; routing, documents and discovery follow. */
import type { Endpoint } from "../endpoint.ts";
import { discoveryEndpoints } from "./discovery.ts";
import { documentEndpoints } from "./docs.ts";
import { health, ready, status } from "./health.ts";
import { stats } from "./stats.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  ...discoveryEndpoints(() => ENDPOINTS),
  health,
  ready,
  status,
  stats,
  ...documentEndpoints(() => ENDPOINTS),
];
