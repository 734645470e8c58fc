/** An agent's links to other registries: its token, and the canonical ERC-8004 registration. */
import { z } from "zod";
import { endpointsOf } from "../endpoint.ts";
import { agentRef, documented } from "../parameters.ts";
import {
  crossRegistrationSchema,
  crossRegistrationsSchema,
  linkTokenAnswerSchema,
  linkTokenBodySchema,
  PENDING_WRITE,
} from "../schemas/updates.ts";
import { authorizeController } from "../services/agent-control.ts";
import { tokenIdOf, writtenTokenId } from "../services/agent-facts.ts";
import { minedIntents, pendingWrite } from "../services/await-intent.ts";
import { linkToken as link, prepareCrossRegistration, readCrossRegistrations } from "../services/registries.ts";

const endpoint = endpointsOf({ tag: "Changes", data: true });

const params = z.object({ ref: agentRef });

export const linkToken = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/link-token",
  operationId: "linkToken",
  summary: "Link a token to the agent",
  description:
    "Stored on chain. A token on Base must be a contract with this symbol; for other chains the address is checked by its form. Of several the newest counts.",
  guard: { caller: "siwa" },
  params,
  body: linkTokenBodySchema,
  responses: { 200: { description: "Linked on chain", schema: linkTokenAnswerSchema }, 202: PENDING_WRITE },
  errors: ["forbidden", "not_found", "conflict", "rate_limited", "out_of_funds"],
  async handler({ deps, params: { ref }, body, caller, now }, json) {
    const tokenId = await writtenTokenId(deps, ref);
    const { token, intentKeys } = await link(deps, { tokenId, wallet: caller.wallet, input: body, now });
    const { complete, mined } = await minedIntents(deps, intentKeys, { tokenId, what: "link" });
    if (!complete) return pendingWrite(tokenId, mined);
    return json({
      success: true,
      tokenId,
      linkedToken: token,
      txHashes: mined.map(({ txHash }) => txHash),
      ...(mined.length > 0 && { block: Math.max(...mined.map(({ block }) => block)) }),
    });
  },
});

const agentId = documented(
  z
    .string()
    .regex(/^\d{1,78}$/, { error: "must be a number of the registry" })
    .optional(),
  {
    documented: { type: "string", pattern: "^[0-9]{1,78}$" },
    description:
      "A registration of the owner: the transaction publishes the present file under it instead of a new one",
  },
);

export const crossRegistration = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/crossreg",
  operationId: "prepareCrossRegistration",
  summary: "Prepare the agent's registration in the canonical ERC-8004 registry, or a new file for it",
  description: "Nothing is sent: the owner's wallet submits the transaction, so that the registration is its own.",
  guard: { caller: "siwa" },
  params,
  query: z.object({ agentId }),
  responses: { 200: { description: "What the owner submits", schema: crossRegistrationSchema } },
  errors: ["forbidden", "not_found", "conflict"],
  async handler({ deps, params: { ref }, query, caller, now }, json) {
    const tokenId = await writtenTokenId(deps, ref);
    await authorizeController(deps, tokenId, caller.wallet);
    return json(await prepareCrossRegistration(deps, { tokenId, agentId: query.agentId, now }));
  },
});

export const crossRegistrations = endpoint({
  path: "/api/v2/agent/{ref}/crossreg",
  operationId: "getCrossRegistrations",
  summary: "The registrations of an agent's owner and wallet in the canonical ERC-8004 registry",
  description: "As indexed: `txHash` finds the registration of a transaction that was sent.",
  params,
  responses: { 200: { description: "The registrations", schema: crossRegistrationsSchema } },
  errors: ["not_found"],
  async handler({ deps, params: { ref }, now }, json) {
    return json(await readCrossRegistrations(deps, await tokenIdOf(deps, ref), now));
  },
});
