/** Values of Ethereum JSON-RPC (execution-apis) and their conversion to the types of the `Chain` port. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Block, Call, FoundLog, Log, Receipt } from "../ports.ts";
import { unreachable } from "../rpc/errors.ts";

export type RpcBlock = {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  baseFeePerGas?: Hex;
  gasLimit: Hex;
  transactions: unknown[];
};
export type RpcFeeHistory = { gasUsedRatio: number[]; reward: Hex[][] };
export type RpcTransaction = {
  hash: Hex;
  from: Hex;
  to: Hex | null;
  nonce: Hex;
  value: Hex;
  input: Hex;
  blockNumber: Hex | null;
};
export type RpcReceipt = {
  transactionHash: Hex;
  from: Hex;
  status: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  logs: RpcLog[];
  gasUsed?: Hex;
  effectiveGasPrice?: Hex;
  /** OP stack chains only: fee of the transaction's data on Ethereum. */
  l1Fee?: Hex | null;
};
export type RpcLog = { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex };
export type RpcPlace = { transactionHash: Hex; blockNumber: Hex; blockHash: Hex; blockTimestamp?: Hex };

const lower = (address: Hex) => address.toLowerCase() as Address;
export const toHex = (value: number | bigint): Hex => `0x${value.toString(16)}`;
export const at = (block: number | string) => (typeof block === "number" ? toHex(block) : block);

export function toBigInt(value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-f]+$/i.test(value)) return BigInt(value);
  return unreachable(new Error(`a node answered ${String(value)} for a quantity`));
}
export const toNumber = (value: unknown) => Number(toBigInt(value));

export const toRpcCall = ({ from, to, data, valueWei, gas }: Call & { gas: bigint }) => ({
  from,
  to,
  data,
  value: valueWei ? toHex(valueWei) : undefined,
  gas: toHex(gas),
});

export const toBlock = (b: RpcBlock): Block => ({
  number: toNumber(b.number),
  hash: b.hash,
  parentHash: b.parentHash,
  timestamp: toNumber(b.timestamp),
  baseFeePerGasWei: b.baseFeePerGas ? toBigInt(b.baseFeePerGas) : 0n,
});

export const toReceipt = (r: RpcReceipt): Receipt => ({
  ...paidFor(r),
  hash: r.transactionHash,
  from: lower(r.from),
  status: toBigInt(r.status) === 1n ? "success" : "reverted",
  block: toNumber(r.blockNumber),
  blockHash: r.blockHash,
  logs: r.logs.map(toLog),
});

function paidFor({ gasUsed, effectiveGasPrice, l1Fee }: RpcReceipt): Pick<Receipt, "feeWei" | "gasPaid"> {
  if (!gasUsed || !effectiveGasPrice) return { feeWei: null, gasPaid: null };
  const [gas, price] = [toBigInt(gasUsed), toBigInt(effectiveGasPrice)];
  const dataFee = l1Fee ? toBigInt(l1Fee) : 0n;
  return { feeWei: gas * price + dataFee, gasPaid: price === 0n ? gas : gas + dataFee / price };
}

const toLog = (l: RpcLog): Log => ({
  address: lower(l.address),
  topics: l.topics,
  data: l.data,
  logIndex: toNumber(l.logIndex),
});

export const toFoundLog = (log: RpcLog & RpcPlace): FoundLog => ({
  ...toLog(log),
  txHash: log.transactionHash,
  block: toNumber(log.blockNumber),
  blockHash: log.blockHash,
  ...(log.blockTimestamp && { timestamp: toNumber(log.blockTimestamp) }),
});

export const toTransfer = ({ hash, from, to, nonce, value }: RpcTransaction) => ({
  hash,
  from: lower(from),
  to: to && lower(to),
  nonce: toNumber(nonce),
  valueWei: toBigInt(value),
});

export const toTransaction = (tx: RpcTransaction) => ({
  hash: tx.hash,
  from: lower(tx.from),
  to: tx.to && lower(tx.to),
  nonce: toNumber(tx.nonce),
  data: tx.input,
  block: tx.blockNumber === null ? null : toNumber(tx.blockNumber),
});
