/** An agent's registration in the canonical ERC-8004 registry: the transaction for its owner, and what the index has of it. */
import { encodeFunctionData } from "viem/utils";
import type { z } from "zod";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { checksum } from "../../core/addresses.ts";
import { registeredFile, registrationFile, registrationUri } from "../../core/agents/registration-file.ts";
import { directoryLink } from "../../core/directory/link.ts";
import { fail } from "../../core/errors.ts";
import { isoSeconds } from "../../core/times.ts";
import { registrationsOf } from "../../db/directory/wallet-registrations.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { crossRegistrationSchema } from "../schemas/registries.ts";
import { factsOf, siteOf } from "./agent-facts.ts";

/**
 * The transaction that the owner sends.
 * @param asked.agentId a registration of the owner's, which gets the present file; without it a new one is registered
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
    registrationUri(registrationFile(facts, siteOf(deps.config), new Date(now), numbers));
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
  const own = await registrationsOf(deps.db, address, [facts.owner]);
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
  const site = siteOf(deps.config);
  const indexedBlock = deps.index.block;
  const { facts, found } = await snapshot(deps.db, async (db) => {
    const facts = await factsOf({ db, config: deps.config }, { tokenId });
    return { facts, found: await registrationsOf(db, address, [facts.owner, facts.agentAddress]) };
  });
  return {
    tokenId,
    registry: checksum(address),
    chainId: chain.id,
    registrations: found.map(({ agentId, owner, uri, registeredAt, registeredBlock, txHash, updatedBlock }) => ({
      agentId,
      owner: checksum(owner),
      file: registeredFile(uri, facts, site, new Date(now)),
      url: directoryLink(service.webUrl, { platform: "erc8004", agentId }),
      registeredAt: isoSeconds(registeredAt),
      registeredBlock,
      txHash,
      updatedBlock,
    })),
    indexedBlock,
  };
}
