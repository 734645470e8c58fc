/** The SVG badge: what it says, that it is well-formed whatever the label, and that it can be read. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { credBadge } from "../../core/agents/badge.ts";
import { TIERS } from "../../core/cred/tiers.ts";
import { forAll } from "../support/for-all.ts";

describe("credBadge", () => {
  it("says the score and its tier, to readers and to screen readers", () => {
    const svg = credBadge({ score: 83 });
    expect(svg).toContain("<title>cred: 83 Prime</title>");
    expect(svg).toContain('role="img" aria-label="cred: 83 Prime"');
    expect(svg).toContain(">83 Prime</text>");
    expect(credBadge({ score: 0 })).toContain("cred: 0 Junk");
    expect(credBadge({ score: null })).toContain("cred: unknown");
  });

  it("is as wide as its words", () => {
    const width = (svg: string) => Number(/^<svg[^>]* width="(\d+)"/.exec(svg)![1]);
    expect(width(credBadge({ score: 83 }))).toBeGreaterThan(80);
    expect(width(credBadge({ score: 83, label: "cred of Meridian" }))).toBeGreaterThan(width(credBadge({ score: 83 })));
  });

  it("is well-formed and refers to nothing, whatever the label", () =>
    forAll(
      [
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 100 }),
          fc.constantFrom("</text><script>alert(1)</script>", `"'><svg onload=x>`, "]]>", "&#0;", "<!--", "a&b"),
        ),
        fc.integer({ min: 0, max: 100 }),
      ],
      (label, score) => {
        const svg = credBadge({ score, label });
        const tags = [...svg.matchAll(/<\/?([a-z]+)/gi)].map(([, tag]) => tag);
        expect([...new Set(tags)].sort()).toEqual(["g", "path", "svg", "text", "title"]);
        // Nothing but tags and text: every & begins an entity, every quote stands in a tag.
        expect(svg.replaceAll(/&(amp|lt|gt|quot|#39);/g, "")).not.toContain("&");
        expect(svg.replaceAll(/<[^<>]*>/g, "")).not.toMatch(/[<>"']/);
        expect(svg).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        const inTags = (svg.replaceAll(/"[^"]*"/g, "").match(/<[^<>]*>/g) ?? []).join("");
        const attributes = [...inTags.matchAll(/\s([\w:-]+)=/g)].map(([, name]) => name);
        expect(attributes.filter((name) => /^on|href|style/.test(name!))).toEqual([]);
      },
    ));

  it.each(TIERS.map(({ key, from }) => [key, from] as const))("has readable text on the colour of %s", (_, score) => {
    const colour = /H\d+z" fill="(#[0-9a-f]{6})"/.exec(credBadge({ score }))![1]!;
    expect(1.05 / (luminance(colour) + 0.05)).toBeGreaterThanOrEqual(4.5);
  });
});

/** @see https://www.w3.org/TR/WCAG21/#dfn-relative-luminance */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
