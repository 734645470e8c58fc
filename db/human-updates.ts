/** Texts owners signed for an update: each is used once, by one request. */
import { deleteInParts } from "./batches.ts";
import type { Queryable } from "./transaction.ts";

export type TextUse = { text: string; tokenId: number; fingerprint: string; at: Date };

/** Who has used a text: nobody yet ("fresh"), this very request ("same"), or another one ("used"). */
export async function usedBy(db: Queryable, use: Pick<TextUse, "text" | "fingerprint">) {
  const { rows } = await db.query("select fingerprint from offchain.human_update where text = $1", [use.text]);
  if (!rows[0]) return "fresh";
  return rows[0].fingerprint === use.fingerprint ? "same" : "used";
}

/**
 * Uses a text up.
 * @param use.fingerprint hash of the request: the same request again, after a crash, is the same use
 * @returns "fresh" for its first use, "same" for a repetition of that request, "used" when another request has used it
 */
export async function useText(tx: Queryable, use: TextUse): Promise<"fresh" | "same" | "used"> {
  const { rowCount } = await tx.query(
    `insert into offchain.human_update (text, token_id, fingerprint, used_at) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [use.text, use.tokenId, use.fingerprint, use.at],
  );
  if (rowCount === 1) return "fresh";
  return (await usedBy(tx, use)) === "same" ? "same" : "used";
}

/** Removes texts whose time has long passed: nobody would accept them again. @returns how many */
export const forgetUsedTexts = (db: Queryable): Promise<number> =>
  deleteInParts(db, "offchain.human_update", "used_at < now() - interval '24 hours'");
