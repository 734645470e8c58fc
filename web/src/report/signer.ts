/** Who signs this service's receipts, noted in this browser: a check needs it without asking the service. */
import type { Discovery } from "../api/types.ts";
import { keep, kept } from "../stored.ts";

export type NotedSigner = {
  name: string;
  chainId: number;
  contract: string;
  /** The present signer and the former ones, lower case. */
  signers: string[];
  /** Milliseconds since the epoch. */
  at: number;
};

const KEY = "receipts.signer";

/** Notes the signers that the service names. One that it names no longer does not count any more: its key may be stolen. */
export function noteSigner({ name, chainId, contract, receipts }: Discovery): NotedSigner {
  const signers = [receipts.signer, ...receipts.formerSigners].flatMap((one) => (one ? [one.toLowerCase()] : []));
  const note = { name, chainId, contract, signers, at: Date.now() };
  keep("browser", KEY, note);
  return note;
}

export const noted = (): NotedSigner | null => kept<NotedSigner>("browser", KEY);
