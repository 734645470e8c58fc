/** ERC-721 metadata, as marketplaces read it. */
import { z } from "zod";
import { contractMetadataSchema, contractMetadataView } from "../../core/views/contract-metadata.ts";
import { metadataSchema, metadataView } from "../../core/views/metadata.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { tokenId } from "../parameters.ts";
import { factsOf, siteOf } from "../services/agent-facts.ts";

export const contractMetadata = endpoint({
  path: "/api/v2/metadata/contract",
  operationId: "getContractMetadata",
  tag: "Agents",
  summary: "ERC-7572 metadata of the identity contract",
  responses: { 200: { description: "The metadata", schema: contractMetadataSchema } },
  cache: CACHE.release,
  handler: ({ deps }, json) => json(contractMetadataView(siteOf(deps.config))),
});

export const metadata = endpoint({
  path: "/api/v2/metadata/{id}",
  operationId: "getMetadata",
  tag: "Agents",
  summary: "ERC-721 metadata of an identity token",
  data: true,
  params: z.object({ id: tokenId }),
  responses: { 200: { description: "The metadata", schema: metadataSchema } },
  errors: ["not_found"],
  cache: CACHE.minute,
  async handler({ deps, params, now }, json) {
    const facts = await factsOf(deps.facts, { tokenId: params.id });
    return json(metadataView(facts, siteOf(deps.config), new Date(now)));
  },
});
