/** Reads a transaction's logs: transfers of a token, and the authorizations that caused them. */
import type { Address, Hex } from "../agents/facts.ts";

/** keccak256 of `Transfer(address,address,uint256)`. */
export const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
export const AUTHORIZATION_USED: Hex = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";

export type TokenLog = { address: Address; topics: Hex[]; data: Hex; logIndex: number };

export type Transfer = {
  /** Index of the log in its block, which a reorganisation may change. */
  logIndex: number;
  /** Index among the transfers of the same value between the same two accounts in its transaction, from 0; independent of the block. */
  nth: number;
  from: Address;
  to: Address;
  value: bigint;
  /** Nonce of the authorization of `from` that caused it; null for a plain transfer. */
  nonce: Hex | null;
};

const addressIn = (topic: Hex): Address => `0x${topic.slice(-40).toLowerCase()}`;
/** An address as a topic. */
export const topicOf = (address: Address): Hex => `0x${address.slice(2).padStart(64, "0")}`;

/**
 * The transfers of one token in a transaction, by place. USDC logs the use of an authorization and right after it the
 * transfer it caused; this adjacency joins the two.
 */
export function transfersIn(logs: readonly TokenLog[], token: Address): Transfer[] {
  const own = logs.filter(({ address }) => address === token).toSorted((a, b) => a.logIndex - b.logIndex);
  const alike = new Map<string, number>();
  return own.flatMap((log) => {
    const [topic, from, to] = log.topics;
    if (topic !== TRANSFER || log.topics.length !== 3 || !/^0x[0-9a-f]{64}$/i.test(log.data)) return [];
    const before = own.find(
      ({ logIndex, topics }) => logIndex === log.logIndex - 1 && topics[0] === AUTHORIZATION_USED,
    );
    const [sender, recipient, value] = [addressIn(from!), addressIn(to!), BigInt(log.data)];
    const kind = `${sender}:${recipient}:${value}`;
    const nth = alike.get(kind) ?? 0;
    alike.set(kind, nth + 1);
    const caused = before && addressIn(before.topics[1]!) === sender;
    return [
      {
        logIndex: log.logIndex,
        nth,
        from: sender,
        to: recipient,
        value,
        nonce: caused ? (before.topics[2]!.toLowerCase() as Hex) : null,
      },
    ];
  });
}

/** The transfers of exactly one of these amounts between two accounts. */
export const transfersOf = (
  logs: readonly TokenLog[],
  query: { token: Address; from: Address; to: Address; values: readonly bigint[] },
): Transfer[] =>
  transfersIn(logs, query.token).filter(
    ({ from, to, value }) => from === query.from && to === query.to && query.values.includes(value),
  );

const FORM = /^0x[0-9a-fA-F]{64}$/;

/** Whether a value has the form of a transaction's hash: nothing else that pays looks like it. */
export const isTransactionHash = (value: unknown): value is string => typeof value === "string" && FORM.test(value);
