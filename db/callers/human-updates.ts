/** Texts that owners signed for an update: one request uses each, once. */
import { eq } from "drizzle-orm";
import { humanUpdate } from "../schema/transactions.ts";
import { deleteInParts } from "../sql/batches.ts";
import { orm } from "../sql/orm.ts";
import type { Queryable } from "../sql/transaction.ts";

export type TextUse = { text: string; tokenId: number; fingerprint: string; at: Date };

/** The use of a text: none yet ("fresh"), this request ("same"), or another request ("used"). */
export async function usedBy(db: Queryable, use: Pick<TextUse, "text" | "fingerprint">) {
  const [row] = await orm(db)
    .select({ fingerprint: humanUpdate.fingerprint })
    .from(humanUpdate)
    .where(eq(humanUpdate.text, use.text));
  if (!row) return "fresh";
  return row.fingerprint === use.fingerprint ? "same" : "used";
}

/**
 * Uses a text up.
 * @param use.fingerprint hash of the request: the same request again, after a crash, is the same use
 * @returns "fresh" for its first use, "same" for a repetition of that request, "used" when another request has used it
 */
export async function useText(tx: Queryable, use: TextUse): Promise<"fresh" | "same" | "used"> {
  const { text, tokenId, fingerprint, at } = use;
  const { rowCount } = await orm(tx)
    .insert(humanUpdate)
    .values({ text, tokenId, fingerprint, usedAt: at })
    .onConflictDoNothing();
  if (rowCount === 1) return "fresh";
  return (await usedBy(tx, use)) === "same" ? "same" : "used";
}

/** Removes texts that expired long ago, so that no check accepts them again. @returns how many */
export const forgetUsedTexts = (db: Queryable): Promise<number> =>
  deleteInParts(db, "offchain.human_update", "used_at < now() - interval '24 hours'");
