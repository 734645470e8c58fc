/** What a profile adds to the planted agents, so that a keyed read finds something in most places it looks. */
import { join } from "node:path";
import { FACTS } from "../../db/agents/facts.ts";
import { runToEnd } from "../../harness/child.ts";
import type { ScratchPostgres } from "../../harness/scratch-postgres.ts";

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
  await runToEnd(join(import.meta.dirname, "../list/world.ts"), postgres.url, agents);
  await pool.query(PROFILES);
  await pool.query(`create view public.agent_facts as select a.token_id, ${FACTS} as facts from onchain.agent a`);
  for (const table of ["onchain.agent", "offchain.referral_code", "offchain.proof"])
    await pool.query(`vacuum full analyze ${table}`);
}
