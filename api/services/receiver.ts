/** Receivers of tokens that are contracts: whether they take one. */
import { encodeAbiParameters } from "viem/utils";
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { RECEIVER_GAS } from "../../core/transactions/gas-bounds.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";

/** Selector and answer of `onERC721Received(address,address,uint256,bytes)`. */
const RECEIVED = "0x150b7a02";

/**
 * Asks a receiver that is a contract whether it takes tokens, for a bounded amount of gas: the mint of one that does not
 * would be refused by the chain, after it was accepted or paid for.
 * @throws Failure conflict, upstream_unavailable
 */
export async function checkReceiver(
  { chain, identity }: { chain: Pick<Chain, "call" | "code">; identity: Address },
  recipient: Address,
): Promise<void> {
  if ((await chain.code(recipient)) === "0x") return;
  const parameters = encodeAbiParameters(
    [{ type: "address" }, { type: "address" }, { type: "uint256" }, { type: "bytes" }],
    [identity, ZERO_ADDRESS, 0n, "0x"],
  );
  const data = `${RECEIVED}${parameters.slice(2)}` as const;
  const answer = await chain.call({ from: identity, to: recipient, data, gas: RECEIVER_GAS });
  if (answer.ok && answer.data.startsWith(RECEIVED)) return;
  fail(
    "conflict",
    `The wallet that is to receive the identity is a contract that takes no tokens (ERC-721), or needs more than ${RECEIVER_GAS} gas to take one.`,
    { hint: "Nothing was charged. Let the contract implement onERC721Received, or name another wallet." },
  );
}
