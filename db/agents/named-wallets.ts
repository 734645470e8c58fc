/** The wallets that rows of the directory and humans name: found step by step, and entered where they are looked up. */
import type pg from "pg";
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { statement, t } from "../sql/statement.ts";
import { transaction } from "../sql/transaction.ts";

/** SQL of whether an agent, a human or a row of the directory names a wallet. @param wallet SQL of the wallet */
export const isNamed = (wallet: string) => `(
  exists (select from offchain.human h where h.wallet = ${wallet})
  or exists (select from onchain.agent a where a.owner = ${wallet})
  or exists (select from onchain.agent a where a.agent_address = ${wallet})
  or exists (select from offchain.directory d where d.address collate "C" = ${wallet} and d.removed_at is null)
  or exists (select from offchain.directory d where d.owner_address collate "C" = ${wallet} and d.removed_at is null))`;

/** Addresses of other chains, and the zero address, are not looked up. */
const isWallet = (wallet: string) => `${wallet} collate "C" ~ '^0x[0-9a-f]{40}$' and ${wallet} <> '${ZERO_ADDRESS}'`;

/** SQL of two inserts: wallets with an Ethos score, and wallets that an attestation counts for. */
const enter = (scored: string, attested: string) => `
  scored as (
    insert into offchain.ethos_score (wallet)
    select w.wallet from (${scored}) w
    where ${isWallet("w.wallet")} and not exists (select from offchain.ethos_score e where e.wallet = w.wallet)
    order by w.wallet on conflict do nothing returning wallet),
  attested as (
    insert into offchain.attestation_lookup (wallet)
    select w.wallet from (${attested}) w
    where ${isWallet("w.wallet")} and not exists (select from offchain.attestation_lookup l where l.wallet = w.wallet)
    order by w.wallet on conflict do nothing returning wallet)`;

const ENTERED = "(select count(*) from scored)::int4 + (select count(*) from attested)::int4 as entered";

/**
 * The score of Ethos is that of a row's own wallet, else of its owner's. Only the owner's attestation counts. Own agents are
 * left out of it: their verification by an attestation reads the chain itself.
 */
const FROM_DIRECTORY = statement({
  name: "named-wallets-of-directory",
  params: { after: t.int8, limit: t.int8 },
  text: `
    with page as materialized (
      select d.id, d.platform, d.address, d.owner_address, d.removed_at
      from offchain.directory d where d.id > $after order by d.id limit $limit),
    shown as (select * from page where removed_at is null),
    ${enter(
      "select address as wallet from shown union select owner_address from shown",
      `select distinct owner_address as wallet from shown where platform <> '${OWN_PLATFORM}'`,
    )}
    select (select max(id) from page) as last, (select count(*) from page)::int4 as rows, ${ENTERED}`,
  columns: { last: t.nullable(t.int8), rows: t.int4, entered: t.int4 },
});

const FROM_HUMANS = statement({
  name: "named-wallets-of-humans",
  text: `
    with ${enter("select wallet from offchain.human", "select wallet from offchain.human")}
    select ${ENTERED}`,
  columns: { entered: t.int4 },
});

const WALK = statement({
  name: "named-wallets-walk",
  text: "select newest, walked from offchain.wallet_walk for update",
  columns: { newest: t.int8, walked: t.int8 },
});

const STORE_WALK = statement({
  name: "named-wallets-store-walk",
  params: { newest: t.int8, walked: t.int8 },
  text: "update offchain.wallet_walk set newest = $newest, walked = $walked",
});

/**
 * Enters new wallets where they are looked up (`ethos_score`, `attestation_lookup`): those of humans, those of rows added
 * to the directory since the last call, and those of the next part of all rows, because a row may change its wallets. The
 * walk begins again at its end.
 * @param limit max rows of the directory of each of the two parts
 * @returns how many were entered
 */
export const enterNamedWallets = (db: pg.Pool, limit: number): Promise<number> =>
  transaction(db, async (tx) => {
    const { newest, walked } = await WALK.one(tx);
    const added = await FROM_DIRECTORY.one(tx, { after: newest, limit });
    const part = await FROM_DIRECTORY.one(tx, { after: walked, limit });
    const walkedTo = part.rows < limit ? 0 : part.last!;
    await STORE_WALK.run(tx, { newest: added.last ?? newest, walked: walkedTo });
    const { entered } = await FROM_HUMANS.one(tx);
    return added.entered + part.entered + entered;
  });
