/** Contracts: addresses and the blocks where their history begins. */
import { z } from "zod";
import { ORACLE_BATCH } from "../core/transactions/gas-bounds.ts";
import type { BUDGETS } from "./budgets.ts";
import { address, byName, duration, hash, integer, list } from "./checks.ts";
import { settings, type ValuesOf, type Variable, variable } from "./variable.ts";

type Address = `0x${string}`;
/** A contract whose events are read, from its first block on. */
type WithHistory<A extends Address | undefined = Address> = { address: A; startBlock: number };

/** Contracts with a history, as they are live on Base. */
const WITH_HISTORY: {
  identity: WithHistory;
  erc8004Identity: WithHistory;
  erc8004Reputation: WithHistory;
  erc8004Validation: WithHistory<Address | undefined>;
  eas: WithHistory;
  handshakes: WithHistory;
  serviceToken: WithHistory;
  agentCommerce: WithHistory<Address | undefined>;
} = {
  identity: { address: "0x2e3b541c59d38b84e3bc54e977200230a204fe60", startBlock: 42_254_000 },
  erc8004Identity: { address: "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432", startBlock: 41_663_783 },
  erc8004Reputation: { address: "0x8004baa17c55a88189ae136b182e5fda19de9b63", startBlock: 41_663_783 },
  /** It has no address on Base yet: none is indexed. */
  erc8004Validation: { address: undefined, startBlock: 41_663_783 },
  /** Attestations before its first block are looked up on the chain, wallet by wallet. */
  eas: { address: "0x4200000000000000000000000000000000000021", startBlock: 42_254_000 },
  handshakes: { address: "0xda865dc3647f7aa97228fbeb37fe02095f0ca0fd", startBlock: 42_254_000 },
  serviceToken: { address: "0xab3f23c2abcb4e12cc8b593c218a7ba64ed17ba3", startBlock: 42_254_000 },
  /** Jobs between agents (ERC-8183), read where an operator names a contract. It begins days before ERC-8183 was proposed. */
  agentCommerce: { address: undefined, startBlock: 42_254_000 },
};

const WITHOUT_HISTORY: Record<"attestationIndexer" | "usdc" | "neynarScores", { address: Address }> = {
  /** The exchange's. */
  attestationIndexer: { address: "0x2c7ee1e5f416dff40054c27a62f7b357c4e8619c" },
  usdc: { address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" },
  /** Scores of wallets, which reports show as another's opinion. */
  neynarScores: { address: "0xd3c43a38d1d3e47e9c420a733e439b03faadeba8" },
};

const LIVE = { ...WITH_HISTORY, ...WITHOUT_HISTORY };
export type ContractName = keyof typeof LIVE;
export const CONTRACT_NAMES = Object.keys(LIVE) as ContractName[];
/** Whether events of the contract are read, from a first block on. */
export const hasHistory = (name: ContractName): boolean => name in WITH_HISTORY;

/** `address`, `address@block` or `@block`. */
const withHistory = z
  .string()
  .regex(
    /^(?=.)(0x[0-9a-fA-F]{40})?(@\d{1,15})?$/,
    "must be an address, @ and the block where its history begins, or both",
  )
  .transform((written) => {
    const [contract, block] = written.split("@");
    return { ...(contract && { address: address.parse(contract) }), ...(block && { startBlock: Number(block) }) };
  });
const withoutHistory = address.transform((contract) => ({ address: contract }));

/** Variables of `Contracts` in `.env.example`. */
export const CONTRACTS = {
  CONTRACTS: settings(
    ["api", "workers", "indexer"],
    `Contracts other than the live ones of Base, comma list of name=address@block; the block is where the history of its events begins, and either may be left out. Names: ${CONTRACT_NAMES.join(", ")}`,
    byName(LIVE, (name) => (hasHistory(name) ? withHistory : withoutHistory)),
  ),
  ERC8004_AGENT_ID: variable(
    ["api"],
    "Number of the service's own agent in the ERC-8004 registry, shown in /.well-known/agent-registration.json (unset: none)",
    integer(0, Number.MAX_SAFE_INTEGER),
  ),
  ATTESTERS: variable(
    ["api", "workers", "indexer"],
    "Attesters whose attestations count, comma list",
    list(address),
    "0x357458739F90461b99789350868CD7CF330Dd7EE",
  ),
  ATTESTATION_SCHEMAS: variable(
    ["api", "workers", "indexer"],
    "EAS schemas that are indexed, comma list; the first is the exchange's verified account",
    list(hash),
    "0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9",
  ),
  CRED_ROOTS_ADDRESS: variable(
    ["api", "workers"],
    "CredRoots, the contract of the roots of all scores (unset: none are published)",
    address,
  ),
  CRED_ROOTS_INTERVAL: variable(["workers"], "Interval between two roots, when scores have changed", duration, "1h"),
  CRED_ROOTS_KEPT: variable(
    ["workers"],
    "Epochs whose trees are kept, so that proofs can be made; 25 MB each for 1,000,000 agents",
    integer(1, 100_000),
    "48",
  ),
  CRED_ORACLE_ADDRESS: variable(
    ["workers"],
    "Per-token oracle that scores are written into, owned by the account of DEPLOYER_PRIVATE_KEY (unset: none)",
    address,
  ),
  CRED_ORACLE_THRESHOLD: variable(
    ["workers"],
    "Points by which a score must differ from what the oracle holds to be written; first scores are always written",
    integer(1, 100),
    "2",
  ),
} satisfies Record<string, Variable>;

/** Between two comparisons of the oracle with the scores. */
const ORACLE_INTERVAL_MS = 3_600_000;

/** The contract, where it has an address. */
const named = ({ address: at, startBlock }: WithHistory<Address | undefined>): WithHistory | undefined =>
  at && { address: at, startBlock };

/** Options of `contracts`, `attesters`, `attestationSchemas`, `credRoots`, `credOracle` in the configuration. */
export function contractsConfig(v: ValuesOf<typeof CONTRACTS & typeof BUDGETS>) {
  const { erc8004Validation, agentCommerce, attestationIndexer, usdc, neynarScores, ...indexed } = v.CONTRACTS;
  const validation = named(erc8004Validation);
  const commerce = named(agentCommerce);
  return {
    /** The contracts with an index, by the names of ponder.config.ts. */
    indexed: {
      Identity: indexed.identity,
      Eas: indexed.eas,
      Erc8004Identity: indexed.erc8004Identity,
      Erc8004Reputation: indexed.erc8004Reputation,
      Handshakes: indexed.handshakes,
      ServiceToken: indexed.serviceToken,
      ...(validation && { Erc8004Validation: validation }),
    },
    /** First block of any indexed contract's history. */
    firstBlock: Math.min(...Object.values(indexed).map(({ startBlock }) => startBlock)),
    contracts: {
      ...indexed,
      ...(validation && { erc8004Validation: validation }),
      /** Absent: no jobs are read. */
      ...(commerce && { agentCommerce: commerce }),
      ...{ attestationIndexer, usdc, neynarScores },
    },
    attesters: v.ATTESTERS,
    /** EAS schema UIDs; the first is the exchange's verified account. */
    attestationSchemas: v.ATTESTATION_SCHEMAS,
    credRoots: {
      /** Undefined: no roots are published. */
      address: v.CRED_ROOTS_ADDRESS,
      intervalMs: v.CRED_ROOTS_INTERVAL,
      kept: v.CRED_ROOTS_KEPT,
    },
    credOracle: {
      /** Undefined: no scores are written token by token. */
      address: v.CRED_ORACLE_ADDRESS,
      threshold: v.CRED_ORACLE_THRESHOLD,
      batch: ORACLE_BATCH,
      gasPerDay: BigInt(v.DAILY_BUDGETS["oracle-gas"]),
      intervalMs: ORACLE_INTERVAL_MS,
    },
  };
}
