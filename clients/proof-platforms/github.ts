/** Proofs on GitHub: a public gist of the account with one small file. https://docs.github.com/rest/gists */

import { z } from "zod";
import type { GithubClaim, github } from "../../core/proof-platforms/github.ts";
import { GIST_MAX_BYTES, gistFileName, gistProves } from "../../core/proof-platforms/github.ts";
import { OversizeAnswer } from "../http/exchange.ts";
import { withinAllowance } from "../http/on-behalf.ts";
import { isLoopback } from "../http/public-address.ts";
import type { Upstream } from "../http.ts";
import type { FoundProof, KnownProof, NoProof, ProofReader, SoughtProof } from "../ports.ts";
import type { PublicHttp } from "../public-http.ts";
import { openPublicHttp } from "../public-http.ts";
import { unavailable } from "../unavailable.ts";
import { bearer, type OpenReader } from "./opener.ts";

/** Pages of an account's gists that are searched. */
const PAGES = 5;
const PER_PAGE = 100;
/** Gists with the right file name that are opened. */
const CANDIDATES = 5;
/** A longer mark of a version is not kept. */
const MOST_ETAG = 256;

/** Ids and names are stored and indexed as they stand. Logins of apps and of enterprises have brackets and underscores. */
const owner = z.object({
  login: z.string().regex(/^[\w[\]-]{1,100}$/),
  id: z
    .union([z.number(), z.string()])
    .transform(String)
    .pipe(z.string().regex(/^\d{1,20}$/)),
  type: z.string().default("User"),
});
const file = z.object({
  size: z.number().optional(),
  truncated: z.boolean().default(false),
  content: z.string().optional(),
  raw_url: z.string().optional(),
});
const listed = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  files: z.record(z.string(), z.unknown()).default({}),
});
const gist = listed.extend({
  // Shown as a link.
  html_url: z
    .url({ protocol: /^https$/ })
    .max(300)
    .optional()
    .catch(undefined),
  public: z.boolean().default(false),
  owner: owner.nullish(),
  fork_of: z.unknown().optional(),
  history: z.array(z.object({ version: z.string().max(64) })).catch([]),
});
type Gist = z.output<typeof gist> & { etag: string | undefined };
/** The file's text, or why it has none that could prove anything. */
type Content = { text: string } | NoProof;

/** GitHub allows 5,000 requests an hour with a token, and 60 without. */
const RATE = {
  withToken: { burst: 500, perSecond: 5_000 / 3_600 },
  withoutToken: { burst: 60, perSecond: 60 / 3_600 },
};

export const openGithub: OpenReader<typeof github.variables, GithubClaim> = (
  { url, rawUrl, token },
  { http, userAgent, onClose },
) => {
  const raw = openPublicHttp({ userAgent, origins: [new URL(rawUrl).origin], loopback: isLoopback(rawUrl) });
  onClose(() => raw.close());
  const api = http.upstream({
    name: "GitHub",
    baseUrl: url,
    headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28", ...bearer(token) },
    rate: token ? RATE.withToken : RATE.withoutToken,
    maxBytes: 4_000_000,
  });
  return githubProofs(api, raw);
};

/**
 * @param api opened on GITHUB_API_URL, with the token if there is one
 * @param raw reaches the host of raw files and nothing else
 */
export function githubProofs(api: Upstream, raw: PublicHttp): ProofReader<GithubClaim> {
  /** Public gists of an account that have a file of that name, the newest first; null without such an account. */
  async function gistsWith(login: string, fileName: string): Promise<string[] | null> {
    const found: string[] = [];
    for (let page = 1; page <= PAGES && found.length < CANDIDATES; page++) {
      const gists = await api.ask({
        path: `/users/${encodeURIComponent(login)}/gists`,
        query: { per_page: PER_PAGE, page },
        statuses: [200, 404],
        read: ({ status, json }) => (status === 404 ? null : z.array(z.unknown()).parse(json)),
      });
      if (gists === null) return null;
      const readable = gists.flatMap((each) => listed.safeParse(each).data ?? []);
      found.push(...readable.filter(({ files }) => Object.hasOwn(files, fileName)).map(({ id }) => id));
      if (gists.length < PER_PAGE) break;
    }
    return found.slice(0, CANDIDATES);
  }

  /** @param etag of the state last seen: the same state is "unchanged", and costs nothing of the quota */
  const read = (gistId: string, etag?: string): Promise<Gist | "missing" | "unchanged" | "large"> =>
    api.ask<Gist | "missing" | "unchanged" | "large">({
      path: `/gists/${encodeURIComponent(gistId)}`,
      headers: etag ? { "if-none-match": etag } : {},
      statuses: etag ? [200, 304, 404] : [200, 404],
      read: ({ status, headers, json }) => {
        if (status !== 200) return status === 304 ? "unchanged" : "missing";
        const etag = headers.etag && headers.etag.length <= MOST_ETAG ? headers.etag : undefined;
        return { ...gist.parse(json), etag };
      },
      tooLarge: () => "large",
    });

  async function contentOf({ files }: Gist, fileName: string): Promise<Content> {
    const found = Object.hasOwn(files, fileName) ? file.nullable().safeParse(files[fileName]).data : null;
    if (found === null) return { reason: `The gist has no file ${fileName}.` };
    if (found === undefined) return unavailable("GitHub", { cause: new Error("the gist's file cannot be read") });
    if ((found.size ?? 0) > GIST_MAX_BYTES) return tooLarge(fileName);
    if (!found.truncated && found.content !== undefined) return { text: found.content };
    const text = await rawText(found.raw_url ?? "");
    return text === null ? tooLarge(fileName) : { text };
  }

  /** @returns null for a file that is too large @throws Failure upstream_unavailable */
  const rawText = async (url: string): Promise<string | null> => {
    try {
      const { status, text } = await raw.request(url, { maxBytes: GIST_MAX_BYTES });
      if (status === 200) return text;
      return unavailable("GitHub", { cause: new Error(`the raw file answers ${status}`) });
    } catch (error) {
      return error instanceof OversizeAnswer ? null : unavailable("GitHub", { cause: error });
    }
  };

  async function judge(found: Gist, login: string, sought: SoughtProof): Promise<FoundProof | NoProof> {
    const { owner, html_url, history, etag } = found;
    if (!owner || owner.login.toLowerCase() !== login.toLowerCase())
      return { reason: `The gist does not belong to the GitHub account ${login}.` };
    if (owner.type !== "User") return { reason: "The gist belongs to an organisation, not to a person's account." };
    if (!found.public) return { reason: "The gist is not public." };
    if (found.fork_of) return { reason: "The gist is a fork of another one." };
    const fileName = gistFileName(sought.prefix);
    const content = await contentOf(found, fileName);
    if ("reason" in content) return content;
    if (!gistProves(content.text, sought.prefix, sought.tokenId))
      return { reason: `The file ${fileName} says something else than ${sought.tokenId}.` };
    return {
      accountId: owner.id,
      handle: owner.login,
      username: owner.login,
      evidence: {
        url: html_url ?? `https://gist.github.com/${found.id}`,
        id: found.id,
        ...(history[0] && { revision: history[0].version }),
        ...(etag && { etag }),
      },
    };
  }

  async function findIn(gistId: string, login: string, sought: SoughtProof): Promise<FoundProof | NoProof> {
    const found = await read(gistId);
    if (found === "large") return tooLarge(gistFileName(sought.prefix));
    if (found === "missing" || found === "unchanged") return { reason: "There is no such gist." };
    return judge(found, login, sought);
  }

  async function find({ username, gistId }: GithubClaim, sought: SoughtProof): Promise<FoundProof | NoProof> {
    if (gistId !== undefined) return findIn(gistId, username, sought);
    const fileName = gistFileName(sought.prefix);
    const gists = await gistsWith(username, fileName);
    if (gists === null) return { reason: `There is no GitHub account ${username}.` };
    let refusal: NoProof = { reason: `The GitHub account ${username} has no public gist with a file ${fileName}.` };
    for (const id of gists) {
      const found = await findIn(id, username, sought);
      if (!("reason" in found)) return found;
      refusal = found;
    }
    return refusal;
  }

  /** The proof stands as long as the same gist of the same account, under the same name, says so. */
  async function again(proof: KnownProof): Promise<FoundProof | NoProof> {
    const evidence = z
      .object({ url: z.string(), id: z.string(), etag: z.string().optional() })
      .loose()
      .safeParse(proof.evidence);
    if (!evidence.success) return find({ username: proof.handle }, proof);
    const found = await read(evidence.data.id, evidence.data.etag);
    if (found === "unchanged") {
      const { accountId, handle, username } = proof;
      return { accountId, handle, username, evidence: evidence.data };
    }
    if (found === "missing") return { reason: "The gist was deleted." };
    if (found === "large") return tooLarge(gistFileName(proof.prefix));
    const judged = await judge(found, proof.handle, proof);
    if ("reason" in judged || judged.accountId === proof.accountId) return judged;
    return { reason: `The name ${proof.handle} belongs to another GitHub account now.` };
  }

  return withinAllowance({ find, batch: 1, recheck: (proofs) => Promise.all(proofs.map(again)) });
}

const tooLarge = (fileName: string): NoProof => ({
  reason: `The file ${fileName} is larger than ${GIST_MAX_BYTES} bytes.`,
});
