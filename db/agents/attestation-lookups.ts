/** Wallets whose attestations older than the index are read from the chain, and the answers. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { isNamed } from "./named-wallets.ts";

/** Half of the places are for wallets without an answer so far: neither new wallets nor old ones keep the others waiting. */
const DUE = statement({
  name: "attestation-lookups-due",
  params: { before: t.timestamptz, configuration: t.text, half: t.int8 },
  text: `
    (select wallet from offchain.attestation_lookup where checked_at is null
     order by failed_at nulls first, wallet limit $half)
    union all
    (select wallet from offchain.attestation_lookup
     where checked_at is not null and (checked_at < $before or configuration <> $configuration)
     order by greatest(checked_at, failed_at), wallet limit $half)`,
  columns: { wallet: t.narrow<Address>(t.text) },
});

const FORGET_UNNAMED = statement({
  name: "attestation-lookups-forget-unnamed",
  params: { wallets: t.array(t.text) },
  text: `
    delete from offchain.attestation_lookup l where l.wallet = any($wallets) and not ${isNamed("l.wallet")}
    returning wallet`,
  columns: { wallet: t.text },
});

/**
 * Wallets that were last checked before a time or with another configuration, those first that have waited longest.
 * Wallets that nothing names any more are deleted instead.
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function walletsToLookUp(
  db: Queryable,
  { limit, ...due }: { before: Date; configuration: string; limit: number },
): Promise<Address[]> {
  const wallets = (await DUE.rows(db, { ...due, half: Math.ceil(limit / 2) })).map(({ wallet }) => wallet);
  const gone = new Set((await FORGET_UNNAMED.rows(db, { wallets })).map(({ wallet }) => wallet as Address));
  return wallets.filter((wallet) => !gone.has(wallet));
}

/** What the chain answered about a wallet; `attestation` null: none older than the index is valid. */
export type Lookup = {
  wallet: Address;
  attestation: { uid: Hex; attester: Address; expiresAt: number } | null;
};

const NO_ATTESTATION = { uid: null, attester: null, expiresAt: null };

const LOCKED = `
  select wallet, attestation_uid from offchain.attestation_lookup where wallet = any($wallets) order by wallet for update`;

/** Stores answers of the chain. @returns how many are other attestations than before */
export const storeLookups = statement({
  name: "attestation-lookups-store",
  given: (
    lookups: readonly Lookup[],
    { schema, configuration, now }: { schema: Hex; configuration: string; now: Date },
  ) => ({
    wallets: lookups.map(({ wallet }) => wallet),
    lookups: lookups.map(({ wallet, attestation }) => ({ wallet, ...(attestation ?? NO_ATTESTATION) })),
    schema,
    configuration,
    now,
  }),
  params: {
    wallets: t.array(t.text),
    lookups: t.records({
      wallet: t.text,
      uid: t.nullable(t.text),
      attester: t.nullable(t.text),
      expiresAt: t.nullable(t.int8),
    }),
    schema: t.text,
    configuration: t.text,
    now: t.timestamptz,
  },
  text: `
    with before as materialized (${LOCKED}),
    stored as (
      update offchain.attestation_lookup l set attestation_uid = s.uid, schema_uid = $schema, attester = s.attester,
        expires_at = s.expires_at, configuration = $configuration, checked_at = $now, failed_at = null
      from (select * from $lookups) s join before on before.wallet = s.wallet
      where l.wallet = s.wallet returning before.attestation_uid is distinct from l.attestation_uid as differs)
    select count(*) filter (where differs)::int4 as changed from stored`,
  columns: { changed: t.int4 },
}).onlyValue;

/** Stores that a read of wallets from the chain failed: what is known of them stays, and the other wallets come first. */
export const noteFailedLookups = statement({
  name: "attestation-lookups-note-failed",
  params: { wallets: t.array(t.text), now: t.timestamptz },
  unlessEmpty: "wallets",
  text: `
    update offchain.attestation_lookup set failed_at = $now
    where wallet in (select wallet from (${LOCKED}) locked)`,
}).run;

/** Deletes what was looked up about a wallet that no agent, no human and no row of the directory names. */
export const forgetLookup = statement({
  name: "attestation-lookups-forget",
  params: { wallet: t.narrow<Address>(t.text) },
  text: `delete from offchain.attestation_lookup l where l.wallet = $wallet and not ${isNamed("l.wallet")}`,
}).run;
