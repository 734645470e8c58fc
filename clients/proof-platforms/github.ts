/** Proofs on GitHub: a public gist of the account with one small file. https://docs.github.com/rest/gists */
import { array, object, union, z } from "zod";
import { foreignText } from "../../core/directory/foreign-text.ts";
import {
  GIST_MAX_BYTES,
  type GithubClaim,
  gistFileName,
  gistProof,
  type github,
} from "../../core/proof-platforms/github.ts";
import { quoted } from "../../core/quoted.ts";
import { OversizeAnswer } from "../http/exchange.ts";
import { withinAllowance } from "../http/on-behalf.ts";
import { isLoopback } from "../http/public-address.ts";
import type { Upstream } from "../http.ts";
import type { FoundProof, KnownProof, NoProof, ProofReader, SoughtProof } from "../ports.ts";
import { openPublicHttp, type PublicHttp } from "../public-http.ts";
import { unavailable } from "../unavailable.ts";
import { bearer, type OpenReader } from "./opener.ts";

/** Bound: gists of an account to search, the newest; and requests of one search. */
const MAX_GISTS = 500;
const MAX_REQUESTS = 12;
/**
 * Gists per page, the largest first. A list names every file of a gist, up to 300, so a page of 100 gists can exceed the
 * size limit. Each size divides the one before: a smaller page begins where a larger one would.
 */
const PAGE_SIZES = [100, 20, 4, 1] as const;
/** Max gists with the right file name to open. */
const MAX_CANDIDATES = 5;
/** Max characters of a stored ETag. */
const MAX_ETAG = 256;

/** The database stores and indexes ids and names unchanged. Logins of apps and of enterprises have brackets and underscores. */
const owner = object({
  login: z.string().regex(/^[\w[\]-]{1,100}$/),
  id: union([z.number(), z.string()])
    .transform(String)
    .pipe(z.string().regex(/^\d{1,20}$/)),
  type: z.string().default("User"),
});
const file = object({
  size: z.number().optional(),
  truncated: z.boolean().default(false),
  content: z.string().optional(),
  raw_url: z.string().optional(),
});
const listed = object({
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
  history: array(object({ version: z.string().max(64) })).catch([]),
});
type Gist = z.output<typeof gist> & { etag: string | undefined };
/** The file's text, or the reason why it cannot be a proof. */
type Content = { text: string } | NoProof;

/** `ids`: gists with the file. `searched`: how many gists the search saw before its bound; null: all of them. */
type GistSearch = { ids: string[]; searched: number | null };
type GistPage = { gists: z.output<typeof listed>[]; last: boolean } | "missing" | "large";

type Gists = ReturnType<typeof openGists>;

/**
 * @param api opened on GITHUB_API_URL, with the token if there is one
 * @param raw reaches the host of raw files only
 */
const openGists = (api: Upstream, raw: PublicHttp) => ({
  /**
   * Searches an account's public gists, newest first, for a file of that name; null when the account does not exist.
   * A page above the size limit is read again with fewer gists; a single gist above it is skipped.
   */
  async list(login: string, fileName: string): Promise<GistSearch | null> {
    const ids: string[] = [];
    let searched = 0;
    let size: number = PAGE_SIZES[0];
    for (let request = 0; request < MAX_REQUESTS && searched < MAX_GISTS && ids.length < MAX_CANDIDATES; request++) {
      const page = await listPage(api, login, { per_page: size, page: searched / size + 1 });
      if (page === "missing") return null;
      if (page === "large" && size > 1) {
        size = PAGE_SIZES.find((smaller) => smaller < size)!;
        continue;
      }
      if (page !== "large") ids.push(...page.gists.filter(hasFile(fileName)).map(({ id }) => id));
      if (page !== "large" && page.last) return { ids: ids.slice(0, MAX_CANDIDATES), searched: null };
      searched += size;
      size = sizeAt(searched, size);
    }
    return { ids: ids.slice(0, MAX_CANDIDATES), searched };
  },

  /** @param etag of the last known state; for the same state the result is "unchanged", which does not count against the quota */
  read: (gistId: string, etag?: string): Promise<Gist | "missing" | "unchanged" | "large"> =>
    api.ask<Gist | "missing" | "unchanged" | "large">({
      path: `/gists/${encodeURIComponent(gistId)}`,
      headers: etag ? { "if-none-match": etag } : {},
      statuses: etag ? [200, 304, 404] : [200, 404],
      read: ({ status, headers, json }) => {
        if (status !== 200) return status === 304 ? "unchanged" : "missing";
        const etag = headers.etag && headers.etag.length <= MAX_ETAG ? headers.etag : undefined;
        return { ...gist.parse(json), etag };
      },
      tooLarge: () => "large",
    }),

  async contentOf({ files }: Gist, fileName: string): Promise<Content> {
    const match = Object.hasOwn(files, fileName) ? file.nullable().safeParse(files[fileName]).data : null;
    if (match === null) return { reason: `The gist has no file ${fileName}${othersOf(files)}.` };
    if (match === undefined) return unavailable("GitHub", { cause: new Error("the gist's file cannot be read") });
    if ((match.size ?? 0) > GIST_MAX_BYTES) return tooLarge(fileName);
    if (!match.truncated && match.content !== undefined) return { text: match.content };
    const text = await rawText(raw, match.raw_url ?? "");
    return text === null ? tooLarge(fileName) : { text };
  },
});

/** Files that a refusal names, and characters of each name. */
const [MAX_NAMED, MAX_NAME] = [3, 60];

/** Names of the files that a gist has in place of the one looked for; its owner's own words, so quoted. */
function othersOf(files: Gist["files"]): string {
  const names = Object.keys(files).flatMap((name) => foreignText(name, MAX_NAME) ?? []);
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `; it has ${names.slice(0, MAX_NAMED).map(quoted).join(", ")}${more}`;
}

/** The size of the page at a place: one step larger than the last page where the place allows it. */
function sizeAt(place: number, last: number): number {
  const larger = PAGE_SIZES.findLast((size) => size > last);
  return larger !== undefined && place % larger === 0 ? larger : last;
}

const hasFile =
  (name: string) =>
  ({ files }: z.output<typeof listed>) =>
    Object.hasOwn(files, name);

/** One page of an account's gists; `last`: there is none behind it. @throws Failure upstream_unavailable */
const listPage = (api: Upstream, login: string, query: { per_page: number; page: number }): Promise<GistPage> =>
  api.ask<GistPage>({
    path: `/users/${encodeURIComponent(login)}/gists`,
    query,
    statuses: [200, 404],
    read: ({ status, headers, json }) => {
      if (status === 404) return "missing";
      const gists = array(z.unknown()).parse(json);
      // Only whether there is a next page is taken from the header, never its address.
      const last = headers.link === undefined ? gists.length < query.per_page : !/;\s*rel="?next"?/.test(headers.link);
      return { gists: gists.flatMap((each) => listed.safeParse(each).data ?? []), last };
    },
    tooLarge: () => "large",
  });

/** @returns null for a file that is too large @throws Failure upstream_unavailable */
const rawText = async (raw: PublicHttp, url: string): Promise<string | null> => {
  try {
    const { status, text } = await raw.request(url, { maxBytes: GIST_MAX_BYTES });
    if (status === 200) return text;
    return unavailable("GitHub", { cause: new Error(`the raw file answers ${status}`) });
  } catch (error) {
    return error instanceof OversizeAnswer ? null : unavailable("GitHub", { cause: error });
  }
};

const tooLarge = (fileName: string): NoProof => ({
  reason: `The file ${fileName} is larger than ${GIST_MAX_BYTES} bytes.`,
});

/** GitHub allows 5,000 requests per hour with a token, and 60 without. */
const RATE = {
  withToken: { burst: 500, perSecond: 5_000 / 3_600 },
  withoutToken: { burst: 60, perSecond: 60 / 3_600 },
};

export const openGithub: OpenReader<typeof github.variables, GithubClaim> = (
  { url, rawUrl, token },
  { http, userAgent, proxies, onClose },
) => {
  const raw = openPublicHttp({ userAgent, proxies, origins: [new URL(rawUrl).origin], loopback: isLoopback(rawUrl) });
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
 * @param raw reaches the host of raw files only
 */
export function githubProofs(api: Upstream, raw: PublicHttp): ProofReader<GithubClaim> {
  const gists = openGists(api, raw);

  async function findIn(gistId: string, login: string, sought: SoughtProof): Promise<FoundProof | NoProof> {
    const gist = await gists.read(gistId);
    if (gist === "large") return tooLarge(gistFileName(sought.prefix));
    if (gist === "missing" || gist === "unchanged") return { reason: "There is no such gist." };
    return judge(gists, gist, login, sought);
  }

  async function find({ username, gistId }: GithubClaim, sought: SoughtProof): Promise<FoundProof | NoProof> {
    if (gistId !== undefined) return findIn(gistId, username, sought);
    const fileName = gistFileName(sought.prefix);
    const search = await gists.list(username, fileName);
    if (search === null) return { reason: `There is no GitHub account ${username}.`, isAbsent: true };
    const where = search.searched === null ? "" : ` among its newest ${search.searched}: name the gist`;
    let refusal: NoProof = {
      reason: `The GitHub account ${username} has no public gist with a file ${fileName}${where}.`,
    };
    for (const id of search.ids) {
      const proof = await findIn(id, username, sought);
      if (!("reason" in proof)) return proof;
      refusal = proof;
    }
    return refusal;
  }

  /** A proof is valid as long as the same gist of the same account, under the same name, contains it. */
  async function again(proof: KnownProof): Promise<FoundProof | NoProof> {
    const { accountId, handle, username, evidence } = proof;
    const { id, quote, etag } = evidence;
    const gist = id === undefined ? null : await gists.read(id, quote === undefined ? undefined : etag);
    if (gist === "unchanged") return { accountId, handle, username, evidence: evidence as FoundProof["evidence"] };
    if (gist === "missing") return { reason: "The gist was deleted." };
    if (gist === "large") return tooLarge(gistFileName(proof.prefix));
    const judged = await (gist === null ? find({ username: handle }, proof) : judge(gists, gist, handle, proof));
    if ("reason" in judged || judged.accountId === accountId) return judged;
    return { reason: `The name ${handle} belongs to another GitHub account now.` };
  }

  return withinAllowance({ find, batch: 1, recheck: (proofs) => Promise.all(proofs.map(again)) });
}

/** Whether a gist proves the agent for the account. */
async function judge(gists: Gists, found: Gist, login: string, sought: SoughtProof): Promise<FoundProof | NoProof> {
  const { owner, html_url, history, etag } = found;
  if (!owner || owner.login.toLowerCase() !== login.toLowerCase())
    return { reason: `The gist does not belong to the GitHub account ${login}.` };
  if (owner.type !== "User") return { reason: "The gist belongs to an organisation, not to a person's account." };
  if (!found.public) return { reason: "The gist is not public." };
  if (found.fork_of) return { reason: "The gist is a fork of another one." };
  const fileName = gistFileName(sought.prefix);
  const content = await gists.contentOf(found, fileName);
  if ("reason" in content) return content;
  const quote = gistProof(content.text, sought.prefix, sought.tokenId);
  if (quote === null)
    return { reason: `The file ${fileName} says something else than ${sought.tokenId}.`, found: content.text };
  return {
    accountId: owner.id,
    handle: owner.login,
    username: owner.login,
    evidence: {
      url: html_url ?? `https://gist.github.com/${found.id}`,
      id: found.id,
      quote,
      ...(history[0] && { revision: history[0].version }),
      ...(etag && { etag }),
    },
  };
}
