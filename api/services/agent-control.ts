/** Who may change an agent: its token's present owner and its own wallet; some things its own wallet alone. */
import { checksum } from "../../core/addresses.ts";
import { fail } from "../../core/errors.ts";
import type { Address, AgentFacts } from "../../core/facts.ts";

type Control = Pick<AgentFacts, "tokenId" | "owner" | "agentAddress">;

/** Whether a wallet controls the agent. */
export const controls = ({ owner, agentAddress }: Control, wallet: Address): boolean =>
  wallet === owner || wallet === agentAddress;

/**
 * Lets the token's owner and the agent's wallet pass. A write asks with facts loaded inside its own transaction, so that
 * a transfer that was indexed meanwhile counts.
 * @throws Failure forbidden
 */
export function requireController(facts: Control, wallet: Address): void {
  if (controls(facts, wallet)) return;
  fail("forbidden", `Agent ${facts.tokenId} belongs to another wallet.`, {
    hint: `Sign with the owner ${checksum(facts.owner)} or with the agent's wallet ${checksum(facts.agentAddress)}.`,
  });
}

/**
 * Lets nobody but the agent's own wallet pass, not even its owner.
 * @throws Failure forbidden
 */
export function requireAgentWallet(facts: Control, wallet: Address): void {
  if (wallet === facts.agentAddress) return;
  fail("forbidden", `Only the wallet of agent ${facts.tokenId} itself may do this.`, {
    hint: `Sign with ${checksum(facts.agentAddress)}.`,
  });
}
