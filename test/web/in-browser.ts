/** Tests that share one browser. Without Chromium they cannot run: a person's machine leaves them out, CI must not. */
import type { Browser } from "playwright-core";
import { describe } from "vitest";
import { perFile } from "../support/started.ts";
import { CHROMIUM, startBrowser } from "./browser.ts";

/**
 * @param tests get what stands for the browser; it is there when they run
 * @param args more of Chromium's switches
 */
export const inBrowser = (name: string, tests: (browser: Browser) => void, args: string[] = []) =>
  describe.runIf(CHROMIUM !== undefined || process.env.CI)(name, () => tests(perFile(() => startBrowser(args))));
