/** Referral codes: a readable prefix from the agent's name, and a random suffix that makes the code unique. */

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
const BASE_LENGTH = 14;
const SUFFIX_LENGTH = 4;
/** Number of different suffixes. */
export const SUFFIXES = LETTERS.length ** SUFFIX_LENGTH;

/**
 * The code of an agent: its name in lower case, at most 14 characters, with runs of other characters as `-`, then `-` and
 * the suffix of number `random`.
 * @param random an integer from 0 to SUFFIXES - 1; on a clash the caller draws another one
 */
export function referralCode(name: string, random: number): string {
  return `${baseOf(name)}-${random.toString(LETTERS.length).padStart(SUFFIX_LENGTH, "0")}`;
}

/** The code when all suffixes tried for an agent are taken: two hyphens, which no other code has, and its token id. */
export const lastReferralCode = (name: string, tokenId: number): string =>
  `${baseOf(name)}--${tokenId.toString(LETTERS.length)}`;

const baseOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, BASE_LENGTH)
    .replace(/(?<!-)-+$/, "") || "agent";

const CODE = /^[a-z0-9-]{1,32}$/i;

/** Converts a code as typed by a person to its stored form; null when the text cannot be a code. */
export function parseReferralCode(input: string): string | null {
  const code = input.trim();
  return CODE.test(code) ? code.toLowerCase() : null;
}
