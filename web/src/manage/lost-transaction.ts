/** Finds the transaction of a registration whose hash this page has lost, by the logs of the registry and the wallet's nonce, as the wallet's own node gives them. */
import { ask, type Provider } from "../wallet/providers.ts";
import type { Position } from "../wallet/transaction.ts";

/**
 * What the wallet's node shows: `none` no transaction of the wallet since; `pending` one that waits for its block;
 * `other` one in a block, and no registration by it.
 */
export type Trace = "none" | "pending" | "other";
type LostTransaction = Position & { to: string; data: string; agentId: string | null };

/** `Registered(uint256,string,address)` and `URIUpdated(uint256,string,address)` of the registry (abis/erc8004.ts). */
const REGISTERED = "0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a";
const URI_UPDATED = "0x3a2c7fffc2cba7582c690e3b82c453ea02a308326a98a3ad7576c606336409fb";

/** Hex digits of a selector with `0x`, and of one ABI word. */
const SELECTOR = 10;
const WORD = 64;

const word = (hex: string): string => `0x${hex.replace(/^0x/, "").toLowerCase().padStart(WORD, "0")}`;
/** The file's URI in ABI encoding: the last argument of the call, and all data of the log. */
const uriOfCall = ({ data, agentId }: LostTransaction): string =>
  data.slice(SELECTOR + WORD * (agentId === null ? 1 : 2));
const uriOfLog = (data: string): string => data.slice(2 + WORD);

/** Never throws: a node that gives no logs leaves the index to show the registration. */
export async function traceOf(provider: Provider, lost: LostTransaction): Promise<{ hash: string } | Trace> {
  const { agentId, from, to, block, nonce } = lost;
  // Counts first: a transaction that they have is in the logs, which are read after them.
  const [mined, all] = await Promise.all(["latest", "pending"].map((state) => countOf(provider, from, state)));
  const topics = agentId === null ? [REGISTERED, null] : [URI_UPDATED, word(BigInt(agentId).toString(16))];
  const filter = {
    address: to,
    fromBlock: `0x${block.toString(16)}`,
    toBlock: "latest",
    topics: [...topics, word(from)],
  };
  const logs = await ask<{ data: string; transactionHash: string }[]>(provider, "eth_getLogs", [filter]).catch(
    () => [],
  );
  const found = logs.find((log) => uriOfLog(log.data) === uriOfCall(lost));
  if (found) return { hash: found.transactionHash };
  return mined! > nonce ? "other" : all! > nonce ? "pending" : "none";
}

/** Number of transactions of an account; 0 when the node does not say. */
const countOf = (provider: Provider, address: string, state: string): Promise<number> =>
  ask<string>(provider, "eth_getTransactionCount", [address, state]).then(Number, () => 0);
