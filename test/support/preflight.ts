/** Plants what a verdict before a payment is made of: an agent's row, its endpoints with their terms, and its income. */
import type { PreflightFacts } from "../../core/preflight/facts.ts";
import type { TestApi } from "../api/support/api.ts";
import { plantDirectory } from "./directory.ts";

export async function plantPreflight(api: Pick<TestApi, "pool" | "sql">, facts: PreflightFacts): Promise<void> {
  const [platform, agent_id] = facts.agent.split(/-(.*)/s) as [string, string];
  const agent = {
    platform,
    agent_id,
    name: "Planted",
    cred_score: facts.cred,
    chain_id: 8453,
    created_at: facts.heldSince,
  };
  const owned = { address: facts.wallet, wallet_proven: facts.wallet !== null, owner_address: facts.owner };
  await plantDirectory(api.pool, [{ ...agent, ...owned }]);
  const [row] =
    await api.sql`select id from offchain.directory where platform = ${platform} and agent_id = ${agent_id}`;
  for (const { url, confirmedBy, walletUntil, ...at } of facts.endpoints) {
    if (walletUntil) {
      const paid = { payTo: facts.wallet, endpoint: url, since: walletUntil, until: walletUntil };
      const paidNow = { ...paid, payTo: `0x${"d".repeat(40)}`, until: null };
      await api.sql`insert into offchain.offer_version (key, source, hash, version, first_at, since, payees)
        values (sha256(convert_to(${`x402 ${url}`}, 'UTF8')), ${`x402 ${url}`}, '', '{"items": []}', now(), now(), ${JSON.stringify([paidNow, paid])})`;
    }
    const host = new URL(url).host;
    await api.sql`insert into offchain.offer_source (directory_id, kind, url, host, trust, status, next_try_at, confirmed_by,
        answered_at, silent_since, checked_at)
      values (${row!.id}, 'x402', ${url}, ${host}, 0, 'read', now(), ${confirmedBy}, ${at.answeredAt}, ${at.silentSince}, ${at.checkedAt})`;
    if (facts.listed.length > 0)
      await api.sql`insert into offchain.offer (directory_id, kind, source, position, name, endpoint, price)
        values (${row!.id}, 'resource', ${`x402 ${url}`}, 0, 'paid', ${url}, ${JSON.stringify(facts.listed)})`;
  }
  if (facts.income)
    await api.sql`insert into offchain.income_figures (directory_id, wallet, seen, figures, computed_at)
      values (${row!.id}, ${facts.wallet}, '', ${JSON.stringify({ rules: 4, windows: [], voices: facts.income.voices })}, ${facts.income.computedAt})`;
}
