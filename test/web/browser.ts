/** Pages of the web terminal's tests, which tell what went wrong in them. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { LONG } from "../../harness/patience.ts";
import { PROGRAMS } from "../../harness/programs.ts";

/** The browser's path; undefined when it is not installed. */
export const CHROMIUM = PROGRAMS.chromium.path;

export { startBrowser } from "../../harness/browser.ts";

export type Watched = { page: Page; problems: string[] };

/**
 * A page on which every script error, every breach of the policy and every request to elsewhere is noted.
 * @param origins of the service, and those that the page may also call and go to
 */
export async function openPage(
  browser: Browser,
  origins: readonly [own: string, ...others: string[]],
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: origins[0],
    viewport: { width: 1280, height: 860 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(LONG);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // A 404 that a test asks for is told by the console too.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!origins.some((origin) => request.url().startsWith(origin))) problems.push(`request to ${request.url()}`);
  });
  return { page, problems };
}
