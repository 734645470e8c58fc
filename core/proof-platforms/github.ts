/** GitHub: a public gist of the account has a file with the agent's token id or needle. */
import { MAX_QUOTE, needleOf, quoteOf } from "../agents/social-proofs.ts";
import { foreignText } from "../directory/foreign-text.ts";
import { PROOF_BADGES } from "./badges.ts";
import { proofPlatform, text } from "./platform.ts";

/** @property gistId the gist to read; without it the account's newest public gists are searched */
export type GithubClaim = { username: string; gistId?: string };

const GIST_PROBLEM = "must be the id of a gist, or its address on gist.github.com";

/** Name of the gist's file that proves an agent. */
export const gistFileName = (prefix: string): string => `${prefix}-verify.txt`;

/** Max bytes of the file; a longer one is no proof. */
export const GIST_MAX_BYTES = 1024;

const WHOLE_NUMBER = /(?<![\p{L}\p{N}\p{M}_+\-−]|\d[.,])\d+(?![\p{L}\p{N}\p{M}_])/gu;

/**
 * The words by which a gist's file proves an agent: the needle as a word of its own anywhere in it, or the token id as a whole
 * number where the file has no other number. Null where it proves nothing.
 */
export function gistProof(content: string, prefix: string, tokenId: number): string | null {
  if (new TextEncoder().encode(content).length > GIST_MAX_BYTES) return null;
  const quote = quoteOf(content, needleOf(prefix, tokenId));
  if (quote !== null) return quote;
  const [whole, ...others] = content.match(WHOLE_NUMBER) ?? [];
  const isOnly = others.length === 0 && content.match(/\p{N}+/gu)?.length === 1;
  return isOnly && whole === String(tokenId) ? foreignText(content, MAX_QUOTE) : null;
}

/** A GitHub login; null when it cannot be one. Logins of old accounts may end in a hyphen. */
export function parseGithubLogin(text: string): string | null {
  const login = text.trim().replace(/^@/, "");
  return /^[A-Za-z0-9](?:[A-Za-z0-9]|-(?!-)){0,38}$/.test(login) ? login : null;
}

/** A GitHub login, or `owner/repository` as given; null when it can be neither. It is shown and proves nothing. */
export function parseGithubPlace(text: string): string | null {
  const [owner = "", repository, ...rest] = text.trim().split("/");
  const login = parseGithubLogin(owner);
  if (login === null || repository === undefined) return login;
  return rest.length === 0 && /^(?!\.{1,2}$)[\w.-]{1,100}$/.test(repository) ? `${login}/${repository}` : null;
}

/** The id of a gist, from the id itself or the gist's URL; null when it is neither. */
export function parseGistId(text: string): string | null {
  const [, id] =
    text
      .trim()
      .match(/^(?:https:\/\/gist\.github\.com\/(?:[A-Za-z0-9-]{1,39}\/)?)?([0-9A-Za-z_-]{1,64})(?:[/#?].*)?$/) ?? [];
  return id ?? null;
}

export const github = proofPlatform<GithubClaim>()({
  ...PROOF_BADGES.github,
  summary: "Prove a GitHub account: a public gist of its own shows the agent",
  description:
    "The gist has a file helixa-verify.txt that says helixa:<tokenId>, or the token id and no other number. Forks and gists of organisations do not count.",
  fields: {
    username: { parse: text(parseGithubLogin), problem: "must be a GitHub username", examples: ["octocat"] },
    gistId: {
      parse: text(parseGistId),
      problem: GIST_PROBLEM,
      optional: true,
      description: "The gist's id or address; without it the newest public gists are searched",
    },
    gistUrl: { parse: text(parseGistId), problem: GIST_PROBLEM, optional: true, description: "The same as gistId" },
  },
  examples: [{ username: "octocat" }],
  claimOf({ username, gistId, gistUrl }: GithubClaim & { gistUrl?: string }) {
    const gist = gistId ?? gistUrl;
    return { username, ...(gist !== undefined && { gistId: gist }) };
  },
  hint: ({ username }, { needle, prefix }) =>
    `Create a public gist as ${username} with a file ${gistFileName(prefix)} that says ${needle}, then ask again.`,
  variables: {
    url: { name: "GITHUB_API_URL", doc: "API of GitHub", kind: "url", default: "https://api.github.com" },
    rawUrl: {
      name: "GITHUB_RAW_URL",
      doc: "Where GitHub serves the raw files of gists; the client follows links to no other host",
      kind: "url",
      default: "https://gist.githubusercontent.com",
    },
    token: {
      name: "GITHUB_TOKEN",
      doc: "Token of GitHub (unset: 60 requests an hour instead of 5,000)",
      kind: "secret",
    },
  },
});
