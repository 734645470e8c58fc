/**
 * Who serves the public: exchanges, bridges, faucets, paymasters. Money from such an account connects no accounts, and it
 * is on no agent's side, whatever it owns: reviews, income and jobs ask this one function.
 */
import { ZERO_ADDRESS } from "./addresses.ts";

/** Transactions from which on an account serves the public. */
export const PUBLIC_SENT = 1_000_000;

/**
 * Whether an account is shown to be private. What is not known is no evidence: an account of a contract, and one of which
 * nothing is read, is not shown to be private.
 * @param sent transactions it has sent; null for a contract or where it is not known, undefined where it is not read yet
 */
export const isPrivate = (sent: number | null | undefined, address?: string): boolean =>
  address !== ZERO_ADDRESS && typeof sent === "number" && sent < PUBLIC_SENT;
