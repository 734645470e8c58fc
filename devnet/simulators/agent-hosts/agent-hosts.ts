/** The agents' own hosts, simulated below `/agent-hosts`: agent cards, MCP servers and paid resources. A further one is one entry. */
import { Hono } from "hono";
import { base } from "viem/chains";
import { HOST_FILE } from "../../../core/directory/named-agents.ts";
import { walletsOfWorld } from "../../world.ts";
import { reply, type SimulatedUpstream } from "../simulator.ts";
import { auditor, translator } from "./a2a-agents.ts";
import type { AgentHost, AgentHostKey } from "./host.ts";
import { members, solanaPrices } from "./mcp-servers.ts";
import { settlementOn } from "./payments.ts";

const SOURCE = "agent-hosts";

export const AGENT_HOSTS: Readonly<Record<AgentHostKey, AgentHost>> = {
  ...{ translator, auditor, "solana-prices": solanaPrices, members },
};

/** URL of a host. @param simulatorUrl of all simulators */
export const agentHostUrl = (simulatorUrl: string, key: AgentHostKey) => `${simulatorUrl}/${SOURCE}/${key}`;

/** Which agents are theirs, by their wallets: a host knows those before its agent has an id. */
const hostFile = () => ({
  type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
  name: "Hosts of the local world",
  services: walletsOfWorld().flatMap(({ agent, account }) =>
    agent.host ? { name: "agentWallet", endpoint: `eip155:${base.id}:${account.address}` } : [],
  ),
});

/** No variable leads here: agents name their hosts themselves. */
export const agentHosts: SimulatedUpstream = {
  environment: () => ({}),
  make({ baseUrl, rpcUrl }) {
    const settle = settlementOn(rpcUrl);
    const api = new Hono();
    for (const host of Object.values(AGENT_HOSTS))
      api.route(`/${host.key}`, host.api({ url: agentHostUrl(baseUrl, host.key), settle }));
    return { source: SOURCE, api, root: new Hono().get(HOST_FILE, () => reply(hostFile())) };
  },
};
