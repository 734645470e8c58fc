/** An agent's jobs, as callers see them: raw and organic, pages that reach each job once, reasons, who evaluates, and what has none. */
import { beforeAll, describe, expect, it } from "vitest";
import { jobsInWords } from "../../api/tools/natural-language.ts";
import type { JobEvent } from "../../core/commerce/jobs.ts";
import { openContract, storeCommerceRange } from "../../db/commerce/commerce-logs.ts";
import { jobStats } from "../../workers/income/recompute-due.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";
import { AGENT, OWNER, plantEarners, recomputed, USDC, wallet } from "./support/evidence.ts";
import { itHasPages, pagesAt } from "./support/walks.ts";

const NOW = Date.UTC(2026, 10, 21, 5);
const DAY = 86_400;
const [ALICE, BOB, JUDGE] = [wallet("b1"), wallet("b2"), wallet("e1")];
const [OWN, CONTRACT] = [wallet("a7"), wallet("c8")];
const PATH = "/api/v2/agent/31/jobs?platform=erc8004";

type Job = Record<string, unknown> & { jobId: string; block: number; removed: { rule: string } | null };
type Page = Record<string, unknown> & {
  windows: { days: number; raw: object; organic: object; removed: object[] }[];
  jobs: Job[];
  nextCursor: string | null;
};

let made = 0;
let readTo = 99;

/** Stores a job with its logs, each in a block of its own, as the reader does. */
async function plant(
  client: string,
  over: {
    provider?: string;
    evaluator?: string | null;
    units?: number;
    token?: string;
    daysAgo: number;
    end?: JobEvent["kind"];
  },
) {
  const { provider = AGENT, evaluator = JUDGE, units = 1_000_000, token = USDC, daysAgo, end = "completed" } = over;
  const events: JobEvent[] = [
    { kind: "created", client, provider, evaluator, expiresAt: NOW / 1_000 },
    { kind: "funded", units: String(units), token },
  ];
  if (end !== "funded") events.push({ kind: "submitted" }, { kind: end } as JobEvent);
  const jobId = String(++made);
  const first = readTo + 1;
  const logs = events.map((event, i) => {
    const hash = `0x${(first + i).toString(16).padStart(64, "0")}`;
    const at = NOW / 1_000 - daysAgo * DAY + i;
    return { jobId, event, block: first + i, blockHash: hash, logIndex: 1, at, txHash: hash };
  });
  const contract = await openContract(api.pool, CONTRACT, 100);
  const to = first + events.length;
  await storeCommerceRange(api.pool, contract, { from: first, to, hash: "0x1", logs }, new Date(NOW));
  readTo = to;
}
const recompute = () => recomputed(jobStats, api.pool, new Date(NOW));

const api = apiForFile({ now: () => NOW });
beforeAll(async () => {
  await plantAgents(api.pool, [{ tokenId: 7, name: "Own", owner: OWN, agentAddress: OWN }]);
  await plantEarners(api.pool, OWN);
  await api.sql("insert into offchain.income_cohort (id, kind, from_block, read_to) values (1, 'payer', 1, 9000)");
  for (const client of [ALICE, BOB])
    await api.sql("insert into offchain.income_followed (address, kind, cohort) values ($1, 'payer', 1)", client);
});

const pageOf = pagesAt<Page>(api, PATH);

describe("an agent's jobs", () => {
  it("are none where no contract is set, which is said, and nobody waits for a block", async () => {
    expect(await pageOf("minBlock=1")).toMatchObject({
      ...{ contract: null, wallet: expect.stringMatching(new RegExp(AGENT, "i")), walletAgents: 1, readTo: null },
      ...{
        computedAt: null,
        jobs: [],
        nextCursor: null,
        windows: [{ days: 7, raw: { funded: 0, usdc: "0" } }, {}, {}],
      },
    });
    expect((await api.get("/api/v2/agent/7")).body.jobs).toBe(null);
  });

  it("are listed before they are weighed, and weighed side by side with their rules", async () => {
    await plant(ALICE, { daysAgo: 100 });
    await plant(ALICE, { daysAgo: 20, units: 2_000_000 });
    await plant(BOB, { daysAgo: 6, evaluator: BOB });
    await plant(BOB, { daysAgo: 5, evaluator: null, units: 250_000 });
    await plant(OWNER, { daysAgo: 4, units: 9_000_000 });
    await plant(BOB, { daysAgo: 3, token: wallet("99") });
    await plant(BOB, { daysAgo: 2, end: "rejected" });
    await plant(ALICE, { daysAgo: 1, end: "funded" });
    const early = await pageOf();
    expect(early).toMatchObject({ computedAt: null, readTo, jobs: { length: 8 } });
    expect(new Set(early.jobs.map(({ removed }) => removed!.rule))).toEqual(new Set(["unread", "self", "other_token"]));
    expect(await recompute()).toBe(1);
    const { windows, jobs, computedAt, contract } = await pageOf();
    expect([contract, computedAt]).toEqual([
      expect.stringMatching(new RegExp(CONTRACT, "i")),
      new Date(NOW).toISOString(),
    ]);
    expect(windows[2]).toEqual({
      days: 90,
      raw: {
        ...{ funded: 7, completed: 5, rejected: 1, expired: 0, usdc: "12.25", clients: 3 },
        ...{ evaluators: 1, evaluatedByClient: 1, notEvaluated: 1 },
      },
      organic: {
        ...{ funded: 5, completed: 3, rejected: 1, expired: 0, usdc: "3.25", clients: 2 },
        ...{ evaluators: 1, evaluatedByClient: 1, notEvaluated: 1 },
      },
      removed: [
        { rule: "self", says: "The client is the agent's own wallet or owner.", funded: 1, completed: 1, usdc: "9" },
        expect.objectContaining({ rule: "other_token", funded: 1, completed: 1, usdc: "0" }),
      ],
    });
    expect(windows[0]).toMatchObject({ raw: { completed: 4, clients: 3 }, organic: { completed: 2, usdc: "1.25" } });
    expect(jobs.map((job) => [job.state, job.usdc, job.organic, job.removed?.rule ?? null])).toEqual([
      ["funded", "1", true, null],
      ["rejected", "1", true, null],
      ["completed", null, false, "other_token"],
      ["completed", "9", false, "self"],
      ["completed", "0.25", true, null],
      ["completed", "1", true, null],
      ["completed", "2", true, null],
      // Of before the longest window.
      ["completed", "1", false, "unread"],
    ]);
    expect(jobs.slice(4, 7).map((job) => job.evaluation)).toEqual([
      { by: "nobody", says: "Evaluated by nobody: it counts as completed once work is submitted." },
      { by: "client", says: "Evaluated by the client itself." },
      { by: "other", says: "Evaluated by another account than the client." },
    ]);
    expect(jobs[0]).toMatchObject({ jobId: "8", submittedAt: null, endedAt: null, endTxHash: null });
    expect(jobs[7]).toMatchObject({ fundedAt: new Date(NOW - (100 * DAY - 1) * 1_000).toISOString() });
  });

  itHasPages<Page>(api, PATH, {
    ...{ idsOf: ({ jobs }) => jobs.map(({ jobId }) => jobId), limits: [1, 3, 8], many: 8 },
    cursors: ["-1", "3", "0x1-2", "1-01"],
  });

  it("of an own agent are those of its wallet, of one client alone, in its view and report too", async () => {
    await plant(ALICE, { daysAgo: 1, provider: OWN });
    await plant(OWN, { daysAgo: 1, provider: OWN });
    await recompute();
    const { body } = await api.get("/api/v2/agent/helixa-7/jobs");
    expect(body).toMatchObject({
      jobs: [{ removed: { rule: "self" } }, { removed: { rule: "one_client" } }],
      windows: [{ days: 7, raw: { completed: 2 }, organic: { completed: 0 } }, {}, {}],
    });
    const { rules, windows } = body;
    expect((await api.get("/api/v2/agent/7")).body.jobs).toEqual({ rules, windows });
    expect((await api.get("/api/v2/agent/7/report")).body.jobs).toEqual({ rules, windows });
  });

  it("are none of an agent of another registry", async () => {
    expect(await api.get("/api/v2/agent/32/jobs?platform=virtuals&minBlock=100")).toMatchObject({
      ...{ status: 200, body: { wallet: null, walletAgents: 0, readTo, jobs: [], computedAt: null } },
    });
    expect((await api.get("/api/v2/agent/33/jobs?platform=erc8004")).body).toMatchObject({ readTo, jobs: [] });
    expect((await api.get("/api/v2/agent/34/jobs?platform=erc8004")).status).toBe(404);
  });

  it("of an own agent that the directory has not yet are not read yet", async () => {
    await plantAgents(api.pool, [{ tokenId: 8, agentAddress: wallet("a8"), owner: wallet("a8") }]);
    const { status, body } = await api.get("/api/v2/agent/8/jobs");
    expect([status, body]).toMatchObject([
      200,
      { walletAgents: 1, readTo: null, computedAt: null, jobs: [], nextCursor: null, windows: { length: 3 } },
    ]);
    expect([String(body.contract).toLowerCase(), String(body.wallet).toLowerCase()]).toEqual([CONTRACT, wallet("a8")]);
    expect(jobsInWords(body)).toMatch(/not read yet/);
    expect((await api.get("/api/v2/agent/9/jobs")).status).toBe(404);
  });

  it("of a block are answered once they are read and weighed", async () => {
    expect((await api.get(`${PATH}&minBlock=${readTo}`)).status).toBe(200);
    const answer = pageOf(`minBlock=${readTo + 3}`);
    await plant(BOB, { daysAgo: 0 });
    await recompute();
    expect((await answer).jobs).toHaveLength(9);
  });
});
