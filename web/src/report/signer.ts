/** Who signs this service's receipts, noted in this browser: a check needs it without asking the service. */
import type { Discovery } from "../api/types.ts";
import { keep, kept } from "../stored.ts";

export type Noted = {
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
export function noteSigner({ name, chainId, contract, receipts }: Discovery): Noted {
  const signers = [receipts.signer, ...receipts.formerSigners].flatMap((one) => (one ? [one.toLowerCase()] : []));
  const note = { name, chainId, contract, signers, at: Date.now() };
  keep("browser", KEY, note);
  return note;
}

export const noted = (): Noted | null => kept<Noted>("browser", KEY);
