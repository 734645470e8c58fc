/** Pure parts of the web terminal: what people type, and the view that an address names. */
import { describe, expect, it } from "vitest";
import { readView, underFilter, writeView } from "../../web/src/directory/view.ts";
import { placesFrom, placesText } from "../../web/src/parts/written.ts";
import { usdcIn } from "../../web/src/usdc.ts";

describe("places as people type them", () => {
  it.each<[text: string, places: Record<string, string>]>([
    ["github: ada\n\n x : @ada ", { github: "ada", x: "@ada" }],
    ["https://github.com/ada", { "github.com": "https://github.com/ada" }],
    ["https://www.example.org:8443/a:b", { "example.org": "https://www.example.org:8443/a:b" }],
    ["site: https://example.org", { site: "https://example.org" }],
    ["ada.example\n@ada\nada", { web: "ada.example", "web 2": "@ada", "web 3": "ada" }],
    [
      "https://github.com/ada\nhttps://github.com/bob",
      { "github.com": "https://github.com/ada", "github.com 2": "https://github.com/bob" },
    ],
    ["https://", { https: "//" }],
    ["constructor: x", { constructor: "x" }],
  ])("%j", (text, places) => {
    const read = placesFrom(text);
    expect(read).toEqual(places);
    expect(placesFrom(placesText(read))).toEqual(read);
  });
});

it("USDC is written exact to the unit, with the separators of the browser's language", () => {
  const large = 9_007_199_254_740_993_000_001n;
  expect(["1", 50_000n, "2500000", large].map((amount) => usdcIn(["en-US"], amount))).toEqual([
    ...["0.000001", "0.05", "2.50", "9,007,199,254,740,993.000001"],
  ]);
  expect(usdcIn(["de-DE"], "1000500000")).toBe("1.000,50");
});

describe("the directory's view", () => {
  const narrowed = readView(new URLSearchParams("platform=virtuals&minScore=30&page=3"));
  it("has no facets among the watched agents, neither by its tab nor by an address", () => {
    expect(String(writeView(underFilter(narrowed, "watched")))).toBe("filter=watched");
    expect(String(writeView(underFilter(narrowed, "new")))).toBe("filter=new&platform=virtuals&minScore=30");
    expect(String(writeView(readView(new URLSearchParams("filter=watched&platform=virtuals"))))).toBe("filter=watched");
  });
});
