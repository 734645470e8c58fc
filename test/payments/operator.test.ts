/** `npm run payments` as the operator calls it: what is owed and what things cost, with something in the ledger. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { Checked } from "../../core/payments/checked.ts";
import { owePayment } from "../../db/payments/ledger.ts";
import { challengeFact } from "../../db/payments/payments.ts";
import { presentPayment } from "../../db/payments/present-payment.ts";
import { FREE_PHASE } from "../../harness/child-env.ts";
import { entryOf } from "../../runtime/processes.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const [PAYER, PAYEE, TOKEN] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`, `0x${"cc".repeat(20)}`] as const;

const database = perFile(testDatabase);
let paymentId: string;
beforeAll(async () => {
  const hash = `0x${"12".repeat(32)}` as const;
  const checked = await Checked.of(
    {
      method: "mpp" as const,
      payer: PAYER,
      payee: PAYEE,
      chainId: 4217,
      asset: TOKEN,
      amountUnits: 1_000_000n,
      credential: null,
      validBefore: null,
      facts: [challengeFact(4217, "c")],
      digest: "d",
      settlement: { txHash: hash, logIndex: 1, nth: 0, block: 1, blockHash: hash, blockTime: 1, sender: PAYER },
    },
    async () => null,
  );
  if (typeof checked === "string") throw new Error(checked);
  const presented = await presentPayment(
    database.pool,
    checked,
    {
      by: "challenge",
      operation: "agentMint",
      wallet: null,
      fingerprint: "f",
      uniqueKey: null,
      effect: null,
      sinceBlock: 1,
      client: null,
    },
    null,
    1_000,
  );
  if (presented.kind !== "leased") throw new Error(presented.kind);
  paymentId = presented.payment.paymentId;
  await owePayment(database.pool, { paymentId }, "already_registered");
});

const PAYEES = { PAY_TO_DEPLOYER: PAYEE, PAY_TO_TREASURY: PAYEE };

const payments = (...command: string[]) => paymentsIn({ ...FREE_PHASE, ...PAYEES }, ...command);

async function paymentsIn(more: Record<string, string>, ...command: string[]): Promise<{ code: number; text: string }> {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: "/nonexistent", ...more };
  const run = promisify(execFile)(process.execPath, [entryOf("payments"), ...command], { cwd: ROOT, env });
  return run.then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
  );
}

describe("the operator", () => {
  it("lists payments, sees what is owed, and notes that it was sent back", async () => {
    for (const command of [["list"], ["list", "refund_due"], ["refund-due"]]) {
      const { code, text } = await payments(...command);
      expect([code, text]).toEqual([0, expect.stringContaining(paymentId)]);
    }
    expect((await payments("list", "paid")).text).toBe("There are no such payments.\n");
    expect((await payments("refunded", paymentId, "0xrefund")).text).toContain("1.00 USDC");
    expect((await payments("refund-due")).text).toBe("Nothing is owed.\n");
  });

  it("lists what cannot be looked for, because its chain is not configured", async () => {
    expect((await payments("unwatched")).text).toContain(paymentId);
    const { rowCount } = await database.pool.query("update offchain.payment set final_at = now()");
    expect(rowCount).toBe(1);
    expect((await payments("unwatched")).text).toBe("Every payment can be looked for.\n");
  });

  it("lists all of them, however many", async () => {
    await database.pool.query(
      `insert into offchain.payment (payment_id, method, operation, state, payer, payee, chain_id, asset, amount_units,
         fingerprint, since_block)
       select gen_random_uuid(), 'x402', 'agentMint', 'refund_due', $1, $2, 8453, $3, 1000000, 'f', 1
       from generate_series(1, 1100)`,
      [PAYER, PAYEE, TOKEN],
    );
    expect((await payments("refund-due")).text).toContain("1100 payments, 1100.00 USDC");
    await database.pool.query("delete from offchain.payment where method = 'x402'");
  });

  it("changes prices and phase, and is told of a command that is none", async () => {
    expect((await payments("price", "credReport", "0.25")).text).toContain("0.25");
    expect(await paymentsIn({}, "phase", "paid")).toEqual({
      code: 1,
      text: "PAY_TO_DEPLOYER and PAY_TO_TREASURY are not set here: nobody would be paid. Set both of them.\n",
    });
    expect((await payments("prices")).text).toContain("phase free");
    expect((await payments("phase", "paid")).text).toContain("phase paid");
    expect((await payments("prices")).text).toMatch(/credReport.*0\.25/);
    expect(await payments("list", "nonsense")).toMatchObject({ code: 1, text: expect.stringContaining("Usage") });
  });
});
