/** What a stack that is ready says: devnet.json for programs, a table for people. */
import { writeFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { costsInWords, type Phase, standardPrices } from "../core/payments/prices.ts";
import { dataDir } from "./data-dir.ts";
import type { Devnet } from "./deploy.ts";
import type { Supervisor } from "./supervisor.ts";
import { TEMPO } from "./tempo.ts";

export type Stack = {
  config: Config;
  /** What the service's processes get as their environment, in addition to this process's own. */
  env: Record<string, string>;
  databaseUrl?: string;
  /** Where the indexer answers GraphQL and SQL. */
  indexUrl?: string;
  devnet?: Devnet;
  rpcUrl?: string;
  wsUrl?: string;
  tempoRpcUrl?: string;
  simulatorUrl?: string;
  supervisor?: Supervisor;
  seeded?: string;
  /** Undo steps, the last one first. */
  stops: (() => Promise<void> | void)[];
  /** Parts that are being started: each settles once its undo step is in `stops`, or there is nothing to undo. */
  starting: Set<Promise<unknown>>;
};

/** `devnet.json`: everything a test or a curious person needs to talk to the stack. */
export function writeDevnet(stack: Stack): void {
  const { config, devnet, indexUrl, rpcUrl, wsUrl, simulatorUrl, databaseUrl, env } = stack;
  const { contracts, schemas, accounts, keys } = devnet!;
  const content = {
    apiUrl: config.service.publicUrl,
    indexUrl,
    rpcUrl,
    wsUrl,
    tempoRpcUrl: stack.tempoRpcUrl ?? config.mpp?.rpcUrl,
    tempoChainId: config.mpp?.chainId ?? TEMPO.chainId,
    usdce: config.mpp?.currency ?? TEMPO.usdce,
    databaseUrl: databaseUrl ?? env.DATABASE_URL ?? config.database.url,
    simulatorUrl,
    chainId: config.chain.id,
    contracts,
    schemas,
    accounts,
    keys,
  };
  writeFileSync(dataDir(config.dataDir).devnet, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

/** Prints the URLs and files of a stack that is ready. */
export function printReady(stack: Stack): void {
  const { config, devnet, indexUrl, rpcUrl, tempoRpcUrl, simulatorUrl, databaseUrl, seeded } = stack;
  const base = config.service.publicUrl;
  const rows: [string, string | undefined][] = [
    ["Terminal", base],
    ["API", `${base}/api/v2`],
    ["Docs", `${base}/docs`],
    ["Agents", `${base}/api/v2/agents`],
    ["Status", `${base}/api/v2/status`],
    ["GraphQL", `${indexUrl}/graphql`],
    ["SQL", `${indexUrl}/sql`],
    ["Chain", rpcUrl],
    ["Tempo", tempoRpcUrl],
    ["Simulators", simulatorUrl],
    ["Database", databaseUrl],
    ["Logs", dataDir(config.dataDir).logs],
    ["World", seeded],
    ["Accounts", devnet && `${dataDir(config.dataDir).devnet}: ten with 100 ETH and 1000 USDC each`],
    ["Prices", pricesInWords(config.pricing.phase)],
  ];
  console.log(`\nready ${base}\n`);
  for (const [name, value] of rows) if (value) console.log(`  ${name.padEnd(10)} ${value}`);
  console.log("\nCtrl-C ends everything.");
}

function pricesInWords(phase: Phase): string {
  return phase === "free" ? "none" : `${costsInWords(standardPrices(phase))} PRICING_PHASE=free asks for nothing.`;
}
