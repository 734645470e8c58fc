/** Contracts: addresses and the blocks where their history begins. */
import { MAX_ORACLE_BATCH } from "../core/transactions/gas-bounds.ts";
import type { BUDGETS } from "./budgets.ts";
import { address, duration, hash, integer, list } from "./checks.ts";
import { API, API_AND_WORKERS, READERS_OF_CHAIN, type ValuesOf, type Variable, variable, WORKERS } from "./variable.ts";

/** Variables of `Contracts` in `.env.example`. */
export const CONTRACTS = {
  IDENTITY_ADDRESS: variable(READERS_OF_CHAIN, "Identity token", address, "0x2e3B541C59D38b84E3Bc54e977200230A204Fe60"),
  IDENTITY_START_BLOCK: variable(
    READERS_OF_CHAIN,
    "Where the identity token's history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  ERC8004_IDENTITY_ADDRESS: variable(
    READERS_OF_CHAIN,
    "ERC-8004 identity registry",
    address,
    "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
  ),
  ERC8004_AGENT_ID: variable(
    API,
    "Number of the service's own agent in the ERC-8004 registry, shown in /.well-known/agent-registration.json (unset: none)",
    integer(0, Number.MAX_SAFE_INTEGER),
  ),
  ERC8004_REPUTATION_ADDRESS: variable(
    READERS_OF_CHAIN,
    "ERC-8004 reputation registry",
    address,
    "0x8004BAa17C55a88189AE136b182e5fdA19dE9b63",
  ),
  ERC8004_VALIDATION_ADDRESS: variable(
    READERS_OF_CHAIN,
    "ERC-8004 validation registry (unset: it has no address yet, and none is indexed)",
    address,
  ),
  ERC8004_START_BLOCK: variable(
    READERS_OF_CHAIN,
    "Where the ERC-8004 registries' history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "41663783",
  ),
  EAS_ADDRESS: variable(
    READERS_OF_CHAIN,
    "Ethereum Attestation Service",
    address,
    "0x4200000000000000000000000000000000000021",
  ),
  EAS_START_BLOCK: variable(
    READERS_OF_CHAIN,
    "First block of indexed attestations; older ones are looked up on the chain, wallet by wallet",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  ATTESTERS: variable(
    READERS_OF_CHAIN,
    "Attesters whose attestations count, comma list",
    list(address),
    "0x357458739F90461b99789350868CD7CF330Dd7EE",
  ),
  ATTESTATION_SCHEMAS: variable(
    READERS_OF_CHAIN,
    "EAS schemas that are indexed, comma list; the first is the exchange's verified account",
    list(hash),
    "0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9",
  ),
  ATTESTATION_INDEXER_ADDRESS: variable(
    API_AND_WORKERS,
    "The exchange's attestation indexer",
    address,
    "0x2c7eE1E5f416dfF40054c27A62f7B357C4E8619C",
  ),
  AGENT_COMMERCE_ADDRESS: variable(
    WORKERS,
    "Contract of jobs between agents (ERC-8183) that agents' jobs are read from (unset: none are read)",
    address,
  ),
  AGENT_COMMERCE_START_BLOCK: variable(
    WORKERS,
    "Where the history of that contract begins; by default days before ERC-8183 was proposed",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  ATTESTATION_RECHECK_INTERVAL: variable(
    WORKERS,
    "Interval between two look-ups of a wallet's attestation from before EAS_START_BLOCK",
    duration,
    "1d",
  ),
  HANDSHAKES_ADDRESS: variable(
    READERS_OF_CHAIN,
    "Handshake registry",
    address,
    "0xdA865DC3647f7AA97228fBEB37Fe02095f0cA0Fd",
  ),
  HANDSHAKES_START_BLOCK: variable(
    READERS_OF_CHAIN,
    "Where the handshake registry's history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  SERVICE_TOKEN_ADDRESS: variable(
    READERS_OF_CHAIN,
    "The service's own token",
    address,
    "0xAB3f23c2ABcB4E12Cc8B593C218A7ba64Ed17Ba3",
  ),
  SERVICE_TOKEN_START_BLOCK: variable(
    READERS_OF_CHAIN,
    "Where the service token's history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  USDC_ADDRESS: variable(API_AND_WORKERS, "USDC", address, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
  NEYNAR_SCORES_ADDRESS: variable(
    API,
    "Neynar's scores of wallets, which reports show as another's opinion",
    address,
    "0xd3C43A38D1D3E47E9c420a733e439B03FAAdebA8",
  ),
  CRED_ROOTS_ADDRESS: variable(
    API_AND_WORKERS,
    "CredRoots, the contract of the roots of all scores (unset: none are published)",
    address,
  ),
  CRED_ROOTS_INTERVAL: variable(WORKERS, "Interval between two roots, when scores have changed", duration, "1h"),
  CRED_ROOTS_HEARTBEAT: variable(WORKERS, "Interval after which unchanged scores get a new root", duration, "1d"),
  CRED_ROOTS_KEPT: variable(
    WORKERS,
    "Epochs whose trees are kept, so that proofs can be made; 25 MB each for 1,000,000 agents",
    integer(1, 100_000),
    "48",
  ),
  CRED_ORACLE_ADDRESS: variable(
    WORKERS,
    "Per-token oracle that scores are written into, owned by the account of DEPLOYER_PRIVATE_KEY (unset: none)",
    address,
  ),
  CRED_ORACLE_THRESHOLD: variable(
    WORKERS,
    "Points by which a score must differ from what the oracle holds to be written; first scores are always written",
    integer(1, 100),
    "2",
  ),
  CRED_ORACLE_BATCH: variable(WORKERS, "Max scores per transaction to the oracle", integer(1, MAX_ORACLE_BATCH), "100"),
  CRED_ORACLE_INTERVAL: variable(
    WORKERS,
    "Interval between two comparisons of the oracle with the scores",
    duration,
    "1h",
  ),
} satisfies Record<string, Variable>;

/** Options of `contracts`, `attesters`, `attestationSchemas`, `attestationRecheckMs`, `credRoots`, `credOracle` in the configuration. */
export function contractsConfig(v: ValuesOf<typeof CONTRACTS & typeof BUDGETS>) {
  const indexed = {
    identity: { address: v.IDENTITY_ADDRESS, startBlock: v.IDENTITY_START_BLOCK },
    erc8004Identity: { address: v.ERC8004_IDENTITY_ADDRESS, startBlock: v.ERC8004_START_BLOCK },
    erc8004Reputation: { address: v.ERC8004_REPUTATION_ADDRESS, startBlock: v.ERC8004_START_BLOCK },
    eas: { address: v.EAS_ADDRESS, startBlock: v.EAS_START_BLOCK },
    handshakes: { address: v.HANDSHAKES_ADDRESS, startBlock: v.HANDSHAKES_START_BLOCK },
    serviceToken: { address: v.SERVICE_TOKEN_ADDRESS, startBlock: v.SERVICE_TOKEN_START_BLOCK },
  };
  const erc8004Validation = v.ERC8004_VALIDATION_ADDRESS && {
    address: v.ERC8004_VALIDATION_ADDRESS,
    startBlock: v.ERC8004_START_BLOCK,
  };
  const agentCommerce = v.AGENT_COMMERCE_ADDRESS && {
    address: v.AGENT_COMMERCE_ADDRESS,
    startBlock: v.AGENT_COMMERCE_START_BLOCK,
  };
  return {
    /** The contracts with an index, by the names of ponder.config.ts. */
    indexed: {
      Identity: indexed.identity,
      Eas: indexed.eas,
      Erc8004Identity: indexed.erc8004Identity,
      Erc8004Reputation: indexed.erc8004Reputation,
      Handshakes: indexed.handshakes,
      ServiceToken: indexed.serviceToken,
      ...(erc8004Validation && { Erc8004Validation: erc8004Validation }),
    },
    /** First block of any indexed contract's history. */
    firstBlock: Math.min(...Object.values(indexed).map(({ startBlock }) => startBlock)),
    contracts: {
      ...indexed,
      ...(erc8004Validation && { erc8004Validation }),
      /** Absent: no jobs are read. */
      ...(agentCommerce && { agentCommerce }),
      attestationIndexer: { address: v.ATTESTATION_INDEXER_ADDRESS },
      usdc: { address: v.USDC_ADDRESS },
      neynarScores: { address: v.NEYNAR_SCORES_ADDRESS },
    },
    attesters: v.ATTESTERS,
    /** EAS schema UIDs; the first is the exchange's verified account. */
    attestationSchemas: v.ATTESTATION_SCHEMAS,
    attestationRecheckMs: v.ATTESTATION_RECHECK_INTERVAL,
    credRoots: {
      /** Undefined: no roots are published. */
      address: v.CRED_ROOTS_ADDRESS,
      intervalMs: v.CRED_ROOTS_INTERVAL,
      heartbeatMs: v.CRED_ROOTS_HEARTBEAT,
      kept: v.CRED_ROOTS_KEPT,
    },
    credOracle: {
      /** Undefined: no scores are written token by token. */
      address: v.CRED_ORACLE_ADDRESS,
      threshold: v.CRED_ORACLE_THRESHOLD,
      batch: v.CRED_ORACLE_BATCH,
      gasPerDay: BigInt(v.DAILY_BUDGETS["oracle-gas"]),
      intervalMs: v.CRED_ORACLE_INTERVAL,
    },
  };
}
