/** The collection's metadata and picture, as marketplaces show them for the identity contract (ERC-7572). */
import { z } from "zod";
import { url } from "./fields.ts";
import type { Site } from "./site.ts";

/** Metadata of the contract as a whole. @see https://eips.ethereum.org/EIPS/eip-7572 */
export const contractMetadataSchema = z
  .object({ name: z.string(), symbol: z.string(), description: z.string(), image: url, external_link: url })
  .meta({ id: "ContractMetadata" });

export const contractMetadataView = ({
  serviceName,
  publicUrl,
  webUrl,
}: Site): z.output<typeof contractMetadataSchema> => ({
  name: serviceName,
  symbol: serviceName.toUpperCase(),
  description: `On-chain identities of AI agents on Base. Each token is one agent: its profile, its proofs and its cred score, registered by ${serviceName}.`,
  image: `${publicUrl}/api/v2/collection.svg`,
  external_link: webUrl,
});

/** The ring of the terminal's icon (web/icon.svg), in the size of a token's card. */
export const COLLECTION_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000" viewBox="0 0 32 32" fill="none" stroke-linecap="round">' +
  '<rect width="32" height="32" fill="#0e1116"/><circle cx="16" cy="16" r="10" stroke="#2a313b" stroke-width="3"/>' +
  '<path d="M16 6a10 10 0 1 1-9.5 6.9" stroke="#f2c563" stroke-width="3"/><circle cx="16" cy="16" r="2.6" fill="#f4f6f8"/></svg>';
