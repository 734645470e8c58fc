/** Linking a token: checks that the token matches its claims, and stores it in four traits on chain. */
import { decodeFunctionResult, encodeFunctionData, hexToString } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { LinkedToken } from "../../core/agents/linked-token.ts";
import { storedTraits, type TokenInput } from "../../core/agents/token-input.ts";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/quoted.ts";
import { cleanText } from "../../core/text.ts";
import { READ_GAS } from "../../core/transactions/gas-bounds.ts";
import { rememberLink } from "../../db/directory/token-links.ts";
import { onchainTraits } from "../../db/transactions/chain-writes.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { authorizeController } from "./agent-control.ts";
import { type ChainCall, payableTraitPrice, queueChainWrites } from "./chain-writes.ts";
import { writeAgent } from "./writing.ts";

/** The chain whose contracts this service can ask. */
const OWN_CHAIN = "base";
/** Max hex digits of an answer that are decoded: a contract may answer anything, of any length. */
const MAX_ANSWER_HEX_DIGITS = 4_096;

/**
 * Queues the link; of several, the newest counts.
 * @returns the token as it is stored, and the keys of the intents to wait for
 * @throws Failure invalid_input, forbidden, not_found, out_of_funds, rate_limited, upstream_unavailable
 */
export async function linkToken(
  deps: HandlerDeps,
  asked: { tokenId: number; wallet: Address; input: TokenInput; now: number },
): Promise<{ token: LinkedToken; intentKeys: string[] }> {
  const { tokenId, wallet, input, now } = asked;
  const identity = deps.config.contracts.identity.address;
  const indexedBlock = deps.index.block;
  // The caller is authorized before the chain is called about an untrusted token.
  const authorize = await authorizeController(deps, tokenId, wallet);
  const token = await checkedToken(deps.chain, input);
  const valueWei = await payableTraitPrice(deps.chain, identity);
  return writeAgent(deps, { tokenId, now }, authorize, async (write) => {
    if (token.chain === OWN_CHAIN)
      await rememberLink(
        write.tx,
        { tokenId, token: token.contractAddress.toLowerCase() as Address, wallet },
        write.now,
      );
    const onchain = await onchainTraits(write.tx, { tokenId });
    const calls = storedTraits(token).map(
      ([name, value]): ChainCall => ({
        slot: name,
        data: encodeFunctionData({ abi: identityAbi, functionName: "addTrait", args: [BigInt(tokenId), name, value] }),
        valueWei,
        adds: "again",
        onchain: onchain.findLast((trait) => trait.name.toLowerCase() === name)?.category === value,
      }),
    );
    const keys = await queueChainWrites(write, calls, { wallet, identity, indexedBlock });
    return { result: { token, intentKeys: keys.filter((key) => key !== null) }, scored: false };
  });
}

/** On our own chain the contract is called; for other chains the request is trusted. */
async function checkedToken(chain: Pick<Chain, "code" | "call">, input: TokenInput): Promise<LinkedToken> {
  const { contractAddress, chain: chainName, symbol } = input;
  if (chainName !== OWN_CHAIN) return { contractAddress, chain: chainName, symbol, name: input.name ?? symbol };
  const address = contractAddress.toLowerCase() as Address;
  const refuse = (path: string, message: string): never =>
    fail("invalid_input", `The token cannot be linked: ${path} ${message}.`, { details: [{ path, message }] });
  if ((await chain.code(address)) === "0x") refuse("contractAddress", "must be a contract on Base");
  const [ownSymbol, ownName] = await Promise.all([
    readText(chain, address, "symbol"),
    readText(chain, address, "name"),
  ]);
  if (ownSymbol === null) return refuse("contractAddress", "must be a token: this contract has no symbol");
  if (ownSymbol.toLowerCase() !== symbol.toLowerCase())
    refuse("symbol", `must be the contract's own, ${quoted(ownSymbol)}`);
  return { contractAddress, chain: chainName, symbol: ownSymbol, name: input.name ?? ownName ?? ownSymbol };
}

/** A contract's text, as a string or, as the oldest tokens answer, in 32 bytes; null when it cannot be shown. */
async function readText(
  chain: Pick<Chain, "call">,
  to: Address,
  functionName: "symbol" | "name",
): Promise<string | null> {
  const data = encodeFunctionData({ abi: usdcAbi, functionName });
  const answer = await chain.call({ to, data, gas: READ_GAS });
  if (!answer.ok || answer.data === "0x" || answer.data.length > MAX_ANSWER_HEX_DIGITS) return null;
  const cleaned = cleanText(decodeText(answer.data, functionName) ?? "", {
    min: 1,
    max: functionName === "name" ? 64 : 32,
  });
  return "text" in cleaned ? cleaned.text : null;
}

function decodeText(data: Hex, functionName: "symbol" | "name"): string | null {
  try {
    if (data.length === 66) return hexToString(data, { size: 32 });
    return decodeFunctionResult({ abi: usdcAbi, functionName, data });
  } catch {
    return null;
  }
}
