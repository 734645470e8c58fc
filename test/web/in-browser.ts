/** Tests that share one browser. Without Chromium they cannot run: a person's machine leaves them out, CI must not. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { CHROMIUM, startBrowser } from "./browser.ts";

/**
 * @param tests get the browser by a call, when they run
 * @param args more of Chromium's switches
 */
export const inBrowser = (name: string, tests: (browserOf: () => Browser) => void, args: string[] = []) =>
  describe.runIf(CHROMIUM !== undefined || process.env.CI)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser(args);
    });
    afterAll(() => browser?.close());
    tests(() => browser);
  });
