/** How the API serves the web terminal: pages to browsers that navigate, files for ever, JSON to everyone else. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { webServer } from "../../api/web/serve.ts";
import { GOALS } from "../../bench/web.ts";
import { isSpam } from "../../core/spam.ts";
import { LONG } from "../../harness/patience.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { buildWeb, putInPlace, webIsStale } from "../../web/build.ts";
import { HOST, startApi } from "../api/support/api.ts";
import { randomAgents } from "../support/agents.ts";
import { perFile } from "../support/started.ts";
import { HOSTILE_ID, plantWorld } from "./world.ts";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

const api = perFile(async () => {
  if (webIsStale()) await buildWeb();
  return startApi({ deps: { aboutMs: LONG } });
});
let script = "";
/** Node's fetch would say that it is a script's (`sec-fetch-mode: cors`), and would unpack what it reads. */
const get = (path: string, headers: Record<string, string> = HTML, method = "GET", { url } = api) =>
  new Promise<Response>((resolve, reject) => {
    request(url + path, { headers, method }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      const status = answer.statusCode!;
      const all = new Headers(answer.headers as Record<string, string>);
      resolve(new Response(status === 304 ? null : body, { status, headers: all }));
    })
      .on("error", reject)
      .end();
  });

beforeAll(async () => {
  await plantWorld(api.database.pool);
  script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await get("/")).text())![1]!;
});

describe("the page", () => {
  it.each([
    "/",
    "/agent/0",
    "/terminal/1000",
    "/discover?q=audit",
    "/leaderboard",
    "/compare?ids=1,2",
    "/people",
    "/groups?group=general",
    "/status",
    "/mint?ref=x",
    "/terminal",
  ])("is at %s for a browser", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("vary")).toContain("Accept");
    expect(await answer.text()).toContain('<div id="root">');
  });

  it("counts as a read; beyond its client's reads it is there still, and costs none", async () => {
    const limited = await startApi({ env: { LIMITS: "reads=3" } });
    await plantWorld(limited.database.pool);
    try {
      const ask = (path: string, accept = HTML.accept) => get(path, { accept }, "GET", limited);
      const statuses = [];
      for (const path of ["/agent/0", "/", "/nowhere"]) statuses.push((await ask(path)).status);
      expect(statuses).toEqual([200, 200, 404]);
      const refused = await ask("/agent/0");
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(refused.headers.get("cache-control")).toBe("no-store");
      const text = await refused.text();
      expect(text).toContain('<div id="root">');
      expect(text).not.toContain((await api.get("/api/v2/agent/0")).body.name);
      expect((await ask("/api/v2/agent/0", "application/json")).status).toBe(429);
    } finally {
      await limited.close();
    }
  });

  it("has a policy that allows nothing inline and nothing from elsewhere, and obeys it", async () => {
    const answer = await get("/");
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    // Addresses that are told are not asked; a data block is never run.
    const told = /<link rel="canonical"[^>]*>|<meta [^>]*>|<script type="application\/ld\+json">[^<]*<\/script>/g;
    const text = (await answer.text()).replaceAll(told, "");
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=|https?:\/\//);
  });

  it("is JSON for programs, at / as before", async () => {
    for (const accept of ["application/json", "*/*", "application/json, text/html;q=0.5"]) {
      const answer = await get("/", { accept });
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(answer.headers.get("vary")).toContain("Accept");
    }
    expect((await get("/agent/0", { accept: "application/json, text/plain, */*" })).status).toBe(404);
  });

  it.each([[undefined], ["*/*"], ["text/*"], ["*/*;q=0.1"], ["image/png, text/html;q=0.2"]])(
    "is what a client that accepts %s gets where nothing else answers, by GET and HEAD",
    async (accept) => {
      for (const path of ["/agent/0", "/discover", "/mint?ref=x", "/docs", "/human/nobody-of-this-name"])
        for (const method of ["GET", "HEAD"]) {
          const answer = await get(path, accept === undefined ? {} : { accept }, method);
          expect([path, answer.status]).toEqual([path, path.startsWith("/human") ? 404 : 200]);
          expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
          expect(answer.headers.get("vary")).toContain("Accept");
          expect((await answer.text()).length > 0).toBe(method === "GET");
        }
    },
  );

  it("has icons and a manifest where browsers look for them", async () => {
    const page = await get("/");
    const text = await page.text();
    for (const [path, type] of [
      ["/favicon.ico", "image/vnd.microsoft.icon"],
      ["/apple-touch-icon.png", "image/png"],
      ["/manifest.webmanifest", "application/manifest+json; charset=utf-8"],
    ] as const) {
      const answer = await get(path, {});
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, type]);
      expect(text).toContain(`href="${path}"`);
    }
    const { name, icons } = (await (await get("/manifest.webmanifest", {})).json()) as {
      name: string;
      icons: { src: string }[];
    };
    expect(name).toBe("Helixa");
    for (const { src } of icons) expect((await get(src, {})).status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("manifest-src 'self'");
  });

  it.each([
    ["/human/0x19B16428f0721a5f627F190Ca61D493a632B423F", 404],
    ["/org/nobody", 404],
    ["/groups/nothing", 404],
    ["/owner/nobody", 404],
    ["/report/99999", 404],
    ["/groups/general", 200],
    ["/owner/0x19B16428f0721a5f627F190Ca61D493a632B423F", 200],
    ["/report/0", 200],
    ["/report/check", 200],
    ["/docs/getAgent", 200],
    ["/docs/guide/payments", 200],
  ])(
    "about %s is answered %i, and one that exists has a title, a text and a picture of its own",
    async (path, status) => {
      const answer = await get(path);
      expect(answer.status).toBe(status);
      if (status === 404 || path === "/report/check") return;
      const text = await answer.text();
      expect(text).toContain(`<link rel="canonical" href="https://${HOST}${path}">`);
      expect(text).toMatch(/<meta property="og:image" content="https:/);
      expect(text).not.toMatch(/<title>(?:Group|Guide|Cred report|API reference|Agents of a wallet) · /);
    },
  );

  it.each(["application/json", "text/html;q=0, */*", "image/png"])(
    "is not what a client that accepts %s gets, and the answer says what it depends on",
    async (accept) => {
      const answer = await get("/agent/0", { accept });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
      expect(answer.headers.get("vary")).toContain("Accept");
    },
  );

  it("is never at a path of programs, whoever asks", async () => {
    for (const path of [
      "/api/v2/nothing",
      "/api/v2/agent/99999",
      "/assets/none.js",
      "/.well-known/nothing",
      "/x.php",
    ]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get("content-type")).toContain("application/json");
    }
    const fetched = await get("/", { ...HTML, "sec-fetch-mode": "cors" });
    expect(fetched.headers.get("content-type")).toContain("application/json");
  });

  it("is the reference of the API for whoever asks, at the addresses it has and no others", async () => {
    for (const path of ["/docs", "/docs/getAgent", "/docs/guide/payments"])
      for (const accept of ["*/*", HTML.accept]) {
        const answer = await get(path, { accept });
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.headers.get("content-type")).toContain("text/html");
        expect(answer.headers.get("content-security-policy")).toContain("script-src 'self';");
      }
    for (const path of ["/docs/package.json", "/docs/%2e%2e/package.json", "/docs/nope", "/docs/guide/nope"])
      expect([path, (await get(path, { accept: "*/*" })).status]).toEqual([path, 404]);
  });

  it("tells chats and search engines what it is about, whatever an agent is called", async () => {
    const text = await (await get(`/agent/${HOSTILE_ID}`)).text();
    expect(text).toContain(`<link rel="canonical" href="https://${HOST}/agent/${HOSTILE_ID}">`);
    expect(text).toMatch(
      new RegExp(`og:image" content="https://${HOST}/api/v2/card/${HOSTILE_ID}\\.png\\?size=og&amp;v=[0-9a-f]{16}"`),
    );
    expect(text).toMatch(/<title>&quot;&#39;&gt;&lt;img[^<]*&quot; · cred \d+, \w+ · Helixa<\/title>/);
    expect(text).not.toMatch(/<img|<script>|onerror="/);
    const data = JSON.parse(/<script type="application\/ld\+json">([^<]*)<\/script>/.exec(text)![1]!);
    expect(data).toMatchObject({
      "@type": "ProfilePage",
      mainEntity: { name: expect.stringMatching(/^"><img src=x/) },
    });
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    const card = /og:image" content="https:\/\/agents\.test([^"]*)"/.exec(text)![1]!.replace("&amp;", "&");
    expect((await get(card, { accept: "image/png" })).headers.get("cache-control")).toContain("immutable");
  });

  it("has one address for an agent, whichever it was asked by", async () => {
    const address = randomAgents(6, new Date(), 42)[1]!.facts.agentAddress;
    const text = await (await get(`/agent/${address}`)).text();
    expect(text).toContain(`<link rel="canonical" href="https://${HOST}/agent/1">`);
    const foreign = await (await get("/terminal/1009?platform=virtuals")).text();
    expect(foreign).toContain(`href="https://${HOST}/terminal/1009?platform=virtuals"`);
    expect(foreign).toContain("An AI agent of Virtuals.");
    expect(foreign).not.toMatch(/<img/);
    expect((await (await get("/?q=a&page=2")).text()).match(/rel="canonical" href="([^"]+)"/)![1]).toBe(
      `https://${HOST}/`,
    );
  });

  it.each(["/terminal/1009?platform=virtuals", "/", "/discover", "/people/join", "/groups/new"])(
    "has a picture of its own for links to %s that are shared",
    async (path) => {
      const text = await (await get(path)).text();
      const url = /og:image" content="https:\/\/agents\.test([^"]*)"/.exec(text)![1]!.replaceAll("&amp;", "&");
      expect(text).toContain('<meta name="twitter:card" content="summary_large_image">');
      const picture = await get(url, { accept: "image/png" });
      expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
      expect(picture.headers.get("cache-control")).toContain("immutable");
      const png = Buffer.from(await picture.arrayBuffer());
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
      const older = await get(url.replace(/v=\w+/, "v=0"), { accept: "image/png" });
      expect(older.headers.get("cache-control")).not.toContain("immutable");
    },
  );

  it("says what it is about to those who run no scripts, every text as text", async () => {
    const said = async (path: string) =>
      /<noscript>[\s\S]*<h1>([\s\S]*?)<p>\s+This page needs JavaScript/.exec(await (await get(path)).text())![1]!;
    expect(await said("/agent/0")).toMatch(
      /^Agent 0, which calls itself &quot;Meridian&quot;<\/h1><p>Cred score \d+ of 100 \(\w+\)\. Its wallet is verified\.<\/p><p><a href="\/api\/v2\/agent\/0">/,
    );
    expect(await said("/terminal/1009?platform=virtuals")).toMatch(
      /^Agent of Virtuals, which calls itself &quot;Foreign 009&quot;<\/h1><p>Cred score \d+ of 100 \(Marginal\)\. Its wallet is not verified\.<\/p><p>[^<]*<\/p><blockquote><p>&quot;&gt;&lt;img /,
    );
    expect(await said(`/agent/${HOSTILE_ID}`)).not.toMatch(/<img|<script/);
    expect(await said("/discover")).toMatch(/^Discover · Helixa<\/h1><p>Find an agent/);
    expect(await said("/nowhere")).toMatch(/^Not found/);
  });

  it.each(["/agent/4711", "/agent/0xdead", "/terminal/nobody", "/terminal/%zz", "/nowhere"])(
    "is 404 and left out of searches at %s",
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      const text = await answer.text();
      expect(text).toContain('<div id="root">');
      expect(text).toContain('<meta name="robots" content="noindex">');
    },
  );

  it("is asked for again every time, and then costs nothing", async () => {
    const etag = (await get("/")).headers.get("etag")!;
    const again = await get("/", { ...HTML, "if-none-match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  it("is a plain sentence while the terminal is not built", async () => {
    const about = async (): Promise<never> => expect.unreachable();
    const serve = webServer({
      ...{
        siteName: "A",
        about,
        otherwise: about as never,
        text: () => null,
        isEndpoint: () => false,
        count: async () => {},
        origins: () => [],
        originsOfReturn: async () => [],
        folder: "/nonexistent",
      },
    });
    const sent: { status: number; body: string }[] = [];
    const response = {
      setHeader() {},
      send: (_: unknown, { status, body }: { status: number; body: Buffer }) =>
        void sent.push({ status, body: body.toString() }),
    };
    expect(serve({ method: "GET", url: "/", headers: HTML } as never, response as never)).toBe(true);
    expect(sent).toEqual([{ status: 503, body: expect.stringContaining("npm run generate -- web") }]);
  });
});

describe("Markdown, to whoever names it in Accept", () => {
  const MARKDOWN = { accept: "text/markdown, text/html;q=0.9, */*;q=0.1" };
  const read = async (path: string, headers: Record<string, string> = MARKDOWN) => {
    const answer = await get(path, headers);
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(answer.headers.get("vary")).toContain("Accept");
    expect(answer.headers.get("link")).toContain("api-catalog");
    return { status: answer.status, text: await answer.text() };
  };

  it.each([
    ["/", /^# Helixa\n\n> [\s\S]*## Start here/],
    ["/docs", /^# Helixa\n/],
    ["/docs/guide/discovery", /^# Discovery\n[\s\S]*\]\(\/docs\/guide\/mcp\)/],
    ["/docs/getAgent", /^# GET \/api\/v2\/agent\/\{ref\}\n[\s\S]*## Parameters\n\n- `ref` \(path, required\)/],
    ["/docs/mint", /^# POST \/api\/v2\/mint\n[\s\S]*## Body\n\n```json\n\{/],
    ["/agent/0", /^# .+\n\nCred score \d+ of 100 [\s\S]*\(<\/api\/v2\/agent\/0>\)/],
    [
      "/terminal/1009?platform=virtuals",
      /^# Agent of Virtuals, [\s\S]*\(<\/api\/terminal\/agent\/1009\?platform=virtuals>\)/,
    ],
    ["/leaderboard", /^# Leaderboard/],
  ])("is at %s", async (path, shown) => {
    const { status, text } = await read(path);
    expect(status).toBe(200);
    expect(text).toMatch(shown);
    expect(text).not.toMatch(/(?<!\\)<(div|script)/);
  });

  it("of a page that is not there is 404, and says so", async () => {
    for (const path of ["/nowhere", "/agent/4711", "/docs/guide/none"]) {
      const { status, text } = await read(path);
      if (path !== "/docs/guide/none") expect([path, status]).toEqual([path, 404]);
      expect(text).toMatch(/^# /);
    }
  });

  it("is neither for who wants something else more, nor at an endpoint", async () => {
    for (const accept of ["text/html, text/markdown;q=0.5", "text/markdown;q=0", "*/*", "text/*"])
      expect((await get("/agent/0", { accept })).headers.get("content-type")).not.toContain("markdown");
    expect((await get("/api/v2/agent/0", MARKDOWN)).headers.get("content-type")).toContain("application/json");
  });

  it("never leaves the folder of the guides", async () => {
    for (const path of ["/docs/guide/..%2f..%2fREADME", "/docs/guide/../../README", "/docs/guide/%2e%2e%2fREADME"])
      expect((await read(path)).status).toBe(404);
  });
});

describe("the pages that llms.txt names", () => {
  const linked = async () => {
    const overview = await (await get("/llms.txt", { accept: "*/*" })).text();
    return [...overview.matchAll(/\(https:\/\/[^/]+(\/docs\/[^)]+\.md)\)/g)].map(([, path]) => path!);
  };
  const markdownAt = async (path: string) => {
    const answer = await get(path, { accept: "*/*" });
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/markdown; charset=utf-8",
    ]);
    return answer.text();
  };

  it("are every operation, every guide and the client library, as Markdown whatever Accept says", async () => {
    const paths = new Set(await linked());
    for (const { operationId, unlisted } of ENDPOINTS)
      expect([operationId, paths.has(`/docs/${operationId}.md`)]).toEqual([operationId, !unlisted]);
    const guides = readdirSync("docs/use").map((file) => `/docs/guide/${file}`);
    for (const path of [...guides, "/docs/guide/sdk.md"]) {
      expect(paths).toContain(path);
      expect(await markdownAt(path)).toMatch(/^# \S/);
    }
  });

  it("say of an operation what it costs, who may call it, how, and what it answers, errors too", async () => {
    for (const { method, path, operationId, summary } of ENDPOINTS) {
      const page = await markdownAt(`/docs/${operationId}.md`);
      const { responses } = api.document.paths[path]![method]!;
      expect(page.startsWith(`# ${method.toUpperCase()} ${path}\n\n${summary}.\n`)).toBe(true);
      expect(page).toMatch(/^It costs .+ It needs (no|a) credential/m);
      expect(page).toMatch(/^## Call\n\n```sh\ncurl (-X [A-Z]+ )?'?https:\/\//m);
      for (const [status, { content }] of Object.entries(responses)) {
        const isJson = status.startsWith("2") && content !== undefined && "application/json" in content;
        expect([operationId, page]).toEqual([
          operationId,
          expect.stringMatching(new RegExp(`^- ${status}: .+${isJson ? "\\n\\n```json" : ""}`, "m")),
        ]);
      }
    }
    const mint = await markdownAt("/docs/mint.md");
    expect(mint).toContain(
      "It costs nothing. It needs a credential, one of: siwa, siwaHeader, signature. [Signing in](/docs/guide/signing-in)",
    );
    expect(mint).toContain('-H "Authorization: Bearer $CREDENTIAL"');
    expect(mint).toMatch(/^- 401: .*unauthenticated/m);
  });

  it("are 404 where there is none", async () => {
    for (const path of ["/docs/nope.md", "/docs/guide/nope.md", "/docs/guide/..%2f..%2fREADME.md"])
      expect([path, (await get(path, { accept: "*/*" })).status]).toEqual([path, 404]);
  });
});

describe("the sitemaps", () => {
  const places = async (path: string) => {
    const answer = await get(path, { accept: "*/*" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/xml; charset=utf-8"]);
    return [...(await answer.text()).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url!.replaceAll("&amp;", "&"));
  };

  it("name every page and every agent that is no spam, each at an address that is its own", async () => {
    expect(await (await get("/robots.txt", { accept: "*/*" })).text()).toContain(
      `Sitemap: https://${HOST}/sitemap.xml`,
    );
    const parts = await places("/sitemap.xml");
    const own = (url: string) => url.slice(`https://${HOST}`.length);
    expect(parts.map(own)).toEqual(["/sitemap/pages.xml", "/sitemap/agents-0.xml"]);
    const listed = (await Promise.all(parts.map(async (part) => places(own(part))))).flat();
    const { rows } = await api.database.pool.query("select name from offchain.directory where removed_at is null");
    const shown = rows.filter(({ name }) => !isSpam(name as string));
    expect(shown.length).toBeLessThan(rows.length);
    expect(listed.filter((url) => /\/(agent|terminal)\//.test(url))).toHaveLength(shown.length);
    for (const url of listed.filter((_, i) => i % 9 === 0)) {
      const page = await get(own(url));
      expect([url, page.status]).toEqual([url, 200]);
      expect(await page.text()).toContain(`<link rel="canonical" href="${url.replaceAll("&", "&amp;")}">`);
    }
  });

  it("that do not exist have no agents, or are refused", async () => {
    expect(await places("/sitemap/agents-7.xml")).toEqual([]);
    for (const file of ["agents-.xml", "agents-99999999.xml", "agents-0", "pages.xml.xml"])
      expect((await get(`/sitemap/${file}`, { accept: "*/*" })).status).toBe(400);
  });
});

describe("its files", () => {
  it("are kept for ever, in the smallest form the client reads", async () => {
    const sizes = await Promise.all(
      ["br, gzip", "gzip", "identity"].map(async (encoding) => {
        const answer = await get(script, { "accept-encoding": encoding });
        expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
        expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
        return Number(answer.headers.get("content-length"));
      }),
    );
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(sizes[0]).toBeLessThan(110_000);
  });

  it("are at most 120 KB of script in the first view of each page, in that of the directory by gzip too", async () => {
    const views = JSON.parse(readFileSync(new URL("../../web/dist/views.json", import.meta.url), "utf8"));
    const first = (await (await get("/no/such/page")).text()).match(/assets\/[^"]+\.js/g)!;
    const bytesBy = async (coding: string, files: readonly string[]) => {
      const answers = await Promise.all(
        [...first, ...files].map((file) => get(`/${file}`, { "accept-encoding": coding })),
      );
      return answers.reduce((sum, { headers }) => sum + Number(headers.get("content-length")), 0);
    };
    const sizes: [shape: string, bytes: number][] = [["/ by gzip", await bytesBy("gzip", views[1].files)]];
    for (const { shape, files } of views) sizes.push([shape, await bytesBy("br", files)]);
    expect(sizes.filter(([, bytes]) => !(bytes > 80_000 && bytes <= GOALS.script))).toEqual([]);
  });

  it("are the same in every form", async () => {
    const { readWebBundle } = await import("../../api/web/bundle.ts");
    const bundle = readWebBundle(new URL("../../web/dist", import.meta.url).pathname)!;
    for (const file of bundle.files.values())
      if (file.gzip) expect(gunzipSync(file.gzip).equals(file.plain)).toBe(true);
  });

  it("of a former build are served for a day, up to a number of bytes", async () => {
    const dist = scratchDirectory("web-builds");
    const put = (path: string, text: string) => {
      mkdirSync(dirname(join(dist, path)), { recursive: true });
      writeFileSync(join(dist, path), text);
    };
    const HOUR = 3_600_000;
    const began = Date.now();
    /** As a build that ends so many hours later. */
    const build = (hours: number, files: Record<string, string>, shapes: object[] = []) => {
      put("new/views.json", JSON.stringify(shapes));
      put("new/index.html", "<!doctype html>");
      for (const [name, text] of Object.entries(files)) put(`new/assets/${name}`, text);
      putInPlace(join(dist, "new"), dist, began + hours * HOUR);
    };
    const { readWebBundle } = await import("../../api/web/bundle.ts");
    const served = () => [...readWebBundle(dist)!.files.keys()].map((path) => path.slice("/assets/".length)).toSorted();
    put("index.html", "<!doctype html>");
    put("assets/page-1.js", "1");
    // As a build of an older release.
    expect(readWebBundle(dist)!.scriptsAt("/agent/7")).toEqual([]);
    const same = { "same-0.js": "0" };
    build(0, { ...same, "page-2.js": "2" }, [{ shape: "/agent/[^/]+", files: ["assets/page-2.js"] }]);
    expect(served()).toEqual(["page-1.js", "page-2.js", "same-0.js"]);
    expect(readWebBundle(dist)!.scriptsAt("/agent/7")).toEqual(["/assets/page-2.js"]);
    expect(readWebBundle(dist)!.scriptsAt("/agent/7/manage")).toEqual([]);
    put("assets/large-2.js", "x".repeat(17 * 1024 ** 2));
    build(23, { ...same, "page-3.js": "3" });
    expect(served()).toEqual(["page-1.js", "page-2.js", "page-3.js", "same-0.js"]);
    build(48, { ...same, "page-3.js": "3" });
    expect(served()).toEqual(["page-3.js", "same-0.js"]);
  });

  it("of the page are all there while builds end at the same time, and whenever they are read", async () => {
    const dist = scratchDirectory("web-builds-at-once");
    const program = `
      import { mkdirSync, writeFileSync } from "node:fs";
      import { putInPlace } from ${JSON.stringify(new URL("../../web/build.ts", import.meta.url).href)};
      for (let turn = 0; turn < 20; turn++) {
        const built = "new-" + process.pid;
        mkdirSync(built + "/assets", { recursive: true });
        const names = Array.from({ length: 40 }, (_, i) => "part-" + i + "-of-" + process.argv[1] + ".js");
        const files = Object.fromEntries(names.map((name) => ["assets/" + name, name]));
        const all = { ...files, "views.json": "[]", "index.html": names.join(" ") };
        for (const [path, text] of Object.entries(all)) writeFileSync(built + "/" + path, text);
        putInPlace(built, ".");
      }`;
    const build = (kind: string) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, kind], { cwd: dist });
    const { readWebBundle } = await import("../../api/web/bundle.ts");
    const missing = () => {
      const bundle = readWebBundle(dist);
      return bundle?.page.split(" ").filter((name) => !bundle.files.has(`/assets/${name}`)) ?? [];
    };
    const found: string[] = [];
    let building = true;
    const builds = Promise.all(["1", "2", "3"].map(build)).finally(() => {
      building = false;
    });
    for (; building; await nextTurn()) found.push(...missing());
    await builds;
    expect([...found, ...missing(), readWebBundle(dist)!.page.split(" ").length]).toEqual([40]);
  });
});
