/** `npm run bench -- web [--page NAME,…] [--short]`: LCP, CLS, INP and bytes of a first visit to every page of the terminal as Chromium itself reports them, on a seeded local stack. */
import { startBrowser } from "../harness/browser.ts";
import { goal, printTable } from "../harness/figures.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import { showPage } from "../harness/show-page.ts";
import { withSeededStack } from "../harness/stack.ts";
import { TERMINAL_PAGES } from "../harness/terminal-pages.ts";
import { contextOf, DEVICES, visit } from "./web/measure.ts";

const KB = 1024;
/** A page is good below these, as web.dev has it, its layout moves half as much, and its scripts are small: compressed bytes. */
export const GOALS = { lcp: 2_500, cls: 0.05, inp: 200, script: 120 * KB };

/** @param args `--page NAME,…`: those pages alone; `--short`: the directory alone */
export default async function web(args: string[]): Promise<void> {
  const { short, page } = commandLine({}, { page: { type: "string" }, ...WITH_SHORT }, args).others;
  const named = (page ?? (short ? "directory" : undefined))?.split(",");
  const pages = TERMINAL_PAGES.filter(({ name }) => named?.includes(name) ?? true);
  const browser = await startBrowser();
  try {
    await withSeededStack(async (stack) => {
      const bytes = ["script KB", "style KB", "fonts KB", "data KB"];
      const row = printTable("page", ["LCP ms", ["CLS", 3], "INP ms", ...bytes, "requests"]);
      const missed: string[] = [];
      for (const shown of pages)
        for (const device of DEVICES) {
          const context = await browser.newContext(contextOf(device));
          const found = await visit(context, device, (page) => showPage(page, stack, shown));
          await context.close();
          const { lcp, cls, inp, script, style, font, data, requests, shifted } = found;
          const name = `${shown.name}, ${device.name}`;
          row(name, lcp, cls, inp, script / KB, style / KB, font / KB, data / KB, requests);
          if (cls > GOALS.cls) console.error(`shifted on ${name}: ${shifted.join("; ")}`);
          for (const key of ["lcp", "cls", "inp", "script"] as const)
            if (found[key] > GOALS[key]) missed.push(`${name}: ${key}`);
        }
      const what = "LCP ≤ 2,500 ms, CLS ≤ 0.05, INP ≤ 200 ms, script ≤ 120 KB";
      console.log(goal(what, missed.join(", ") || "on each page", missed.length === 0));
    });
  } finally {
    await browser.close();
  }
}
