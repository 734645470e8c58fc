/** Agents of the ERC-8004 registry and what is said of them, as the index has it. */
import { zeroHash } from "viem";

export const ERC8004 = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";

/** An agent of the registry without a file, a wallet or reviews. */
export const registeredRow = (agentId: number | bigint, owner: string, over: object = {}) => ({
  ...{ registry: ERC8004, agentId: BigInt(agentId), owner, agentWallet: null, agentUri: "", txHash: zeroHash },
  ...{ registeredAt: 1, registeredBlock: 1, feedbackCount: 0, updatedBlock: 1 },
  ...over,
});

/** A review of 90 of 100, without words or a file. */
export const feedbackRow = (agentId: number | bigint, client: string, over: object = {}) => ({
  ...{ registry: ERC8004, agentId: BigInt(agentId), client, feedbackIndex: 1n, value: 90n, valueDecimals: 0 },
  ...{ tag1: "starred", tag2: "", endpoint: "", feedbackUri: "", feedbackHash: zeroHash, txHash: zeroHash },
  ...{ revoked: false, givenAt: 1_000, block: 1 },
  ...over,
});
