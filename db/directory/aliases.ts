/**
 * Compares the table of proven wallets, which a trigger keeps current, with all rows, and repairs it.
 * Check then write: the difference, then the update: one statement, rows locked in the order of ids.
 */
import { statement, t } from "../sql/statement.ts";

/** The wallet of a row `d` that counts: proven by its registry, of an agent that is shown. */
const PROVEN = "case when d.wallet_proven and d.removed_at is null then d.address end";

/**
 * Brings the table in line with the rows. What is right is neither written nor locked.
 * @returns how many entries were wrong; more than 0 means that a write went around the trigger
 */
export const rebuildAliases = statement({
  name: "directory-aliases-rebuild",
  text: `
    with differing as materialized (
       select d.id, ${PROVEN} as wallet
       from offchain.directory d left join offchain.directory_alias a on a.directory_id = d.id
       where a.wallet is distinct from ${PROVEN}
       order by d.id for no key update of d
     ), dropped as (
       delete from offchain.directory_alias a using differing n where a.directory_id = n.id and n.wallet is null
     ), kept as (
       insert into offchain.directory_alias (directory_id, wallet)
       select id, wallet from differing where wallet is not null
       on conflict (directory_id) do update set wallet = excluded.wallet
     )
     select count(*) as wrong from differing`,
  columns: { wrong: t.int8 },
}).onlyValue;
