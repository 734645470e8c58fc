/** Referral codes: readable beginnings made from the agent's name, and a random end that makes them unique. */

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
const BASE_LENGTH = 14;
export const SUFFIX_LENGTH = 4;
/** Number of different ends. */
export const SUFFIXES = LETTERS.length ** SUFFIX_LENGTH;

/**
 * The code of an agent: its name in lower case with runs of other characters as `-`, at most 14 characters, then `-`
 * and an end chosen by `random`.
 * @param random an integer from 0 up to, not including, SUFFIXES; the caller draws another on a clash.
 */
export function referralCode(name: string, random: number): string {
  return `${baseOf(name)}-${random.toString(LETTERS.length).padStart(SUFFIX_LENGTH, "0")}`;
}

/** The code of an agent whose others are all taken: two hyphens, which no other code has, and its token's id. */
export const lastReferralCode = (name: string, tokenId: number): string =>
  `${baseOf(name)}--${tokenId.toString(LETTERS.length)}`;

const baseOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, BASE_LENGTH)
    .replace(/-+$/, "") || "agent";

const CODE = /^[a-z0-9-]{1,32}$/i;

/** A code as somebody typed it → its stored form; null when no code looks like that. */
export function parseReferralCode(input: string): string | null {
  const code = input.trim();
  return CODE.test(code) ? code.toLowerCase() : null;
}
