/** Who may read a group: anyone a public one; a private one its members whose cred still passes the gate. */
import { HOW_TO_SIGN_IN } from "../../core/callers/wallet-credential.ts";
import { fail } from "../../core/errors.ts";
import { type Group, type Refusal, refusalAt } from "../../core/messages/message-groups.ts";
import { type Access, accessOf } from "../../db/messages/message-access.ts";
import type { WalletCaller } from "../caller-types.ts";
import type { ApiDeps } from "../deps.ts";
import { refuse } from "./message-acts.ts";

/** Why a wallet may not read a private group; null when it may. */
export function readRefusal({ groupId, member, minCred, speaker }: Access): Refusal | null {
  const refusal = refusalAt(minCred, speaker, "read this group");
  if (refusal || member) return refusal;
  const yours = speaker?.score ?? 0;
  const hint = `POST /api/v2/messages/groups/${groupId}/join comes first, and costs nothing.`;
  return { sentence: "Only members read this group.", required: minCred, yours, hint };
}

/**
 * Requires the right to read at this moment. Called after the messages were read, so that a reader who lost the right
 * before then gets nothing.
 * @throws Failure unauthenticated, forbidden
 */
export async function requireReader(
  { db }: Pick<ApiDeps, "db">,
  group: Group,
  caller: WalletCaller | undefined,
  now: number,
): Promise<void> {
  if (group.isPublic) return;
  if (caller === undefined)
    return fail("unauthenticated", "This group is private: reading it needs a SIWA credential of a member.", {
      hint: HOW_TO_SIGN_IN,
    });
  const [access] = await accessOf(db, [{ groupId: group.groupId, wallet: caller.wallet }], new Date(now));
  const refusal = access ? readRefusal(access) : null;
  if (refusal) refuse(refusal);
}
