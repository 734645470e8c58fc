/** Who may change an agent: its token's present owner and its own wallet; some things its own wallet alone. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import type { Chain } from "../../clients/ports.ts";
import { checksum } from "../../core/addresses.ts";
import type { Address, AgentFacts } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { factsOf } from "./agent-facts.ts";

type Control = Pick<AgentFacts, "tokenId" | "owner" | "agentAddress">;

/** Throws unless the caller may change the agent; called again inside the write's own transaction, so that a transfer indexed meanwhile counts. */
export type Authorize = (facts: AgentFacts) => void;

/** Whether a wallet controls the agent. */
export const controls = ({ owner, agentAddress }: Control, wallet: Address): boolean =>
  wallet === owner || wallet === agentAddress;

/**
 * Requires the token's owner or the agent's wallet.
 * @throws Failure forbidden
 */
function requireController(facts: Control, wallet: Address): void {
  if (controls(facts, wallet)) return;
  fail("forbidden", `Agent ${facts.tokenId} belongs to another wallet.`, {
    hint: `Sign with the owner ${checksum(facts.owner)} or with the agent's wallet ${checksum(facts.agentAddress)}.`,
  });
}

/**
 * Requires the agent's own wallet; even its owner is refused.
 * @throws Failure forbidden
 */
function requireAgentWallet(facts: Control, wallet: Address): void {
  if (wallet === facts.agentAddress) return;
  fail("forbidden", `Only the wallet of agent ${facts.tokenId} itself may do this.`, {
    hint: `Sign with ${checksum(facts.agentAddress)}.`,
  });
}

/**
 * Checks that a wallet controls an agent now, and returns the check for the write.
 * @throws Failure not_found, forbidden
 */
export const authorizeController = (deps: HandlerDeps, tokenId: number, wallet: Address): Promise<Authorize> =>
  authorize(deps, tokenId, wallet, requireController);

/**
 * Checks that a wallet is an agent's own now, and returns the check for the write.
 * @throws Failure not_found, forbidden
 */
export const authorizeAgentWallet = (deps: HandlerDeps, tokenId: number, wallet: Address): Promise<Authorize> =>
  authorize(deps, tokenId, wallet, requireAgentWallet);

async function authorize(
  deps: HandlerDeps,
  tokenId: number,
  wallet: Address,
  rule: (facts: Control, wallet: Address) => void,
): Promise<Authorize> {
  const facts = await factsOf(deps.facts, { tokenId });
  // The contract names a new wallet without an event: neither may the new one be kept out nor the old one let in.
  const agentAddress =
    rule === requireController && wallet === facts.owner ? facts.agentAddress : await presentWallet(deps, facts);
  const check: Authorize = (seen) => rule({ ...seen, agentAddress }, wallet);
  check(facts);
  return check;
}

/** The agent's wallet as the contract names it now; as the index names it while the chain cannot be reached. */
async function presentWallet(
  { chain, config }: { chain: Pick<Chain, "call">; config: HandlerDeps["config"] },
  { tokenId, agentAddress }: Control,
): Promise<Address> {
  const data = encodeFunctionData({ abi: identityAbi, functionName: "getAgent", args: [BigInt(tokenId)] });
  try {
    const answer = await chain.call({ to: config.contracts.identity.address, data });
    if (!answer.ok || answer.data === "0x") return agentAddress;
    const agent = decodeFunctionResult({ abi: identityAbi, functionName: "getAgent", data: answer.data });
    return agent.agentAddress.toLowerCase() as Address;
  } catch {
    return agentAddress;
  }
}
