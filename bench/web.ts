/** `npm run bench -- web [--quick] [--page NAME,…] [--before REVISION]`: LCP, CLS, INP and bytes of every page of the terminal as Chromium itself reports them, on a seeded local stack. */
import type { Browser, Page } from "playwright-core";
import { showPage } from "../harness/show-page.ts";
import { type Stack, startStack } from "../harness/stack.ts";
import { pathOf, TERMINAL_PAGES, type TerminalPage } from "../harness/terminal-pages.ts";
import { until } from "../harness/until.ts";
import { startBrowser } from "../test/web/browser.ts";
import { valueAfter } from "./synthetic/kept.ts";
import { startEarlier } from "./web/earlier.ts";
import { contextOf, DEVICES, type Device, type Metrics, type Visited, visit } from "./web/measure.ts";
import { headOf, medians, rowOf } from "./web/table.ts";

const RUNS = 3;
/** Max milliseconds that an earlier version's page is waited for: it may have other words, or not exist. */
const EARLIER_MS = 15_000;
/** A page is good below these, as web.dev has it, its layout moves half as much, and its scripts are small: compressed bytes, `script` of the directory and `anyScript` of every page. */
export const GOALS = { lcp: 2_500, cls: 0.05, inp: 200, script: 120 * 1024, anyScript: 200 * 1024 };

type At = "cold" | "warm";
/** The visits to each page in each way, by `<page> <device> <visit>`. */
type Found = Map<string, Visited[]>;

/** First visits, and unless it is to be quick visits with the files in the browser's cache, of one page on one device. */
async function visitsTo(
  browser: Browser,
  stack: Stack,
  shown: TerminalPage,
  device: Device,
  { quick, timeoutMs = 60_000 }: { quick: boolean; timeoutMs?: number },
): Promise<Partial<Record<At, Visited[]>>> {
  const open = (page: Page) => {
    page.setDefaultTimeout(timeoutMs);
    return showPage(page, stack, shown);
  };
  const ways: readonly At[] = quick ? ["cold"] : ["cold", "warm"];
  const found: Partial<Record<At, Visited[]>> = {};
  for (let run = 0; run < (quick ? 1 : RUNS); run++) {
    const context = await browser.newContext(contextOf(device));
    try {
      for (const at of ways) found[at] = [...(found[at] ?? []), await visit(context, device, open)];
    } finally {
      await context.close();
    }
  }
  return found;
}

/** Measures the pages that an earlier version has; one that does not show what is waited for is none of them. */
async function measureEarlier(revision: string, pages: readonly TerminalPage[], browser: Browser, quick: boolean) {
  const found: Found = new Map();
  const stack = await startEarlier(revision);
  try {
    await until("everything is printed", () => stack.output().includes("Ctrl-C ends everything"));
    for (const shown of pages) {
      if (!(await hasPage(browser, stack, shown))) continue;
      for (const device of DEVICES) {
        try {
          const visits = await visitsTo(browser, stack, shown, device, { quick, timeoutMs: EARLIER_MS });
          for (const [at, runs] of Object.entries(visits)) found.set([shown.name, device.name, at].join(" "), runs);
        } catch (error) {
          console.error(`before, ${shown.name} on ${device.name}: ${(error as Error).message.split("\n")[0]}`);
          break;
        }
      }
    }
  } finally {
    await stack.remove();
  }
  return found;
}

/** Whether the server of a version has the page. A browser requests it: programs are answered in JSON. */
async function hasPage(browser: Browser, { devnet }: Stack, shown: TerminalPage): Promise<boolean> {
  const page = await browser.newPage();
  try {
    const response = await page.goto(devnet.apiUrl + (await pathOf(shown, devnet.apiUrl)));
    return response?.ok() ?? false;
  } catch {
    return false;
  } finally {
    await page.close();
  }
}

/** @returns the goals that a row misses */
const missedBy = (name: string, device: Device, at: string, found: Metrics): string[] => [
  ...(["lcp", "cls", "inp"] as const)
    .filter((key) => found[key] > GOALS[key])
    .map((key) => `${name} ${device.name} ${at} ${key}`),
  ...(name === "directory" && at === "cold" && found.script > GOALS.script ? ["directory script"] : []),
];

/** @param args `--quick`: one first visit of each page; `--page NAME,…`: those pages alone; `--before REVISION`: beside the version of that revision, of which git makes a copy */
export default async function web(args: string[]): Promise<void> {
  const quick = args.includes("--quick");
  const named = valueAfter(args, "--page")?.split(",");
  const revision = valueAfter(args, "--before");
  const pages = TERMINAL_PAGES.filter(({ name }) => named?.includes(name) ?? true);
  const browser = await startBrowser();
  try {
    const before = revision === undefined ? undefined : await measureEarlier(revision, pages, browser, quick);
    const stack = await startStack({ args: [], env: { PRICING_PHASE: "" } });
    try {
      await until("everything is printed", () => stack.output().includes("Ctrl-C ends everything"));
      console.log(headOf(before !== undefined));
      const missed: string[] = [];
      for (const shown of pages)
        for (const device of DEVICES) {
          const visits = await visitsTo(browser, stack, shown, device, { quick });
          for (const [at, runs] of Object.entries(visits)) {
            const found = medians(runs);
            const names = [shown.name, device.name, at];
            const earlier = before?.get(names.join(" "));
            console.log(rowOf(names, found, before && (earlier ? medians(earlier) : null)));
            if (found.cls > GOALS.cls) console.error(`shifted on ${shown.name}: ${runs[0]!.shifted.join("; ")}`);
            missed.push(...missedBy(shown.name, device, at, found));
          }
        }
      console.log(
        `Goals (LCP ≤ 2,500 ms, CLS ≤ 0.05, INP ≤ 200 ms, script ≤ 120 KB on the directory): ${missed.length === 0 ? "met" : `not met: ${missed.join(", ")}`}`,
      );
    } finally {
      await stack.remove();
    }
  } finally {
    await browser.close();
  }
}
