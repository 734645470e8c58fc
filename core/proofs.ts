/** Rules of social proofs: the text that proves an agent, where it may stand, and how accounts of the platforms are named. */
import type { Platform } from "./facts.ts";

/** The text an account shows to prove an agent: `helixa:12`. @param prefix lower-case name of the service */
export const needleOf = (prefix: string, tokenId: number): string => `${prefix}:${tokenId}`;

/** Name of the gist's file that proves an agent. */
export const gistFileName = (prefix: string): string => `${prefix}-verify.txt`;

/** A longer file is no proof, whatever it contains. */
export const GIST_MAX_BYTES = 1024;

/** Trait that an agent gets with its first proof on a platform. It is a decoration: only proof records count. */
export const proofTrait = (platform: Platform) => ({ name: `${platform}-verified`, category: "verification" });

/** Compatibility forms become plain ones, and characters without a shape of their own go: what people see remains. */
const plain = (text: string): string => text.normalize("NFKC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");

/** Part of a word or number: next to the needle it makes another needle of it. */
const WORD = String.raw`[\p{L}\p{N}\p{M}_]`;
/** Joins words into longer names (`x-helixa:1`, `helixa:1.5`), but may end a sentence as well. */
const JOINT = String.raw`[\-‐‑.:/\\@#&+=~%$*^']`;

/**
 * Whether a text shows the needle as a word of its own: `helixa:1` is shown by "I am helixa:1." but by none of
 * `helixa:12`, `xhelixa:1`, `x-helixa:1`, `helixa:1.5` and `helixa:1_`. Case counts.
 */
export function showsNeedle(text: string, needle: string): boolean {
  const literal = needle.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const alone = new RegExp(`(?<!${WORD})(?<!${WORD}${JOINT}+)${literal}(?!${WORD})(?!${JOINT}+${WORD})`, "u");
  return alone.test(plain(text));
}

/** Whether a gist file's content proves an agent: the token id or the needle, and nothing else but white space. */
export function gistProves(content: string, prefix: string, tokenId: number): boolean {
  if (new TextEncoder().encode(content).length > GIST_MAX_BYTES) return false;
  const text = content.trim();
  return text === String(tokenId) || text === needleOf(prefix, tokenId);
}

/** A handle on X without its @; null when it cannot be one. */
export function parseXHandle(text: string): string | null {
  const handle = text.trim().replace(/^@/, "");
  return /^[A-Za-z0-9_]{1,15}$/.test(handle) ? handle : null;
}

/** A GitHub login; null when it cannot be one. Logins of old accounts may end in a hyphen. */
export function parseGithubLogin(text: string): string | null {
  const login = text.trim().replace(/^@/, "");
  return /^[A-Za-z0-9](?:[A-Za-z0-9]|-(?!-)){0,38}$/.test(login) ? login : null;
}

/** A GitHub login, or `owner/repository` as given; null when it can be neither. Shown, and no proof of the owner. */
export function parseGithubPlace(text: string): string | null {
  const [owner = "", repository, ...rest] = text.trim().split("/");
  const login = parseGithubLogin(owner);
  if (login === null || repository === undefined) return login;
  return rest.length === 0 && /^(?!\.{1,2}$)[\w.-]{1,100}$/.test(repository) ? `${login}/${repository}` : null;
}

/** The id of a gist, given as such or as the gist's address; null when it is neither. */
export function parseGistId(text: string): string | null {
  const [, id] =
    text
      .trim()
      .match(/^(?:https:\/\/gist\.github\.com\/(?:[A-Za-z0-9-]{1,39}\/)?)?([0-9A-Za-z_-]{1,64})(?:[/#?].*)?$/) ?? [];
  return id ?? null;
}

/** A Farcaster name in lower case: an fname, or an ENS or Basename that ends in `.eth`; null when it cannot be one. */
export function parseFarcasterName(text: string): string | null {
  const name = text.trim().replace(/^@/, "").toLowerCase();
  const fname = /^[a-z0-9][a-z0-9-]{0,15}$/.test(name);
  const ens = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,3}eth$/.test(name);
  return fname || ens ? name : null;
}

/** A Farcaster id; null when it cannot be one. */
export const parseFid = (value: number | string): number | null =>
  /^[1-9]\d{0,14}$/.test(String(value)) ? Number(value) : null;
