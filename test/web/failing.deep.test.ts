/** Every page without one of its files, without one of its answers, and offline: the shell stands, a sentence says what to do, and what failed comes back. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { shareOf } from "../support/share.ts";
import { CHROMIUM, openPage } from "./browser.ts";
import { startTerminal, type Terminal } from "./flows.ts";
import { INSTEAD, offline, type Shown, visit, withoutAnswer, withoutFile } from "./taken-away.ts";
import { plantWorld, TWIN_ID } from "./world.ts";

/** Each page with its heading. The world has no organization. */
const PAGES: readonly (readonly [path: string, heading: string | RegExp])[] = [
  ["/", /^AI agents, scored/],
  ["/agent/0", "Meridian"],
  [`/terminal/${TWIN_ID}?platform=erc8004`, "Foreign 006"],
  ["/discover?q=translates+contracts", "Discover"],
  ["/leaderboard", "Leaderboard"],
  ["/compare?ids=0,1", "Compare"],
  ["/people", "Humans and organizations"],
  ["/people/join", "Your page as a human"],
  ["/people/return", "Signing in"],
  ["/human/hum_1", /./],
  ["/groups", "Groups"],
  ["/groups/new", "New group"],
  ["/docs", "API reference"],
  ["/docs/getAgent", "Agent"],
  ["/docs/guide/payments", "Payments"],
  ["/score", "How the score is made"],
  ["/status", "Status"],
  ["/mint", "Register an agent"],
  ["/me", "My agents"],
  ["/agent/0/manage", "Manage Meridian"],
  ["/owner/0x0000000000000000000000000000000000000001", "Agents of a wallet"],
  ["/report/0", /^Cred report/],
  ["/report/check", "Check a report"],
  ["/operator", "Operator"],
];
/** Shapes of paths that have no page here. */
const LEFT_OUT = ["/org/[^/]+"];
/** Without the first files no script of this service runs: the page's own text is all there is. Without the last a page polls. */
const FIRST = /\/(index|packages|base|rolldown-runtime|event-stream)-[^/]*\.js$/;

describe.runIf(CHROMIUM !== undefined || process.env.CI)("a page of the terminal", () => {
  let terminal: Terminal;
  let { api, browser } = {} as Terminal;
  beforeAll(async () => {
    terminal = await startTerminal();
    ({ api, browser } = terminal);
    await api.setPhase("free");
    await plantWorld(api.pool);
  });
  afterAll(() => terminal?.stop());

  const shownAt = ([path, heading]: (typeof PAGES)[number]): Shown => ({ origin: api.url, path, heading });
  /** A share of the cases, spread over all of them. */
  const some = <T>(cases: readonly T[]): T[] => {
    const every = Math.ceil(cases.length / shareOf(cases.length));
    return cases.filter((_, place) => place % every === 0);
  };

  /** Tries one case after the other. @returns what is wrong in each */
  async function faultsOf(cases: readonly (readonly [name: string, faults: () => Promise<string[]>])[]) {
    const wrong: string[] = [];
    for (const [name, faults] of cases) {
      const found = await faults().catch((error: Error) => [error.message]);
      wrong.push(...found.map((fault) => `${name}: ${fault}`));
    }
    return wrong;
  }

  it("has a row here", () => {
    const source = readFileSync(join(PROJECT_ROOT, "web/src/app.tsx"), "utf8");
    const shapes = [...source.matchAll(/\["([^"]+)", \(\) => import/g)].map(([, shape = ""]) => shape);
    const shapeOf = (path: string) => shapes.find((shape) => new RegExp(`^${shape}$`).test(path.split("?")[0]!));
    const shown = new Set([...LEFT_OUT, ...PAGES.map(([path]) => shapeOf(path))]);
    expect(shapes.filter((shape) => !shown.has(shape))).toEqual([]);
    expect(shapes.length).toBeGreaterThan(20);
  });

  /** A file is taken away from the first page that needs it. */
  const tried = new Set<string>();
  it.each(PAGES)(
    "%s is loaded again once without one of its files, says what to do, and comes back",
    async (...row) => {
      const { asked, words } = await visit(browser, shownAt(row));
      const files = asked.filter((path) => path.endsWith(".js") && !FIRST.test(path) && !tried.has(path));
      for (const file of files) tried.add(file);
      const shown = { ...shownAt(row), words };
      expect(await faultsOf(some(files).map((file) => [file, () => withoutFile(browser, shown, file)]))).toEqual([]);
    },
  );

  it.each(["index", "packages"])("says what to do where its first file does not come (%s)", async (name) => {
    const { page } = await openPage(browser, [api.url]);
    try {
      await page.route(new RegExp(`/assets/${name}-[^/]*js$`), (route) => route.abort());
      await page.goto("/status");
      await page.getByText("Reload the page").waitFor();
      await page.unrouteAll();
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "Status" }).waitFor();
    } finally {
      await page.context().close();
    }
  });

  it.each(PAGES)(
    "%s stands with anything in place of one of its answers, says what to do, and comes back",
    async (...row) => {
      const { asked, words } = await visit(browser, shownAt(row));
      const shown = { ...shownAt(row), words };
      // The state is asked for three times before its absence is shown, and the stream of events is opened again.
      const calls = asked.filter((path) => path.startsWith("/api/") && !/\/(status|events)$/.test(path));
      const cases = calls.flatMap((call) => Object.keys(INSTEAD).map((kind) => [call, kind] as const));
      const tries = some(cases).map(
        ([call, kind]) => [`${kind} for ${call}`, () => withoutAnswer(browser, shown, call, kind)] as const,
      );
      expect(await faultsOf(tries)).toEqual([]);
    },
  );

  it.each(PAGES)("%s says that it is offline, and comes back by itself", async (...row) =>
    expect(await offline(browser, shownAt(row))).toEqual([]),
  );
});
