/** `npm run bench -- web [--quick] [--page NAME,…]`: LCP, CLS, INP and bytes of every page of the terminal as Chromium itself reports them, on a seeded local stack. */
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../harness/browser.ts";
import { median } from "../harness/figures.ts";
import { valueAfter } from "../harness/options.ts";
import { showPage } from "../harness/show-page.ts";
import { type Stack, withSeededStack } from "../harness/stack.ts";
import { TERMINAL_PAGES, type TerminalPage } from "../harness/terminal-pages.ts";
import { contextOf, DEVICES, type Device, type Metrics, type VisitMetrics, visit } from "./web/measure.ts";

const medians = (runs: readonly Metrics[]): Metrics =>
  Object.fromEntries(
    (["lcp", "cls", "inp", "script", "style", "font", "data", "requests"] as const).map((key) => [
      key,
      median(runs.map((run) => run[key])),
    ]),
  ) as Metrics;

const kb = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
const COLUMNS: readonly (readonly [head: string, cell: (found: Metrics) => string])[] = [
  ["LCP", ({ lcp }) => `${lcp.toFixed(0)} ms`],
  ["CLS", ({ cls }) => cls.toFixed(3)],
  ["INP", ({ inp }) => (inp === 0 ? "< 16 ms" : `${inp.toFixed(0)} ms`)],
  ["script", ({ script }) => kb(script)],
  ["style", ({ style }) => kb(style)],
  ["fonts", ({ font }) => kb(font)],
  ["data", ({ data }) => kb(data)],
  ["requests", ({ requests }) => String(requests)],
];

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const HEADS = ["page", "device", "visit", ...COLUMNS.map(([head]) => head)];
const HEAD = `${line(HEADS)}\n|${HEADS.map(() => "---").join("|")}|`;
const rowOf = (names: readonly string[], found: Metrics): string =>
  line([...names, ...COLUMNS.map(([, cell]) => cell(found))]);

const RUNS = 3;
/** A page is good below these, as web.dev has it, its layout moves half as much, and its scripts are small: compressed bytes, `script` of the directory and `anyScript` of every page. */
export const GOALS = { lcp: 2_500, cls: 0.05, inp: 200, script: 120 * 1024, anyScript: 200 * 1024 };

type At = "cold" | "warm";

/** First visits, and unless it is to be quick visits with the files in the browser's cache, of one page on one device. */
async function visitsTo(browser: Browser, stack: Stack, shown: TerminalPage, device: Device, quick: boolean) {
  const open = (page: Page) => showPage(page, stack, shown);
  const ways: readonly At[] = quick ? ["cold"] : ["cold", "warm"];
  const found: Partial<Record<At, VisitMetrics[]>> = {};
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

/** @returns the goals that a row misses */
const missedBy = (name: string, device: Device, at: string, found: Metrics): string[] => [
  ...(["lcp", "cls", "inp"] as const)
    .filter((key) => found[key] > GOALS[key])
    .map((key) => `${name} ${device.name} ${at} ${key}`),
  ...(name === "directory" && at === "cold" && found.script > GOALS.script ? ["directory script"] : []),
];

/** @param args `--quick`: one first visit of each page; `--page NAME,…`: those pages alone */
export default async function web(args: string[]): Promise<void> {
  const quick = args.includes("--quick");
  const named = valueAfter(args, "--page")?.split(",");
  const pages = TERMINAL_PAGES.filter(({ name }) => named?.includes(name) ?? true);
  const browser = await startBrowser();
  try {
    await withSeededStack(async (stack) => {
      console.log(HEAD);
      const missed: string[] = [];
      for (const shown of pages)
        for (const device of DEVICES)
          for (const [at, runs] of Object.entries(await visitsTo(browser, stack, shown, device, quick))) {
            const found = medians(runs);
            console.log(rowOf([shown.name, device.name, at], found));
            if (found.cls > GOALS.cls) console.error(`shifted on ${shown.name}: ${runs[0]!.shifted.join("; ")}`);
            missed.push(...missedBy(shown.name, device, at, found));
          }
      console.log(
        `Goals (LCP ≤ 2,500 ms, CLS ≤ 0.05, INP ≤ 200 ms, script ≤ 120 KB on the directory): ${missed.length === 0 ? "met" : `not met: ${missed.join(", ")}`}`,
      );
    });
  } finally {
    await browser.close();
  }
}
