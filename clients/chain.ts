/** The chain over the pool of JSON-RPC nodes. */
import pLimit from "p-limit";
import { encodeDeployData, erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode } from "viem";
import type { Address, Hex } from "../core/agents/facts.ts";
import { READ_GAS, SIGNATURE_GAS } from "../core/transactions/gas-bounds.ts";
import type { Market } from "../core/transactions/transaction-fees.ts";
import { span } from "../runtime/tracing.ts";
import {
  at,
  type RpcBlock,
  type RpcFeeHistory,
  type RpcLog,
  type RpcPlace,
  type RpcReceipt,
  type RpcTransaction,
  toBigInt,
  toBlock,
  toFoundLog,
  toHex,
  toNumber,
  toReceipt,
  toRpcCall,
  toTransaction,
  toTransfer,
} from "./chain/wire.ts";
import type { Call, Chain, Revert } from "./ports.ts";
import { isExecutionError, RpcRequestError, revertData, unreachable } from "./rpc/errors.ts";
import type { RpcPool } from "./rpc/pool.ts";
import { refusal } from "./rpc/refusals.ts";

/** Max concurrent executions of untrusted code; further ones are queued, so that the node stays free for other requests. */
const UNTRUSTED_CALLS_IN_FLIGHT = 8;

type Rpc = {
  /**
   * One request.
   * @throws RpcRequestError the node's own error about the request
   * @throws Failure upstream_unavailable when no node gave a usable answer
   */
  request(method: string, params: unknown[]): Promise<unknown>;
  /** One request whose every error is one of the node. @throws Failure upstream_unavailable */
  ask<T>(method: string, params: unknown[]): Promise<T>;
  /** `ask` for a hexadecimal quantity. */
  quantity(method: string, params: unknown[]): Promise<bigint>;
  /** One execution (eth_call, eth_estimateGas); a revert is a value. @throws Failure upstream_unavailable */
  execute(method: string, params: unknown[]): Promise<{ ok: true; answer: unknown } | Revert>;
  /** Runs `work` that executes untrusted contract code, at most 8 at a time. */
  limited<T>(work: () => Promise<T>): Promise<T>;
};

function createRpc(pool: Pick<RpcPool, "request">): Rpc {
  const rpc: Rpc = {
    request: (method, params) =>
      span(`rpc ${method}`, { kind: "client", attributes: { "rpc.system.name": "jsonrpc" } }, () =>
        pool.request(method, params),
      ),
    async ask<T>(method: string, params: unknown[]) {
      try {
        return (await rpc.request(method, params)) as T;
      } catch (error) {
        if (error instanceof RpcRequestError) return unreachable(error);
        throw error;
      }
    },
    quantity: async (method, params) => toBigInt(await rpc.ask<Hex>(method, params)),
    async execute(method, params) {
      try {
        return { ok: true, answer: await rpc.request(method, params) };
      } catch (error) {
        if (!(error instanceof RpcRequestError)) throw error;
        const data = revertData(error.data);
        if (data === null && !isExecutionError(error)) return unreachable(error);
        return { ok: false, data, reason: error.details };
      }
    },
    limited: pLimit(UNTRUSTED_CALLS_IN_FLIGHT),
  };
  return rpc;
}

/** A `Chain` over a pool of nodes. It sends no request before the first call. */
export function createChain(pool: RpcPool): Chain {
  const rpc = createRpc(pool);
  return {
    id: pool.chainId,
    ...blocksOver(rpc),
    ...accountsOver(rpc),
    ...transactionsOver(rpc),
    ...executionsOver(rpc),
    fees: () => fees(rpc),
  };
}

type Part<K extends keyof Chain> = Pick<Chain, K>;

const blocksOver = ({ ask }: Rpc): Part<"headBlock" | "block" | "transactionsIn" | "logs"> => ({
  headBlock: async () => toNumber(await ask("eth_blockNumber", [])),

  async block(number) {
    const block = await ask<RpcBlock | null>("eth_getBlockByNumber", [at(number), false]);
    return block && toBlock(block);
  },

  async transactionsIn(number) {
    const block = await ask<RpcBlock | null>("eth_getBlockByNumber", [at(number), true]);
    return block && (block.transactions as RpcTransaction[]).map(toTransfer);
  },

  async logs({ address, topics, fromBlock, toBlock }) {
    const filter = { address, topics, fromBlock: at(Math.max(0, fromBlock)), toBlock: at(toBlock ?? "latest") };
    return (await ask<(RpcLog & RpcPlace)[]>("eth_getLogs", [filter])).map(toFoundLog);
  },
});

function accountsOver({ ask, quantity }: Rpc): Part<"balance" | "code" | "isDeployed" | "nonce"> {
  const code = (address: Address) => ask<Hex>("eth_getCode", [address, "latest"]);
  return {
    balance: (address, block = "latest") => quantity("eth_getBalance", [address, at(block)]),
    code,
    isDeployed: async (address) => (await code(address)) !== "0x",
    nonce: async (address, block) => toNumber(await ask("eth_getTransactionCount", [address, at(block)])),
  };
}

/** The block's hash in the receipt of a preconfirmed transaction, which is in no block yet. */
const NO_BLOCK: Hex = `0x${"0".repeat(64)}`;

const transactionsOver = ({ ask, request }: Rpc): Part<"send" | "receipt" | "earlyReceipt" | "transaction"> => ({
  async send(raw) {
    try {
      await request("eth_sendRawTransaction", [raw]);
      return { kind: "accepted" };
    } catch (error) {
      if (!(error instanceof RpcRequestError)) throw error;
      return refusal(error.details);
    }
  },

  async receipt(hash) {
    const receipt = await ask<RpcReceipt | null>("eth_getTransactionReceipt", [hash]);
    return receipt && receipt.blockHash !== NO_BLOCK ? toReceipt(receipt) : null;
  },

  async earlyReceipt(hash) {
    const receipt = await ask<RpcReceipt | null>("eth_getTransactionReceipt", [hash]);
    return receipt && toReceipt(receipt);
  },

  async transaction(hash) {
    const transaction = await ask<RpcTransaction | null>("eth_getTransactionByHash", [hash]);
    return transaction && { ...toTransaction(transaction), hash };
  },
});

/** Gas limit of a call of a contract from the configuration. */
const TRUSTED_GAS = 10n * READ_GAS;
/** Max characters of an answer to eth_call, 128 kB of bytes; a contract may return megabytes. */
const MAX_ANSWER_CHARS = 262_146;
/** Selectors of `mintPrice()` and `traitPrice()`. */
const MINT_PRICE: Hex = "0x6817c76c";
const TRAIT_PRICE: Hex = "0x00a9bb01";

/**
 * Bound: foreign code on nodes, 8 runs at once in a process; gas by purpose (core/transactions/gas-bounds.ts), and
 * answers of 128 kB.
 */
function executionsOver({
  execute,
  limited,
}: Rpc): Part<"call" | "estimateGas" | "mintPrice" | "traitPrice" | "verifySignature"> {
  /** Runs a call. A call with its own gas limit runs untrusted code. */
  const run = (method: string, call: Call, ...block: string[]) => {
    const work = () => execute(method, [toRpcCall({ gas: TRUSTED_GAS, ...call }), ...block]);
    return call.gas === undefined ? work() : limited(work);
  };
  const call: Chain["call"] = async (of, block) => {
    const result = await run("eth_call", of, at(block ?? "latest"));
    if (!result.ok) return result;
    const data = result.answer as Hex;
    if (data.length > MAX_ANSWER_CHARS) return { ok: false, data: null, reason: "the answer is too long" };
    return { ok: true, data };
  };
  /** The answer of a getter without arguments; null when no contract has it. */
  const price = async (contract: Address, selector: Hex): Promise<bigint | null> => {
    const result = await call({ to: contract, data: selector });
    return result.ok && result.data !== "0x" ? BigInt(result.data) : null;
  };
  return {
    call,
    async estimateGas(of) {
      const result = await run("eth_estimateGas", of);
      return result.ok ? { ok: true, gas: toBigInt(result.answer) } : result;
    },
    mintPrice: (identity) => price(identity, MINT_PRICE),
    traitPrice: (identity) => price(identity, TRAIT_PRICE),
    async verifySignature({ address, hash, signature }) {
      // A call that creates the ERC-6492 validator: its constructor checks the signature and returns one byte. viem's
      // own verifyHash is not used because it answers "invalid" when no node can be reached.
      const data = encodeDeployData({
        abi: erc6492SignatureValidatorAbi,
        bytecode: erc6492SignatureValidatorByteCode,
        args: [address, hash, signature],
      });
      const result = await limited(() => execute("eth_call", [{ data, gas: toHex(SIGNATURE_GAS) }, "latest"]));
      return result.ok && /^0x0*1$/.test(result.answer as string);
    },
  };
}

/** Blocks whose tips count as recent: under a minute on Base. */
const FEE_BLOCKS = 20;

async function fees(rpc: Rpc): Promise<Market> {
  const [latest, priorityFeePerGasWei, recentTipWei] = await Promise.all([
    rpc.ask<RpcBlock | null>("eth_getBlockByNumber", ["latest", false]),
    rpc.quantity("eth_maxPriorityFeePerGas", []),
    recentTip(rpc),
  ]);
  if (latest === null) return unreachable(new Error("no latest block"));
  const { baseFeePerGasWei } = toBlock(latest);
  return { baseFeePerGasWei, priorityFeePerGasWei, recentTipWei, blockGasLimit: toBigInt(latest.gasLimit) };
}

/** Median of the 90th percentile of tips in recent blocks; null when the node keeps no history of fees. */
async function recentTip({ request }: Rpc): Promise<Market["recentTipWei"]> {
  try {
    const history = await request("eth_feeHistory", [toHex(FEE_BLOCKS), "latest", [90]]);
    const { gasUsedRatio, reward } = history as RpcFeeHistory;
    // The tips of an empty block mean nothing.
    const tips = reward.flatMap(([tip], n) => (gasUsedRatio[n] ? [toBigInt(tip)] : []));
    return tips.sort((a, b) => (a < b ? -1 : 1))[Math.floor(tips.length / 2)] ?? null;
  } catch {
    // The tip narrows the caps of the configuration, which hold without it.
    return null;
  }
}
