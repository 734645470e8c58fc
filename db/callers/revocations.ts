/** Wallets that have ended all their credentials, and as of when. */
import { deleteInParts } from "../sql/batches.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** Credentials of the wallet dated before this are over; null when it never ended any. */
export const revokedBefore = statement({
  name: "revoked-before",
  params: { wallet: t.text },
  text: "select revoked_before from offchain.credential_revocation where wallet = $wallet",
  columns: { revoked_before: t.timestamptz },
  prepared: true,
}).value;

/** Ends the wallet's credentials dated before a moment. It never moves back. @returns the moment in force */
export const revokeBefore = statement({
  name: "revoke-before",
  params: { wallet: t.text, before: t.timestamptz },
  text: `insert into offchain.credential_revocation as row (wallet, revoked_before) values ($wallet, $before)
         on conflict (wallet) do update set revoked_before = greatest(row.revoked_before, excluded.revoked_before)
         returning revoked_before`,
  columns: { revoked_before: t.timestamptz },
}).onlyValue;

/** Removes revocations whose credentials have all expired. @returns the number of rows removed */
export const forgetRevocations = (db: Queryable): Promise<number> =>
  deleteInParts(db, "offchain.credential_revocation", "revoked_before < now() - interval '1 day'");
