/** Gists of GitHub accounts: lists them, reads one, and reads the text of a file. https://docs.github.com/rest/gists */
import { z } from "zod";
import { GIST_MAX_BYTES } from "../../core/proof-platforms/github.ts";
import { OversizeAnswer } from "../http/exchange.ts";
import type { Upstream } from "../http.ts";
import type { NoProof } from "../ports.ts";
import type { PublicHttp } from "../public-http.ts";
import { unavailable } from "../unavailable.ts";

/** Max pages of an account's gists to search. */
const PAGES = 5;
const PER_PAGE = 100;
/** Max gists with the right file name to open. */
const CANDIDATES = 5;
/** Max characters of a stored ETag. */
const MAX_ETAG = 256;

/** The database stores and indexes ids and names unchanged. Logins of apps and of enterprises have brackets and underscores. */
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
export type Gist = z.output<typeof gist> & { etag: string | undefined };
/** The file's text, or the reason why it cannot be a proof. */
type Content = { text: string } | NoProof;

export type Gists = ReturnType<typeof openGists>;

/**
 * @param api opened on GITHUB_API_URL, with the token if there is one
 * @param raw reaches the host of raw files only
 */
export const openGists = (api: Upstream, raw: PublicHttp) => ({
  /** Ids of an account's public gists with a file of that name, newest first; null when the account does not exist. */
  async list(login: string, fileName: string): Promise<string[] | null> {
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
    const found = Object.hasOwn(files, fileName) ? file.nullable().safeParse(files[fileName]).data : null;
    if (found === null) return { reason: `The gist has no file ${fileName}.` };
    if (found === undefined) return unavailable("GitHub", { cause: new Error("the gist's file cannot be read") });
    if ((found.size ?? 0) > GIST_MAX_BYTES) return tooLarge(fileName);
    if (!found.truncated && found.content !== undefined) return { text: found.content };
    const text = await rawText(raw, found.raw_url ?? "");
    return text === null ? tooLarge(fileName) : { text };
  },
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

export const tooLarge = (fileName: string): NoProof => ({
  reason: `The file ${fileName} is larger than ${GIST_MAX_BYTES} bytes.`,
});
