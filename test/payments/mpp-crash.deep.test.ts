/** MPP in real processes: kill -9 at every step of a payment, and two of them behind one ledger. Numbers are those of README.md. */
import { beforeAll, describe, expect, it } from "vitest";
import { openPool } from "../../db/sql/connect.ts";
import { tempoEnv } from "../../devnet/tempo.ts";
import { plantCheckpoint, plantOnchain } from "../../harness/onchain.ts";
import { Challenge, startTempo } from "../../harness/tempo.ts";
import { until } from "../../harness/until.ts";
import { PAYMENT_FAULT_POINTS } from "../../payments/settle.ts";
import { plantAgents } from "../api/support/agents.ts";
import { startParts } from "../support/parts.ts";
import { perFile } from "../support/started.ts";
import { REPORT_PRICE } from "./support/paying.ts";

const tempo = perFile(startTempo);
const parts = perFile(() =>
  startParts({
    blockTimeSeconds: 1,
    env: { PRICING_PHASE: "paid", TEMPO_RPC_URL: tempo.anvil.url, ...tempoEnv() },
  }),
);
const REPORT = "/api/v2/agent/900/cred-report";

beforeAll(async () => {
  // The index of a report is planted: nothing else of the service is needed to sell it.
  const pool = openPool({ connectionString: parts.databaseUrl });
  await plantOnchain(pool);
  await plantCheckpoint(pool, { block: 10, finalized: 5 });
  await plantAgents(pool, [{ tokenId: 900, name: "Grace", score: 40 }]);
  await pool.end();
  await Promise.all([parts.start("api", { FAULT_POINT: PAYMENT_FAULT_POINTS[0] }), parts.start("api-2")]);
});

const ask = (url: string, credential?: string) =>
  fetch(url + REPORT, credential === undefined ? {} : { headers: { "payment-authorization": credential } });
/** A process that has just started may refuse its first requests, as its clients are told by 503. */
const challenge = (url: string) =>
  until("a challenge", async () => {
    const answer = await ask(url);
    expect([402, 503]).toContain(answer.status);
    return answer.status === 402 ? answer : undefined;
  });
/** What the treasury has got meanwhile. */
async function income(work: () => Promise<unknown>): Promise<bigint> {
  const { recipient } = Challenge.fromResponse(await challenge(parts.secondApiUrl)).request as {
    recipient: `0x${string}`;
  };
  const before = await tempo.balance(recipient);
  await work();
  return (await tempo.balance(recipient)) - before;
}

describe("case 38: the API killed", () => {
  it.each(PAYMENT_FAULT_POINTS.map((point, i) => [point, PAYMENT_FAULT_POINTS[i + 1]] as const))(
    "at %s: charged at most once, and what was charged is served",
    async (point, next) => {
      const customer = await tempo.customer();
      const credential = await customer.answer(await challenge(parts.apiUrl));
      let paid = false;
      const got = await income(async () => {
        await expect(ask(parts.apiUrl, credential)).rejects.toThrow();
        await parts.died("api");
        // The other process takes it up as soon as the dead one's lease has run out.
        paid = await until(
          "an answer",
          async () => {
            // The clock of this chain goes on with its blocks only.
            await tempo.node.mine({ blocks: 1 });
            const answer = await ask(parts.secondApiUrl, credential);
            expect([200, 402, 409, 503]).toContain(answer.status);
            return [200, 402].includes(answer.status) ? [answer.status === 200] : undefined;
          },
          { everyMs: 200 },
        ).then(([served]) => served!);
      });
      // Killed before it was sent, the transaction may be void by now: clients make it good for 25 seconds.
      if (point !== "payment.settling") expect(paid).toBe(true);
      expect(got).toBe(paid ? REPORT_PRICE : 0n);
      if (!paid) expect(await tempo.balance(customer.address)).toBe(10_000_000n);
      await parts.start("api", next ? { FAULT_POINT: next } : {});
    },
  );
});

describe("case 39: two processes", () => {
  it("know each other's challenges and give each other's answers", async () => {
    const customer = await tempo.customer();
    const credential = await customer.answer(await challenge(parts.apiUrl));
    const got = await income(async () => {
      const urls = [parts.secondApiUrl, parts.apiUrl, parts.secondApiUrl, parts.apiUrl];
      const statuses = await Promise.all(urls.map(async (url) => (await ask(url, credential)).status));
      // On a busy machine one may lose its lease to the other: then it does not know.
      expect(statuses.filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
      await until("the answer is stored", async () => (await ask(parts.apiUrl, credential)).status === 200);
    });
    const [here, there] = [await ask(parts.apiUrl, credential), await ask(parts.secondApiUrl, credential)];
    expect([got, here.status, there.status]).toEqual([REPORT_PRICE, 200, 200]);
    expect(await here.text()).toBe(await there.text());
  });
});
