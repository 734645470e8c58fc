/** Every page of the terminal in the world that `npm start` seeds: its figures, without shifts of its layout, judged by axe, and all of it by the keyboard alone. */
import { expect, it } from "vitest";
import { contextOf, DEVICES, visit } from "../../bench/web/measure.ts";
import { GOALS } from "../../bench/web.ts";
import { showPage } from "../../harness/show-page.ts";
import type { Stack } from "../../harness/stack.ts";
import { TERMINAL_PAGES } from "../../harness/terminal-pages.ts";
import { shareOf } from "../support/share.ts";
import { findingsOf } from "./flows.ts";
import { inBrowser } from "./in-browser.ts";
import { walkByKeyboard, workByKeyboard } from "./keyboard.ts";

/** The walk by keyboard waits for frames: they come as soon as they are drawn, not at 60 Hz. */
const SWITCHES = ["--renderer-process-limit=2", "--disable-frame-rate-limit", "--disable-gpu-vsync"];

/** @param stackOf the running stack; called when the tests run */
export const pagesOfTheTerminal = (stackOf: () => Stack) =>
  inBrowser(
    "every page of the terminal",
    (browser) => {
      const both = TERMINAL_PAGES.flatMap((shown) => DEVICES.map((device) => ({ shown, device })));
      // The first page has all of the bar. Of the others each is visited at one width, and at both in `npm run trial -- fuzz`.
      const all = shareOf(both.length) === both.length;
      const cases = both.filter((_, i) => all || i < 2 || (i >> 1) % 2 === i % 2);
      it.each(cases.map(({ shown, device }) => [shown.name, device.name, shown, device] as const))(
        "%s has its figures, keeps still while it loads, passes axe, and is worked by the keyboard alone (%s)",
        async (name, _, shown, device) => {
          const context = await browser.newContext({ ...contextOf(device), reducedMotion: "reduce" });
          try {
            const wrong: string[] = [];
            const { lcp, cls, script, requests, shifted } = await visit(
              context,
              { ...device, cpuSlower: 1 },
              (page) => showPage(page, stackOf(), shown),
              async (page) => {
                wrong.push(...(await findingsOf(page)), ...(await walkByKeyboard(page)));
                // The bar is the same on every page.
                const part = page.locator(shown.part ?? (name === "directory" ? "body" : "main"));
                wrong.push(...(await workByKeyboard(page, part)));
              },
            );
            expect(wrong).toEqual([]);
            expect(cls, shifted.join("\n")).toBeLessThanOrEqual(GOALS.cls);
            expect(script).toBeLessThanOrEqual(GOALS.script);
            for (const figure of [lcp, script, requests]) expect(figure).toBeGreaterThan(0);
          } finally {
            await context.close();
          }
        },
      );
    },
    SWITCHES,
  );
