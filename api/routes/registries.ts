/** An agent's links to other registries: its token, and the canonical ERC-8004 registration. */
import { encodeFunctionData } from "viem/utils";
import { z } from "zod";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { checksum } from "../../core/addresses.ts";
import { registrationFile } from "../../core/registration-file.ts";
import { endpoint, json } from "../endpoint.ts";
import { tokenId } from "../parameters.ts";
import { PENDING_WRITE } from "../schemas/pending.ts";
import { crossRegistrationSchema, linkTokenAnswerSchema, linkTokenBodySchema } from "../schemas/registries.ts";
import { authorizeController } from "../services/agent-control.ts";
import { factsOf, siteOf } from "../services/agent-facts.ts";
import { minedIntents, pendingWrite } from "../services/await-intent.ts";
import { linkToken as link } from "../services/token-link.ts";

const params = z.object({ id: tokenId });

export const linkToken = endpoint({
  method: "post",
  path: "/api/v2/agent/{id}/link-token",
  operationId: "linkToken",
  tag: "Changes",
  summary: "Link a token to the agent",
  description:
    "Stored on chain. A token on Base must be a contract with this symbol; for other chains the address is checked by its form. Of several the newest counts.",
  guard: { caller: "siwa" },
  data: true,
  params,
  body: linkTokenBodySchema,
  responses: { 200: { description: "Linked on chain", schema: linkTokenAnswerSchema }, 202: PENDING_WRITE },
  errors: ["forbidden", "not_found", "conflict", "rate_limited", "out_of_funds"],
  async handler({ deps, params: { id }, body, caller, now }) {
    const { token, intentKeys } = await link(deps, { tokenId: id, wallet: caller.wallet, input: body, now });
    const waiting = { timeoutMs: deps.config.mintWaitMs, what: "link" };
    const { complete, mined } = await minedIntents(deps.db, intentKeys, waiting);
    if (!complete) return pendingWrite(id, mined);
    return json({
      success: true,
      tokenId: id,
      linkedToken: token,
      txHashes: mined.map(({ txHash }) => txHash),
      ...(mined.length > 0 && { block: Math.max(...mined.map(({ block }) => block)) }),
    });
  },
});

export const crossRegistration = endpoint({
  method: "post",
  path: "/api/v2/agent/{id}/crossreg",
  operationId: "prepareCrossRegistration",
  tag: "Changes",
  summary: "Prepare the agent's registration in the canonical ERC-8004 registry",
  description: "Nothing is sent: the owner's wallet submits the transaction, so that the registration is its own.",
  guard: { caller: "siwa" },
  data: true,
  params,
  responses: { 200: { description: "What the owner submits", schema: crossRegistrationSchema } },
  errors: ["forbidden", "not_found"],
  async handler({ deps, params: { id }, caller, now }) {
    await authorizeController(deps, id, caller.wallet);
    const facts = await factsOf(deps.facts, { tokenId: id });
    const { chain, contracts } = deps.config;
    const file = JSON.stringify(registrationFile(facts, siteOf(deps.config), new Date(now)));
    const dataURI = `data:application/json;base64,${Buffer.from(file, "utf8").toString("base64")}`;
    const registry = checksum(contracts.erc8004Identity.address);
    return json({
      success: true,
      tokenId: id,
      manualRequired: true,
      canonicalRegistration: {
        registry,
        method: "register(string)",
        ownerMustBeCaller: true,
        dataURI,
        chainId: chain.id,
        to: registry,
        data: encodeFunctionData({ abi: erc8004IdentityAbi, functionName: "register", args: [dataURI] }),
        note: `Send data to the registry from the owner ${checksum(facts.owner)}. The registry answers with an agentId; with setAgentURI the owner may then publish the file again with that agentId under registrations.`,
      },
    });
  },
});
