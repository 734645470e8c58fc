/** What Ponder reads and from where: the chain with its request lanes, the contracts, the attestations that count. */
import { createConfig } from "ponder";
import { easAbi } from "./abis/eas.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "./abis/erc8004.ts";
import { handshakesAbi } from "./abis/handshakes.ts";
import { identityAbi } from "./abis/identity.ts";
import { serviceTokenAbi } from "./abis/service-token.ts";
import { loadConfig } from "./config/config.ts";

const { chain, contracts, attesters, attestationSchemas, database } = loadConfig();

/**
 * Ponder limits requests per entry of this list (20/s, growing by 5 % steps to 500/s), and an entry may repeat: each
 * repetition is another lane to the same node, with nothing added to the URL that a provider could stumble over.
 */
const lanes = chain.rpcUrls.flatMap((url) => Array.from({ length: chain.lanes }, () => url));

/** Ponder accepts nothing below 100 ms. */
const pollingInterval = Math.max(chain.pollIntervalMs, 100);

const on = (contract: { address: `0x${string}`; startBlock: number }) => ({
  chain: "base" as const,
  address: contract.address,
  startBlock: contract.startBlock,
  ...(chain.endBlock !== undefined && { endBlock: chain.endBlock }),
});

/** Attestations of others, and under other schemas, are none of our business. */
const counted = { attester: attesters, schemaUID: attestationSchemas };

export default createConfig({
  ordering: "omnichain",
  database: { kind: "postgres", connectionString: database.indexerUrl, poolConfig: { max: 20 } },
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
    Identity: { abi: identityAbi, ...on(contracts.identity) },
    Eas: {
      abi: easAbi,
      ...on(contracts.eas),
      filter: [
        { event: "Attested", args: counted },
        { event: "Revoked", args: counted },
      ],
    },
    Erc8004Identity: { abi: erc8004IdentityAbi, ...on(contracts.erc8004Identity) },
    Erc8004Reputation: { abi: erc8004ReputationAbi, ...on(contracts.erc8004Reputation) },
    Handshakes: { abi: handshakesAbi, ...on(contracts.handshakes) },
    ServiceToken: { abi: serviceTokenAbi, ...on(contracts.serviceToken) },
  },
});
