/** The payments to an agent's wallet, as callers see them: raw and organic, pages that reach each payment once, reasons, and what has none. */
import { beforeAll, describe, expect, it } from "vitest";
import { paymentsInWords } from "../../api/tools/natural-language.ts";
import { createClient } from "../../sdk/src/index.ts";
import { incomeStats } from "../../workers/income/recompute-due.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantDocuments } from "../support/discovery.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";
import { AGENT, OWNER, plantEarners, recomputed, wallet } from "./support/evidence.ts";
import { itHasPages, pagesAt } from "./support/walks.ts";

const NOW = Date.UTC(2026, 10, 21, 5);
const DAY = 86_400;
const [ALICE, BOB, EXCHANGE] = [wallet("b1"), wallet("b2"), wallet("e1")];
const PATH = "/api/v2/agent/31/payments?platform=erc8004";

type Page = {
  windows: { days: number; raw: object; organic: object; removed: object[] }[];
  payments: { block: number; payer: string; usdc: string; organic: boolean; removed: { rule: string } | null }[];
  nextCursor: string | null;
};

const moves: unknown[][] = [];
/** A transfer in a block of its own. */
const move = (from: string, to: string, units: number, daysAgo: number, paid: boolean) => {
  const block = 100 + moves.length;
  const hash = `0x${block.toString(16).padStart(64, "0")}`;
  moves.push([hash, 1, block, NOW / 1_000 - daysAgo * DAY, hash, from, to, units, paid ? hash : null]);
};
const recompute = () => recomputed(incomeStats, api.pool, new Date(NOW));

const api = apiForFile({ now: () => NOW });
beforeAll(async () => {
  await plantEarners(api.pool);
  await api.sql(`
    insert into offchain.income_cohort (id, kind, from_block, read_to)
    values (1, 'wallet', 1, 900), (2, 'payer', 1, 900)`);
  const follow = (address: string, kind: string) =>
    api.pool.query("insert into offchain.income_followed (address, kind, cohort) values ($1, $2, $3)", [
      ...[address, kind, kind === "wallet" ? 1 : 2],
    ]);
  for (const address of [AGENT, wallet("a7")]) await follow(address, "wallet");
  for (const address of [ALICE, BOB]) await follow(address, "payer");
  await api.sql("insert into offchain.income_account (address, sent) values ($1, 9000000)", EXCHANGE);
  for (const payer of [ALICE, BOB]) move(EXCHANGE, payer, 9_000_000, 89, false);
  move(ALICE, AGENT, 1_000_000, 80, true);
  move(ALICE, AGENT, 2_000_000, 20, true);
  move(BOB, AGENT, 40_000, 3, true);
  move(BOB, AGENT, 250_000, 2, true);
  move(AGENT, BOB, 250_000, 1, false);
  move(OWNER, AGENT, 5_000_000, 1, true);
  move(BOB, wallet("a7"), 10_000, 1, true);
  for (const row of moves)
    await api.sql("insert into offchain.income_move values ($1, $2, $3, $4, $5, $6, $7, $8, $9)", ...row);
});

const pageOf = pagesAt<Page>(api, PATH);

describe("the payments of an agent", () => {
  it("are none before they are weighed", async () => {
    expect(await pageOf()).toMatchObject({
      ...{ wallet: expect.stringMatching(new RegExp(AGENT, "i")), walletAgents: 1, readTo: 900, computedAt: null },
      ...{ payments: [], nextCursor: null, windows: [{ days: 7, raw: { payments: 0, usdc: "0" } }, {}, {}] },
    });
  });

  it("are raw and organic side by side, each removed one with its rule", async () => {
    expect(await recompute()).toBe(2);
    const { windows, payments, computedAt } = await pageOf();
    expect(computedAt).toBe(new Date(NOW).toISOString());
    expect(windows.map(({ days }) => days)).toEqual([7, 30, 90]);
    expect(windows[2]).toMatchObject({
      raw: { payments: 5, usdc: "8.29", payers: 3, repeatPayers: 2, refunds: { payments: 1, usdc: "0.25" } },
      organic: { payments: 3, usdc: "3.04", payers: 2, repeatPayers: 1 },
      removed: [
        { rule: "self", says: "The payer is the agent's own wallet or owner.", payments: 1, usdc: "5" },
        { rule: "refunded", payments: 1, usdc: "0.25" },
      ],
    });
    expect(windows[0]).toMatchObject({ raw: { payments: 3 }, organic: { payments: 1, usdc: "0.04", payers: 1 } });
    expect(payments.map(({ usdc, organic, removed }) => [usdc, organic, removed?.rule ?? null])).toEqual([
      ["5", false, "self"],
      ["0.25", false, "refunded"],
      ["0.04", true, null],
      ["2", true, null],
      ["1", true, null],
    ]);
  });

  itHasPages<Page>(api, PATH, {
    ...{ idsOf: ({ payments }) => payments.map(({ block }) => block), limits: [1, 2, 4], many: 5 },
    cursors: ["-1", "3", "0x1-2", "1-01"],
  });

  it("of an own agent are those to its wallet, of one payer alone, in its view and report too", async () => {
    await plantAgents(api.pool, [
      { tokenId: 7, name: "Own", owner: OWNER, agentAddress: wallet("a7"), updatedBlock: 800 },
    ]);
    const { body } = await api.get("/api/v2/agent/helixa-7/payments");
    expect(body).toMatchObject({
      windows: [{ days: 7, raw: { payments: 1 }, organic: { payments: 0 }, removed: [{ rule: "one_payer" }] }, {}, {}],
    });
    // A wallet that the token only names is not known to be its own.
    expect((await api.get("/api/v2/agent/7")).body.payments).toBe(null);
    await api.sql("update onchain.agent set owner = agent_address where token_id = 7");
    const { rules, windows } = body;
    expect((await api.get("/api/v2/agent/7")).body.payments).toEqual({ rules, windows });
    expect((await api.get("/api/v2/agent/7/report")).body.payments).toEqual({ rules, windows });
  });

  it("of the last 90 days are told of agents that are found", async () => {
    const { windows } = await pageOf();
    await plantDocuments(api.pool);
    const { hits } = await api.read<{
      hits: { agent: { agent_id: string }; payments: unknown; jobs: unknown }[];
    }>("/api/v2/discover?q=paid");
    const told = new Map(hits.map(({ agent, payments, jobs }) => [agent.agent_id, { payments, jobs }]));
    expect(told.get("31")).toEqual({ payments: windows[2], jobs: null });
    expect(told.get("33")).toEqual({ payments: null, jobs: null });
  });

  it("are answered in words over A2A, and by the SDK with their types", async () => {
    const say = async (skill: string, refs: object) => {
      const parts = [{ kind: "data", data: { skill, arguments: refs } }];
      const params = { message: { role: "user", messageId: "1", parts } };
      const { body } = await api.write("POST", "/a2a", { jsonrpc: "2.0", id: 1, method: "message/send", params });
      return (body as unknown as { result: { parts: { text?: string; data?: Page }[] } }).result.parts;
    };
    expect((await say("get_payments", { ref: "31", platform: "erc8004", limit: 1 }))[0]!.data).toEqual(
      await pageOf("limit=1"),
    );
    const { windows, payments } = await createClient({ baseUrl: api.url }).get("/api/v2/agent/{ref}/payments", {
      params: { path: { ref: "31" }, query: { platform: "erc8004", limit: 1 } },
    });
    expect([windows[2]!.organic.usdc, payments[0]!.removed?.rule]).toEqual(["3.04", "self"]);
    const answer = { ...(await pageOf()) };
    expect(paymentsInWords(answer)).toBe(
      "Its wallet was paid 8.29 USDC in the last 90 days, in 5 payments by 3 payers; 3.04 USDC of that, in 3 payments by 2 payers, is organic.",
    );
    const own = await api.read<Page>("/api/v2/agent/helixa-7/payments");
    expect(paymentsInWords({ ...own, walletAgents: 2 })).toBe(
      "Its wallet was paid 0.01 USDC in the last 90 days, in 1 payment by 1 payer. None of that is organic. The wallet is that of 2 agents: nobody can say which was paid.",
    );
    expect(paymentsInWords({ ...answer, wallet: null })).toMatch(/^No wallet/);
    expect(paymentsInWords({ ...answer, readTo: null })).toMatch(/not read yet/);
  });

  it("are none of an agent of another registry", async () => {
    expect(await api.get("/api/v2/agent/32/payments?platform=virtuals")).toMatchObject({
      ...{ status: 200, body: { wallet: null, walletAgents: 0, readTo: null, payments: [], computedAt: null } },
    });
    expect((await api.get("/api/v2/agent/33/payments?platform=erc8004")).body).toMatchObject({
      readTo: null,
      payments: [],
    });
    expect((await api.get("/api/v2/agent/34/payments?platform=erc8004")).status).toBe(404);
  });

  it("of an own agent that the directory has not yet are not read yet, however it is named", async () => {
    await plantAgents(api.pool, [
      { tokenId: 8, agentAddress: wallet("a8"), owner: wallet("a8"), updatedBlock: 800 },
      { tokenId: 9, agentAddress: wallet("a9"), owner: OWNER, updatedBlock: 800 },
    ]);
    const none = { readTo: null, computedAt: null, payments: [], nextCursor: null, windows: [{ days: 7 }, {}, {}] };
    for (const ref of ["8", "helixa-8", wallet("a8"), "8?platform=helixa"]) {
      const [path, search] = ref.split("?");
      const { status, body } = await api.get(`/api/v2/agent/${path}/payments${search ? `?${search}` : ""}`);
      expect([status, body]).toMatchObject([200, { ...none, walletAgents: 1 }]);
      expect(String(body.wallet).toLowerCase()).toBe(wallet("a8"));
    }
    // A wallet that the token only names is not known to be its own.
    expect((await api.get("/api/v2/agent/9/payments")).body).toMatchObject({ ...none, wallet: null, walletAgents: 0 });
    for (const path of ["10/payments", "helixa-10/payments", `${wallet("aa")}/payments`, "8/payments?platform=erc8004"])
      expect([path, (await api.get(`/api/v2/agent/${path}`)).status]).toEqual([path, 404]);
  });

  it("of an own agent are its own before and after its row is there, whoever else has its number", async () => {
    await plantAgents(api.pool, [{ tokenId: 31, agentAddress: wallet("ab"), owner: wallet("ab"), updatedBlock: 800 }]);
    const { body } = await api.get("/api/v2/agent/31/payments");
    expect([String(body.wallet).toLowerCase(), body.readTo]).toEqual([wallet("ab"), null]);
    const answer = api.get("/api/v2/agent/31/payments?minBlock=100");
    await plantDirectory(api.pool, [
      {
        ...{ platform: "helixa", agent_id: "31", token_id: 31, name: "Own", cred_score: 20 },
        ...{ owner_address: wallet("ab"), address: wallet("ab"), wallet_confirmed: true },
      },
    ]);
    await api.sql(
      "insert into offchain.income_followed (address, kind, cohort) values ($1, 'wallet', 1)",
      wallet("ab"),
    );
    expect([(await answer).status, (await answer).body.readTo]).toEqual([200, 900]);
  });

  it("of a block are answered once they are read and weighed", async () => {
    expect((await api.get(`${PATH}&minBlock=900`)).status).toBe(200);
    const answer = pageOf("minBlock=950");
    move(ALICE, AGENT, 30_000, 0, true);
    await api.sql("insert into offchain.income_move values ($1, $2, $3, $4, $5, $6, $7, $8, $9)", ...moves.at(-1)!);
    // Not weighed before it is read: else the answer may come between the two.
    await api.sql("update offchain.income_followed set changed_at = clock_timestamp()");
    await api.sql("update offchain.income_cohort set read_to = 960");
    await recompute();
    expect((await answer).payments).toHaveLength(6);
  });
});
