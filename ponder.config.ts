/** Ponder's configuration: the chain with its request lanes (RPC_LANES), the contracts, the attestations that count. */
import { createConfig } from "ponder";
import { zeroAddress } from "viem";
import { easAbi } from "./abis/eas.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi, erc8004ValidationAbi } from "./abis/erc8004.ts";
import { handshakesAbi } from "./abis/handshakes.ts";
import { identityAbi } from "./abis/identity.ts";
import { serviceTokenAbi } from "./abis/service-token.ts";
import { loadConfig } from "./config/config.ts";
import { poolsOf } from "./core/operations/connection-plan.ts";
import type {} from "./indexer/preload/fetch-only.ts";

/** Connections of Ponder's own beside those that it divides. */
const INTERNAL = 2;

const { chain, indexed, attesters, attestationSchemas, database } = loadConfig();
/** The part of the history that a process fetches which only fills the cache (indexer/preload/fetch-only.ts). */
const { fetchOnly } = globalThis;

/**
 * Ponder limits requests per entry of this list (20/s, growing by 5 % steps to 500/s), and an entry may repeat: each
 * repetition multiplies the limit of the same node, and the URL stays unchanged, so that every provider accepts it.
 */
const lanes = chain.rpcUrls.flatMap((url) => Array.from({ length: chain.lanes }, () => url));

/** Milliseconds. Ponder accepts no value below 100. */
const pollingInterval = Math.max(chain.pollIntervalMs, 100);

const of = (
  name: keyof typeof indexed,
  { address, startBlock }: Pick<typeof indexed.Identity, "address" | "startBlock">,
) => ({
  chain: "base" as const,
  address,
  startBlock: fetchOnly ? (fetchOnly.from[name] ?? fetchOnly.to) : startBlock,
  ...(fetchOnly && { endBlock: fetchOnly.to }),
  ...(!fetchOnly && chain.endBlock !== undefined && { endBlock: chain.endBlock }),
});

const at = (name: Exclude<keyof typeof indexed, "Erc8004Validation">) => of(name, indexed[name]);

/** Of a registry without an address one block is asked for, in which nothing is: its handlers need a contract. */
const OFF = {
  ...of("Erc8004Validation", { address: zeroAddress, startBlock: indexed.Identity.startBlock }),
  ...(!fetchOnly && { endBlock: indexed.Identity.startBlock }),
};
const validation = indexed.Erc8004Validation;

/** Only attestations of these attesters under these schemas are indexed. */
const counted = { attester: attesters, schemaUID: attestationSchemas };

export default createConfig({
  ordering: "omnichain",
  // The URL is put in its place by indexer/preload/database-url.ts.
  database: {
    kind: "postgres",
    connectionString: "postgres://see-preload",
    poolConfig: { max: INTERNAL + poolsOf(database.pool).indexer },
  },
  chains: {
    base: {
      id: chain.id,
      rpc: lanes,
      ...(chain.wsUrl !== undefined && { ws: chain.wsUrl }),
      pollingInterval,
      disableCache: !chain.cache,
    },
  },
  contracts: {
    Identity: { abi: identityAbi, ...at("Identity") },
    Eas: {
      abi: easAbi,
      ...at("Eas"),
      filter: [
        { event: "Attested", args: counted },
        { event: "Revoked", args: counted },
      ],
    },
    Erc8004Identity: { abi: erc8004IdentityAbi, ...at("Erc8004Identity") },
    Erc8004Reputation: { abi: erc8004ReputationAbi, ...at("Erc8004Reputation") },
    Erc8004Validation: { abi: erc8004ValidationAbi, ...(validation ? of("Erc8004Validation", validation) : OFF) },
    Handshakes: { abi: handshakesAbi, ...at("Handshakes") },
    ServiceToken: { abi: serviceTokenAbi, ...at("ServiceToken") },
  },
});
