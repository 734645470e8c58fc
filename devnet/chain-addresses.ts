/** Where Base has what the service builds on; the development chain has its own versions at the same addresses. */
import { encodePacked, type Hex, keccak256 } from "viem";

/** Checksummed. */
export const CANONICAL = {
  usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  schemaRegistry: "0x4200000000000000000000000000000000000020",
  eas: "0x4200000000000000000000000000000000000021",
  attestationIndexer: "0x2c7eE1E5f416dfF40054c27A62f7B357C4E8619C",
  exchangeAttester: "0x357458739F90461b99789350868CD7CF330Dd7EE",
  exchangeResolver: "0xD867CbEd445c37b0F95Cc956fe6B539BdEf7F32f",
  erc8004Identity: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
  erc8004Reputation: "0x8004BAa17C55a88189AE136b182e5fdA19dE9b63",
  neynarScores: "0xd3C43A38D1D3E47E9c420a733e439B03FAAdebA8",
} as const;

/** The exchange's schemas as registered with EAS: revocable, guarded by its resolver. */
export const EXCHANGE_SCHEMAS = {
  verifiedAccount: "bool verifiedAccount",
  verifiedCountry: "string verifiedCountry",
} as const;

/** UID of an exchange schema: EAS derives it from the text, the resolver and whether it is revocable. */
export const schemaUid = (schema: string): Hex =>
  keccak256(encodePacked(["string", "address", "bool"], [schema, CANONICAL.exchangeResolver, true]));
