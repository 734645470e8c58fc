/**
 * The list of foreign registries that fill the directory. A new registry is a row here, and in `PULLED` where its agents have rows of their own; the compiler then requires its
 * reader (registry-readers.ts), its pages (clients/registries.ts) and its simulator (devnet/simulators/upstreams.ts).
 */
import type { UpstreamVariable } from "../operations/upstream-variable.ts";
import { type Platform, PULLED } from "./platforms.ts";

export type RegistryRow = Platform & {
  /** Name at the beginning of a sentence, where it differs from the label. */
  sentenceName?: string;
  /** Whether an id begins with a namespace, before its first `/`, in which the registry lets its holder alone publish. */
  hasNamespaces?: true;
  /** Set when its agents are who is paid: the wallet that it names is the agent. */
  listsPayees?: true;
  /** Set when the items add data to the agents of this platform and have no rows of their own. */
  enriches?: "erc8004";
  /** Words for the registry in a natural-language question to MCP or A2A. */
  queryNames?: readonly string[];
  /** Requests per second that the registry allows. */
  perSecond: number;
  /** Requests per second that it allows with the key of `variables.key`. */
  perSecondWithKey?: number;
  /** Max items of a page that it returns: a multiple of 10. */
  pageSize: number;
  /** Max seconds of a request, from the connection to the last byte. A slower page is read in smaller ones. */
  maxSeconds: number;
  /** Max bytes of a page. A larger page is read in smaller ones. */
  maxBytes: number;
  /** Variables of its API's URL, and of its key, which is sent in `x-api-key`. */
  variables: { url: UpstreamVariable & { default: string }; key?: UpstreamVariable };
};

/*
 * No registry documents how long it takes. The limits follow from what a row holds: a list whose rows hold whole documents
 * takes its server longer and is larger than one whose rows hold a few short texts.
 */
/** Rows with documents written by agents' owners: offers with schemas, readmes. */
const DOCUMENTS = { maxSeconds: 30, maxBytes: 16_000_000 };

export const REGISTRIES = [
  {
    ...PULLED.virtuals,
    queryNames: ["virtuals"],
    perSecond: 3,
    // Rows hold every job with the schemas of its request and its result.
    pageSize: 100,
    ...DOCUMENTS,
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
    ...PULLED.agentverse,
    queryNames: ["agentverse"],
    // Documented: about 120 a minute, and after status 429 a pause of 30 seconds (reference in fetchai/agentverse-skills).
    perSecond: 2,
    // Rows hold readmes. 50 is the most that the API's own client accepts since May 2026 (AgentSearchRequest.limit). Its
    // owner's search script waits for 30 seconds (fetchai/agentverse-skills).
    pageSize: 50,
    ...DOCUMENTS,
    variables: {
      url: { name: "AGENTVERSE_API_URL", doc: "Agentverse", kind: "url", default: "https://agentverse.ai" },
    },
  },
  {
    ...PULLED["mcp-registry"],
    sentenceName: "The MCP registry",
    hasNamespaces: true,
    perSecond: 3,
    // Rows are short: a description has 100 characters at most, and pages go by a key, so that a late one costs no more.
    pageSize: 100,
    maxSeconds: 10,
    maxBytes: 4_000_000,
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
    ...PULLED["x402-bazaar"],
    sentenceName: "The x402 Bazaar",
    listsPayees: true,
    queryNames: ["bazaar"],
    perSecond: 3,
    // Rows hold the schemas of a resource's request and answer.
    pageSize: 100,
    ...DOCUMENTS,
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
    // Rows of a list have no documents, but pages go by offsets of tens of thousands, which its server counts up to.
    pageSize: 100,
    maxSeconds: 30,
    maxBytes: 4_000_000,
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
] as const satisfies readonly (RegistryRow & ({ key: keyof typeof PULLED } | { enriches: string }))[];

export type RegistryKey = (typeof REGISTRIES)[number]["key"];
