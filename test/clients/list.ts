/** Every client that is run against the service. An entry is all that a new one needs; README.md says how. */
import type { Client } from "./client.ts";
import { ERC721_CLIENTS } from "./entries/erc721.ts";
import { OPENAPI_CLIENTS } from "./entries/openapi.ts";
import { PAGE_CLIENTS } from "./entries/pages.ts";
import { X402_CLIENTS } from "./entries/x402.ts";

export const CLIENTS: readonly Client[] = [...X402_CLIENTS, ...PAGE_CLIENTS, ...OPENAPI_CLIENTS, ...ERC721_CLIENTS];
