/** The examples of docs/use/payments.md pay a running API: what they print is what a reader will see. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { folderPerFile } from "../support/folders.ts";
import { MINT_PRICE, type Payer, REPORT_PRICE } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const { world, api, spent } = payingForFile();
const directory = folderPerFile("examples");

/** Runs an example with a wallet of its own, against what the local stack would have written down. */
async function run(payer: Payer, example: string, ...args: string[]): Promise<string> {
  const file = join(directory, `${payer.address}.json`);
  writeFileSync(file, JSON.stringify({ apiUrl: api.url, accounts: [{ privateKey: payer.privateKey }] }));
  const { stdout } = await promisify(execFile)(process.execPath, [join("examples", example), ...args, file], {
    cwd: ROOT,
  });
  return stdout;
}

it("pay-with-x402 registers its wallet", async () => {
  const payer = await world.payer();
  const output = await run(payer, "pay-with-x402.ts", "mint", "Ada");
  expect(output).toMatch(/^201 /);
  expect(output).toMatch(/success: true,\n\s+transaction: '0x[0-9a-f]{64}'/);
  expect(await spent(payer)).toBe(MINT_PRICE);
});

it.each([
  ["pay-with-x402.ts", ["report", "900"]],
  ["pay-with-x402-v1.ts", ["900"]],
] as const)("%s buys a report", async (example, args) => {
  const payer = await world.payer();
  const output = await run(payer, example, ...args);
  expect(output).toMatch(/^200 /);
  expect(output).toContain('"paidReport": true');
  expect(output).toContain("success: true");
  expect(await spent(payer)).toBe(REPORT_PRICE);
});

it("an example that is refused says so and pays nothing", async () => {
  const payer = await world.payer(0n);
  await expect(run(payer, "pay-with-x402-v1.ts", "900")).rejects.toMatchObject({ code: 1 });
});
