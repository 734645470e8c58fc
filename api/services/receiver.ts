/** Receivers of tokens that are contracts: whether they take one, and how many of them a network registers for free in a day. */
import { encodeAbiParameters } from "viem/utils";
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { RECEIVER_GAS } from "../../core/transactions/gas-bounds.ts";
import { contractMintsSince } from "../../db/mints/mints.ts";
import type { Queryable } from "../../db/sql/transaction.ts";

/** A mint is a transfer from this address. */
const ZERO_ADDRESS = `0x${"0".repeat(40)}` as Address;
/** Selector and answer of `onERC721Received(address,address,uint256,bytes)`. */
const RECEIVED = "0x150b7a02";

/**
 * Asks a receiver that is a contract whether it takes tokens, for a bounded amount of gas: the mint of one that does not
 * would be refused by the chain, after it was accepted or paid for.
 * @returns whether it is a contract
 * @throws Failure conflict, upstream_unavailable
 */
export async function checkReceiver(
  { chain, identity }: { chain: Pick<Chain, "call" | "code">; identity: Address },
  recipient: Address,
): Promise<boolean> {
  if ((await chain.code(recipient)) === "0x") return false;
  const parameters = encodeAbiParameters(
    [{ type: "address" }, { type: "address" }, { type: "uint256" }, { type: "bytes" }],
    [identity, ZERO_ADDRESS, 0n, "0x"],
  );
  const data = `${RECEIVED}${parameters.slice(2)}` as const;
  const answer = await chain.call({ from: identity, to: recipient, data, gas: RECEIVER_GAS });
  if (answer.ok && answer.data.startsWith(RECEIVED)) return true;
  return fail(
    "conflict",
    `The wallet that is to receive the identity is a contract that takes no tokens (ERC-721), or needs more than ${RECEIVER_GAS} gas to take one.`,
    { hint: "Nothing was charged. Let the contract implement onERC721Received, or name another wallet." },
  );
}

const DAY_MS = 86_400_000;

/** Free registrations of contract wallets: whose they count as, and how many a day; 0 = no limit. */
export type ContractShare = { network: string; perDay: number };

/**
 * Bound: refuses a free registration of a contract wallet beyond its network's number for a day
 * (RATE_CONTRACT_MINTS_PER_CLIENT, 10): each may cost the service a simulation, and the gas of a mint, of the
 * contract's choosing. Accounts with a key are bounded by signed writes only: Open 1 of
 * docs/engineering/concurrency.md.
 * Check then write: the network's contract mints of today, then the mint's row; others of the network may register:
 * advisory lock of the network, same transaction.
 * @param tx of the acceptance; registrations of one network wait for each other until it ends
 * @throws Failure rate_limited
 */
export async function refuseBeyondShare(tx: Queryable, { network, perDay }: ContractShare, now: Date): Promise<void> {
  if (perDay === 0) return;
  const { count, oldestAt } = await contractMintsSince(tx, network, new Date(now.getTime() - DAY_MS));
  if (count < perDay) return;
  const freeAt = (oldestAt ?? now).getTime() + DAY_MS;
  fail(
    "rate_limited",
    `The service registers ${perDay} contract wallets of one network for free in a day, and has registered as many of yours.`,
    {
      retryAfter: Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)),
      hint: "Register with a wallet that is an account with a key, or come back later. Paid registrations are not limited.",
    },
  );
}
