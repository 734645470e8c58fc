/** How the API serves the web terminal: pages to browsers that navigate, files for ever, JSON to everyone else. */
import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webServer } from "../../api/web/serve.ts";
import { buildWeb, webIsStale } from "../../web/build.ts";
import { startApi, type TestApi } from "../api/support/api.ts";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let api: TestApi;
let script = "";
/** Node's fetch would say that it is a script's (`sec-fetch-mode: cors`), and would unpack what it reads. */
const get = (path: string, headers: Record<string, string> = HTML) =>
  new Promise<Response>((resolve, reject) => {
    request(api.url + path, { headers }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      const status = answer.statusCode!;
      const all = new Headers(answer.headers as Record<string, string>);
      resolve(new Response(status === 304 ? null : body, { status, headers: all }));
    })
      .on("error", reject)
      .end();
  });

beforeAll(async () => {
  if (webIsStale()) await buildWeb();
  api = await startApi();
  script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await get("/")).text())![1]!;
}, 60_000);
afterAll(() => api?.close());

describe("the page", () => {
  it.each([
    "/",
    "/agent/0",
    "/terminal/0xab",
    "/leaderboard",
    "/compare?ids=1,2",
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

  it("has a policy that allows nothing inline and nothing from elsewhere, and obeys it", async () => {
    const answer = await get("/");
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    const text = await answer.text();
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=|https?:\/\//);
  });

  it("is JSON for programs, at / as before", async () => {
    for (const accept of ["application/json", "*/*", "application/json, text/html;q=0.5"]) {
      const answer = await get("/", { accept });
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(answer.headers.get("vary")).toContain("Accept");
    }
    expect((await get("/agent/0", { accept: "*/*" })).status).toBe(404);
  });

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
    expect((await get("/docs")).headers.get("content-type")).toContain("text/html");
    const fetched = await get("/agent/0", { ...HTML, "sec-fetch-mode": "cors" });
    expect(fetched.headers.get("content-type")).toContain("application/json");
  });

  it("says 404 at an address nobody knows", async () => {
    const answer = await get("/nowhere");
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('<div id="root">');
  });

  it("shows an agent's card where a link to it is shared", async () => {
    expect(await (await get("/agent/7")).text()).toContain("/api/v2/card/7.png?size=og");
    expect(await (await get('/agent/7"><script>')).text()).not.toContain("og:image");
  });

  it("is asked for again every time, and then costs nothing", async () => {
    const etag = (await get("/")).headers.get("etag")!;
    const again = await get("/", { ...HTML, "if-none-match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  it("is a plain sentence while the terminal is not built", async () => {
    const serve = webServer({ publicUrl: "https://a.test", isEndpoint: () => false, folder: "/nonexistent" });
    const answer = { status: 0, body: "" };
    const outgoing = {
      setHeader() {},
      writeHead(status: number) {
        answer.status = status;
        return this;
      },
      end(body: Buffer) {
        answer.body = body.toString();
      },
    };
    expect(serve({ method: "GET", url: "/", headers: HTML } as never, outgoing as never)).toBe(true);
    expect(answer).toMatchObject({ status: 503, body: expect.stringContaining("npm run web") });
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

  it("are the same in every form", async () => {
    const { readWebBundle } = await import("../../api/web/bundle.ts");
    const bundle = readWebBundle(new URL("../../web/dist", import.meta.url).pathname)!;
    for (const file of bundle.files.values())
      if (file.gzip) expect(gunzipSync(file.gzip).equals(file.plain)).toBe(true);
  });
});
