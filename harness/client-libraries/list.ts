/** Every client that is run against the service. An entry is all that a new one needs; README.md says how. */
import type { Client } from "./client.ts";
import { A2A_CLIENTS } from "./entries/a2a.ts";
import { ERC721_CLIENTS } from "./entries/erc721.ts";
import { GRAPHQL_CLIENTS } from "./entries/graphql.ts";
import { MCP_CLIENTS } from "./entries/mcp.ts";
import { MPP_CLIENTS } from "./entries/mpp.ts";
import { OPENAPI_CLIENTS } from "./entries/openapi.ts";
import { PAGE_CLIENTS } from "./entries/pages.ts";
import { READING_CLIENTS } from "./entries/readers.ts";
import { SCRIPTS } from "./entries/scripts.ts";
import { SIGNING_SAMPLES } from "./entries/signing-samples.ts";
import { WALLET_CLIENTS } from "./entries/wallets.ts";
import { X402_CLIENTS } from "./entries/x402.ts";

export const CLIENTS: readonly Client[] = [
  ...X402_CLIENTS,
  ...MPP_CLIENTS,
  ...PAGE_CLIENTS,
  ...WALLET_CLIENTS,
  ...MCP_CLIENTS,
  ...A2A_CLIENTS,
  ...READING_CLIENTS,
  ...GRAPHQL_CLIENTS,
  ...SCRIPTS,
  ...ERC721_CLIENTS,
  ...OPENAPI_CLIENTS,
  ...SIGNING_SAMPLES,
];
