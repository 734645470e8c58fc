/** What the SDK has of the service's own is the service's: it imports nothing of it, so each copy is held equal here. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openApiDocument } from "../api/openapi/document.ts";
import { ENDPOINTS } from "../api/routes/index.ts";
import { loadConfig } from "../config/config.ts";
import * as service from "../core/callers/signed-texts.ts";
import { STATUS } from "../core/error-codes.ts";
import { type Document, generate } from "../sdk/generate.ts";
import { ERROR_CODES, siwaText } from "../sdk/src/index.ts";

it("its generated sources are those of the endpoints (npm run generate -- sdk writes them)", async () => {
  const { service } = loadConfig({}, { followStack: false });
  const fresh = await generate(openApiDocument(ENDPOINTS, service) as Document);
  for (const [name, text] of Object.entries(fresh)) {
    const committed = readFileSync(new URL(`../sdk/src/${name}`, import.meta.url), "utf8");
    // As a fact, not as a text: a difference of hundreds of thousands of characters helps nobody.
    expect([name, committed === text]).toEqual([name, true]);
  }
});

it("its error codes are the service's", () => {
  expect([...ERROR_CODES]).toEqual(Object.keys(STATUS));
});

it("the text it signs is the one the service builds", () => {
  const text = fc.string({ unit: "binary-ascii" });
  const same = (...parts: [string, string, string]) => siwaText(...parts) === service.siwaText(...parts);
  fc.assert(fc.property(text, text, text, same));
});
