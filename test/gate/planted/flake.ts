/** Fails where it runs for the first time. */
import { existsSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";

it("is red once", () => {
  const mark = process.env.PLANTED_MARK!;
  const isSecond = existsSync(mark);
  writeFileSync(mark, "");
  expect(isSecond).toBe(true);
});
