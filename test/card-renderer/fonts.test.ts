/** The fonts of the cards: the index tells the truth, what is said to be covered is drawn, and nothing is loaded in vain. */
import { readFileSync } from "node:fs";
import { Renderer } from "@takumi-rs/core";
import { describe, expect, it } from "vitest";
import { FAMILIES } from "../../card-renderer/families.ts";
import { buildIndex, pathOf, readIndex } from "../../card-renderer/font-index.ts";
import { createFonts } from "../../card-renderer/fonts.ts";
import { charactersIn, rangesOf } from "../../card-renderer/woff2.ts";
import { box, text } from "../../core/card/element.ts";
import { legible } from "../../core/card/legible.ts";
import { deepIt } from "../support/share.ts";

const renderer = new Renderer({ cacheMaxBytes: 0 });
const fonts = createFonts(renderer);

/** The text as grey pixels, white on black. */
async function drawn(content: string, fontWeight: 500 | 700 = 700): Promise<Buffer> {
  const tree = box(
    { width: 120, height: 80, backgroundColor: "#000", color: "#fff" },
    text(content, { fontFamily: "display", fontWeight, fontSize: 40, whiteSpace: "nowrap" }),
  );
  return renderer.render(await fonts.prepare(tree), { width: 120, height: 80, format: "raw" });
}

describe("index", () => {
  it("is what the files contain", () => {
    expect(readIndex()).toEqual(buildIndex());
  });

  it("has the files that cards use of each family, whose package has the licence", () => {
    const files = Map.groupBy(readIndex(), ({ family }) => family);
    expect(FAMILIES.map(({ name }) => files.get(name)?.length)).toEqual([3, 14, 1, 1, 1, 1, 1, 3, 120, 95, 120]);
    for (const family of FAMILIES)
      expect(readFileSync(pathOf(`${family.package}/LICENSE`), "utf8")).toContain("SIL OPEN FONT LICENSE");
  });

  it("has the same characters in every weight of a family, which lookups rely on", () => {
    const inter = readIndex().filter((font) => font.family === "Inter");
    const of = (weight: number) => inter.filter((font) => font.weight === weight).map((font) => font.ranges);
    expect(of(500)).toEqual(of(700));
  });
});

describe("charactersIn", () => {
  it("refuses what is no font", () => {
    expect(() => charactersIn(Buffer.alloc(64))).toThrow("not a WOFF2 file");
  });

  it("reads ranges", () => {
    expect(rangesOf([5, 1, 2, 3, 9, 3])).toEqual([
      [1, 3],
      [5, 5],
      [9, 9],
    ]);
    const latin = charactersIn(readFileSync(pathOf("@fontsource/inter/files/inter-latin-500-normal.woff2")));
    expect(latin.some(([first, last]) => first <= 65 && last >= 90)).toBe(true);
    expect(latin.some(([first, last]) => first <= 0x4e00 && last >= 0x4e00)).toBe(false);
  });
});

describe("coverage", () => {
  const everything = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).filter((character) =>
      /[\p{L}\p{N}\p{P}\p{S}]/u.test(character),
    );

  it.each([
    ["ASCII and Latin-1", everything(0x21, 0xff)],
    ["Latin Extended-A", everything(0x100, 0x17f)],
    ["Greek", everything(0x386, 0x3ce)],
    ["Cyrillic", everything(0x400, 0x45f)],
    ["Vietnamese", [..."ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđ"]],
    ["punctuation and currencies", [..."–—‘’“”„•…‰‹›€£¥₿₹₽₩"]],
    ["common symbols", [..."←↑→↓↔⇒∞≈≠≤≥±×÷√∑∏∫∂π°©®™№†‡§¶★☆✓✔✗✘♥♦♣♠♪☀☁☂⚡⚙◆◇○●□■△▲▽▼►◄½¼¾①②③"]],
    ["kana", everything(0x3041, 0x3096).concat(everything(0x30a1, 0x30fa))],
    ["Hangul", [..."가나다라마바사서울데이터분석뷁"]],
    ["common Han", [..."的一是不了人我在有他这中大来上国說東電龍漢字無職務氣"]],
    ["Arabic, Hebrew, Thai, Devanagari", [..."ابتثجحخדגבאกขคงअआइ"]],
    ["emoji", ["🚀", "🦊", "👩‍💻", "🏳️‍🌈", "🇯🇵", "1️⃣", "👍🏽", "❤️"]],
  ])("has %s", (_, list) => expect(list.filter((character) => !fonts.covers(character))).toEqual([]));

  it("does not claim what it has not", () => {
    for (const missing of ["𓀀", "ꙮ\u0488", "\u0378", "ᚠ", "﷽", "g\u0331"]) expect(fonts.covers(missing)).toBe(false);
    expect(legible("𓀀𓀁 fox \u0378", fonts.covers)).toBe("· fox ·");
  });

  it("writes letters in fancy dress plainly", () => {
    expect(legible("𝓐𝓰𝓮𝓷𝓽 𝕏 Ⅻ", fonts.covers)).toBe("Agent X XII");
  });

  it("draws Chinese, Japanese and Korean in the weight of the text, whichever was drawn first", async () => {
    const light = (picture: Buffer) => picture.filter((_, at) => at % 4 === 0).reduce((sum, value) => sum + value, 0);
    for (const content of ["国", "夜の", "서울"]) {
      const [bold, medium, again] = [await drawn(content), await drawn(content, 500), await drawn(content)];
      expect(light(bold)).toBeGreaterThan(light(medium) * 1.1);
      expect(again.equals(bold)).toBe(true);
    }
  });

  deepIt("draws every sampled character as a shape of its own", async () => {
    const empty = await drawn(" ");
    const tofu = [await drawn("\u0378"), await drawn("𓀀")];
    // The boxes are there to be told from: if they were blank this test would show nothing.
    for (const box of tofu) expect(box.equals(empty)).toBe(false);
    const blank = /[\p{Z}\p{C}\p{M}\u2800\u3164\u115f\u1160\uffa0]/u;
    const samples = readIndex().flatMap(({ ranges }) => {
      const points = [ranges[0]![0], ranges[ranges.length >> 1]![0], ranges.at(-1)![1]];
      return points.map((point) => String.fromCodePoint(point)).filter((character) => !blank.test(character));
    });
    expect(samples.length).toBeGreaterThan(700);
    const bad: string[] = [];
    for (const character of new Set(samples)) {
      const picture = await drawn(character);
      if (picture.equals(empty) || tofu.some((box) => box.equals(picture))) bad.push(character);
    }
    expect(bad).toEqual([]);
  });
});

describe("prepare", () => {
  const loadedFor = async (...contents: string[]) => {
    const files: string[] = [];
    const own = createFonts({
      registerFont: async (font) => {
        files.push((font as { name: string }).name);
        return [];
      },
    });
    await Promise.all(contents.map((content) => own.prepare(text(content, {}))));
    return files.filter((name) => name !== "Inter" && name !== "Space Grotesk");
  };

  it("loads nothing but the basic families for an ordinary name", async () => {
    expect(await loadedFor("Meridian Oracle, Ñandú, Полночь, Ὀδυσσεύς")).toEqual([]);
  });

  it("loads the slices of the writing that is meant, each once", async () => {
    expect(new Set(await loadedFor("北京"))).toEqual(new Set(["Noto Sans SC"]));
    expect(new Set(await loadedFor("夜明けの"))).toEqual(new Set(["Noto Sans JP"]));
    expect(new Set(await loadedFor("서울"))).toEqual(new Set(["Noto Sans KR"]));
    expect(await loadedFor("🚀", "🚀 🦊")).toEqual(["Noto Emoji"]);
  });

  it("tries a file again that could not be handed over", async () => {
    let attempts = 0;
    const own = createFonts({
      registerFont: async () => {
        if (attempts++ === 0) throw new Error("out of memory");
        return [];
      },
    });
    await expect(own.prepare(text("x", {}))).rejects.toThrow("out of memory");
    await expect(own.prepare(text("x", {}))).resolves.toMatchObject({ text: "x" });
    expect(own.loaded()).toBe(17);
  });
});
