/**
 * An agent's links to other registries: its token, stored in four traits on chain, and the registration in the canonical ERC-8004 registry.
 */
import { decodeFunctionResult, encodeFunctionData, hexToString } from "viem/utils";
import type { z } from "zod";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { identityAbi } from "../../abis/identity.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import type { Chain } from "../../clients/ports.ts";
import { checksum } from "../../core/addresses.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { LinkedToken } from "../../core/agents/linked-token.ts";
import { registeredFile, registrationFile, registrationUri } from "../../core/agents/registration-file.ts";
import { storedTraits, type TokenInput } from "../../core/agents/token-input.ts";
import { directoryLink } from "../../core/directory/link.ts";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/quoted.ts";
import { cleanText } from "../../core/text.ts";
import { isoSeconds } from "../../core/times.ts";
import { READ_GAS } from "../../core/transactions/gas-bounds.ts";
import { rememberLink } from "../../db/directory/token-links.ts";
import { registrationsOf } from "../../db/directory/wallet-registrations.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { onchainTraits } from "../../db/transactions/chain-writes.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { crossRegistrationSchema } from "../schemas/updates.ts";
import { factsOf } from "./agent-facts.ts";
import { type ChainCall, payableTraitPrice, queueChainWrites } from "./chain-writes.ts";
import { authorizeController, writeAgent } from "./writing.ts";

/**
 * The transaction that the owner sends.
 * @param of.agentId a registration of the owner's, which gets the present file; without it a new one is registered
 * @throws Failure not_found
 */
export async function prepareCrossRegistration(
  deps: HandlerDeps,
  { tokenId, agentId, now }: { tokenId: number; agentId: string | undefined; now: number },
): Promise<z.output<typeof crossRegistrationSchema>> {
  const { chain, contracts } = deps.config;
  const { address } = contracts.erc8004Identity;
  const registry = checksum(address);
  const facts = await factsOf(deps.facts, { tokenId });
  const of = (numbers: { agentId: number; agentRegistry: string }[]) =>
    registrationUri(registrationFile(facts, deps.site, new Date(now), numbers));
  const common = { registry, ownerMustBeCaller: true, chainId: chain.id, to: registry } as const;
  const answer = { success: true, tokenId, manualRequired: true } as const;
  if (agentId === undefined) {
    const dataURI = of([]);
    return {
      ...answer,
      canonicalRegistration: {
        ...common,
        method: "register(string)",
        dataURI,
        data: encodeFunctionData({ abi: erc8004IdentityAbi, functionName: "register", args: [dataURI] }),
        note: `Send data to the registry from the owner ${checksum(facts.owner)}. The registry answers with an agentId; with setAgentURI the owner may then publish the file again with that agentId under registrations.`,
      },
    };
  }
  const own = await registrationsOf(deps.db, { registry: address, wallets: [facts.owner] });
  if (!own.some((one) => one.agentId === agentId))
    fail("not_found", `The owner ${checksum(facts.owner)} has no registration ${agentId} in this registry.`, {
      hint: `GET /api/v2/agent/${tokenId}/crossreg lists them.`,
    });
  const dataURI = of([{ agentId: Number(agentId), agentRegistry: `eip155:${chain.id}:${registry}` }]);
  return {
    ...answer,
    canonicalRegistration: {
      ...common,
      method: "setAgentURI(uint256,string)",
      dataURI,
      data: encodeFunctionData({
        abi: erc8004IdentityAbi,
        functionName: "setAgentURI",
        args: [BigInt(agentId), dataURI],
      }),
      note: `Send data to the registry from the owner ${checksum(facts.owner)}. It replaces the file of registration ${agentId}.`,
    },
  };
}

/** @throws Failure not_found */
export async function readCrossRegistrations(deps: HandlerDeps, tokenId: number, now: number) {
  const { chain, contracts, service } = deps.config;
  const { address } = contracts.erc8004Identity;
  const indexedBlock = deps.index.block;
  const { facts, found } = await snapshot(deps.db, async (db) => {
    const facts = await factsOf({ db, config: deps.config }, { tokenId });
    return {
      facts,
      found: await registrationsOf(db, { registry: address, wallets: [facts.owner, facts.agentAddress] }),
    };
  });
  return {
    tokenId,
    registry: checksum(address),
    chainId: chain.id,
    registrations: found.map(({ agentId, owner, uri, registeredAt, registeredBlock, txHash, updatedBlock }) => ({
      agentId,
      owner: checksum(owner),
      file: registeredFile(uri, facts, deps.site, new Date(now)),
      url: directoryLink(service.webUrl, { platform: "erc8004", agentId }),
      registeredAt: isoSeconds(registeredAt),
      registeredBlock,
      txHash,
      updatedBlock,
    })),
    indexedBlock,
  };
}

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
  request: { tokenId: number; wallet: Address; input: TokenInput; now: number },
): Promise<{ token: LinkedToken; intentKeys: string[] }> {
  const { tokenId, wallet, input, now } = request;
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
