/** The agents' own hosts, simulated below `/agent-hosts`: agent cards, MCP servers and paid resources. A further one is one entry. */
import { Hono } from "hono";
import type { SimulatedUpstream } from "../simulator.ts";
import { auditor } from "./auditor.ts";
import type { AgentHost } from "./host.ts";
import { members } from "./members.ts";
import { settlementOn } from "./payments.ts";
import { solanaPrices } from "./solana-prices.ts";
import { translator } from "./translator.ts";

const SOURCE = "agent-hosts";

export const AGENT_HOSTS = { translator, auditor, "solana-prices": solanaPrices, members } as const satisfies Record<
  string,
  AgentHost
>;
export type AgentHostKey = keyof typeof AGENT_HOSTS;

/** URL of a host. @param simulatorUrl of all simulators */
export const agentHostUrl = (simulatorUrl: string, key: AgentHostKey) => `${simulatorUrl}/${SOURCE}/${key}`;

/** No variable leads here: agents name their hosts themselves. */
export const agentHosts: SimulatedUpstream = {
  environment: () => ({}),
  make({ baseUrl, rpcUrl }) {
    const settle = settlementOn(rpcUrl);
    const api = new Hono();
    for (const host of Object.values(AGENT_HOSTS))
      api.route(`/${host.key}`, host.api({ url: agentHostUrl(baseUrl, host.key as AgentHostKey), settle }));
    return { source: SOURCE, api };
  },
};
