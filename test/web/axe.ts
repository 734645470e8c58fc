/** Pages judged by axe-core, which is put into each of them once: that costs as much as judging a small page. No page has frames. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** WCAG 2.2 AA, or one rule. */
export const ALL_RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** What differs between the themes. */
export const CONTRAST = { type: "rule", values: ["color-contrast"] };

type Violation = { id: string; html: string; message: string };

/** @returns for each rule that is broken, its first element and why, in a line */
export async function brokenRules(page: Page, runOnly: typeof ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // Of what passes nobody wants to know every element, and of what fails not its selector.
  const options = { runOnly, resultTypes: ["violations"], preload: false, iframes: false, selectors: false };
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes: [one] }) =>
      ({ id, html: one?.html ?? "", message: one?.any[0]?.message ?? "" })))`,
  );
  return violations.map(({ id, html, message }) => `${id}: ${html.slice(0, 160)} ${message}`);
}
