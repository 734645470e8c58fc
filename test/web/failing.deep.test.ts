/** Every page without one of its files, without one of its answers, and offline: the shell stands, a sentence says what to do, and what failed comes back. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { giveWallet } from "../../harness/browser-wallet.ts";
import { LONG } from "../../harness/patience.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { publishTestEpoch, storeTestEpoch } from "../support/cred-epochs.ts";
import { plantDocuments } from "../support/discovery.ts";
import { shareOf } from "../support/share.ts";
import { openPage } from "./browser.ts";
import { inTerminal, type Terminal } from "./flows.ts";
import { type Act, INSTEAD, offline, type Shown, visit, withoutAnswer, withoutFile } from "./taken-away.ts";
import { plantWorld, TWIN_ID } from "./world.ts";

const UNSIGNED = JSON.stringify({ receipt: { payload: "{}", signature: `0x${"1".repeat(130)}` } });
/** Sections of an agent's management, each a file of its own. */
const SECTIONS = readFileSync(join(PROJECT_ROOT, "web/src/manage/page.tsx"), "utf8")
  .matchAll(/key: "(\w+)"/g)
  .map(([, key]) => key);
/** Pages of the documentation, each a file of its own by the same code. */
const GUIDES = globSync("docs/use/*.md", { cwd: PROJECT_ROOT }).map((path) => basename(path, ".md"));

const DIRECTORY = /^AI agents, scored/;
type Row = readonly [path: string, heading: string | RegExp, wallet?: "connected" | "there", act?: Act];
/** Each page with its heading, and whose wallet is connected there. */
const PAGES: readonly Row[] = [
  ["/", DIRECTORY],
  ["/agent/0", "Meridian"],
  [`/terminal/${TWIN_ID}?platform=erc8004`, "Foreign 006"],
  ["/discover?q=translates+contracts", "Discover"],
  ["/leaderboard", "Leaderboard"],
  ["/compare?ids=0,1", "Compare"],
  ["/people", "Humans and organizations"],
  ["/people/join", "Your page as a human"],
  ["/people/return", "Signing in"],
  ["/human/hum_1", /./],
  ["/org/planted", "Planted"],
  ["/groups", "Groups"],
  ["/groups/new", "New group"],
  ["/docs", "API reference"],
  ["/docs/getAgent", "Agent"],
  ["/docs/guide/payments", "Payments"],
  ["/score", "How the score is made"],
  ["/status", "Status"],
  ["/no/such/page", "There is nothing at this address"],
  ["/mint", "Register an agent"],
  ["/mint", "Register an agent", "connected"],
  ["/me", "My agents"],
  ["/me", "My agents", "connected"],
  ["/agent/0/manage", "Manage Meridian"],
  ...[...SECTIONS].map((section) => [`/agent/0/manage/${section}`, "Manage Meridian", "connected"] as const),
  ["/owner/0x0000000000000000000000000000000000000001", "Agents of a wallet"],
  ["/report/0", /^Cred report/],
  ["/report/check", "Check a report"],
  ["/operator", "Operator"],
  ["/?q=translates+contracts", DIRECTORY],
];

const press = (name: RegExp, shows = "dialog[open]"): Act => ({
  does: (page) => page.getByRole("button", { name }).first().click(),
  shows,
});
/** What is opened or done on a page with code of its own. */
const ACTS: readonly Row[] = [
  ["/", DIRECTORY, undefined, press(/^Filters/, "#facets")],
  ["/score", "How the score is made", undefined, press(/^Search and commands/)],
  ["/score", "How the score is made", undefined, press(/^Keyboard/)],
  ["/score", "How the score is made", "connected", press(/^Wallet 0x/)],
  ["/status", "Status", undefined, press(/^API$/)],
  ["/mint", "Register an agent", "there", press(/^Connect wallet ·/, ".wallet-chip[aria-label^='Wallet 0x']")],
  [
    ...([`/terminal/${TWIN_ID}?platform=erc8004`, "Foreign 006", undefined] as const),
    { does: (page) => page.getByText("Claim a token").click(), shows: "details[open] form" },
  ],
  ["/agent/0", "Meridian", undefined, press(/^Check the proof/, "#onchain .code")],
  [
    ...(["/report/check", "Check a report", undefined] as const),
    { does: (page) => page.getByLabel("The report as JSON").fill(UNSIGNED), shows: ".verdict[data-is]" },
  ],
];
const CASES = [...PAGES, ...ACTS].map(([path, heading, wallet, act], i) => {
  const name = `${path}${wallet ? ` with a wallet ${wallet}` : ""}${act ? `, act ${i - PAGES.length}` : ""}`;
  return [name, { path, heading, wallet, act }] as const;
});
type Case = (typeof CASES)[number][1];
/** Parts that are left out where they do not come: the search field works without its list. */
const SILENT = ["suggestion-list"];
/** Without the first files no script of this service runs: the page's own text is all there is. Without the last a page polls. */
const FIRST = /\/(index|packages|base|rolldown-runtime|event-stream)-[^/]*\.js$/;

inTerminal("a page of the terminal", (terminal) => {
  let { api, browser } = {} as Terminal;
  let payer: Awaited<ReturnType<Terminal["world"]["payer"]>>;
  beforeAll(async () => {
    ({ api, browser } = terminal);
    await api.setPhase("free");
    await plantWorld(api.pool);
    await plantDocuments(api.pool);
    const [registry, contract] = [terminal.world.config.contracts.identity.address, `0x${"c0".repeat(20)}` as const];
    await storeTestEpoch(api.pool, { epoch: 1, registry, contract, scores: [{ tokenId: 0, score: 95 }] });
    await publishTestEpoch(api.pool, 1);
    await api.pool.query(
      `insert into offchain.organization (id, slug, slug_key, principal, wallet, display_name, description, organization_type,
         roles, skills, domains, links, contact, members, created_at, updated_at)
       values ('org_1', 'planted', 'planted', $1, $1, 'Planted', '', '', '{}', '{}', '{}', '{}', '{}', '[0]', now(), now())`,
      [`0x${"0".repeat(39)}1`],
    );
    payer = await terminal.world.payer(0n);
  });

  async function connect(page: Page, state: "connected" | "there") {
    const wallet = await giveWallet(page, payer, terminal.world.evm, 8453);
    if (state === "there") return;
    wallet.allowed = true;
    const chosen = { id: "wallet.example", name: "Test wallet", address: payer.address };
    await page.addInitScript((kept) => localStorage.setItem("terminal.wallet", kept), JSON.stringify(chosen));
  }
  const shownAt = ({ path, heading, wallet, act }: Case): Shown => ({
    ...{ origin: api.url, path, heading, act, connect: wallet && ((page) => connect(page, wallet)) },
  });
  const visits = new Map<Case, ReturnType<typeof visit>>();
  /** What a page asks for and says, found out once. */
  function visited(of: Case) {
    const found = visits.get(of) ?? visit(browser, shownAt(of));
    visits.set(of, found);
    return found;
  }
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

  it("has no code without a row here", async () => {
    const asked = new Set<string>();
    for (const [, of] of CASES) for (const path of (await visited(of)).asked) asked.add(basename(path));
    const files = globSync("*.js", { cwd: join(PROJECT_ROOT, "web/dist/assets") });
    const left = files.filter((file) => !asked.has(file) && !FIRST.test(`/${file}`));
    const names = left.map((file) => file.replace(/-.{8}\.js$/, "")).filter((name) => !GUIDES.includes(name));
    expect(names).toEqual(["README", ...SILENT].toSorted());
  });

  /** A file is taken away from the first page that needs it. */
  const tried = new Set<string>();
  it.each(CASES)("%s is loaded again once without one of its files, says what to do, and comes back", async (_, of) => {
    const { asked, words } = await visited(of);
    const files = asked.filter((path) => path.endsWith(".js") && !FIRST.test(path) && !tried.has(path));
    for (const file of files) tried.add(file);
    const shown = { ...shownAt(of), words };
    expect(await faultsOf(some(files).map((file) => [file, () => withoutFile(browser, shown, file)]))).toEqual([]);
  });

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

  it("counts the seconds until an answer that came too often is asked for again, and shows it by itself", () =>
    terminal.visit("/status", {}, async ({ page }) => {
      let refused = 0;
      await page.route("**/api/v2/leaderboard?**", (route) => {
        if (refused >= 2) return route.continue();
        refused++;
        const json = { error: "Too many.", code: "rate_limited" };
        return route.fulfill({ status: 429, headers: { "retry-after": "2" }, json });
      });
      await page.locator('.nav a[href="/leaderboard"]').click();
      await page.getByText(/^It is asked for again in \d seconds?\.$/).waitFor();
      await page.getByRole("main").getByText("Meridian").first().waitFor();
      expect(refused).toBe(2);
      expect(await page.getByText("Too many.").count()).toBe(0);
    }));

  it.each(CASES)(
    "%s stands with anything in place of one of its answers, says what to do, and comes back",
    async (_, of) => {
      const { asked, words } = await visited(of);
      const shown = { ...shownAt(of), words };
      // The state is asked for three times before its absence is shown, and the stream of events is opened again.
      const calls = asked.filter((path) => path.startsWith("/api/") && !/\/(status|events)$/.test(path));
      const cases = calls.flatMap((call) => Object.keys(INSTEAD).map((kind) => [call, kind] as const));
      const tries = some(cases).map(
        ([call, kind]) => [`${kind} for ${call}`, () => withoutAnswer(browser, shown, call, kind)] as const,
      );
      expect(await faultsOf(tries)).toEqual([]);
    },
  );

  it("alarms nobody while the state of the service is missed twice, and says so when it stays away", async () => {
    const { page } = await openPage(browser, [api.url]);
    try {
      let missed = 0;
      const held = Promise.withResolvers<void>();
      await page.route("**/api/v2/status", async (route) => {
        missed++;
        if (missed === 3) await held.promise;
        await route.fulfill({ status: 503, json: { error: "The database is away.", code: "upstream_unavailable" } });
      });
      await page.goto("/score");
      await expect.poll(() => missed, { timeout: LONG }).toBe(3);
      expect(await page.locator(".banner").count()).toBe(0);
      held.resolve();
      await page.getByText("The service does not tell its state.").waitFor();
      await page.unrouteAll();
      await page.locator(".banner").waitFor({ state: "detached" });
    } finally {
      await page.context().close();
    }
  });

  // It is the shell that says so, with a wallet as without one.
  it.each(CASES.filter(([, { wallet, act }]) => !wallet && !act))(
    "%s says that it is offline, and comes back by itself",
    async (_, of) => expect(await offline(browser, shownAt(of))).toEqual([]),
  );
});
