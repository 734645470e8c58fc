/** A chain that is only a port: a test says what it answers. Whatever is not said is an outage. */
import type { Block, Chain } from "../clients/ports.ts";
import { fail } from "../core/errors.ts";

const away = (): never => fail("upstream_unavailable", "The chain cannot be reached at the moment.", { retryAfter: 5 });

/** @param answers the methods that work; they may be replaced later by assigning to the result */
export function stubChain(answers: Partial<Chain> = {}): Chain {
  return {
    id: 8453,
    headBlock: async () => away(),
    block: async () => away(),
    transactionsIn: async () => away(),
    balance: async () => away(),
    code: async () => away(),
    isDeployed: async () => away(),
    call: async () => away(),
    estimateGas: async () => away(),
    fees: async () => away(),
    nonce: async () => away(),
    send: async () => away(),
    receipt: async () => away(),
    earlyReceipt: async () => away(),
    logs: async () => away(),
    transaction: async () => away(),
    mintPrice: async () => away(),
    traitPrice: async () => away(),
    verifySignature: async () => away(),
    ...answers,
  };
}

/** A block every two seconds. */
const blockOf = (number: number): Block => ({
  number,
  hash: `0x${number.toString(16).padStart(64, "0")}`,
  parentHash: `0x${Math.max(0, number - 1)
    .toString(16)
    .padStart(64, "0")}`,
  timestamp: 1_790_000_000 + 2 * number,
  baseFeePerGasWei: 1n,
});

/** The contract is there and costs 0.001 ETH, wallets are no contracts, the head is block 1000. */
export const healthyChain = (): Chain =>
  stubChain({
    headBlock: async () => 1000,
    block: async (number) => blockOf(number === "latest" ? 1000 : number),
    code: async () => "0x",
    isDeployed: async (address) => address === IDENTITY,
    mintPrice: async () => 1_000_000_000_000_000n,
    traitPrice: async () => 0n,
    verifySignature: async () => false,
  });

/** Default address of the identity contract, as everywhere inside: lower-case. */
export const IDENTITY = "0x2e3b541c59d38b84e3bc54e977200230a204fe60";
