/** Brings the own registry's rows of the directory up to the index: by events, and by inequality for what an event did not reach. */
import type pg from "pg";
import type { Address } from "../../core/agents/facts.ts";
import { bareOwnEntry, ownEntry } from "../../core/directory/own-entry.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { loadFacts } from "../agents/facts.ts";
import { transferCount } from "../agents/token-ownership.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { refusalReason, storeSet } from "../sql/store-set.ts";
import { forgetItems } from "./items.ts";
import { quarantine, releaseItems } from "./quarantine.ts";
import { removeEntries, type ScoreRules, touchRows, upsertEntries } from "./write.ts";

export type OwnRegistry = { contract: Address; chainId: number };

const AGENTS_PER_STATEMENT = 500;

const STALE = statement({
  name: "directory-own-stale",
  text: `
    select a.token_id from onchain.agent a
    left join offchain.directory d on d.platform = '${OWN_PLATFORM}' and d.agent_id = a.token_id::text and d.removed_at is null
    left join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = a.token_id::text
    left join offchain.cred c on c.token_id = a.token_id
    where d.id is null or i.digest is distinct from a.updated_block::text or c.score <> d.cred_score
      or d.wallet_confirmed is null or (c.coinbase > 0) <> d.coinbase
    union
    select coalesce(d.token_id, p.token_id)
    from (select token_id, array_agg(platform order by platform) as proofs
          from offchain.proof where status <> 'lapsed' group by token_id) p
    full join (select token_id, proofs from offchain.directory
               where platform = '${OWN_PLATFORM}' and removed_at is null and proofs <> '{}') d on d.token_id = p.token_id
    where d.proofs is distinct from p.proofs and exists (
      select from onchain.agent a where a.token_id = coalesce(d.token_id, p.token_id))
    union
    select f.token_id from offchain.profile_field f
    join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = f.token_id::text
    where f.written_at > i.fetched_at
    union
    select t.token_id from offchain.profile_trait t
    join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = t.token_id::text
    where t.added_at > i.fetched_at
    union
    select v.token_id from offchain.wallet_verification v
    join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = v.token_id::text
    where v.verified_at > i.fetched_at
    union
    select o.token_id from offchain.proof_ownership o
    join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = o.token_id::text
    where o.proved_at > i.fetched_at
    union
    select d.token_id from offchain.directory d
    where d.platform = '${OWN_PLATFORM}' and d.removed_at is null
      and not exists (select from onchain.agent a where a.token_id = d.token_id)`,
  columns: { token_id: t.filtered(t.int8) },
});

/**
 * Token ids whose row is missing, older than the agent, or of an agent that is gone (a reorganisation took it back);
 * off-chain texts count as well as blocks, and a score that another transaction stored meanwhile.
 */
export async function staleOwnRows(db: Queryable): Promise<number[]> {
  return (await STALE.rows(db)).map((row) => row.token_id).sort((a, b) => a - b);
}

/**
 * Brings the rows of some agents up to date, and takes out those of agents that are gone.
 * One item: an agent whose row the database refuses (`storeSet`) is shown by its id and addresses alone.
 * @returns how many rows are different
 */
export async function syncOwnRows(
  pool: pg.Pool,
  tokenIds: readonly number[],
  registry: OwnRegistry,
  rules: ScoreRules,
): Promise<number> {
  let changed = 0;
  for (let from = 0; from < tokenIds.length; from += AGENTS_PER_STATEMENT)
    changed += await storeSet(pool, tokenIds.slice(from, from + AGENTS_PER_STATEMENT), {
      async store(tx, ids) {
        await releaseItems(tx, { source: OWN_PLATFORM, ids: ids.map(String) });
        return writeOwnRows(tx, ids, registry, rules, ownEntry);
      },
      async settle(tx, written, refused) {
        const bad = refused.map(({ item, error }) => ({
          id: String(item),
          reason: refusalReason(error),
          raw: { tokenId: item },
        }));
        await quarantine(tx, OWN_PLATFORM, bad, { now: rules.now, sweep: 0 });
        const ids = refused.map(({ item }) => item);
        return written + (await writeOwnRows(tx, ids, registry, rules, bareOwnEntry));
      },
    });
  return changed;
}

/** A write that marks one of them commits before its facts are read, or marks it after this transaction. */
const LOCK_ITEMS = statement({
  name: "directory-own-lock-items",
  params: { ids: t.array(t.text) },
  text: `
    select from offchain.directory_item where source = '${OWN_PLATFORM}' and source_id = any($ids::text[])
    order by source_id for update`,
});

const STORE_ITEMS = statement({
  name: "directory-own-items",
  params: { ids: t.array(t.text), blocks: t.array(t.text), now: t.timestamptz },
  text: `
    insert into offchain.directory_item (source, source_id, platform, agent_id, raw, digest, fetched_at, sweep)
    select '${OWN_PLATFORM}', id, '${OWN_PLATFORM}', id, jsonb_build_object('tokenId', id::int8), block, $now, 0
    from unnest($ids::text[], $blocks::text[]) as r(id, block)
    on conflict (source, source_id) do update set digest = excluded.digest, fetched_at = excluded.fetched_at`,
});

/**
 * Marks rows whose proofs may be of another owner than they were, which changes none of their columns: a token that was
 * ever transferred was changed or proved again, or a reorganisation took a transfer back.
 */
const TOUCH_OWNED = statement({
  name: "directory-own-touch-owned",
  params: { ids: t.array(t.int8), identity: t.text },
  text: touchRows(`
    select d.id from unnest($ids::int8[]) as r(token_id)
    join onchain.agent a on a.token_id = r.token_id
    join offchain.directory d on d.platform = '${OWN_PLATFORM}' and d.agent_id = r.token_id::text
    join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = r.token_id::text
    where i.digest::int8 > a.updated_block
      or (i.digest <> a.updated_block::text
          or exists (select from offchain.proof_ownership o where o.token_id = r.token_id and o.proved_at > i.fetched_at))
        and ${transferCount("a.token_id", "$identity")} > 1`),
});

/**
 * Check then write: the facts, then row and digest; a newer block or a write off chain may come: facts and digest are of
 * one read, so a newer block stays stale, and a write waits for the locks of the items.
 */
async function writeOwnRows(
  tx: pg.ClientBase,
  ids: readonly number[],
  registry: OwnRegistry,
  rules: ScoreRules,
  entryOf: typeof ownEntry | typeof bareOwnEntry,
): Promise<number> {
  if (ids.length === 0) return 0;
  await LOCK_ITEMS.run(tx, { ids: ids.map(String) });
  const facts = await loadFacts(tx, ids);
  const there = new Set(facts.map(({ tokenId }) => tokenId));
  const gone = ids.filter((id) => !there.has(id)).map(String);
  const written = await upsertEntries(
    tx,
    facts.map((each) => entryOf(each, registry, rules.now)),
    rules,
  );
  await TOUCH_OWNED.run(tx, { ids, identity: registry.contract });
  await STORE_ITEMS.run(tx, {
    ids: facts.map(({ tokenId }) => String(tokenId)),
    blocks: facts.map(({ updatedBlock }) => String(updatedBlock)),
    now: rules.now,
  });
  await forgetItems(tx, OWN_PLATFORM, gone);
  return written + (await removeEntries(tx, { platform: OWN_PLATFORM, agentIds: gone, now: rules.now }));
}
