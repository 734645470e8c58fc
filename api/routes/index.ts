/** Every endpoint of the service. Adding one is one line here; routing, documents and discovery follow. */
import type { Endpoint } from "../endpoint.ts";
import { agent, agents, leaderboard } from "./agents.ts";
import { cred, history } from "./cred.ts";
import { discoveryEndpoints } from "./discovery.ts";
import { documentEndpoints } from "./docs.ts";
import { health, ready, status } from "./health.ts";
import { metadata } from "./metadata.ts";
import { mint, mintState } from "./mint.ts";
import { nameCheck } from "./names.ts";
import { stats } from "./stats.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  ...discoveryEndpoints(() => ENDPOINTS),
  health,
  ready,
  status,
  stats,
  agents,
  agent,
  cred,
  history,
  leaderboard,
  metadata,
  nameCheck,
  mint,
  mintState,
  ...documentEndpoints(() => ENDPOINTS),
];
