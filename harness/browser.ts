/** Chromium for pages of the web terminal: Debian's, never downloaded. */
import { type Browser, chromium } from "playwright-core";
import { PROGRAMS } from "./programs.ts";

/** @param args more of Chromium's switches */
export function startBrowser(args: string[] = []): Promise<Browser> {
  const { path } = PROGRAMS.chromium;
  if (!path)
    throw new Error(
      "No page can be tested: Chromium is missing. Install it with: apt-get install chromium-headless-shell",
    );
  return chromium.launch({ executablePath: path, args: ["--no-sandbox", "--disable-dev-shm-usage", ...args] });
}
