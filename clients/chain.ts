/** The chain behind JSON-RPC nodes: requests with a time limit, the next node when one fails, errors told apart. */
import pLimit from "p-limit";
import {
  BaseError,
  createClient,
  createTransport,
  ExecutionRevertedError,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  fallback,
  http,
  RpcRequestError,
  type Transport,
} from "viem";
import { fail } from "../core/errors.ts";
import type { Address, Hex } from "../core/facts.ts";
import { READ_GAS, SIGNATURE_GAS } from "../core/gas-bounds.ts";
import type { Market } from "../core/transaction-fees.ts";
import { span } from "../runtime/tracing.ts";
import { refusal } from "./chain/refusals.ts";
import type { Block, Call, Chain, Receipt, Revert, UpstreamMeter } from "./ports.ts";

export type ChainOptions = {
  id: number;
  /** JSON-RPC URLs, the preferred one first. */
  rpcUrls: string[];
  /** Limit of one request to one node, in milliseconds. */
  timeoutMs?: number;
  meter?: UpstreamMeter | undefined;
};

/** A `Chain` over JSON-RPC. Nothing is asked of the nodes before the first call. */
export function createChain({ id, rpcUrls, timeoutMs = 5_000, meter }: ChainOptions): Chain {
  const client = createClient({
    transport: fallback(
      rpcUrls.map((url) => ofChain(id, url, timeoutMs, meter)),
      // Of its own accord it asks no other node after some refusals of a transaction.
      { retryCount: 0, shouldThrow: isRevert },
    ),
  });

  /** One request; a node's own error is thrown as RpcRequestError, everything else means no node could be asked. */
  const request = <M extends string>(method: M, params: unknown[]): Promise<unknown> =>
    span(`rpc ${method}`, { kind: "client", attributes: { "rpc.system.name": "jsonrpc" } }, () => send(method, params));

  async function send<M extends string>(method: M, params: unknown[]): Promise<unknown> {
    try {
      return await client.request({ method, params } as never);
    } catch (error) {
      const answered = rpcError(error);
      const isTrouble = answered && TROUBLE.has(answered.code) && !EXECUTION.test(answered.details);
      if (answered && (!isTrouble || revertData(answered.data) !== null)) throw answered;
      return unreachable(error);
    }
  }

  /** A request whose every error is trouble of the node. */
  async function ask(method: string, params: unknown[]): Promise<unknown> {
    try {
      return await request(method, params);
    } catch (error) {
      if (error instanceof RpcRequestError) return unreachable(error);
      throw error;
    }
  }

  /** Runs what executes a stranger's code: a few at a time, so that others' requests find the node free. */
  const places = pLimit(STRANGERS_AT_ONCE);

  const quantity = async (method: string, params: unknown[]) => toBigInt(await ask(method, params));

  async function execute(method: string, params: unknown[]): Promise<{ ok: true; answer: unknown } | Revert> {
    try {
      return { ok: true, answer: await request(method, params) };
    } catch (error) {
      if (!(error instanceof RpcRequestError)) throw error;
      const data = revertData(error.data);
      if (data === null && !EXECUTION.test(error.details)) return unreachable(error);
      return { ok: false, data, reason: error.details };
    }
  }

  /** What was paid as a tip of late; null when the node keeps no history of fees. */
  async function recentTip(): Promise<Market["recentTipWei"]> {
    try {
      const { gasUsedRatio, reward } = (await request("eth_feeHistory", [
        toHex(FEE_BLOCKS),
        "latest",
        [90],
      ])) as RpcFeeHistory;
      // An empty block says nothing of what is paid.
      const tips = reward.flatMap(([tip], n) => (gasUsedRatio[n] ? [toBigInt(tip)] : []));
      return tips.sort((a, b) => (a < b ? -1 : 1))[Math.floor(tips.length / 2)] ?? null;
    } catch {
      // It narrows the caps of the configuration, which hold without it.
      return null;
    }
  }

  /** What a getter without arguments answers; null when there is no contract that has it. */
  async function price(contract: Address, selector: Hex): Promise<bigint | null> {
    const result = await chain.call({ to: contract, data: selector });
    return result.ok && result.data !== "0x" ? BigInt(result.data) : null;
  }

  const chain: Chain = {
    id,
    headBlock: async () => toNumber(await ask("eth_blockNumber", [])),

    async block(number) {
      const block = (await ask("eth_getBlockByNumber", [at(number), false])) as RpcBlock | null;
      return block && toBlock(block);
    },

    async transactionsIn(number) {
      const block = (await ask("eth_getBlockByNumber", [at(number), true])) as RpcBlock | null;
      return (
        block &&
        (block.transactions as RpcTransaction[]).map(({ hash, from, nonce }) => ({
          hash,
          from: lower(from),
          nonce: toNumber(nonce),
        }))
      );
    },

    balance: (address) => quantity("eth_getBalance", [address, "latest"]),
    code: async (address) => (await ask("eth_getCode", [address, "latest"])) as Hex,
    isDeployed: async (address) => (await chain.code(address)) !== "0x",

    async call(call) {
      const ask = () => execute("eth_call", [toRpcCall({ gas: TRUSTED_GAS, ...call }), "latest"]);
      const result = await (call.gas === undefined ? ask() : places(ask));
      if (!result.ok) return result;
      const data = result.answer as Hex;
      if (data.length > LONGEST_ANSWER) return { ok: false, data: null, reason: "the answer is too long" };
      return { ok: true, data };
    },

    async estimateGas(call) {
      const ask = () => execute("eth_estimateGas", [toRpcCall({ gas: TRUSTED_GAS, ...call })]);
      const result = await (call.gas === undefined ? ask() : places(ask));
      return result.ok ? { ok: true, gas: toBigInt(result.answer) } : result;
    },

    async fees() {
      const [latest, priorityFeePerGasWei, recentTipWei] = await Promise.all([
        ask("eth_getBlockByNumber", ["latest", false]) as Promise<RpcBlock | null>,
        quantity("eth_maxPriorityFeePerGas", []),
        recentTip(),
      ]);
      if (latest === null) return unreachable(new Error("no latest block"));
      const { baseFeePerGasWei } = toBlock(latest);
      return { baseFeePerGasWei, priorityFeePerGasWei, recentTipWei, blockGasLimit: toBigInt(latest.gasLimit) };
    },

    nonce: async (address, block) => toNumber(await ask("eth_getTransactionCount", [address, at(block)])),

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
      const receipt = (await ask("eth_getTransactionReceipt", [hash])) as RpcReceipt | null;
      return receipt && toReceipt(receipt);
    },

    async logs({ address, topics, fromBlock, toBlock }) {
      const filter = { address, topics, fromBlock: at(Math.max(0, fromBlock)), toBlock: at(toBlock ?? "latest") };
      const logs = (await ask("eth_getLogs", [filter])) as (RpcLog & RpcPlace)[];
      return logs.map((log) => ({
        ...toLog(log),
        txHash: log.transactionHash,
        block: toNumber(log.blockNumber),
        blockHash: log.blockHash,
      }));
    },

    async transaction(hash) {
      const tx = (await ask("eth_getTransactionByHash", [hash])) as RpcTransaction | null;
      return (
        tx && {
          hash,
          from: lower(tx.from),
          to: tx.to && lower(tx.to),
          nonce: toNumber(tx.nonce),
          data: tx.input,
          block: tx.blockNumber === null ? null : toNumber(tx.blockNumber),
        }
      );
    },

    mintPrice: (identity) => price(identity, MINT_PRICE),
    traitPrice: (identity) => price(identity, TRAIT_PRICE),

    async verifySignature({ address, hash, signature }) {
      // A call that creates the ERC-6492 validator: its constructor checks the signature and returns one byte. viem's
      // own verifyHash is not used because it answers "invalid" when the node cannot be reached.
      const data = encodeDeployData({
        abi: erc6492SignatureValidatorAbi,
        bytecode: erc6492SignatureValidatorByteCode,
        args: [address, hash, signature],
      });
      const call = { data, gas: toHex(SIGNATURE_GAS) };
      const result = await places(() => execute("eth_call", [call, "latest"]));
      return result.ok && /^0x0*1$/.test(result.answer as string);
    },
  };
  return chain;
}

/** Most executions of a stranger's code under way at once; more wait in line. */
const STRANGERS_AT_ONCE = 8;
/** Most gas of a call of contracts that the configuration names. */
const TRUSTED_GAS = 10n * READ_GAS;
/** Characters of an answer to eth_call, 128 kB of bytes; a contract may return megabytes. */
const LONGEST_ANSWER = 262_146;
/** Blocks whose fees say what is paid of late: under a minute on Base. */
const FEE_BLOCKS = 20;

/** Selectors of `mintPrice()` and `traitPrice()`. */
const MINT_PRICE: Hex = "0x6817c76c";
const TRAIT_PRICE: Hex = "0x00a9bb01";

/** JSON-RPC error codes that speak of the node and not of the request: parse, internal, resource, limits. */
const TROUBLE = new Set([-32700, -32603, -32001, -32002, -32005, -32007, -32601, 429]);

/** What was executed failed by its own doing, whatever code the node gives that. */
const EXECUTION = /revert|out ?of ?gas|gas required exceeds|invalid opcode|stack (under|over)flow|EVM error (?!Fatal)/i;

/** One node of the chain `id`: nothing is asked of it before it has said once that it is on that chain. */
function ofChain(id: number, url: string, timeoutMs: number, meter: UpstreamMeter | undefined): Transport {
  // The host alone: keys of providers live in paths and queries.
  const upstream = `rpc ${new URL(url).host}`;
  return (options) => {
    const node = http(url, { timeout: timeoutMs, retryCount: 1, retryDelay: 100, batch: { wait: 0 } })(options);
    let checked: Promise<void> | undefined;
    const check = async () => {
      try {
        const answer = toNumber(await node.request({ method: "eth_chainId" }));
        if (answer !== id) throw new Error(`a node configured for chain ${id} is on chain ${answer}`);
      } catch (error) {
        checked = undefined;
        throw error;
      }
    };
    return createTransport({
      ...node.config,
      retryCount: 0,
      async request(args) {
        const startedAt = performance.now();
        let answered = false;
        try {
          checked ??= check();
          await checked;
          const answer = (await node.request(args as never)) as never;
          answered = true;
          return answer;
        } catch (error) {
          answered = rpcError(error) !== null;
          throw error;
        } finally {
          meter?.asked(upstream, answered ? "answered" : "trouble", performance.now() - startedAt);
        }
      },
    });
  };
}

/** Whether an error says what the contract did: another node would say the same. */
const isRevert = (error: Error): boolean =>
  ("code" in error && error.code === 3) || ExecutionRevertedError.nodeMessage.test(error.message);

/** The error as the node gave it, when one did answer. */
function rpcError(error: unknown): RpcRequestError | null {
  if (!(error instanceof BaseError)) return null;
  const found = error.walk((e) => e instanceof RpcRequestError);
  return found instanceof RpcRequestError ? found : null;
}

function unreachable(error: unknown): never {
  const cause = error instanceof BaseError ? inBrief(error) : error;
  return fail("upstream_unavailable", "The chain cannot be reached at the moment.", { retryAfter: 5, cause });
}

/**
 * What viem says went wrong, for the log. Its own errors quote the node's URL, which may hold a key, and the request,
 * which may hold a signature.
 */
function inBrief(error: BaseError): Error {
  const status = "status" in error && error.status !== undefined ? ` (status ${error.status})` : "";
  return new Error(`${error.name}${status}: ${error.shortMessage} ${error.details}`.slice(0, 300));
}

/** Revert data sits in `data`, or one level deeper with some nodes. */
function revertData(data: unknown): Hex | null {
  if (typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data)) return data as Hex;
  if (data !== null && typeof data === "object" && "data" in data) return revertData(data.data);
  return null;
}

type RpcBlock = {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  baseFeePerGas?: Hex;
  gasLimit: Hex;
  transactions: unknown[];
};
type RpcFeeHistory = { gasUsedRatio: number[]; reward: Hex[][] };
type RpcTransaction = { hash: Hex; from: Hex; to: Hex | null; nonce: Hex; input: Hex; blockNumber: Hex | null };
type RpcReceipt = {
  transactionHash: Hex;
  from: Hex;
  status: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  logs: RpcLog[];
  gasUsed?: Hex;
  effectiveGasPrice?: Hex;
  /** Of an OP stack chain: what its data costs on Ethereum. */
  l1Fee?: Hex | null;
};
type RpcLog = { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex };
type RpcPlace = { transactionHash: Hex; blockNumber: Hex; blockHash: Hex };

const lower = (address: Hex) => address.toLowerCase() as Address;
const toHex = (value: number | bigint): Hex => `0x${value.toString(16)}`;
const at = (block: number | string) => (typeof block === "number" ? toHex(block) : block);

function toBigInt(value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-f]+$/i.test(value)) return BigInt(value);
  return unreachable(new Error(`a node answered ${String(value)} for a quantity`));
}
const toNumber = (value: unknown) => Number(toBigInt(value));

const toRpcCall = ({ from, to, data, valueWei, gas }: Call & { gas: bigint }) => ({
  from,
  to,
  data,
  value: valueWei ? toHex(valueWei) : undefined,
  gas: toHex(gas),
});

const toBlock = (b: RpcBlock): Block => ({
  number: toNumber(b.number),
  hash: b.hash,
  parentHash: b.parentHash,
  timestamp: toNumber(b.timestamp),
  baseFeePerGasWei: b.baseFeePerGas ? toBigInt(b.baseFeePerGas) : 0n,
});

const toReceipt = (r: RpcReceipt): Receipt => ({
  hash: r.transactionHash,
  from: lower(r.from),
  status: toBigInt(r.status) === 1n ? "success" : "reverted",
  block: toNumber(r.blockNumber),
  blockHash: r.blockHash,
  logs: r.logs.map(toLog),
  feeWei:
    r.gasUsed && r.effectiveGasPrice
      ? toBigInt(r.gasUsed) * toBigInt(r.effectiveGasPrice) + (r.l1Fee ? toBigInt(r.l1Fee) : 0n)
      : null,
});

const toLog = (l: RpcLog) => ({
  address: lower(l.address),
  topics: l.topics,
  data: l.data,
  logIndex: toNumber(l.logIndex),
});
