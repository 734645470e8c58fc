/** The judge of pages finds what is wrong with one, however often it is asked. */
import { expect, it } from "vitest";
import { ALL_RULES, brokenRules, CONTRAST } from "./axe.ts";
import { inBrowser } from "./in-browser.ts";

inBrowser("axe", (browser) => {
  it("names the rule, the element and why", async () => {
    const page = await browser.newPage();
    await page.setContent(
      '<html lang="en"><title>A page</title><main><h1>Plain</h1><p id="pale">Text</p></main></html>',
    );
    expect(await brokenRules(page, ALL_RULES)).toEqual([]);
    await page.evaluate("document.getElementById('pale').style.color = '#ccc'");
    await page.evaluate("document.querySelector('main').append(new Image())");
    const broken = [
      expect.stringMatching(/^color-contrast: <p id="pale".*contrast of 1\.6/),
      expect.stringMatching(/^image-alt: <img>/),
    ];
    expect(await brokenRules(page, ALL_RULES)).toEqual(broken);
    expect(await brokenRules(page, CONTRAST)).toEqual(broken.slice(0, 1));
    await page.close();
  });
});
