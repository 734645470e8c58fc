/** GitHub's gists, simulated: pages of the list without contents, single gists with contents, validators, truncation, request windows, and the host of raw files. */
import { createHash } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import { gistFileName } from "../../core/proof-platforms/github.ts";
import {
  ANY_KEY,
  type Collection,
  control,
  type MakeSimulator,
  reply,
  requestWindow,
  type SimulatedPlatform,
} from "./simulator.ts";

const gist = z.object({
  id: z.coerce.string(),
  public: z.boolean().default(true),
  fork_of: z.unknown().optional(),
  /** The content; with `truncated`, the API omits it at any size. */
  files: z.record(z.string(), z.union([z.string(), z.object({ content: z.string(), truncated: z.boolean() })])),
});
const account = z.object({
  id: z.union([z.number(), z.string()]),
  type: z.enum(["User", "Organization"]).default("User"),
  gists: z.array(gist).default([]),
});
type Gist = z.output<typeof gist>;
type Account = z.output<typeof account> & { login: string };

/** Max characters of a content that the API returns; longer contents are cut off. */
const MAX_CONTENT = 1_000_000;
const PER_PAGE = 30;
const MAX_PER_PAGE = 100;
/** Requests per hour with a token, and without. */
const PER_HOUR = { withToken: 5_000, withoutToken: 60 };
const DOCS = "https://docs.github.com/rest";
const sha = (value: unknown) => createHash("sha1").update(JSON.stringify(value)).digest("hex");

/** A gist as lists show it: without contents. */
const listed = (baseUrl: string, { login, id, type }: Account, found: Gist) => ({
  url: `${baseUrl}/github/gists/${found.id}`,
  id: found.id,
  node_id: `G_${found.id}`,
  html_url: `https://gist.github.com/${login}/${found.id}`,
  public: found.public,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  description: "",
  comments: 0,
  truncated: false,
  owner: { login, id, type },
  files: Object.fromEntries(
    Object.entries(found.files).map(([name, file]) => [
      name,
      {
        filename: name,
        type: "text/plain",
        language: "Text",
        raw_url: `${baseUrl}/github-raw/${login}/${found.id}/raw/${sha(file)}/${encodeURIComponent(name)}`,
        size: Buffer.byteLength(contentOf(file)),
      },
    ]),
  ),
});

/** A single gist: with contents. */
const whole = (baseUrl: string, owner: Account, found: Gist) => {
  const summary = listed(baseUrl, owner, found);
  const files = Object.entries(summary.files).map(([name, file]) => {
    const stored = found.files[name]!;
    const content = contentOf(stored);
    const truncated = content.length > MAX_CONTENT || (typeof stored !== "string" && stored.truncated);
    const shown = truncated && content.length <= MAX_CONTENT ? "" : content.slice(0, MAX_CONTENT);
    return [name, { ...file, truncated, content: shown }];
  });
  return {
    ...summary,
    files: Object.fromEntries(files),
    ...(found.fork_of !== undefined && { fork_of: found.fork_of }),
    forks: [],
    history: [{ version: sha(found), committed_at: "2026-01-01T00:00:00Z" }],
  };
};

/** The gists' API and the host of raw files. @param baseUrl of all simulators */
function gistsApi(accounts: Collection<Account>, baseUrl: string): Hono {
  const findGist = (id: string) => {
    for (const owner of accounts.values()) {
      const gist = owner.gists.find((candidate) => candidate.id === id);
      if (gist) return { owner, found: gist };
    }
    return undefined;
  };

  const windows = {
    withToken: requestWindow(PER_HOUR.withToken, 3_600),
    withoutToken: requestWindow(PER_HOUR.withoutToken, 3_600),
  };
  const api = new Hono();
  api.use("*", async (c, next) => {
    if (!c.req.header("user-agent"))
      return reply({ message: "Request forbidden by administrative rules. User-Agent required." }, 403);
    if (c.req.path.includes("/raw/")) return next();
    const { limit, used, remaining, reset, refused } =
      windows[c.req.header("authorization") ? "withToken" : "withoutToken"].take();
    const quota = {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-used": String(used),
      "x-ratelimit-reset": String(reset),
      "x-ratelimit-resource": "core",
    };
    if (refused) return reply({ message: "API rate limit exceeded", documentation_url: DOCS }, 403, quota);
    await next();
    for (const [name, value] of Object.entries(quota)) c.res.headers.set(name, value);
  });
  api.get("/users/:login/gists", (c) => {
    const owner = accounts.get(c.req.param("login").toLowerCase());
    if (!owner) return notFound();
    const perPage = Math.min(MAX_PER_PAGE, Number(c.req.query("per_page") ?? PER_PAGE));
    const page = Number(c.req.query("page") ?? 1);
    const open = owner.gists.filter((candidate) => candidate.public);
    const shown = open.slice((page - 1) * perPage, page * perPage);
    return reply(
      shown.map((gist) => listed(baseUrl, owner, gist)),
      200,
      links(`${baseUrl}/github/users/${owner.login}/gists?per_page=${perPage}`, page, Math.ceil(open.length / perPage)),
    );
  });
  api.get("/gists/:id", (c) => {
    const hit = findGist(c.req.param("id"));
    if (!hit) return notFound();
    const body = whole(baseUrl, hit.owner, hit.found);
    const etag = `W/"${sha(body)}"`;
    if (c.req.header("if-none-match") === etag) return reply(undefined, 304, { etag });
    return reply(body, 200, { etag });
  });
  // The host of raw files, simulated as a path.
  api.get("/:login/:gist/raw/:sha/:name", (c) => {
    const file = findGist(c.req.param("gist"))?.found.files[c.req.param("name")];
    if (file === undefined) return new Response("404: Not Found", { status: 404 });
    return new Response(contentOf(file), { headers: { "content-type": "text/plain; charset=utf-8" } });
  });

  return api;
}

const makeGithub: MakeSimulator = ({ world, baseUrl }) => {
  const accounts = world.collection<Account>("github.users");
  return {
    source: "github",
    aliases: ["github-raw"],
    api: gistsApi(accounts, baseUrl),
    control: control("/users", accounts, (login, body) => ({ ...account.parse(body), login })),
    failure: (status) => ({
      body: {
        message:
          status === 404 ? "Not Found" : status === 429 ? "You have exceeded a secondary rate limit." : "Server Error",
        documentation_url: DOCS,
        status: String(status),
      },
    }),
  };
};

const contentOf = (file: Gist["files"][string]) => (typeof file === "string" ? file : file.content);

const notFound = () => reply({ message: "Not Found", documentation_url: DOCS, status: "404" }, 404);

/** The pages around a page as RFC 8288 names them; no header where everything is on one page. */
function links(url: string, page: number, pages: number): Record<string, string> {
  const link = (to: number, rel: string) => `<${url}&page=${to}>; rel="${rel}"`;
  const before = page > 1 ? [link(page - 1, "prev"), link(1, "first")] : [];
  const after = page < pages ? [link(page + 1, "next"), link(pages, "last")] : [];
  return pages > 1 ? { link: [...before, ...after].join(", ") } : {};
}

export const github: SimulatedPlatform = {
  make: makeGithub,
  environment: (url) => ({
    GITHUB_API_URL: `${url}/github`,
    GITHUB_RAW_URL: `${url}/github-raw`,
    GITHUB_TOKEN: ANY_KEY,
  }),
  account: (name, id, shows, prefix) => ({
    path: `github/users/${name}`,
    planted: { id, gists: [{ id: `9e1d${id}`, public: true, files: { [gistFileName(prefix)]: shows } }] },
    claim: { username: name },
  }),
};
