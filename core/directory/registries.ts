/**
 * The foreign registries that the directory is filled from: one list. A registry is a row here; the compiler then demands
 * its reader (sources.ts), its pages (clients/registries.ts) and its simulator (devnet/simulators/upstreams.ts).
 */
import type { UpstreamVariable } from "../upstream-variable.ts";

export type RegistryRow = {
  /** In rows as `platform`, in the database and in metrics as the source. */
  key: string;
  /** Name for people, as in a row of the directory. */
  label: string;
  /** Name at the beginning of a sentence, where it differs from the label. */
  sentenceName?: string;
  /** Whether the registry itself makes sure that the wallet it names is the agent's. */
  provesWallets: boolean;
  /** The platform whose agents its items say more about: they make no rows of their own. */
  enriches?: "erc8004";
  /** Words by which people mean the registry in a question to MCP or A2A. */
  spokenNames?: readonly string[];
  /** Requests a second that the registry allows. */
  perSecond: number;
  /** The same with the key of `variables.key`. */
  perSecondWithKey?: number;
  /** The URL of its API, and the key that goes along in `x-api-key` where there is one. */
  variables: { url: UpstreamVariable & { default: string }; key?: UpstreamVariable };
};

export const REGISTRIES = [
  {
    key: "virtuals",
    label: "Virtuals",
    provesWallets: false,
    spokenNames: ["virtuals"],
    perSecond: 3,
    variables: {
      url: {
        name: "VIRTUALS_API_URL",
        doc: "Agent list of Virtuals (ACP)",
        kind: "url",
        default: "https://acpx.virtuals.io",
      },
    },
  },
  {
    key: "agentverse",
    label: "Agentverse",
    provesWallets: false,
    spokenNames: ["agentverse"],
    perSecond: 3,
    variables: {
      url: { name: "AGENTVERSE_API_URL", doc: "Agentverse", kind: "url", default: "https://agentverse.ai" },
    },
  },
  {
    key: "mcp-registry",
    label: "MCP registry",
    sentenceName: "The MCP registry",
    provesWallets: false,
    perSecond: 3,
    variables: {
      url: {
        name: "MCP_REGISTRY_URL",
        doc: "The official MCP registry",
        kind: "url",
        default: "https://registry.modelcontextprotocol.io",
      },
    },
  },
  {
    key: "x402-bazaar",
    label: "x402 Bazaar",
    sentenceName: "The x402 Bazaar",
    // The recipient of a payment need not be the agent that answers.
    provesWallets: false,
    spokenNames: ["bazaar"],
    perSecond: 3,
    variables: {
      url: { name: "X402_BAZAAR_URL", doc: "The x402 Bazaar", kind: "url", default: "https://api.cdp.coinbase.com" },
    },
  },
  {
    key: "8004scan",
    label: "8004scan",
    provesWallets: false,
    enriches: "erc8004",
    perSecond: 0.4,
    perSecondWithKey: 5,
    variables: {
      url: {
        name: "SCAN8004_API_URL",
        doc: "8004scan, a second look at ERC-8004 agents",
        kind: "url",
        default: "https://api.8004scan.io/api/v1",
      },
      key: {
        name: "SCAN8004_API_KEY",
        doc: "Key of 8004scan (unset: 30 requests a minute instead of 600)",
        kind: "secret",
      },
    },
  },
] as const satisfies readonly RegistryRow[];

export type RegistryKey = (typeof REGISTRIES)[number]["key"];
/** Registries whose agents have rows of their own. */
type ListingKey = Exclude<(typeof REGISTRIES)[number], { enriches: string }>["key"];

/** The registries whose agents have rows of their own, in the order of the list. */
export const LISTING_REGISTRIES = REGISTRIES.filter(
  (row) => !("enriches" in row),
) as unknown as readonly (RegistryRow & {
  key: ListingKey;
})[];
