/** The environment of a process that indexes the synthetic chain. */
import { CHAIN_ID, IDENTITY } from "./blocks.ts";

const CONTRACTS = ["IDENTITY", "ERC8004", "EAS", "HANDSHAKES", "SERVICE_TOKEN"];

export const syntheticEnvironment = (run: { databaseUrl: string; rpcUrl: string; lanes: number }) => ({
  DATABASE_URL: run.databaseUrl,
  RPC_URL: run.rpcUrl,
  CHAIN_ID: String(CHAIN_ID),
  RPC_LANES: String(run.lanes),
  IDENTITY_ADDRESS: IDENTITY,
  ...Object.fromEntries(CONTRACTS.map((name) => [`${name}_START_BLOCK`, "0"])),
});
