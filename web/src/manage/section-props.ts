/** What a section of the management is given, and whether the connected wallet may change an agent: it is the agent's wallet or owns its token. */
import type { Agent } from "../api/types.ts";
import { useWallet } from "../wallet/session.ts";

export type SectionProps = { agent: Agent };

/** Whether the connected wallet is the agent's wallet or owns its token. */
export function useControls({ agentAddress, owner }: Pick<Agent, "agentAddress" | "owner">): boolean {
  const address = useWallet()?.address.toLowerCase();
  return address !== undefined && [agentAddress, owner].some((one) => one.toLowerCase() === address);
}
