/** What the tests of the terminal's flows share: the built pages before a real API and a real chain, wallets in them, both widths, and the judgement of axe. */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import type { Address, AgentFacts } from "../../core/agents/facts.ts";
import { type BrowserWallet, connectByChip, giveWallet, NO_WALLET } from "../../harness/browser-wallet.ts";
import { buildWeb, webIsStale } from "../../web/build.ts";
import { plantFollowed } from "../api/support/agents.ts";
import { HOST } from "../api/support/api.ts";
import { type Paying, startPaying } from "../payments/support/paying.ts";
import { randomAgents } from "../support/agents.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { shareOf } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { ALL_RULES, brokenRules, CONTRAST } from "./axe.ts";
import { CHROMIUM, openPage, startBrowser } from "./browser.ts";

export { connectByChip };

/** A desk and a phone, in CSS pixels. */
export const WIDTHS = [1360, 390] as const;
export type Width = (typeof WIDTHS)[number];

/** The widths of a file's flows, asked once for each of them: in turn one of the two, and both in `npm run trial -- fuzz`. A turn of its own for each file: a flow has the same width whatever ran before. */
export function widthsInTurn(): () => readonly Width[] {
  let turn = 0;
  return () => (shareOf(WIDTHS.length) === WIDTHS.length ? WIDTHS : [WIDTHS[turn++ % WIDTHS.length]!]);
}

/** A folder for a picture of every page as its visit leaves it, to be looked at. */
const { SHOTS } = process.env;
let shots = 0;

export type Terminal = {
  world: Paying;
  api: Awaited<ReturnType<Paying["api"]>>;
  browser: Browser;
  /** Opens a page; ends with an error when a script failed, a policy was broken, or it was wider than the screen. */
  visit(path: string, options: VisitOptions, act: (visit: Visit) => Promise<void>): Promise<void>;
  /** The same, with the wallet connected by the chip. */
  connected: Terminal["visit"];
  stop(): Promise<void>;
};
type VisitOptions = {
  width?: Width;
  /** The account of the wallet in the page; without one the page has no wallet. */
  payer?: Awaited<ReturnType<Paying["payer"]>>;
  browser?: BrowserContextOptions;
  /** Other origins that the page may call and go to. */
  elsewhere?: readonly string[];
};
type Visit = { page: Page; wallet: BrowserWallet };

/** @param env of the API, beside its host */
export async function startTerminal({
  env = {},
  ...options
}: NonNullable<Parameters<Paying["api"]>[0]> = {}): Promise<Terminal> {
  const starting = startBrowser();
  if (webIsStale()) await buildWeb();
  const world = await startPaying();
  const api = await world.api({ ...options, env: { SERVICE_HOST: HOST, ...env } });
  // In place of the worker that brings rows of the directory up to date: writes wait for it.
  await api.pool.query(`
    create function offchain.follow_at_once() returns trigger language plpgsql as
      $$ begin new.digest := '1000000000'; return new; end $$;
    create trigger follow_at_once before insert or update on offchain.directory_item
      for each row execute function offchain.follow_at_once()`);
  const browser: Browser = await starting;
  const terminal: Terminal = {
    world,
    api,
    browser,
    async visit(path, { width = 1360, payer, browser: more = {}, elsewhere = [] }, act) {
      const { page, problems } = await openPage(browser, [api.url, ...elsewhere], {
        viewport: { width, height: width === 390 ? 844 : 900 },
        ...(width === 390 && { hasTouch: true }),
        ...more,
      });
      try {
        const wallet = payer ? await giveWallet(page, payer, world.evm, 8453) : NO_WALLET();
        await page.goto(path);
        await act({ page, wallet });
        expect(problems).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth"), "nothing is wider than the screen").toBe(
          width,
        );
      } finally {
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/${++shots}-${width}.png`, fullPage: true });
        // A request that a test answers may be under way: the page asks again by itself.
        await page.unrouteAll({ behavior: "ignoreErrors" });
        await page.context().close();
      }
    },
    connected: (path, options, act) =>
      terminal.visit(path, options, async (visit) => {
        await connectByChip(visit.page);
        await act(visit);
      }),
    async stop() {
      await browser.close();
      await api.close();
      await world.stop();
    },
  };
  return terminal;
}

/**
 * Tests that share one terminal. Without Chromium they cannot run: a person's machine leaves them out, CI must not.
 * @param tests get what stands for it; it is there when they run
 */
export const inTerminal = (name: string, tests: (terminal: Terminal) => void) =>
  describe.runIf(CHROMIUM !== undefined || process.env.CI)(name, () => tests(perFile(() => startTerminal())));

/**
 * Plants an agent without proofs and without words, whose wallet and owner is `wallet` unless the facts say otherwise.
 * @param facts what differs
 */
export async function plantAgent(
  { api }: Pick<Terminal, "api">,
  tokenId: number,
  wallet: string,
  facts: Partial<AgentFacts> = {},
): Promise<void> {
  const [agent] = randomAgents(1, new Date(), tokenId);
  const address = wallet.toLowerCase() as Address;
  Object.assign(agent!.facts, {
    ...{ tokenId, name: `Agent ${tokenId}`, owner: address, agentAddress: address, verified: false },
    ...{
      proofs: [],
      traits: [],
      profile: [],
      onchainNarrative: null,
      onchainPersonality: null,
      exchange: null,
      referralCode: `agent-${tokenId}`,
    },
    ...facts,
  });
  await plantAgents(api.pool, [{ ...agent!, onchainTraits: 0, attestation: null, otherAttestation: null }]);
  await plantFollowed(api.pool, { tokenId, block: 1_000_000_000 });
}

/** Presses a button whose request the wallet's owner declines, which the page says. */
export async function declined(wallet: BrowserWallet, button: Locator, method = "personal_sign"): Promise<void> {
  wallet.declines.add(method);
  await button.click();
  await button.page().getByText("You declined in the wallet. Nothing was sent.").waitFor();
}

/** What axe finds on the page as it is shown now, in both themes (WCAG 2.2 AA). */
export async function findingsOf(page: Page): Promise<string[]> {
  const screen = page.viewportSize()!;
  for (let tries = 1; ; tries++) {
    // The whole page in one screen: what a bar at its end covers can be scrolled, which axe does not know.
    await page.setViewportSize({ ...screen, height: (await heightOf(page)) + 200 });
    // The foot begins below that screen: a page that was scrolled would hide its beginning under the bar.
    await page.evaluate("scrollTo(0, 0)");
    // Some of a page grows with its screen.
    const height = await heightOf(page);
    const found = await findingsOfScreen(page);
    const grown = (await heightOf(page)) > height;
    await page.setViewportSize(screen);
    // What was still loading has made the page longer than that screen.
    if (!grown || tries === 5) return found;
  }
}

const heightOf = (page: Page) => page.evaluate<number>("document.body.scrollHeight");

async function findingsOfScreen(page: Page): Promise<string[]> {
  const before = await page.evaluate("document.documentElement.dataset.theme ?? ''");
  const show = (theme: string) => page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
  await show("light");
  const light = await brokenRules(page, ALL_RULES);
  await show("dark");
  const dark = await brokenRules(page, CONTRAST);
  await page.evaluate(
    before ? `document.documentElement.dataset.theme = '${before}'` : "delete document.documentElement.dataset.theme",
  );
  return [...light.map((one) => `light ${one}`), ...dark.map((one) => `dark ${one}`)];
}
