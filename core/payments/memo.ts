/** Memos of MPP: 32 bytes on a transfer of a TIP-20 token that say which challenge of which service it answers. */
import { keccak256, stringToHex } from "viem/utils";
import type { Address, Hex } from "../agents/facts.ts";
import { type TokenLog, type Transfer, transfersIn } from "./transfers.ts";

/** keccak256 of `TransferWithMemo(address,address,uint256,bytes32)`. */
const TRANSFER_WITH_MEMO: Hex = "0x57bc7354aa85aed339e000bccffabbc529466af35f0772c8f8ee1145927de7f0";
/** Selector of `transferWithMemo(address,uint256,bytes32)`. */
const TRANSFER_WITH_MEMO_CALL = "0x95777d59";

/** The parts of a memo. `realm` is the service, as its challenges name it. */
export type MemoChallenge = { realm: string; challengeId: string };

/** The first bytes of a text's hash, as hex digits. */
const digits = (text: string, bytes: number): string => keccak256(stringToHex(text)).slice(2, 2 + 2 * bytes);

/** Four bytes that identify MPP, and the version of the layout. */
const HEAD = `0x${digits("mpp", 4)}01`;

/**
 * Whether a memo is the one of a challenge: head, 10 bytes of the realm's hash, 10 of the client's, 7 of the challenge's.
 * @param memo 32 bytes
 */
export const isMemoOf = (memo: Hex, { realm, challengeId }: MemoChallenge): boolean =>
  memo.length === 66 &&
  memo.toLowerCase().startsWith(HEAD + digits(realm, 10)) &&
  memo.toLowerCase().endsWith(digits(challengeId, 7));

/** A transfer that answers a challenge. */
export type AskedTransfer = MemoChallenge & { token: Address; to: Address; value: bigint };

/** The transfers in a transaction that answer a challenge. The token logs the memo right after its transfer. */
export const memoTransfers = (logs: readonly TokenLog[], asked: AskedTransfer): Transfer[] =>
  transfersIn(logs, asked.token).filter(
    ({ to, value, logIndex }) =>
      to === asked.to &&
      value === asked.value &&
      logs.some(
        ({ address, topics, logIndex: place }) =>
          place === logIndex + 1 &&
          address === asked.token &&
          topics[0] === TRANSFER_WITH_MEMO &&
          isMemoOf(topics[3] ?? "0x", asked),
      ),
  );

/** Whether a call is a transfer that answers a challenge. */
export function isMemoTransfer({ to, data }: { to: Address; data: Hex }, asked: AskedTransfer): boolean {
  if (to !== asked.token || data.length !== 10 + 3 * 64) return false;
  const [recipient, value, memo] = [0, 1, 2].map((i) => data.slice(10 + 64 * i, 74 + 64 * i).toLowerCase());
  return (
    data.startsWith(TRANSFER_WITH_MEMO_CALL) &&
    recipient === asked.to.slice(2).padStart(64, "0") &&
    BigInt(`0x${value}`) === asked.value &&
    isMemoOf(`0x${memo}`, asked)
  );
}
