/** The card renderer: one drawing for many callers, a bounded queue, and a cache that is bounded, shared and self-healing. */
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { networksOf } from "../../api/http/client-network.ts";
import { createCardCache } from "../../card-renderer/cache.ts";
import { createCardRenderer } from "../../card-renderer/renderer.ts";
import { Failure } from "../../core/errors.ts";
import { until } from "../../harness/until.ts";
import { cardOf } from "../support/cards.ts";
import { folderOfTest } from "../support/folders.ts";

const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
const PNG_END = Buffer.from("0000000049454e44ae426082", "hex");
/** Bytes that begin and end as a PNG does. */
const pngOf = (content: string, size = 0) =>
  Buffer.concat([PNG_START, Buffer.from(content), Buffer.alloc(size), PNG_END]);

/** A painter whose drawings end when the test says so. */
function slowPaint() {
  const started: { name: string; finish: () => void; break: (error: Error) => void }[] = [];
  const paint = ({ name }: { name: string }, size: string) =>
    new Promise<Uint8Array>((resolve, reject) => {
      started.push({ name, finish: () => resolve(pngOf(`${name} ${size}`)), break: reject });
    });
  return { started, paint };
}

const folder = () => folderOfTest("cards");

const named = (name: string) => cardOf({ name });

describe("createCardRenderer", () => {
  it("draws a card once, however many ask for it at the same time or later", async () => {
    let drawings = 0;
    const cards = createCardRenderer({
      paint: async ({ name }, size) => {
        drawings++;
        return pngOf(`${name} ${size}`);
      },
    });
    const asked = Array.from({ length: 300 }, (_, index) =>
      cards.picture(named(`agent ${index % 10}`), index % 2 ? "og" : "square", "png"),
    );
    const pictures = await Promise.all(asked);
    // Ten names, each always asked for in the one size its number has.
    expect(drawings).toBe(10);
    expect(Buffer.from(pictures[3]!).toString()).toContain("agent 3 og");
    await cards.picture(named("agent 3"), "og", "png");
    await cards.picture(named("agent 3"), "square", "png");
    expect(cards.stats()).toMatchObject({ drawn: 11, joined: 290, memoryHits: 1, refused: 0, running: 0, waiting: 0 });
  });

  it("draws two at once, lets fifty wait in the order they came, and refuses more with a Retry-After", async () => {
    const { started, paint } = slowPaint();
    const cards = createCardRenderer({ paint, atOnce: 2 });
    const asked = Array.from({ length: 52 }, (_, index) => cards.picture(named(`agent ${index}`), "square", "png"));
    await until("two drawing, fifty waiting", () => started.length === 2 && cards.stats().waiting === 50);
    const refused = await cards.picture(named("one too many"), "square", "png").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Failure);
    expect(refused).toMatchObject({ code: "overloaded", status: 503, options: { retryAfter: 1 } });
    // A card that is being drawn already is not one more.
    const joined = cards.picture(named("agent 51"), "square", "png");
    for (let index = 0; index < 52; index++) {
      await until(`drawing ${index}`, () => started.length > index, { everyMs: 1 });
      expect(started.length).toBeLessThanOrEqual(index + 2);
      started[index]!.finish();
      await asked[index];
    }
    expect(started.map(({ name }) => name)).toEqual(Array.from({ length: 52 }, (_, index) => `agent ${index}`));
    expect(await joined).toEqual(await asked[51]);
    expect(cards.stats()).toMatchObject({ drawn: 52, refused: 1, running: 0, waiting: 0 });
    // What was refused is drawn when there is room again.
    const again = cards.picture(named("one too many"), "square", "png");
    await until("drawing 53", () => started.length === 53);
    started[52]!.finish();
    await again;
  });

  it("lets the clients of one network take a third of the line, and leaves the rest to others", async () => {
    const { started, paint } = slowPaint();
    const cards = createCardRenderer({ paint, atOnce: 1 });
    const asked = Array.from({ length: 18 }, (_, index) =>
      cards.picture(named(`agent ${index}`), "square", "png", networksOf(`2001:db8:1:${index}::1`)),
    );
    await until("one drawing, 17 waiting", () => started.length === 1 && cards.stats().waiting === 17);
    const refused = await cards
      .picture(named("one too many"), "square", "png", networksOf("2001:db8:2::1"))
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "rate_limited", status: 429, options: { retryAfter: 1 } });
    asked.push(cards.picture(named("another's"), "square", "png", networksOf("10.0.0.2")));
    for (let index = 0; index < 19; index++) {
      await until(`drawing ${index}`, () => started.length > index, { everyMs: 1 });
      started[index]!.finish();
      await asked[index];
    }
    expect(cards.stats()).toMatchObject({ drawn: 19, refused: 1, running: 0, waiting: 0 });
  });

  it("goes on after a drawing that failed, and tries it again", async () => {
    const { started, paint } = slowPaint();
    const cards = createCardRenderer({ paint });
    const failing = [1, 2, 3].map((number) => cards.picture(named(`agent ${number}`), "square", "png"));
    const outcomes = Promise.allSettled(failing);
    for (let index = 0; index < 3; index++) {
      await until(`drawing ${index}`, () => started.length > index, { everyMs: 1 });
      started[index]!.break(new Error("no"));
    }
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(cards.stats()).toMatchObject({ drawn: 0, running: 0, waiting: 0 });
    const again = cards.picture(named("agent 1"), "square", "png");
    await until("drawing 4", () => started.length === 4);
    started[3]!.finish();
    expect(Buffer.from(await again).toString()).toContain("agent 1");
  });

  it("closes after what was asked for is drawn and saved, and draws nothing afterwards", async () => {
    const cacheDir = folder();
    const { started, paint } = slowPaint();
    const cards = createCardRenderer({ paint, cacheDir });
    const asked = cards.picture(named("last"), "square", "png");
    await until("drawing 1", () => started.length === 1);
    const closed = cards.close();
    started[0]!.finish();
    await asked;
    await closed;
    expect(readdirSync(cacheDir)).toHaveLength(1);
    await expect(cards.picture(named("later"), "square", "png")).rejects.toMatchObject({ code: "overloaded" });
    // What it has is still given.
    expect(await cards.picture(named("last"), "square", "png")).toEqual(await asked);
  });

  it("finds on disk what another process drew, and draws damaged files again", async () => {
    const cacheDir = join(folder(), "not/yet/there");
    let drawings = 0;
    const paint = async ({ name }: { name: string }) => {
      drawings++;
      return pngOf(name, 1000);
    };
    const first = createCardRenderer({ paint, cacheDir });
    const bytes = await first.picture(named("shared"), "square", "png");
    await first.close();
    const second = createCardRenderer({ paint, cacheDir });
    expect(Buffer.from(await second.picture(named("shared"), "square", "png"))).toEqual(Buffer.from(bytes));
    expect(second.stats()).toMatchObject({ drawn: 0, diskHits: 1 });
    const [file] = readdirSync(cacheDir);
    truncateSync(join(cacheDir, file!), 500);
    const third = createCardRenderer({ paint, cacheDir });
    expect(Buffer.from(await third.picture(named("shared"), "square", "png"))).toEqual(Buffer.from(bytes));
    await third.close();
    expect(drawings).toBe(2);
    expect(statSync(join(cacheDir, file!)).size).toBe(bytes.length);
  });

  it("draws on when the folder cannot be written", async () => {
    const cacheDir = join(folder(), "a-file");
    writeFileSync(cacheDir, "in the way");
    const cards = createCardRenderer({ paint: async () => pngOf("x"), cacheDir, memoryMb: 0 });
    await cards.picture(named("a"), "square", "png");
    await cards.picture(named("a"), "square", "png");
    await cards.close();
    expect(cards.stats()).toMatchObject({ drawn: 2, memoryBytes: 0 });
    expect(cards.stats().diskErrors).toBeGreaterThan(0);
  });

  it("gives real cards", async () => {
    const cards = createCardRenderer();
    const png = Buffer.from(await cards.picture(cardOf(), "og", "png"));
    expect(png.subarray(0, 8)).toEqual(PNG_START);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
  });
});

describe("createCardCache", () => {
  it("forgets the least recently used beyond its memory", async () => {
    const cache = createCardCache({ memoryBytes: 3_000, diskBytes: 0 });
    for (const key of ["a", "b"]) await cache.put(key, "png", pngOf(key, 1000));
    await cache.get("a", "png");
    await cache.put("c", "png", pngOf("c", 1000));
    expect(await cache.get("b", "png")).toBeNull();
    expect((await cache.get("a", "png"))?.from).toBe("memory");
    await cache.put("huge", "png", pngOf("huge", 5_000));
    expect(await cache.get("huge", "png")).toBeNull();
    expect(cache.stats()).toMatchObject({ memoryCards: 2, memoryBytes: 2 * pngOf("a", 1000).length });
  });

  it("removes from disk what was unused longest, and what a killed process left behind", async () => {
    const dir = folder();
    const bound = 100_000;
    const cache = createCardCache({ dir, memoryBytes: 0, diskBytes: bound });
    const long = new Date("2026-01-01T00:00:00Z");
    mkdirSync(dir, { recursive: true });
    for (const [name, size] of [
      ["abandoned.tmp", 100],
      ["old.png", 30_000],
      ["used.png", 9_000],
    ] as const) {
      writeFileSync(join(dir, name), pngOf(name, size));
      utimesSync(join(dir, name), long, long);
    }
    expect(await cache.get("used", "png")).not.toBeNull();
    for (let index = 0; index < 7; index++) await cache.put(`new-${index}`, "png", pngOf("new", 9_000));
    const names = readdirSync(dir);
    expect(names).not.toContain("abandoned.tmp");
    expect(names).not.toContain("old.png");
    expect(names).toContain("used.png");
    const total = names.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
    expect(total).toBeLessThanOrEqual(bound * 1.125);
  });

  it("takes hashes as keys, nothing that could be a path", async () => {
    const dir = folder();
    const cache = createCardCache({ dir, memoryBytes: 0, diskBytes: 1_000_000 });
    await expect(cache.get("../../etc/passwd", "png")).rejects.toThrow("not a path");
    await cache.put("0f-square", "png", pngOf("x"));
    expect(readFileSync(join(dir, "0f-square.png"))).toEqual(pngOf("x"));
  });
});
