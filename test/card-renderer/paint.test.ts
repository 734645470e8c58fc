/** Drawn cards: PNGs of the right size, the same bytes for the same card in every process, other bytes for another card. */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPaint } from "../../card-renderer/paint.ts";
import { CARD_SIZES, type CardSize } from "../../core/card/draw.ts";
import type { CardFacts } from "../../core/card/facts.ts";
import { cardOf, OTHER_VALUES } from "../support/cards.ts";

const paint = createPaint();
const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const allProven = { wallet: true, x: true, github: true, farcaster: true, exchange: true };

/** The same card drawn by a process that has drawn nothing before. */
async function drawnElsewhere(card: CardFacts, size: CardSize): Promise<string> {
  const child = fork(join(import.meta.dirname, "support/draw-process.ts"));
  child.send([card, size]);
  const [answer] = await once(child, "message");
  return answer as string;
}

/** The priority of each thread of this process, by its name. */
const niceOfThreads = () =>
  readdirSync("/proc/self/task").map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
    const [name, rest] = [stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")), stat.slice(stat.lastIndexOf(")"))];
    return { thread: Number(thread), name, nice: Number(rest.split(" ")[17]) };
  });

describe("paint", () => {
  it("draws on threads that come after the one that answers requests", async () => {
    await paint(cardOf(), "og");
    const threads = niceOfThreads();
    const pool = threads.filter(({ name }) => name === "libuv-worker");
    expect(new Set(pool.map(({ nice }) => nice))).toEqual(new Set([10]));
    expect(threads.find(({ thread }) => thread === process.pid)!.nice).toBe(0);
  });

  it.each(Object.entries(CARD_SIZES) as [CardSize, { width: number; height: number }][])(
    "gives a PNG of the size %s",
    async (size, { width, height }) => {
      const png = Buffer.from(await paint(cardOf(), size));
      expect(png.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
      expect(png.toString("latin1", 12, 16)).toBe("IHDR");
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
      expect(png.toString("latin1", png.length - 8, png.length - 4)).toBe("IEND");
      expect(png.length).toBeLessThan(400_000);
    },
  );

  it("gives the same bytes again, and in a fresh process, whatever was drawn before", async () => {
    const cards = [
      cardOf(),
      cardOf({ name: "夜明けの商人 🚀 مراقب", traits: ["北京", "서울", "Ключ"], score: 97 }),
      cardOf({ name: "", score: 0, traits: [], soulbound: false }),
    ];
    for (const card of cards) {
      const first = digest(await paint(card, "square"));
      expect(digest(await paint(structuredClone(card), "square"))).toBe(first);
      expect(await drawnElsewhere(card, "square")).toBe(first);
    }
  });

  it("gives other bytes for every field that changes", async () => {
    const base = cardOf();
    const changed = Object.entries(OTHER_VALUES).map(([field, value]) => ({ ...base, [field]: value }));
    const digests = await Promise.all([base, ...changed].map(async (card) => digest(await paint(card, "square"))));
    expect(new Set(digests).size).toBe(digests.length);
  });

  it("draws markup in a name as the characters it consists of", async () => {
    const [markup, entity, plain] = await Promise.all(
      ["<svg onload=x>&amp;", "&lt;svg onload=x&gt;&amp;", "svg onload=x"].map(async (name) =>
        digest(await paint(cardOf({ name }), "og")),
      ),
    );
    expect(new Set([markup, entity, plain]).size).toBe(3);
  });

  it.each([
    ["64 wide letters", "W".repeat(64)],
    ["one letter", "x"],
    ["one word of 64 letters", "a".repeat(64)],
    ["marks piled up", `Z${"\u0321\u0335".repeat(3)}algo`],
    ["right to left over two lines", "مراقب الأسواق الهادئة في الليل الطويل جدا والسلام"],
    ["nothing that can be drawn", "𓀀𓀁𓀂"],
    ["emoji only", "🚀🦊👩‍💻🏳️‍🌈"],
  ])("draws %s", async (_, name) => {
    const cards = [cardOf({ name, score: 100, verifications: allProven }), cardOf({ name, score: 0 })];
    for (const card of cards)
      for (const size of ["square", "og"] as const) expect((await paint(card, size)).length).toBeGreaterThan(10_000);
  });
});
