/** Every page without one of its files, without one of its answers, and offline: the shell stands, a sentence says what to do, and what failed comes back. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../harness/until.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { buildWeb, webIsStale } from "../../web/build.ts";
import { HOST } from "../api/support/api.ts";
import { type Paying, startPaying } from "../payments/support/paying.ts";
import { plantDocuments } from "../support/discovery.ts";
import { shareOf } from "../support/share.ts";
import { CHROMIUM, openPage, startBrowser } from "./browser.ts";
import { plantWorld, TWIN_ID } from "./world.ts";

/** Each page with a text that is on it when it is complete. */
const PAGES: readonly (readonly [path: string, shows: string | RegExp])[] = [
  ["/", "Meridian"],
  ["/terminal", "Meridian"],
  ["/agent/0", "What the score is made of"],
  [`/terminal/${TWIN_ID}?platform=erc8004`, "About this score"],
  ["/discover?q=translates+contracts", /French/],
  ["/leaderboard", "Meridian"],
  ["/compare?ids=0,1", "Onchain Activity"],
  ["/people", /Inês|registered|Nobody|human/],
  ["/people/join", "Connect wallet"],
  ["/people/return", "You are not signed in"],
  ["/human/0x19B16428f0721a5f627F190Ca61D493a632B423F", /no human|Nobody|not/i],
  ["/org/nobody", /no organization|Nobody|not/i],
  ["/groups", "Welcome"],
  ["/groups/general", /General|Lounge|group/],
  ["/groups/new", "Connect wallet"],
  ["/docs", "Every operation can be tried here"],
  ["/docs/getAgent", "What it answers"],
  ["/docs/guide/payments", "The four ways"],
  ["/score", "What counts for nothing"],
  ["/status", "Scores on chain"],
  ["/mint", "Register an agent"],
  ["/me", "Connect wallet"],
  ["/agent/0/manage", "Connect wallet"],
  ["/agent/0/manage/words", "Connect wallet"],
  ["/owner/0x19B16428f0721a5f627F190Ca61D493a632B423F", /owns|agent/],
  ["/report/0", /Buy for|Connect wallet/],
  ["/report/check", "Check a report"],
  ["/operator", "API key"],
];

const ERROR = { error: "The database is away.", code: "internal", requestId: "r-1" };
/** What comes in place of an answer. */
const INSTEAD: Record<string, (route: Route) => Promise<void>> = {
  "a refusal with 500": (route) => route.fulfill({ status: 500, json: ERROR }),
  "a refusal with 429": (route) =>
    route.fulfill({ status: 429, headers: { "retry-after": "1" }, json: { error: "Too many.", code: "rate_limited" } }),
  "JSON of another": (route) => route.fulfill({ json: { welcome: ["to the hotel"] } }),
  "an error of another": (route) => route.fulfill({ status: 502, json: { error: { reason: "bad gateway" } } }),
  nothing: (route) => route.abort(),
};

describe.runIf(CHROMIUM !== undefined || process.env.CI)("a page of the terminal", () => {
  let world: Paying;
  let api: Awaited<ReturnType<Paying["api"]>>;
  let browser: Browser;
  beforeAll(async () => {
    const starting = startBrowser();
    if (webIsStale()) await buildWeb();
    world = await startPaying();
    api = await world.api({ env: { SERVICE_HOST: HOST } });
    await api.setPhase("free");
    await plantWorld(api.pool);
    await plantDocuments(api.pool);
    browser = await starting;
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await world?.stop();
  });

  async function on<T>(act: (page: Page) => Promise<T>): Promise<T> {
    const { page } = await openPage(browser, [api.url]);
    try {
      return await act(page);
    } finally {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.context().close();
    }
  }
  const complete = async (page: Page, shows: string | RegExp) => {
    await page.getByRole("main").getByText(shows).first().waitFor();
    await settled(page);
  };
  const settled = (page: Page) =>
    until("nothing is loading", async () => (await page.locator('[aria-busy="true"]:visible').count()) === 0);
  /** What the page says of what failed. */
  const said = async (page: Page): Promise<string> =>
    (await page.locator('[role="alert"]:visible, .banner:visible, .warn-text:visible').allTextContents()).join("\n");
  /** Presses what is offered until nothing is said any more. */
  const recovers = (page: Page, shows: string | RegExp) =>
    until("the page is complete again", async () => {
      // At once: what is asked for again by itself takes the button away.
      await page.evaluate(
        "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Try again')?.click()",
      );
      return (await page.getByRole("main").getByText(shows).first().isVisible()) && (await said(page)) === "";
    });
  const stands = async (page: Page) => {
    expect(await page.getByRole("navigation", { name: "Views", exact: true }).isVisible()).toBe(true);
    expect((await page.getByRole("main").textContent())!.trim()).not.toBe("");
  };
  /** Paths that a page asks for until it is complete. */
  const askedBy = (path: string, shows: string | RegExp, what: RegExp) =>
    on(async (page) => {
      const asked = new Set<string>();
      page.on("request", (request) => {
        const { pathname, search } = new URL(request.url());
        if (what.test(pathname)) asked.add(pathname + search);
      });
      await page.goto(path);
      await complete(page, shows);
      return [...asked];
    });

  it("has a row here", () => {
    const source = readFileSync(join(PROJECT_ROOT, "web/src/app.tsx"), "utf8");
    for (const [, route] of source.matchAll(/<Route path="([^"]+)"/g)) {
      const shape = new RegExp(`^${route!.replaceAll(/\/:\w+\?/g, "(/[^/]+)?").replaceAll(/:\w+/g, "[^/]+")}$`);
      expect(
        PAGES.some(([path]) => shape.test(path.split("?")[0]!)),
        route,
      ).toBe(true);
    }
  });

  it("reloads once without one of its files, says what to do, and is complete when the file is there", async () => {
    const seen = new Set<string>();
    for (const [path, shows] of PAGES)
      for (const file of await askedBy(path, shows, /^\/assets\/.*\.js$/)) {
        if (seen.has(file) || /\/(index|packages|rolldown-runtime)-/.test(file)) continue;
        seen.add(file);
        await on(async (page) => {
          let documents = 0;
          page.on("request", (request) => {
            if (request.isNavigationRequest()) documents++;
          });
          await page.route(`**${file}`, (route) => route.fulfill({ status: 404, json: ERROR }));
          await page.goto(path);
          const note = page.getByRole("alert");
          await until(`${path} says that ${file} is missing`, () => note.first().isVisible());
          await stands(page);
          expect([path, file, documents, await said(page)]).toEqual([
            path,
            file,
            2,
            expect.stringMatching(/[Tt]ry again|reload/),
          ]);
          await page.unrouteAll();
          await recovers(page, shows);
        });
      }
    expect(seen.size).toBeGreaterThan(20);
  });

  it.each([/\/index-.*js$/, /\/packages-/])("says what to do where its first files do not come (%s)", (file) =>
    on(async (page) => {
      await page.route(file, (route) => route.abort());
      await page.goto("/status");
      await page.getByText("Reload the page").waitFor();
      await page.unrouteAll();
      await page.reload();
      await complete(page, "Scores on chain");
    }),
  );

  const kinds = Object.keys(INSTEAD);
  it.each(PAGES)("%s stands with anything in place of one of its answers", async (path, shows) => {
    const calls = (await askedBy(path, shows, /^\/api\//)).filter(
      (call) => path === "/status" || !/\/(status|events)$/.test(call),
    );
    const cases = calls.flatMap((call) => kinds.map((kind) => ({ call, kind })));
    const all = shareOf(cases.length) === cases.length;
    for (const { call, kind } of all
      ? cases
      : cases.filter((_, i) => i % kinds.length === Math.floor(i / kinds.length) % kinds.length))
      await on(async (page) => {
        let asked = 0;
        await page.route(
          (url) => url.pathname + url.search === call,
          (route) => {
            asked++;
            return INSTEAD[kind]!(route);
          },
        );
        await page.goto(path);
        await until(`${call} is asked`, () => asked > 0);
        await settled(page);
        await stands(page);
        const words = await said(page);
        expect([path, call, kind, words]).toEqual([path, call, kind, expect.not.stringContaining("[object")]);
        const isComplete = await page.getByRole("main").getByText(shows).first().isVisible();
        if (!isComplete)
          expect([path, call, kind, words]).toEqual([
            path,
            call,
            kind,
            expect.stringMatching(/Try again|by itself|as soon as/),
          ]);
        await page.unrouteAll();
        await recovers(page, shows);
      });
  });

  it.each(PAGES)("%s says that it is offline, and comes back by itself", (path, shows) =>
    on(async (page) => {
      await page.goto(path);
      await complete(page, shows);
      await page.context().setOffline(true);
      await page.getByText("You are offline.", { exact: true }).waitFor();
      await stands(page);
      const other = path === "/leaderboard" ? "/status" : "/leaderboard";
      const link = page.getByRole("navigation", { name: "Views", exact: true }).locator(`a[href="${other}"]`);
      await link.click();
      await until("the other view says why it is not there, or is there", async () =>
        /You are offline/.test(await said(page)),
      );
      await stands(page);
      await page.context().setOffline(false);
      await until("nothing is said any more", async () => (await said(page)) === "");
      await complete(page, other === "/status" ? "Scores on chain" : "Meridian");
    }),
  );
});
