/** Calls of the canonical contracts, to be sent alone or many in one transaction. */
import { encodeFunctionData, type Hex, type TransactionReceipt, zeroHash } from "viem";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "../abis/erc8004.ts";
import { multicall3Abi } from "../abis/multicall3.ts";
import { usdcAbi } from "../abis/usdc.ts";
import { CANONICAL } from "../devnet/chain-addresses.ts";
import { type ContractCall, callOf } from "../devnet/contract-call.ts";
import { fileUri, registering } from "../devnet/seed-onchain.ts";
import type { SignedPayment } from "./payment-signing.ts";
import { firstEvent } from "./transactions.ts";

/** Who sends a call and waits for its block: the world. */
type Sending<By> = { send(by: By, call: ContractCall): Promise<TransactionReceipt> };
type AgentFile = { name: string; description?: string; services?: { name: string; endpoint: string }[] };

const { erc8004Identity, erc8004Reputation, multicall3, usdc } = CANONICAL;

export const renaming = (agentId: bigint, uri: string): ContractCall =>
  callOf(erc8004Identity, erc8004IdentityAbi, "setAgentURI", [agentId, uri]);

const feedback = (agentId: bigint, value: number) =>
  [agentId, BigInt(value), 0, "starred", "", "", "", zeroHash] as const;
/** @param value 0 to 100 */
export const reviewing = (agentId: bigint, value: number): ContractCall =>
  callOf(erc8004Reputation, erc8004ReputationAbi, "giveFeedback", feedback(agentId, value));

const ofUsdc = (functionName: string, args: readonly unknown[]): ContractCall => ({
  to: usdc,
  data: encodeFunctionData({ abi: usdcAbi, functionName, args } as never),
});

export const transferring = (to: Hex, units: bigint) => ofUsdc("transfer", [to, units]);

/** @param signature of the payer, whose authorization nobody can use then */
export const cancelling = (payer: Hex, nonce: Hex, signature: Hex) =>
  ofUsdc("cancelAuthorization", [payer, nonce, signature]);

export const approving = (units: bigint) => ofUsdc("approve", [multicall3, units]);

export const settling = ({ authorization: a, signature }: SignedPayment) =>
  ofUsdc("transferWithAuthorization", [a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature]);

/** Money of an owner, who has approved it, through a public contract to who signed a payment, and with it back to the owner. */
export function goingRound(owner: Hex, payment: SignedPayment): ContractCall[] {
  const { from, value } = payment.authorization;
  return [ofUsdc("transferFrom", [owner, multicall3, value]), transferring(from, value), settling(payment)];
}

export const inOneTransaction = (calls: readonly ContractCall[]): ContractCall =>
  callOf(multicall3, multicall3Abi, "aggregate3", [
    calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data })),
  ]);

/** Sends calls. @throws Error where one was reverted */
export async function done<By>(world: Sending<By>, by: By, ...calls: readonly ContractCall[]): Promise<void> {
  for (const call of calls) {
    const { status } = await world.send(by, call);
    if (status !== "success") throw new Error(`a call of ${call.to} was reverted`);
  }
}

/** Registers an agent in the canonical registry, whose wallet is its owner. @returns its id there */
export async function registered<By>(world: Sending<By>, owner: By, file: AgentFile): Promise<bigint> {
  const made = firstEvent(erc8004IdentityAbi, "Registered", await world.send(owner, registering(fileUri(file))));
  if (made === undefined) throw new Error("an agent could not register in the canonical registry");
  return made.args.agentId;
}
