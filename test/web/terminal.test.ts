/** The web terminal in a real browser before the real API and a real chain: what people see, do with keys, share by address, sign and pay. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { historyView } from "../../core/views/offer-history.ts";
import { appendEvents } from "../../db/events/append-events.ts";
import { sequenceEvents } from "../../db/events/event-sequence.ts";
import { BACKFILL_PROGRESS_DDL, writeBackfillProgress } from "../../db/operations/backfill-progress.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { giveWallet } from "../../harness/browser-wallet.ts";
import { until } from "../../harness/until.ts";
import { tierWords } from "../../web/src/tiers.ts";
import { publishTestEpoch, storeTestEpoch } from "../support/cred-epochs.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantDocuments, plantOffers } from "../support/discovery.ts";
import { deepIt } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { CHROMIUM, openPage } from "./browser.ts";
import { declined, findingsOf, startTerminal, type Terminal } from "./flows.ts";
import { HOSTILE, HOSTILE_ID, HOSTILE_REF, plantWorld, TWIN_ID } from "./world.ts";

// Without Chromium nothing of this can be run: a person's machine leaves it out, CI must not.
describe.runIf(CHROMIUM !== undefined || process.env.CI)("the web terminal", () => {
  // There are no workers, whose rows a registration's answer waits for: the page follows it.
  const terminal = perFile(() => startTerminal({ env: { MINT_WAIT_MS: "0" } }));
  let { world, api, browser } = {} as Terminal;
  beforeAll(async () => {
    ({ world, api, browser } = terminal);
    await api.setPhase("free");
    await plantWorld(api.pool);
    await plantDocuments(api.pool);
  });

  /** Opens a page, does something with it, and holds it to have caused no problems. */
  async function on(path: string, act: (page: Page) => Promise<void>, options: Parameters<typeof openPage>[2] = {}) {
    const { page, problems } = await openPage(browser, [api.url], options);
    try {
      await page.goto(path);
      await act(page);
      expect(await page.evaluate("window.pwned")).toBeUndefined();
      expect(problems).toEqual([]);
    } finally {
      await page.context().close();
    }
  }
  const names = (page: Page) => page.locator("tbody .row-link").allTextContents();
  const loaded = (page: Page) => expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
  const query = (page: Page) => new URL(page.url()).search;
  /** The card of an agent's page under a heading. */
  const cardOf = (page: Page, name: string) =>
    page.locator("section.panel", { has: page.getByRole("heading", { name }) });

  it("shows the directory, best first, a page of a hundred at a time", () =>
    on("/", async (page) => {
      await page.getByText("136 agents", { exact: true }).waitFor();
      expect(await page.title()).toBe("Helixa · AI agents of every registry, scored");
      expect((await names(page))[0]).toBe("Meridian");
      // Only the rows near the window are in the document.
      expect((await names(page)).length).toBeLessThan(60);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText("101–136 of 136").waitFor();
      expect(query(page)).toBe("?page=2");
    }));

  it("moves nothing of an agent's page on a phone while it loads, and an emptied search field leads nowhere", () =>
    on(
      "/not-loaded",
      async (page) => {
        await page.addInitScript({
          content: `window.moved = 0;
            new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { window.moved += value; }))
              .observe({ type: "layout-shift", buffered: true });`,
        });
        const asked = Promise.withResolvers<void>();
        const held = Promise.withResolvers<void>();
        await page.route("**/api/v2/agent/0", async (route) => {
          asked.resolve();
          await held.promise;
          await route.continue();
        });
        await page.goto("/agent/0");
        await page.locator('.skeletons[aria-busy="true"]').waitFor();
        await page.getByText(/^Live · block/).waitFor();
        // What comes would push it away.
        expect(await page.evaluate("document.querySelector('.foot').offsetTop >= innerHeight")).toBe(true);
        await asked.promise;
        held.resolve();
        await page.getByRole("heading", { name: "Meridian" }).waitFor();
        await loaded(page);
        expect(await page.evaluate("window.moved")).toBeLessThan(0.05);
        await page.locator("#search").fill("mer");
        await page.keyboard.press("Escape");
        await expect.poll(() => page.locator("#search").inputValue()).toBe("");
        expect(new URL(page.url()).pathname).toBe("/agent/0");
      },
      { viewport: { width: 390, height: 844 } },
    ));

  it("filters by chips with counts; reloaded, it shows the same", () =>
    on("/", async (page) => {
      const chip = page.getByRole("button", { name: /^x402/ });
      await page.getByRole("button", { name: "x402 13" }).waitFor();
      await chip.click();
      await page.getByText("13 agents", { exact: true }).waitFor();
      expect(query(page)).toBe("?filter=x402");
      await page.reload();
      await page.getByText("13 agents", { exact: true }).waitFor();
      expect(await chip.getAttribute("aria-pressed")).toBe("true");
      await page.getByRole("button", { name: "Clear all" }).click();
      await page.getByText("136 agents", { exact: true }).waitFor();
      // Of twenty prices that a market saw move, one stayed where it was. The greatest loss comes first.
      await page.getByRole("button", { name: "Price up 5" }).waitFor();
      await page.getByRole("button", { name: "Price down 14" }).click();
      await page.getByText("14 agents", { exact: true }).waitFor();
      expect((await names(page)).slice(0, 2)).toEqual(["Foreign 001", "Foreign 003"]);
    }));

  it("counts all chips in one request, and tells a newcomer what it is and how the score is made", () =>
    on("/", async (page) => {
      await page.getByRole("button", { name: "x402 13" }).waitFor();
      const counted: string[] = [];
      page.on("request", (request) => {
        if (/\/api\/terminal\/(counts|agents)\b/.test(request.url())) counted.push(new URL(request.url()).pathname);
      });
      await page.goto("/?filter=new");
      await page.getByRole("button", { name: "x402 13" }).waitFor();
      expect(counted.toSorted()).toEqual(["/api/terminal/agents", "/api/terminal/counts"]);
      const letter = page.locator(".badges i", { hasText: "W" }).first();
      expect(await letter.getAttribute("title")).toMatch(
        /^W: Wallet, (not )?proven\. The agent's own wallet has signed/,
      );
      await page.getByRole("main").getByRole("link", { name: "How the score is made" }).click();
      await page.waitForURL("**/score");
      await page.getByText("Unknown is not bad").waitFor();
      expect(await page.locator("tbody tr").count()).toBe(8);
      await page.goto("/agent/0");
      await page.getByRole("main").getByRole("link", { name: "How it is made" }).click();
      await page.waitForURL("**/score");
    }));

  it.each([390, 768, 1360])(
    "says at once what one can do here, and shows an agent below three rows of controls (%i px)",
    (width) =>
      on(
        "/",
        async (page) => {
          const first = page.locator(".card, tbody .row-link").first();
          await first.waitFor();
          await page.getByRole("button", { name: "x402 13" }).waitFor();
          await page.locator(".agent-does").first().waitFor();
          for (const action of ["Find one for a task", "Check one", "Register yours"])
            expect(await page.locator(".welcome").getByText(action).isVisible()).toBe(true);
          expect((await first.boundingBox())!.y).toBeLessThan(500);
          const middles = await page.evaluate<number[]>(
            "[...document.querySelectorAll('.filters .chip, .filters .button, .tools .button')].map((one) => one.getBoundingClientRect()).filter(({ height }) => height > 0).map(({ top, bottom }) => Math.round((top + bottom) / 2))",
          );
          expect(middles.length).toBeGreaterThan(10);
          expect(new Set(middles).size).toBeLessThanOrEqual(3);
        },
        { viewport: { width, height: 900 } },
      ),
  );

  it("searches while one types, knows an id when it sees one, and opens it", () =>
    on("/", async (page) => {
      const search = page.getByRole("combobox", { name: /^Search agents by name/ });
      await search.fill("foreign 01");
      await page.getByText(/^10 agents/).waitFor();
      expect(query(page)).toBe("?q=foreign+01");
      await page.reload();
      await page.getByText(/^10 agents/).waitFor();
      await search.fill("100%25 &+#");
      await page.getByText("0 agents for “100%25 &+#”").waitFor();
      await page.reload();
      await page.getByText("0 agents for “100%25 &+#”").waitFor();
      await search.fill("nobody is called this");
      await page.getByRole("heading", { name: "No agent matches" }).waitFor();
      await search.fill("helixa-0");
      await page.locator(".kind", { hasText: "id" }).waitFor();
      await search.press("Enter");
      await page.waitForURL("**/agent/0");
      await page.getByRole("heading", { level: 1, name: "Meridian" }).waitFor();
    }));

  /** Types into the field of every view, and waits for the list under it. */
  async function suggest(page: Page, text: string) {
    await page.keyboard.press("/");
    await page.locator("#search").pressSequentially(text);
    await page.getByRole("listbox").waitFor();
  }

  it("finds agents by what they can do, says why, and keeps words and filters in the address", () =>
    on("/discover", async (page) => {
      const hits = page.locator(".hit");
      await hits.first().waitFor();
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.id")).toBe("discover-q");
      await page.keyboard.type("translates contracts");
      await page.waitForURL("**/discover?q=translates+contracts");
      await expect.poll(() => hits.count()).toBe(2);
      const [first] = await hits.all();
      expect(await first!.locator("mark").allTextContents()).toEqual(["translates", "contracts"]);
      await first!.getByText("Why it stands here").click();
      await first!.getByText(/^Description has/).waitFor();
      expect(await first!.locator(".bar-line").allTextContents()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^Relevance\d+$/), expect.stringMatching(/^Trust\d+$/)]),
      );
      await page.getByRole("button", { name: /^Virtuals/ }).click();
      await page.waitForURL("**/discover?q=translates+contracts&platform=virtuals");
      await expect.poll(() => hits.count()).toBe(1);
      await page.reload();
      await expect.poll(() => hits.count()).toBe(1);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await expect.poll(() => hits.count()).toBe(2);
      await page.locator("body").click({ position: { x: 5, y: 500 } });
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/terminal/**");
    }));

  deepIt("says what nothing was found for, and searches without the filters", () =>
    on("/discover?q=translates+contracts&minCred=100", async (page) => {
      await page.getByRole("heading", { name: "No agent offers that" }).waitFor();
      await page.getByRole("button", { name: "Search without filters" }).click();
      await expect.poll(() => page.locator(".hit").count()).toBe(2);
      await page.getByRole("searchbox", { name: "What shall the agent do?" }).fill("qqqq");
      await page.getByRole("button", { name: "Show the most trusted" }).click();
      await page.waitForURL("**/discover");
      await page.locator(".hit").nth(19).waitFor();
      await page.getByRole("button", { name: "Load more" }).click();
      await expect.poll(() => page.locator(".hit").count()).toBe(40);
    }),
  );

  it("lists under the search field who can do what one types, beside the names", () =>
    on("/status", async (page) => {
      await page.locator("h1").waitFor();
      await suggest(page, "translates");
      const options = page.getByRole("group", { name: "Can do" }).getByRole("option");
      await expect.poll(() => options.count()).toBe(2);
      expect(await options.first().locator("mark").allTextContents()).toEqual(["translates"]);
      await page.locator("#search").fill("foreign 00");
      await page
        .getByRole("group", { name: "By name" })
        .getByRole("option", { name: /Foreign 00/ })
        .first()
        .waitFor();
      await page.locator("#search").fill("translates");
      await page.getByRole("option", { name: /^All that can do/ }).waitFor();
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/discover?q=translates");
    }));

  deepIt("is worked by keys alone, unless they are switched off", () =>
    on("/", async (page) => {
      await page.locator("tbody tr").first().waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await page.locator("tr[aria-current] >> text=Meridian").waitFor();
      await page.keyboard.press("s");
      await page.getByRole("button", { name: "Watch Meridian", pressed: true }).waitFor();
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.id")).toBe("search");
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.locator("body").click({ position: { x: 5, y: 300 } });
      await page.keyboard.press("g");
      await page.keyboard.press("l");
      await page.waitForURL("**/leaderboard");
      await page.keyboard.press("g");
      await page.keyboard.press("s");
      await page.waitForURL("**/status");
      await page.keyboard.press("?");
      await page.getByRole("checkbox").uncheck();
      await page.keyboard.press("Escape");
      await page.keyboard.press("g");
      await page.keyboard.press("h");
      expect(new URL(page.url()).pathname).toBe("/status");
    }),
  );

  deepIt("has the keyboard at the heading of the view that a link or a key has opened", () =>
    on("/", async (page) => {
      await loaded(page);
      const held = () => page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent");
      for (const [name, heading] of [
        ["Leaderboard", "H1 Leaderboard"],
        ["Status", "H1 Status"],
      ] as const) {
        await page.getByRole("navigation", { name: "Views", exact: true }).getByRole("link", { name }).click();
        await expect.poll(held).toBe(heading);
      }
      await page.keyboard.press("g");
      await page.keyboard.press("d");
      await expect.poll(held).toBe("H1 Discover");
      // The next stop is the first one of the view, not that of the bar.
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
    }),
  );

  deepIt("opens the row at hand with Enter, and a link is a link", () =>
    on("/?q=Meridian", async (page) => {
      await page.getByText(/^1 agent/).waitFor();
      expect(await page.getByRole("link", { name: "Meridian" }).getAttribute("href")).toBe("/agent/0");
      await page.keyboard.press("j");
      await page.locator("tr[aria-current]").waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/agent/0");
    }),
  );

  deepIt("tells of new agents and moves no row until asked", () =>
    on("/", async (page) => {
      await page.getByText("136 agents", { exact: true }).waitFor();
      await page.getByTitle("Changes arrive as they happen").waitFor();
      await plantDirectory(api.pool, [{ platform: "erc8004", agent_id: "9999", name: "Latecomer", cred_score: 99 }]);
      // Beside the stream the page asks four times a minute only: it is the event that brings the row.
      await transaction(api.pool, async (tx) => {
        const told = { name: "Latecomer", framework: "custom", agentAddress: `0x${"99".repeat(20)}`, soulbound: false };
        const at = new Date();
        const fact = `a latecomer ${at.toISOString()}`;
        await appendEvents(tx, [{ type: "agent.registered", fact, tokenId: 0, at, data: told }]);
        await sequenceEvents(tx, new Date());
      });
      const pill = page.getByRole("button", { name: "1 new · show" });
      await pill.waitFor();
      expect((await names(page))[0]).toBe("Meridian");
      await pill.click();
      await page.locator("tbody tr").first().getByText("Latecomer").waitFor();
      await api.pool.query("delete from offchain.directory where agent_id = '9999'");
    }),
  );

  it("an agent's score on chain: where its root is, and a check of the proof that the browser computes itself", async () => {
    await on("/agent/0", async (page) => {
      await loaded(page);
      expect(await page.getByRole("heading", { name: "Checkable on chain" }).count()).toBe(0);
    });
    const scores = [95, 40, 71, 20, 55].map((score, tokenId) => ({ tokenId, score }));
    const registry = world.config.contracts.identity.address;
    const contract = "0x00000000000000000000000000000000000c0de0";
    const { root } = await storeTestEpoch(api.pool, { epoch: 812, registry, contract, scores });
    await publishTestEpoch(api.pool, 812);
    const panel = (page: Page) => page.locator("section", { has: page.getByText("Checkable on chain") });
    await on("/agent/0", async (page) => {
      await panel(page).getByText("812", { exact: false }).first().waitFor();
      await panel(page).getByRole("button", { name: "Check the proof here" }).click();
      await panel(page).getByText("The proof is sound.").waitFor();
      expect(await panel(page).locator("pre").textContent()).toBe(root);
      expect(await panel(page).getByText("That the contract has it too is for the chain to say").count()).toBe(1);
    });
    // A service that states another root than its proof leads to.
    await api.pool.query("update offchain.cred_epoch set root = $1", [`0x${"ab".repeat(32)}`]);
    await on("/agent/0", async (page) => {
      await panel(page).getByRole("button", { name: "Check the proof here" }).click();
      await panel(page).getByRole("alert").getByText("The proof is wrong:").waitFor();
    });
    await on("/agent/5", async (page) => {
      await panel(page).getByText("From the next epoch on").waitFor();
    });
    await api.pool.query("truncate offchain.cred_epoch cascade");
  });

  it("shows an agent: score, the eight signals in numbers, proofs, its card, and who it is elsewhere", () =>
    on("/agent/0", async (page) => {
      await page.getByRole("heading", { level: 1, name: "Meridian" }).waitFor();
      await page.getByRole("img", { name: /^Cred score \d+ of 100/ }).waitFor();
      await page.getByRole("rowheader", { name: /^Soulbound Status/ }).waitFor();
      expect(await page.locator(".breakdown tbody tr").count()).toBe(8);
      await page.locator(".proofs .proof").nth(4).waitFor();
      const card = page.getByRole("img", { name: /^Card of/ });
      await expect
        .poll(() => card.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
        .toBe(1000);
      await page.getByRole("heading", { name: "ERC-8004" }).waitFor();
      const reviews = cardOf(page, "Reviews");
      await reviews.getByText("2 independent voices", { exact: true }).waitFor();
      await reviews.getByRole("img", { name: /worth 61, between \d+ and \d+; plain mean 62$/ }).waitFor();
      expect(await reviews.locator(".reviews > li").count()).toBe(3);
      await reviews.getByText("An exchange attests on chain that an identified person holds it.").waitFor();
      await reviews.getByText("The agent answered").waitFor();
      await reviews.getByText("Others, which count nothing").click();
      const nothing = reviews.locator(".reviews > li:not([data-counts])");
      expect(await nothing.locator("[data-revoked], .review-weight, .review-why").allTextContents()).toEqual([
        "63",
        "counts nothing",
        "It was taken back. Known of its writer all the same: Nothing on the chain tells it from an account made for this.",
      ]);
      const offers = cardOf(page, "What it says of itself");
      for (const text of ["MCP", "version 1.2", "@meridian", "oceanography", "usdc", "Open to work", "Yes"])
        await offers.getByText(text, { exact: true }).waitFor();
      expect(await offers.getByRole("link").getAttribute("href")).toBe("https://meridian.example/mcp");
      await page.getByRole("link", { name: "Foreign 006" }).click();
      await page.waitForURL(`**/terminal/${TWIN_ID}?platform=erc8004`);
      await page.getByRole("heading", { level: 1, name: "Foreign 006" }).waitFor();
      await page.locator(".row-link", { hasText: "Meridian" }).waitFor();
      const steps = cardOf(page, "What lifts this score");
      await steps.getByText(/^Each service or skill that it names/).waitFor();
      // Its registry names no owner whom the exchange could attest.
      expect(await steps.getByText("+15").count()).toBe(0);
    }));

  const cardOn = async (page: Page, path: string, name: string) => {
    await page.goto(path);
    return cardOf(page, name);
  };

  /** The card of payments, each answer about payments changed by `change`. */
  async function paymentsOn(page: Page, path: string, change?: (body: Record<string, unknown>) => object) {
    if (change)
      await page.route("**/payments?**", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: change((await answer.json()) as Record<string, unknown>) });
      });
    return cardOn(page, path, "What it was paid");
  }
  /** The rows of a card's table, cell by cell. */
  const told = async (card: Locator) =>
    (await card.getByRole("row").allInnerTexts()).map((text) => text.trim().replaceAll(/\s*\t\s*/g, " | "));

  it.each(["/agent/0", `/terminal/${TWIN_ID}?platform=erc8004`])(
    "shows what an agent was paid: all and organic beside each other, what is not and why, each payment's transaction (%s)",
    (path) =>
      on("/status", async (page) => {
        const paid = await paymentsOn(page, path);
        await paid.getByRole("img", { name: "Organic: 3.04 of 8.29 USDC" }).waitFor();
        expect(await told(paid)).toEqual([
          "7 days | 30 days | 90 days",
          "All | 5.29 | 7.29 | 8.29",
          "Organic | 0.04 | 2.04 | 3.04",
          "Given back | 0.25 | 0.25 | 0.25",
          "Organic of all",
          "Payments | 1 of 3 | 2 of 4 | 3 of 5",
          "Payers | 1 of 2 | 2 of 3 | 2 of 3",
          "Repeat payers | 0 of 1 | 0 of 1 | 1 of 2",
        ]);
        await paid.getByText("The same amount went back to the payer.").first().waitFor();
        const newest = paid
          .getByRole("listitem")
          .filter({ has: page.getByRole("link", { name: /, the transaction$/ }) });
        expect(await newest.count()).toBe(5);
        await newest.first().getByText("5.00", { exact: true }).waitFor();
        await newest.first().getByText("The payer is the agent's own wallet or owner.").waitFor();
        expect(await newest.first().getByRole("link").last().getAttribute("href")).toMatch(/\/tx\/0x0{62}07$/);
        await paid.getByText("2 agents have this wallet").waitFor();
        await paid.getByRole("link", { name: "how payments count" }).click();
        await page.getByRole("heading", { level: 1, name: "Income" }).waitFor();
      }),
  );

  it.each(["/agent/0", `/terminal/${TWIN_ID}?platform=erc8004`])(
    "shows what an agent was hired for: all and organic beside each other, what is not and why, who evaluates (%s)",
    (path) =>
      on("/status", async (page) => {
        const hired = await cardOn(page, path, "What it was hired for");
        await hired.getByRole("img", { name: "Organic: 3.75 of 8.75 USDC" }).waitFor();
        expect(await told(hired)).toEqual([
          "7 days | 30 days | 90 days",
          "All | 5.00 | 6.25 | 8.75",
          "Organic | 0.00 | 1.25 | 3.75",
          "Organic of all",
          "Funded | 1 of 2 | 2 of 3 | 3 of 4",
          "Completed | 0 of 1 | 1 of 2 | 2 of 3",
          "Rejected | 1 of 1 | 1 of 1 | 1 of 1",
          "Expired | 0 of 0 | 0 of 0 | 0 of 0",
          "Clients | 1 of 2 | 2 of 3 | 2 of 3",
        ]);
        await hired.getByText("1 of 3 completed was evaluated by its client, or by nobody.").waitFor();
        const newest = hired
          .getByRole("listitem")
          .filter({ has: page.getByRole("link", { name: /, the transaction$/ }) });
        expect(await newest.count()).toBe(4);
        await newest.nth(0).getByText("rejected", { exact: true }).waitFor();
        await newest.nth(1).getByText("The client is the agent's own wallet or owner.").waitFor();
        await newest.nth(2).getByText("Evaluated by the client itself.").waitFor();
        expect(await newest.nth(0).getByRole("link").last().getAttribute("href")).toMatch(/\/tx\/0x0{62}e9$/);
        await hired.getByRole("link", { name: "how jobs count" }).click();
        await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
      }),
  );

  /** What a view says of an agent, by the label of each fact. */
  const saysOf = async (page: Page, facts: string, label: string) => {
    const of = await page.locator(facts).all();
    const all = of.map(async (fact) => [await fact.locator(label).first().textContent(), await fact.textContent()]);
    return Object.fromEntries(await Promise.all(all)) as Record<string, string>;
  };

  it.each([
    ["/agent/0", "0", "/?q=Meridian"],
    [`/terminal/${TWIN_ID}?platform=erc8004`, `erc8004:${TWIN_ID}`, "/?q=Foreign+006"],
    ["/agent/1", "1", "/?platform=helixa"],
  ])("says one thing of one agent on its page, in a comparison and in the directory (%s)", (path, id, list) =>
    on(
      path,
      async (page) => {
        await page.locator(".facts-in-short").getByText("Endpoints", { exact: true }).waitFor();
        await loaded(page);
        let cred = /\d+/.exec((await page.locator(".agent-head .ring").getAttribute("aria-label"))!)![0];
        const facts = await page.locator(".facts-in-short li").all();
        const figures = await Promise.all(
          facts.map(async (fact) => {
            const text = async (of: string) => (await fact.locator(of).first().textContent())!;
            const [label, figure, words] = [text(".in-short-label"), text("b"), text(".in-short-words")];
            return { label: await label, figure: (await figure).split(" ")[0]!, words: await words };
          }),
        );
        const name = (await page.getByRole("heading", { level: 1 }).textContent())!;
        await page.goto(`/compare?ids=${id}`);
        await page.getByRole("rowheader", { name: "Trust" }).waitFor();
        await loaded(page);
        await expect.poll(() => page.getByText("not loaded").count()).toBe(0);
        const rows = await saysOf(page, ".compare-table tbody tr", "th");
        // Scores of own agents are planted in two places here.
        if (!id.includes(":")) cred = /\d+/.exec(rows.Cred!)![0];
        expect(rows.Cred).toContain(cred);
        for (const { label, figure, words } of figures) {
          const row = rows[label === "Endpoints" ? "Answers" : label];
          if (label === "Proofs") continue;
          // A registry without reviews says so in the comparison: there is no panel of them on the page.
          if (!(figure.startsWith("—") && label === "Reviews")) expect(row, label).toContain(words);
          expect(row, label).toContain(figure.startsWith("—") ? "—" : figure);
        }
        // A report has what was known when it was made, also beside the score.
        if (!id.includes(":")) {
          await page.goto(`/report/${id}`);
          await page.getByRole("button", { name: "Get the report" }).click();
          await cardOf(page, "What was known beside the score").waitFor();
          const known = await saysOf(page, ".panel:has-text('What was known beside the score') dl > div", "dt");
          for (const { label, figure, words } of figures)
            if (label !== "Proofs") expect(known[label], label).toContain(figure.startsWith("—") ? words : figure);
          if (!rows.Trust!.includes("—")) expect(known.Trust).toBe(rows.Trust);
        }
        await page.goto(list);
        const listed = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
        await listed.waitFor();
        await loaded(page);
        await listed.getByText(cred, { exact: true }).waitFor();
        const { figure, words } = figures.find(({ label }) => label === "Reviews")!;
        const cell = listed.locator("td.roomy");
        // The cells of a row follow it.
        await expect.poll(() => cell.innerHTML()).toContain(figure.startsWith("—") ? "—" : `${figure} ${words}`);
      },
      { viewport: { width: 1500, height: 900 } },
    ),
  );

  it("calls a claimed token claimed wherever it is shown", () =>
    on("/agent/0", async (page) => {
      const row = { token_symbol: "ONLY", token_source: "claimed", counts: false, token_market_cap: null };
      await page.route("**/api/terminal/agent*/**", async (route) => {
        const answer = await route.fetch();
        if (route.request().url().includes("/offers")) return route.fulfill({ response: answer });
        return route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...row } });
      });
      await page.route("**/api/terminal/agents?**", async (route) => {
        const answer = await route.fetch();
        const body = (await answer.json()) as { agents: object[] };
        return route.fulfill({
          response: answer,
          json: { ...body, agents: body.agents.map((one) => ({ ...one, ...row })) },
        });
      });
      await page.reload();
      const registry = cardOf(page, "Registry");
      await registry.getByText("ONLY").waitFor();
      await registry.getByText("claimed", { exact: true }).waitFor();
      await page.goto("/compare?ids=0");
      await page
        .getByRole("row", { name: /^Token/ })
        .getByText("claimed", { exact: true })
        .waitFor();
      await page.goto("/?q=Meridian");
      await page
        .getByRole("row")
        .filter({ hasText: "Meridian" })
        .getByText("claimed", { exact: true })
        .first()
        .waitFor();
    }));

  it("names the accounts that it knows beside their address, and leads to the explorer last", () =>
    on("/agent/0", async (page) => {
      await page.route("**/api/v2/wallets?**", (route) => {
        const [address] = new URL(route.request().url()).searchParams.get("addresses")!.split(",") as [string];
        const agent = { platform: "helixa", agentId: "7", tokenId: 7, name: HOSTILE, credScore: 61 };
        const wallets = [{ address, agent, human: null, organization: null }];
        return route.fulfill({ headers: { "x-api-version": "2" }, json: { wallets } });
      });
      await page.reload();
      const known = page.locator(".party", { hasText: HOSTILE }).first();
      await known.waitFor();
      const links = known.getByRole("link");
      expect(await Promise.all((await links.all()).map((one) => one.getAttribute("href")))).toEqual([
        "/agent/7",
        expect.stringMatching(/^\/owner\/0x[0-9a-f]{40}$/i),
        expect.stringMatching(/\/address\/0x[0-9a-f]{40}$/i),
      ]);
      await known.getByText("61").waitFor();
      expect(await links.nth(1).textContent()).toMatch(/^0x[0-9a-f]+…[0-9a-f]+$/i);
    }));

  const ORDER = ["What it offers", "Before you pay", "What it was paid", "What it was hired for", "Reviews"];
  it.each([
    ["/agent/0", [...ORDER, "Who stands behind it", "Verifications", "What it is trusted by"]],
    [`/terminal/${TWIN_ID}?platform=erc8004`, [...ORDER, "What it is trusted by", "Who stands behind it"]],
  ])("keeps the page of an agent on a phone short, evidence first, with each part a move away (%s)", (path, order) =>
    on(
      path,
      async (page) => {
        await page.locator(".facts-in-short").getByText("Endpoints", { exact: true }).waitFor();
        const headings = page.getByRole("main").getByRole("heading", { level: 2 });
        await expect.poll(async () => (await headings.allTextContents()).slice(0, order.length)).toEqual(order);
        await loaded(page);
        expect(await page.evaluate("document.body.scrollHeight")).toBeLessThanOrEqual(5_000);
        const raw = (await page.getByText("Raw JSON").boundingBox())!.y;
        for (const fold of await page.locator(".agent-part").all()) {
          const box = await fold.boundingBox();
          expect(box === null || box.y < raw).toBe(true);
        }
        const paid = page.locator("#payments");
        expect(await paid.getByRole("row").count()).toBe(0);
        await page.locator(".facts-in-short").getByRole("link", { name: /^Paid/ }).click();
        await paid.getByText("Repeat payers").waitFor();
        await expect.poll(() => paid.boundingBox().then((box) => box!.y)).toBeLessThan(200);
      },
      { viewport: { width: 390, height: 844 } },
    ),
  );

  it("says of a foreign agent what it costs to ask, and whether it answers", async () => {
    const url = "https://asked.example/audit";
    const [row] = await api.sql("select id, agent_id, platform from offchain.directory where name = 'Foreign 011'");
    await plantOffers(api.pool, [
      { directoryId: row.id, kind: "resource", name: "audit", endpoint: url, priceUsd: 0.04 },
    ]);
    await api.sql`insert into offchain.offer_source
      (directory_id, kind, url, host, trust, status, checked_at, answered_at, next_try_at, confirmed_by)
      values (${row.id}, 'x402', ${url}, 'asked.example', 0, 'read', now(), now(), now(), 'host_file')`;
    await plantDocuments(api.pool);
    await on(`/terminal/${row.agent_id}?platform=${row.platform}`, async (page) => {
      const offers = cardOf(page, "What it offers");
      await offers.getByText("$0.04", { exact: true }).waitFor();
      await offers.getByText(/endpoint answered .* ago\./).waitFor();
      await offers.getByText("1 endpoint, and when it answered").click();
      await offers.getByText(/^Answered .* ago\. Its host names this agent\./).waitFor();
    });
  });

  it("says of what happened which tools came and went, which trait, how many points and for what", () =>
    on("/agent/0", async (page) => {
      await transaction(api.pool, async (tx) => {
        const at = new Date();
        const updated = (what: string, data: object) => ({
          ...{ fact: `${what} ${at.toISOString()}`, tokenId: 0, at, data },
          type: "agent.updated",
        });
        await appendEvents(tx, [
          updated("tools", { changed: ["tools"], storage: "offchain", added: ["audit"], removed: [HOSTILE] }),
          updated("trait", { changed: ["traits"], storage: "onchain", added: ["x-verified"] }),
          updated("points", { changed: ["points"], storage: "onchain", points: { amount: 75, reason: "verified" } }),
        ] as Parameters<typeof appendEvents>[1]);
        await sequenceEvents(tx, at);
      });
      await page.reload();
      const line = (text: string) => page.locator("#history li").filter({ hasText: text });
      const tools = line("Changed: what its endpoints offer");
      await tools.getByText("audit").waitFor();
      await tools.getByText(HOSTILE).waitFor();
      await line("A trait was added on chain").getByText("x-verified").waitFor();
      await line("75 points were awarded on chain, for verified").waitFor();
    }));

  it.each([
    ["/agent/0", ""],
    [`/terminal/${TWIN_ID}?platform=erc8004`, "Registered on"],
  ])("says which tools, prices, recipients and owners of an agent have changed (%s)", (path, registered) =>
    on(path, async (page) => {
      const [from, to, gone] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
      const price = (usd: number | null) => ({ usd, accepts: [] });
      const change = {
        ...{ added: ["audit"], removed: [HOSTILE], changed: [{ name: HOSTILE, parts: ["inputSchema" as const] }] },
        prices: [{ name: "quote", from: price(0.01), to: price(null) }],
        ...{ payTo: [{ name: "quote", from: [from, gone], to: [to, from] }], owner: null, more: 3 },
      };
      const nothing = { added: [], removed: [], changed: [], prices: [], payTo: [], more: 0 };
      const row = (id: number, source: string, of: typeof change | object) => ({
        ...{ id, source, hash: "1".repeat(64), at: new Date(), firstAt: new Date(), changes: id },
        change: of as typeof change,
      });
      const body = historyView(
        [],
        [row(2, "mcp https://a.example/mcp", change), row(1, "agent", { ...nothing, owner: { from: null, to } })],
      );
      await page.route("**/offers/history?**", (route) => {
        const isFirst = !route.request().url().includes("before=");
        const json = { ...body, changes: [body.changes[isFirst ? 0 : 1]], limit: 1, nextBefore: isFirst ? 2 : null };
        return route.fulfill({ headers: { "x-api-version": "2" }, json });
      });
      await page.reload();
      const panel = page.locator("#changes");
      await panel.getByText("Show older").click();
      await panel.getByText("Changed hands").waitFor();
      const [newest, oldest] = await panel.getByRole("listitem").allTextContents();
      for (const said of [
        "Who is paid changed for quote",
        "gone: − 0xcccc",
        "$0.01 → other terms",
        `Changed: input of ${HOSTILE}`,
      ])
        expect(newest).toContain(said);
      for (const said of ["new: + 0xbbbb", "audit", "And 3 more.", "2 changes in one line.", "https://a.example/mcp"])
        expect(newest).toContain(said);
      expect(oldest).toContain("from nobody known to");
      // It is a line, and not a column of letters.
      if (registered) expect((await panel.getByText(registered).boundingBox())!.height).toBeLessThan(40);
      expect(
        await panel
          .getByRole("link", { name: /^0xbbbb/ })
          .first()
          .getAttribute("href"),
      ).toBe(`/owner/${to}`);
    }),
  );

  it("works out the trust of an agent by the shares that its factors leave", () =>
    on("/agent/0", async (page) => {
      const trust = page.locator("#trust");
      await trust.getByText("Trust, of 100").waitFor();
      const leaves = await trust.locator("tbody td:last-child").allTextContents();
      const product = leaves.reduce((all, text) => (all * Number.parseFloat(text)) / 100, 100);
      expect(leaves.length).toBe(6);
      expect(Math.abs(product - Number(await trust.locator("tfoot b").textContent()))).toBeLessThan(0.5);
    }));

  it.each([390, 768, 1000, 1360])(
    "gives the radar of an agent the room that its words need, and no more (%i px)",
    (width) =>
      on(
        "/agent/0#score",
        async (page) => {
          const radar = page.locator(".radar");
          await radar.waitFor();
          const { width: wide } = (await radar.boundingBox())!;
          expect(wide).toBeGreaterThanOrEqual(220);
          expect(wide).toBeLessThanOrEqual(340);
        },
        { viewport: { width, height: 900 } },
      ),
  );

  it("shows no card of jobs of an agent without any, and of one whose jobs cannot be had why", () =>
    on("/status", async (page) => {
      const heading = page.getByRole("heading", { name: "What it was hired for" });
      await cardOn(page, "/agent/1", "What it was paid").then((card) => card.waitFor());
      expect(await heading.count()).toBe(0);
      const error = { error: "The database is away.", code: "upstream_unavailable", requestId: "r-1" };
      let asked = 0;
      await page.route("**/jobs?**", (route) => {
        asked++;
        return route.fulfill({ status: 503, json: error });
      });
      const hired = await cardOn(page, "/agent/0", "What it was hired for");
      await hired.getByRole("alert").getByText(error.error).waitFor();
      await loaded(page);
      // Once before the card is shown, and once with it.
      expect(asked).toBeLessThan(4);
    }));

  it("says of a review whether its file is what it says, and what its payment shows, with the transaction", () =>
    on("/status", async (page) => {
      const reviews = await cardOn(page, "/agent/0", "Reviews");
      const paid = reviews.getByRole("listitem").filter({ hasText: "Paid 1.25 USDC before" });
      await paid.getByText("The file has the hash that the review gives.").waitFor();
      expect(await paid.getByRole("link", { name: /^transaction of / }).getAttribute("href")).toMatch(/\/tx\/0x/);
      await reviews.getByText("The file has another hash than the review gives").waitFor();
    }));

  it("says of payments what it does not know: no wallet, not read, none, not to be had", () =>
    on("/status", async (page) => {
      const unknown = (text: string | RegExp, path: string, change?: Parameters<typeof paymentsOn>[2]) =>
        paymentsOn(page, path, change).then((paid) => paid.getByText(text).waitFor());
      await unknown("Its registry has shown no wallet to be its own", "/agent/1");
      await unknown("are not read yet", "/agent/0", (body) => ({ ...body, readTo: null }));
      const windows = [{ days: 90, raw: { payments: 0 }, removed: [] }];
      await unknown("Nothing was paid to its wallet in 90 days.", "/agent/0", (body) => ({ ...body, windows }));
      await unknown(/^The newest [\d,]+ blocks are not read yet/, "/agent/0", (body) => ({ ...body, readTo: -11_000 }));
      await page.unrouteAll();
      const error = { error: "The database is away.", code: "upstream_unavailable", requestId: "r-1" };
      await page.route("**/payments?**", (route) => route.fulfill({ status: 503, json: error }));
      const paid = await paymentsOn(page, "/agent/0");
      await paid.getByRole("alert").getByText(error.error).waitFor();
      await page.getByRole("rowheader", { name: /^Soulbound Status/ }).waitFor();
      await page.unrouteAll();
      await paid.getByRole("button", { name: "Try again" }).click();
      await paid.getByText("Newest payments").waitFor();
    }));

  deepIt("marks rows with what is known about them, and shows the columns one wants", () =>
    on("/", async (page) => {
      const row = page.locator("tbody tr", { hasText: "Meridian" }).first();
      await row.getByText("Proven: wallet").waitFor({ state: "attached" });
      await row.getByText("up by 7 points within seven days", { exact: false }).waitFor({ state: "attached" });
      await row.getByRole("img", { name: /^From 40 to 95 in 3 changes/ }).waitFor();
      await page.getByText("Columns").click();
      await page.getByRole("checkbox", { name: "Ethos" }).check();
      await page.getByRole("columnheader", { name: "Ethos" }).waitFor();
      await page.getByRole("checkbox", { name: "Proofs" }).uncheck();
      await page.reload();
      await page.getByRole("columnheader", { name: "Ethos" }).getByRole("button").click();
      await page.waitForURL("**/?sort=ethos_score&dir=desc");
      expect(await page.getByRole("columnheader", { name: "Proofs" }).count()).toBe(0);
    }),
  );

  deepIt("keeps a watch list and saved views in this browser", () =>
    on("/?filter=watched", async (page) => {
      await page.getByRole("heading", { name: "You watch no agent yet" }).waitFor();
      await page.goto("/?q=foreign+006");
      await page.getByRole("button", { name: "Watch Foreign 006" }).click();
      await page.goto("/agent/0");
      await page.getByRole("button", { name: "Watch", exact: true }).click();
      await page.goto("/?filter=watched");
      await page.getByText("2 agents", { exact: true }).waitFor();
      expect(await names(page)).toEqual(["Meridian", "Foreign 006"]);
      await page.getByRole("columnheader", { name: "Agent" }).getByRole("button").click();
      await expect.poll(() => names(page)).toEqual(["Foreign 006", "Meridian"]);
      await page.getByText("Views", { exact: true }).click();
      await page.getByRole("textbox", { name: "Name of this view" }).fill("My agents");
      await page.getByRole("button", { name: "Save" }).click();
      await page.goto("/");
      await page.getByText("Views", { exact: true }).click();
      await page.getByRole("link", { name: "My agents" }).click();
      await page.waitForURL("**/?filter=watched&sort=name&dir=asc");
      await page.getByText("2 agents", { exact: true }).waitFor();
    }),
  );

  deepIt("hides names that are no names until it is asked for them", () =>
    on("/", async (page) => {
      await page.getByText("136 agents", { exact: true }).waitFor();
      expect(await page.locator("tbody .row-link", { hasText: "aaaa" }).count()).toBe(0);
      await page.getByRole("button", { name: "1 hidden as spam · show" }).click();
      await page.waitForURL("**/?spam=true");
      await page.locator("tbody .row-link", { hasText: "aaaa" }).waitFor();
    }),
  );

  deepIt("shows a backfill that makes no progress, with the node's own words", async () => {
    await api.pool.query(BACKFILL_PROGRESS_DDL);
    await writeBackfillProgress(api.pool, {
      state: "running",
      fromBlock: 41_663_783,
      block: 46_958_120,
      fetchedBlock: 47_000_000,
      toBlock: 52_000_000,
      progress: 0.5121,
      events: 9_012,
      eventsPerSecond: 0,
      requests: { eth_getLogs: 1_000 },
      requestsPerSecond: 0,
      secondsLeft: null,
      stalledSeconds: 75,
      lastFailure: { at: new Date().toISOString(), reason: `mainnet.base.org eth_getLogs: ${HOSTILE}` },
      contracts: [
        {
          name: "Identity",
          fromBlock: 42_254_000,
          fetchedBlocks: 4_746_000,
          totalBlocks: 9_746_001,
          events: 9_012,
          eventsPerSecond: 0,
        },
      ],
      nodes: [],
      startedAt: new Date().toISOString(),
    });
    await on("/status", async (page) => {
      await page.getByRole("heading", { name: "Backfill" }).waitFor();
      await page.getByText(/^The indexer makes no progress for .+: /).waitFor();
      expect(await page.locator("tr", { hasText: "Identity" }).allTextContents()).toEqual([
        "Identity42,254,00048.7 %9,012",
      ]);
    });
    await api.pool.query("drop table onchain.backfill_progress");
  });

  deepIt("shows an agent's score at every width, and nothing beside the page", () =>
    on("/", async (page) => {
      for (const path of ["/agent/0", `/terminal/${TWIN_ID}?platform=erc8004`]) {
        await page.goto(path);
        for (const width of [320, 390, 600, 620, 760, 800, 1000, 1001, 1240, 1366]) {
          await page.setViewportSize({ width, height: 700 });
          const ring = page.getByRole("img", { name: /^Cred score \d+ of 100/ }).first();
          await ring.waitFor();
          const box = (await ring.boundingBox())!;
          expect([path, width, box.x >= 0 && box.x + box.width <= width && box.y < 700]).toEqual([path, width, true]);
          expect([path, width, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([
            path,
            width,
            width,
          ]);
        }
      }
    }),
  );

  deepIt("has its foot below the table at every height, and no view on a phone without a way to it", () =>
    on("/", async (page) => {
      await page.locator("tbody .row-link").first().waitFor();
      for (const [width, height] of [
        [1366, 568],
        [1366, 625],
        [1440, 790],
        [1024, 768],
        [1366, 900],
      ] as const) {
        await page.setViewportSize({ width, height });
        const bottom = async (selector: string) => {
          const box = (await page.locator(selector).first().boundingBox())!;
          return { top: box.y, end: box.y + box.height };
        };
        const [table, pager, foot] = [await bottom(".table-scroll"), await bottom(".pager"), await bottom(".foot")];
        expect([height, table.end - table.top >= 200, table.end <= pager.top, pager.end <= foot.top]).toEqual([
          ...[height, true, true, true],
        ]);
      }
      await page.setViewportSize({ width: 390, height: 844 });
      const bar = page.getByRole("navigation", { name: "Views, at the bottom" });
      await bar.getByText("More").click();
      await bar.getByRole("link", { name: "Compare" }).waitFor();
      await bar.getByRole("link", { name: "Status" }).click();
      await page.waitForURL("**/status");
      await page.goBack();
      await page.locator("summary", { hasText: "Export" }).click();
      await page.getByRole("link", { name: /^CSV/ }).waitFor();
      await page.goto("/leaderboard?sort=points");
      await page.locator(".rank-row .points").first().waitFor();
      expect(await page.locator(".rank-row .cred").first().isVisible()).toBe(false);
      const search = page.getByRole("combobox", { name: /^Search agents by name/ });
      await search.pressSequentially("translates");
      const list = (await page.locator(".suggestions").boundingBox())!;
      expect(list.x >= 0 && list.x + list.width <= 390).toBe(true);
    }),
  );

  deepIt("returns to its place in the table, and prints every row", () =>
    on("/", async (page) => {
      const top = () => page.evaluate("document.querySelector('.table-scroll').scrollTop");
      await page.locator("tbody .row-link").first().waitFor();
      await page.evaluate("document.querySelector('.table-scroll').scrollTo({ top: 2000 })");
      await expect.poll(() => page.evaluate("history.state?.tableTop")).toBe(2000);
      await page.locator("tbody .row-link").nth(12).click();
      await page
        .getByRole("img", { name: /^Cred score/ })
        .first()
        .waitFor();
      await page.goBack();
      await expect.poll(top).toBe(2000);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText("101–136 of 136").waitFor();
      expect(await top()).toBe(0);
      await page.goBack();
      await page.getByText("1–100 of 136").waitFor();
      await page.emulateMedia({ media: "print" });
      await expect.poll(() => page.locator("tbody .row-link").count()).toBe(99);
    }),
  );

  it("finds agents by a task typed where names are searched, in place", () =>
    on("/", async (page) => {
      const search = page.getByRole("combobox", { name: /^Search agents by name/ });
      await search.fill("translates contracts");
      await search.press("Enter");
      await page.getByRole("heading", { name: /^No agent is called that\. \d+ agents? can do it$/ }).waitFor();
      await page.locator(".can-do .hit-name").first().click();
      await page.getByRole("heading", { level: 1 }).waitFor();
    }));

  deepIt("does everything from the palette: agents by name, views, themes", () =>
    on("/status", async (page) => {
      await page.locator("h1").waitFor();
      await page.keyboard.press("Control+k");
      const field = page.getByRole("combobox", { name: "Search agents, views and settings" });
      await field.fill("meridian");
      await page
        .getByRole("option", { name: /Meridian/ })
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/agent/0");
      await page.keyboard.press("Control+k");
      await field.fill("light");
      await page.getByRole("option", { name: /Light theme/ }).waitFor();
      await expect.poll(() => page.getByRole("option").count()).toBe(1);
      await page.keyboard.press("Enter");
      await page.locator("html[data-theme=light]").waitFor();
      await page.keyboard.press("Control+k");
      await field.fill("leaderb");
      await page.getByRole("option", { name: /Leaderboard/ }).click();
      await page.waitForURL("**/leaderboard");
      await page.keyboard.press("Control+k");
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
    }),
  );

  it("never takes a text for markup, in any field of any view", async () => {
    const { page, problems } = await openPage(browser, [api.url]);
    const inMarkup = "img[src='x'], [onerror], a[href^='javascript'], body script:not([src])";
    const ref = encodeURIComponent(HOSTILE_REF);
    // Each view with the least number of places in which the text must be seen as text.
    const views: [path: string, seen: number][] = [
      ["/?q=onerror", 2],
      [`/?q=${encodeURIComponent(HOSTILE)}`, 4],
      [`/agent/${HOSTILE_ID}`, 30],
      [`/terminal/${ref}?platform=virtuals`, 5],
      [`/terminal/${TWIN_ID}?platform=erc8004`, 5],
      [`/compare?ids=0,${HOSTILE_ID}`, 2],
      ["/discover?q=onerror", 3],
      ["/leaderboard", 1],
      ["/status", 1],
      [`/agent/${encodeURIComponent(HOSTILE)}`, 0],
      [`/mint?ref=${encodeURIComponent(HOSTILE)}`, 0],
      [`/${encodeURIComponent(HOSTILE)}`, 0],
    ];
    await page.addInitScript(
      ([text]) => {
        localStorage.setItem("terminal.presets", JSON.stringify([`q=a ${text}`]));
        localStorage.setItem("terminal.watched", JSON.stringify([text, `/terminal/${text}?platform=virtuals`]));
      },
      [HOSTILE],
    );
    for (const [path, seen] of views) {
      await page.goto(path);
      await page.locator("h1, h2").first().waitFor();
      await loaded(page);
      const places = async () => (await page.locator("#root").textContent())!.split(HOSTILE).length - 1;
      await expect.poll(places, { message: path }).toBeGreaterThanOrEqual(seen);
      expect([path, await page.locator(inMarkup).count()]).toEqual([path, 0]);
    }
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  deepIt("says where a stranger's link leads before anybody goes there", () =>
    on(`/terminal/${TWIN_ID}?platform=erc8004`, async (page) => {
      const link = page.getByRole("link", { name: "https://tools.example/mcp" });
      expect(await link.getAttribute("rel")).toBe("nofollow noopener noreferrer ugc");
      await link.click();
      const dialog = page.getByRole("dialog", { name: "This leads elsewhere" });
      await dialog.getByText("https://tools.example/mcp?a=1&b=%22").waitFor();
      expect(await dialog.getByRole("link", { name: /^Open/ }).getAttribute("rel")).toContain("ugc");
      await dialog.getByRole("button", { name: "Stay here" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(new URL(page.url()).origin).toBe(api.url);
    }),
  );

  deepIt("says over every view when the index is not to be trusted", () =>
    on("/agent/0", async (page) => {
      await page.locator("h1").waitFor();
      const state = (stale: boolean) =>
        api.pool.query("update onchain.index_state set stale = $1, reason = $2", [stale, stale ? HOSTILE : null]);
      const banner = page.getByText("The index is being rebuilt.");
      try {
        await state(true);
        await banner.waitFor();
      } finally {
        await state(false);
      }
      await banner.waitFor({ state: "detached" });
    }),
  );

  deepIt("tells of people and of what agents write to each other, as text", () =>
    on("/people", async (page) => {
      await page.getByRole("link", { name: "Meridian" }).waitFor();
      expect((await page.locator(".person").textContent())!.split(HOSTILE).length - 1).toBeGreaterThanOrEqual(5);
      // About whom nothing is proven is no junk.
      const score = Number(await page.locator(".person .cred b").textContent());
      expect(await page.locator(".person .cred-tier").textContent()).toBe(tierWords(score, "person").label);
      expect(tierWords(0, "person").label).toBe("Unproven");
      await page.getByRole("button", { name: "Organizations" }).click();
      await page.getByRole("heading", { name: "No organization has registered yet" }).waitFor();
      await page.goto("/groups/general");
      await page.locator(".message-text", { hasText: HOSTILE }).waitFor();
      await page.getByText("Open to all").waitFor();
      await page.getByRole("link", { name: /governance/ }).click();
      await page.getByRole("heading", { name: "Members only" }).waitFor();
    }),
  );

  deepIt("says who is not there, with the request's id where something failed", () =>
    on("/agent/4711", async (page) => {
      await page.getByRole("heading", { name: "No agent has this id" }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "directory" }).waitFor();
      await page.goto("/terminal/nobody-at-all");
      await page.getByText(/^Request [\w-]{8,}/).waitFor();
      // Each has a heading of its own, and what will not change cannot be tried again.
      for (const path of [
        "/agent/4711",
        "/agent/no-such-ref",
        "/terminal/nobody-at-all",
        "/no/such/page",
        "/docs/none",
      ]) {
        await page.goto(path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect([path, await page.getByRole("heading", { level: 1 }).count()]).toEqual([path, 1]);
        expect([path, await page.getByRole("button", { name: "Try again" }).count()]).toEqual([path, 0]);
      }
    }),
  );

  deepIt("compares those in the address", () =>
    on("/compare?ids=0,1", async (page) => {
      await page.getByRole("columnheader", { name: /Meridian/ }).waitFor();
      const field = page.getByRole("searchbox", { name: /to add/ });
      await field.fill("3");
      await page.locator(".compare-found button").first().waitFor();
      await field.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("ids") === "0,1,3");
      // Of another registry, by a part of its name: what only own agents have is said to be so.
      await field.fill("foreign 009");
      await page
        .locator(".compare-found")
        .getByRole("button", { name: /Foreign 009/ })
        .click();
      await page.waitForURL((url) => url.searchParams.get("ids") === "0,1,3,virtuals:1009");
      await page.getByRole("columnheader", { name: /Foreign 009/ }).waitFor();
      expect(await field.count()).toBe(0);
      const rowOf = (name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) }).getByRole("cell");
      await expect.poll(() => rowOf("Registry").allTextContents()).toEqual(["Helixa", "Helixa", "Helixa", "Virtuals"]);
      await expect.poll(async () => (await rowOf("Framework").allTextContents())[3]).toContain("other registries");
      await page.getByRole("button", { name: /^Take Meridian out/ }).click();
      await page.waitForURL((url) => url.searchParams.get("ids") === "1,3,virtuals:1009");
      await page.goto("/compare?ids=0,nobody,erc8004:,virtuals:no%252Csuch");
      await page.getByText("virtuals:no,such is not known").waitFor();
      expect(await page.getByRole("columnheader").count()).toBe(2);
    }),
  );

  deepIt("chooses whom to compare in Discover, of any registry", () =>
    on("/discover?q=translates", async (page) => {
      await page.locator(".hit").nth(1).waitFor();
      for (const hit of [0, 1])
        await page
          .locator(".hit")
          .nth(hit)
          .getByRole("button", { name: /^Compare/ })
          .click();
      await page.getByText("2 chosen").waitFor();
      await page.getByRole("main").getByRole("link", { name: "Compare" }).click();
      await page.waitForURL("**/compare?ids=**");
      await expect.poll(() => page.getByRole("columnheader").count()).toBe(2);
    }),
  );

  deepIt("tells the exact call behind a view", () =>
    on("/?filter=new&sort=name&dir=asc", async (page) => {
      await page.getByRole("button", { name: "API", exact: true }).click();
      const curl = await page.getByRole("dialog").locator("pre").textContent();
      const url = /curl '([^']+)'/.exec(curl!)![1]!;
      expect(url).toBe(`${api.url}/api/terminal/agents?limit=100&filter=new&sort=name&dir=ASC`);
      expect((await fetch(url)).status).toBe(200);
    }),
  );

  it("registers the browser's wallet, free of charge, and follows it to its page", async () => {
    // Prices that are only shown are read every two seconds.
    await until("registration is shown as free", async () => {
      const { agentMint } = (await (await fetch(`${api.url}/api/v2/pricing`)).json()) as { agentMint: string };
      return Number(agentMint) === 0;
    });
    const payer = await world.payer(0n);
    const { page, problems } = await openPage(browser, [api.url]);
    const wallet = await giveWallet(page, payer, world.evm);
    await page.goto("/mint");
    await page.getByText("Registration is free now.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("From a browser");
    await page.getByRole("main").getByRole("button", { name: "Connect wallet · Test wallet" }).click();
    const submit = page.getByRole("button", { name: "Sign and register" });
    await declined(wallet, submit);
    await submit.click();
    // The chain is new, and the index has an agent with its first number already.
    await page.getByRole("heading", { name: "Meridian is agent #0" }).waitFor();
    expect(wallet.asked).not.toContain("eth_signTypedData_v4");
    const { rows } = await api.pool.query("select name from offchain.mint where lower(wallet) = lower($1)", [
      payer.address,
    ]);
    expect(rows).toEqual([{ name: "From a browser" }]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  // Pages are judged on the whole stack: this is what opens over them, and what strangers wrote.
  deepIt("has no finding of axe in either theme, with lists and the palette over it", () =>
    on(`/agent/${HOSTILE_ID}`, async (page) => {
      await loaded(page);
      expect(await findingsOf(page)).toEqual([]);
      await suggest(page, "translates");
      expect(await findingsOf(page)).toEqual([]);
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
      expect(await findingsOf(page)).toEqual([]);
    }),
  );
});
