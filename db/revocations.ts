/** Wallets that have ended all their credentials, and as of when. */
import { deleteInParts } from "./batches.ts";
import type { Queryable } from "./transaction.ts";

/** Credentials of the wallet dated before this are over; null when it never ended any. */
export async function revokedBefore(db: Queryable, wallet: string): Promise<Date | null> {
  const { rows } = await db.query<{ revoked_before: Date }>({
    name: "revoked-before",
    text: "select revoked_before from offchain.credential_revocation where wallet = $1",
    values: [wallet],
  });
  return rows[0]?.revoked_before ?? null;
}

/** Ends the wallet's credentials dated before a moment. It never moves back. @returns the moment in force */
export async function revokeBefore(db: Queryable, wallet: string, before: Date): Promise<Date> {
  const { rows } = await db.query<{ revoked_before: Date }>({
    text: `insert into offchain.credential_revocation as row (wallet, revoked_before) values ($1, $2)
           on conflict (wallet) do update set revoked_before = greatest(row.revoked_before, excluded.revoked_before)
           returning revoked_before`,
    values: [wallet, before],
  });
  return rows[0]!.revoked_before;
}

/** Removes revocations that say nothing any more: what they ended has expired. @returns the number of rows removed */
export const forgetRevocations = (db: Queryable): Promise<number> =>
  deleteInParts(db, "offchain.credential_revocation", "revoked_before < now() - interval '1 day'");
