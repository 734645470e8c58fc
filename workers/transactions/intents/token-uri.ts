/** Intents `uri:<tokenId>`: sets a token's URI to the service's metadata, unless its owner has set another. */
import { decodeFunctionData, encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../../abis/identity.ts";
import type { Address, Hex } from "../../../core/agents/facts.ts";
import { tokenUriOf } from "../../../core/links.ts";
import { knownTokenUri, tokenUriLeft, tokenUriSet, tokenUriUnset } from "../../../db/agents/token-uris.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";
import { readTokenUris } from "../../agents/token-uri-reads.ts";
import type { EffectContext, IntentEffect } from "./effect.ts";

/** Milliseconds until a URI is read from the chain again. */
export const CHECK_AGAIN_MS = 86_400_000;
/** Milliseconds until a URI is read again after a failed read or transaction. */
export const RETRY_MS = 600_000;

const OWN = "the owner has set another URI";
const SET = "the token has that URI already";

/** The call that sets a token's URI. */
export const tokenUriCall = (identity: Address, publicUrl: string, tokenId: number): { to: Address; data: Hex } => ({
  to: identity,
  data: encodeFunctionData({
    abi: identityAbi,
    functionName: "setMetadata",
    args: [BigInt(tokenId), tokenUriOf(publicUrl, tokenId)],
  }),
});

/** @returns the token, the URI to set, and the base URL of that URI */
function subjectOf({ data }: Intent): { tokenId: number; uri: string; base: string } {
  const { args } = decodeFunctionData({ abi: identityAbi, data });
  const [id, uri] = args as readonly [bigint, string];
  const tokenId = Number(id);
  return { tokenId, uri, base: uri.slice(0, uri.length - tokenUriOf("", tokenId).length) };
}

/**
 * Check then write: the URI on the chain is empty or the service's, then the signature and each further broadcast; the
 * contract has no "set if empty", so the owner's own transaction may come first: the read runs right before each of
 * them, and a filler takes the nonce while ours is in no block. Accepted: the gap is the time of one block.
 */
async function refusal({ db, chain }: EffectContext, intent: Intent): Promise<string | null> {
  const { tokenId, uri } = subjectOf(intent);
  const present = (await readTokenUris(chain, intent.to, [tokenId])).get(tokenId);
  // The token does not exist: the simulation or the block refuses it.
  if (present === undefined) return null;
  const row = await knownTokenUri(db, { tokenId });
  const base = row?.base ?? null;
  if (present === "") return base === null ? null : "the owner has removed the URI";
  if (present === uri) return SET;
  return base !== null && present === tokenUriOf(base, tokenId) ? null : OWN;
}

export const tokenUriEffect: IntentEffect = {
  prefix: "uri",
  refusal,

  /** While its receipt is unknown, this transaction itself may have set the URI. */
  async outdated(at, intent) {
    const reason = await refusal(at, intent);
    return reason === SET ? null : reason;
  },

  async mined(tx, intent, _receipt, now) {
    const { tokenId, base } = subjectOf(intent);
    await tokenUriSet(tx, { tokenId, base, checkAt: new Date(now.getTime() + CHECK_AGAIN_MS) });
  },

  /** The URI is read from the chain again; the answer decides whether another transaction follows. */
  async failed(tx, intent, reason, now) {
    const { tokenId } = subjectOf(intent);
    const isOwn = reason === OWN;
    const checkAt = new Date(now.getTime() + (isOwn ? CHECK_AGAIN_MS : RETRY_MS));
    await tokenUriLeft(tx, { tokenId, state: isOwn ? "own" : "unknown", checkAt });
  },

  async undone(tx, intent) {
    await tokenUriUnset(tx, { tokenId: subjectOf(intent).tokenId });
  },
};
