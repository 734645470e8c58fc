/** What is measured: the API as `npm run api` starts it, the references, and the agents that they read. */
import { join } from "node:path";
import { overlaid } from "../../config/config.ts";
import { FACTS } from "../../db/agents/facts.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { type Child, runToEnd, startChild } from "../../harness/child.ts";
import { CHILD_ENV, FREE_PHASE } from "../../harness/child-env.ts";
import { startPlainNode } from "../../harness/plain-node.ts";
import type { ScratchPostgres } from "../../harness/scratch-postgres.ts";
import { type LogEntry, startApi } from "../../harness/service-process.ts";

/** What answers requests, and whose time that takes. */
export type ServerProcess = { url: string; pid: number };

type At = Pick<ScratchPostgres, "postgres" | "directory">;
/** Environment of a process on the database of a run, with everything it has on and no limit of requests. */
export const environment = ({ postgres, directory }: At): Record<string, string> => ({
  ...CHILD_ENV,
  ...FREE_PHASE,
  ...overlaid(GENEROUS_RATES, { LIMITS: "reads=1000000000" }),
  PUBLIC_URL: "https://agents.example",
  DATABASE_URL: postgres.url,
  DATA_DIR: join(directory, "data"),
  LOG_LEVEL: "error",
});

/** The API on the database of a run, with a node that needs no chain. */
export async function startService(
  at: ScratchPostgres,
  more: Record<string, string> = {},
  onLog?: (entry: LogEntry) => void,
) {
  const chain = await startPlainNode();
  at.later(() => chain.close());
  const env = overlaid({ ...environment(at), RPC_URL: chain.url }, more);
  const api = await startApi(env, { path: "/api/v2/agent/0", ...(onLog && { onLog }) });
  at.later(() => api.stop());
  return api;
}

/** A program of bench/ that speaks by messages, for as long as the run lasts. @param file below bench/ */
export function startProgram(
  { later }: Pick<ScratchPostgres, "later">,
  file: string,
  ...options: [args?: string[], env?: Record<string, string>]
): Child {
  const child = startChild(join(import.meta.dirname, "..", file), ...options);
  later(() => child.stop());
  return child;
}

/** One of reference-server.ts. */
export async function startReference(kind: string, at: ScratchPostgres): Promise<ServerProcess> {
  const child = startProgram(at, "reads/reference-server.ts", [kind], environment(at));
  return { url: `http://127.0.0.1:${await child.hears<number>()}`, pid: child.pid };
}

/** The process that asks (load.ts). */
export const startLoad = (at: Pick<ScratchPostgres, "later">): Child => startProgram(at, "reads/load.ts");

/** Half of the agents have a personality on chain, a third a narrative, a fifth a proof; all have a referral code. */
const PROFILES = `
  update onchain.agent set
    personality = case when token_id % 2 = 0 then '{"quirks":"Speaks in short lines","communicationStyle":"plain",
      "values":"honesty, patience","humor":"dry","riskTolerance":3,"autonomyLevel":7}'::jsonb end,
    personality_at = case when token_id % 2 = 0 then minted_at + 60 end,
    narrative = case when token_id % 3 = 0 then '{"origin":"Began as a script.","mission":"Keeps the books of small shops.",
      "lore":"","manifesto":"Numbers first."}'::jsonb end,
    narrative_at = case when token_id % 3 = 0 then json_build_object('origin', minted_at + 60, 'mission', minted_at + 60)::jsonb end
  where token_id % 2 = 0 or token_id % 3 = 0;
  insert into offchain.referral_code (token_id, code) select token_id, 'code-' || token_id from onchain.agent;
  insert into offchain.proof (token_id, platform, account_id, handle, evidence, status, verified_at, checked_at)
  select token_id, 'x', token_id::text, 'handle' || token_id, '{}', 'verified', now(), now()
  from onchain.agent where token_id % 5 = 0`;

/** Plants agents with their profiles, and the view that pgbench reads: the service's own SQL for one agent. */
export async function plantReads({ postgres, pool }: ScratchPostgres, agents: number): Promise<void> {
  await runToEnd(join(import.meta.dirname, "../synthetic/world.ts"), postgres.url, agents);
  await pool.query(PROFILES);
  await pool.query(`create view public.agent_facts as select a.token_id, ${FACTS} as facts from onchain.agent a`);
  for (const table of ["onchain.agent", "offchain.referral_code", "offchain.proof"])
    await pool.query(`vacuum full analyze ${table}`);
}
