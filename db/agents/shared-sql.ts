/** SQL of how many rows of the directory share what may lift a score. */
import { MAX_SHARED_AGENTS } from "../../core/agents/caveats.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";

/** Rows of one owner or wallet that are read. */
const MAX_READ = 5 * MAX_SHARED_AGENTS;

/** Counts up to one more than is shown. */
const counted = (column: string, wallet: string, where: (f: string) => string) => `(
  select count(*) from (
    select from (
      select * from offchain.directory s
      where s.${column} collate "C" = ${wallet} and s.removed_at is null limit ${MAX_READ}) f
    where ${where("f")} limit ${MAX_SHARED_AGENTS + 1}) counted)`;

/**
 * Number of rows for which the exchange's attestation of an owner counts.
 * @param owner SQL of the owner @param isOther SQL condition that a row is not the asking agent's own
 */
export const othersAttested = (owner: string, isOther: (f: string) => string) =>
  counted("owner_address", owner, (f) => `${f}.coinbase and ${isOther(f)}`);

/** Number of rows whose cap an identity token lifts in addition to that of row `d`, whose wallet owns one. */
export const othersLifted = (d: string) =>
  counted(
    "address",
    `${d}.address`,
    (f) => `${f}.wallet_proven and ${f}.platform <> '${OWN_PLATFORM}' and ${f}.id <> ${d}.id`,
  );
