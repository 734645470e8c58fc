/** Cards and badges over HTTP: bytes, validators, what may be kept, what happens under load. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Cards } from "../../api/deps.ts";
import { createCardRenderer } from "../../card-renderer/renderer.ts";
import { fail } from "../../core/errors.ts";
import { plantAgents, walletOf } from "./support/agents.ts";
import { apiForFile, refusal } from "./support/api.ts";
import { expectValidated } from "./support/walks.ts";

const FOR_EVER = "public, max-age=31536000, immutable";
const A_WHILE = "public, max-age=300, stale-while-revalidate=86400";

let drawn = 0;
let refuse = false;
const api = apiForFile(() => {
  const renderer = createCardRenderer();
  const cards: Cards = {
    async picture(card, size, format) {
      if (refuse) fail("overloaded", "Too many images are being drawn right now.", { retryAfter: 1 });
      drawn++;
      return renderer.picture(card, size, format);
    },
  };
  return { deps: { cards } };
});
beforeAll(async () => {
  await plantAgents(api.pool, [
    { name: "Zero", score: 83, verified: true, traits: [["brave", "mood"]] },
    { name: "机器人 Ωmega <script>", score: 12 },
    { name: "Two", score: 50 },
  ]);
});
afterEach(() => {
  refuse = false;
});

async function picture(path: string, init?: RequestInit) {
  const response = await fetch(api.url + path, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}
/** Width and height of a PNG (its IHDR chunk). */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

describe("cards", () => {
  it("are WebP of the same size for a client that names it, with a validator of its own", async () => {
    const of = (accept: string) => picture("/api/v2/card/0.png", { headers: { accept } });
    const webp = await of("image/avif,image/webp,image/apng,image/*,*/*;q=0.8");
    expect([webp.status, webp.headers.get("content-type"), webp.headers.get("vary")]).toEqual([
      200,
      "image/webp",
      "Accept",
    ]);
    expect(webp.bytes.toString("latin1", 8, 12)).toBe("WEBP");
    const png = await of("image/*,*/*;q=0.8");
    expect([png.headers.get("content-type"), png.headers.get("vary")]).toEqual(["image/png", "Accept"]);
    expect(webp.bytes.length).toBeLessThan(png.bytes.length * 0.8);
    expect(webp.headers.get("etag")).not.toBe(png.headers.get("etag"));
    expect((await of("image/webp;q=0, image/png")).headers.get("content-type")).toBe("image/png");
    const again = await picture("/api/v2/card/0.png", {
      headers: { accept: "image/webp", "if-none-match": webp.headers.get("etag")! },
    });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it("are the same PNG of 1000×1000 under both names", async () => {
    const [aura, card] = [await picture("/api/v2/aura/0.png"), await picture("/api/v2/card/0.png")];
    for (const { status, headers } of [aura, card]) {
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("image/png");
      expect(headers.get("cache-control")).toBe(A_WHILE);
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(headers.get("x-indexed-block")).toBe("1000");
    }
    expect(aura.bytes.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
    expect(sizeOf(aura.bytes)).toEqual([1000, 1000]);
    expect(aura.bytes.equals(card.bytes)).toBe(true);
    expect(aura.headers.get("etag")).toBe(card.headers.get("etag"));
  });

  it("are 1200×630 for shared links, under an ETag of their own", async () => {
    const og = await picture("/api/v2/aura/1.png?size=og");
    expect(sizeOf(og.bytes)).toEqual([1200, 630]);
    const square = await picture("/api/v2/aura/1.png?size=square");
    expect(sizeOf(square.bytes)).toEqual([1000, 1000]);
    expect(og.headers.get("etag")).not.toBe(square.headers.get("etag"));
    expect((await api.get("/api/v2/aura/1.png?size=huge")).status).toBe(400);
  });

  it("may be kept for ever at the address the agent names, until its state changes", async () => {
    const image = async () => {
      const { body } = await api.get("/api/v2/agent/2");
      return new URL((body as never as { image: string }).image);
    };
    const first = await image();
    expect(first.pathname).toBe("/api/v2/aura/2.png");
    const shown = await picture(first.pathname + first.search);
    expect(shown.headers.get("cache-control")).toBe(FOR_EVER);
    await api.sql("update offchain.cred set score = 51 where token_id = 2");
    const second = await image();
    expect(second.search).not.toBe(first.search);
    const later = await picture(first.pathname + first.search);
    expect(later.headers.get("cache-control")).toBe(A_WHILE);
    expect(later.headers.get("etag")).not.toBe(shown.headers.get("etag"));
    expect(later.bytes.equals(shown.bytes)).toBe(false);
    expect((await picture(second.pathname + second.search)).headers.get("cache-control")).toBe(FOR_EVER);
    expect((await picture("/api/v2/card/2.png?v=anything")).headers.get("cache-control")).toBe(A_WHILE);
  });

  it("are not drawn for who has them already, nor for HEAD", async () => {
    const { headers } = await picture("/api/v2/aura/0.png");
    const before = drawn;
    const etag = headers.get("etag")!;
    const same = await picture("/api/v2/aura/0.png", { headers: { "if-none-match": `"other", W/${etag}` } });
    expect([same.status, same.bytes.length, same.headers.get("etag")]).toEqual([304, 0, etag]);
    const head = await picture("/api/v2/aura/0.png", { method: "HEAD" });
    expect([head.status, head.bytes.length, head.headers.get("etag")]).toEqual([200, 0, etag]);
    expect(head.headers.get("content-type")).toBe("image/png");
    expect(drawn).toBe(before);
  });

  it("that cannot be drawn soon are 503 with Retry-After, and not kept", async () => {
    refuse = true;
    const { status, body, headers } = await api.get("/api/v2/aura/0.png");
    expect([status, body.code]).toEqual([503, "overloaded"]);
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-type")).toMatch(/^application\/json/);
  });
});

describe.each([
  ["aura", "png"],
  ["card", "png"],
  ["badge", "svg"],
])("/%s/{id}.%s", (name, extension) => {
  it("is 404 in JSON for an unknown agent", async () => {
    expect(await api.get(`/api/v2/${name}/999.${extension}`)).toMatchObject(refusal(404, "not_found"));
  });

  it.each(["0", "0.gif", ".png", "-1.png", "01.png", "0.png.png", "0.PNG", "x.svg", "0x10.svg", walletOf(0), "0.pngx"])(
    "refuses %s",
    async (file) => {
      expect(await api.get(`/api/v2/${name}/${file}`)).toMatchObject(refusal(400, "invalid_input"));
    },
  );
});

describe("the badge", () => {
  it("shows score and tier as SVG, with a label of one's own", async () => {
    const { status, text, headers } = await api.get("/api/v2/badge/0.svg");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
    expect(headers.get("cache-control")).toBe(A_WHILE);
    expect(text).toMatch(/^<svg [^>]*aria-label="cred: 83 Prime"/);
    const labelled = await api.get(`/api/v2/badge/1.svg?label=${encodeURIComponent("<b>me & you</b>")}`);
    expect(labelled.text).toContain("&lt;b&gt;me &amp; you&lt;/b&gt;");
    expect(labelled.text).not.toContain("<b>");
    await expectValidated(api, "/api/v2/badge/0.svg");
  });
});
