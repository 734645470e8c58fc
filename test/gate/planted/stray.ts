/** Passes, and leaves an error behind where it runs for the first time. */
import { existsSync, writeFileSync } from "node:fs";
import { it } from "vitest";

it("passes", async () => {
  const mark = process.env.PLANTED_MARK!;
  if (existsSync(mark)) return;
  writeFileSync(mark, "");
  void Promise.reject(new Error("nobody waited for this"));
  await new Promise(setImmediate);
});
