/** The cred of foreign agents as SQL: what core/directory/cred.ts computes for one, for any number of rows at once. */
import { type SharedCounts, UNSHARED } from "../../core/agents/caveats.ts";
import { SIGNALS } from "../../core/cred/cred.ts";
import { FOREIGN_CAP } from "../../core/directory/cred.ts";
import { UNKNOWN_ORIGIN } from "../../core/mints/mint-origins.ts";
import { DAY_SECONDS, DAY_VALUE } from "../../core/signals/age.ts";
import { NARRATIVE_VALUE } from "../../core/signals/narrative.ts";
import type { SignalKey } from "../../core/signals/signals.ts";
import { TRAIT_VALUE } from "../../core/signals/traits.ts";
import { PROOF_VALUE } from "../../core/signals/verify.ts";
import { BLANKS } from "../../core/text.ts";
import { isAttested } from "../agents/attestations.ts";
import { othersAttested, othersLifted } from "../agents/shared-sql.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

const BLANK_TEXT = `'${BLANKS.replaceAll("'", "''")}'`;

/** The owner's account is attested by the exchange. @param now SQL of the time in Unix seconds @param schema SQL of the attestation's schema */
export const ownerAttested = (r: string, now: string, schema: string) => isAttested(`${r}.owner_address`, schema, now);

/** The proven wallet owns an identity token, which lifts the cap of a foreign row. */
export const holdsIdentity = (r: string) =>
  `(${r}.wallet_proven and exists (select from onchain.agent a where a.owner = ${r}.address))`;

/** Raw values of a row; those not here are 0 for every foreign agent. */
const raw = (r: string, now: string, attested: string): Partial<Record<SignalKey, string>> => ({
  traits: `least(100, ${r}.trait_count::int8 * ${TRAIT_VALUE})`,
  verify: `${r}.wallet_proven::int4 * ${PROOF_VALUE}`,
  coinbase: `case when ${attested} then 100 else 0 end`,
  age: `coalesce(least(100, greatest(0, (${now} - floor(extract(epoch from ${r}.created_at))::int8) / ${DAY_SECONDS}) * ${DAY_VALUE}), 0)`,
  narrative: `(btrim(coalesce(${r}.description, ''), ${BLANK_TEXT}) <> '')::int4 * ${NARRATIVE_VALUE}`,
  origin: String(UNKNOWN_ORIGIN.raw),
});

/**
 * SQL of the score of a foreign row.
 * @param r alias with the columns trait_count, description, wallet_proven, created_at, owner_address and address
 * @param now SQL of the time in Unix seconds, int8
 * @param attested SQL of whether the exchange attests the owner's account (`ownerAttested`)
 */
export function foreignScoreSql(r: string, now: string, attested: string): string {
  const values = raw(r, now, attested);
  const sum = SIGNALS.flatMap(({ key, weight }) => (values[key] ? [`${weight} * ${values[key]}`] : [])).join(" + ");
  const score = `((${sum} + 50) / 100)`;
  return `(case when ${holdsIdentity(r)} then ${score} else least(${FOREIGN_CAP}, ${score}) end)::int2`;
}

const SHARED = statement({
  name: "directory-shared",
  params: { id: t.int8 },
  text: `
    select
      case when d.coinbase then ${othersAttested("d.owner_address", (f) => `${f}.id <> d.id`)} else 0 end as attestation,
      case when ${holdsIdentity("d")} then ${othersLifted("d")} else 0 end as identity
    from offchain.directory d where d.id = $id`,
  columns: { attestation: t.int8, identity: t.int8 },
  prepared: true,
});

/** @param id of a foreign row of the directory @throws the driver's error while there is no index (see `isNoIndex`) */
export const sharedOf = async (db: Queryable, id: number): Promise<SharedCounts> =>
  (await SHARED.maybeOne(db, { id })) ?? UNSHARED;
