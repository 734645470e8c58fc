/** The cred report and its receipt: what it says, and that anyone can check it with what it carries. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { recoverTypedDataAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { SIGNALS } from "../../core/cred/cred.ts";
import { folderOfTest } from "../support/folders.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, apiForTest } from "./support/api.ts";
import { plantProof } from "./support/plants.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const KEY = `0x${"5".repeat(64)}` as const;
const FORMER = `0x${"6".repeat(64)}` as const;

const signingWith = (key: string, env: Record<string, string> = {}) =>
  apiForFile({ env: { RECEIPT_SIGNER_PRIVATE_KEY: key, ...env }, now: () => NOW });
const api = signingWith(KEY, { RECEIPT_FORMER_SIGNERS: privateKeyToAddress(FORMER) });
const former = signingWith(FORMER);
beforeAll(async () => {
  const agents = [
    {
      name: "Zero",
      score: 60,
      points: 300,
      verified: true,
      narrative: { origin: "born", mission: "to be" },
      narrativeAt: 1_790_000_000,
    },
    { name: "Best", score: 90 },
    { name: "Tied", score: 60 },
    { name: "Last", score: 10 },
  ];
  await plantAgents(api.pool, agents);
  await plantAgents(former.pool, agents);
  await plantProof(api.pool, 0, "x", { at: "2026-11-01T00:00:00Z" });
  await plantProof(api.pool, 0, "github", { status: "lapsed", at: "2026-11-01T00:00:00Z" });
  await api.sql(`insert into offchain.session_outcome (token_id, api_key_id, session_id, outcome)
     values (0, 'k', '1', 'success'), (0, 'k', '2', 'success'), (0, 'k', '3', 'partial'), (1, 'k', '4', 'failure')`);
});

type Report = Record<string, never> & {
  reportId: string;
  payment: string;
  agent: { tokenId: number };
  credScore: { score: number; tier: string; rank: number; totalAgents: number; percentile: number };
  scoreBreakdown: Record<string, { rawScore: number; weightedScore: number; weight: number; evidence: object[] }>;
  recommendations: { action: string; impact: string; endpoint: string }[];
  receipt: Record<string, never> & { payload: string; signature: `0x${string}`; signer: string };
};
const report = async (ref: string | number, from = api) => await from.read<Report>(`/api/v2/agent/${ref}/cred-report`);
const check = async (body: object, at = api) => at.write("POST", "/api/v2/cred-report/verify-receipt", body);

describe("the cred report", () => {
  it("takes the score apart", async () => {
    const { body, headers } = await api.get("/api/v2/agent/0/cred-report");
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(body).toMatchObject({
      ...{ paidReport: false, price: "0.00", payment: "free" },
      generatedAt: new Date(NOW).toISOString(),
      credScore: { score: 60, tier: "QUALIFIED", rank: 2, totalAgents: 4, percentile: 75 },
      totalWeight: 1,
      verifications: { siwa: true, x: true, github: false, farcaster: false, coinbase: false, total: 2, max: 5 },
      narrativeAnalysis: { completeness: "2/4", fields: { origin: { present: true, length: 4 } } },
      sessions: { success: 2, failure: 0, partial: 1 },
      externalScores: { ethos: null },
    });
    expect(Object.keys((body as never as Report).scoreBreakdown)).toEqual(SIGNALS.map(({ key }) => key));
  });

  it("ranks ties alike and gives the best 100 per cent", async () => {
    expect((await report(2)).credScore).toMatchObject({ rank: 2, percentile: 75 });
    expect((await report(1)).credScore).toMatchObject({ rank: 1, percentile: 100 });
    expect((await report(3)).credScore).toMatchObject({ rank: 4, percentile: 25 });
  });

  it("advises by exact gain, greatest first, and never what is done already", async () => {
    const { recommendations } = await report(0);
    const gains = recommendations.map(({ impact }) => Number(/^\+([\d.]+)/.exec(impact)![1]));
    expect(gains).toEqual(gains.toSorted((a, b) => b - a));
    expect(recommendations.length).toBeLessThanOrEqual(8);
    expect(recommendations.map((r) => r.endpoint)).not.toContain("POST /api/v2/agent/0/verify/x");
    expect(recommendations.map((r) => r.endpoint)).toContain("POST /api/v2/agent/0/verify/github");
  });

  it("gives the same advice free of charge, with the signal of each step", async () => {
    const { recommendations } = await report(0);
    const { body } = await api.get("/api/v2/agent/0/cred/advice");
    const { steps, ...state } = body as never as { steps: { signal: string; endpoint: string; gain: number }[] };
    expect(state).toMatchObject({ tokenId: 0, credScore: 60 });
    expect(steps.slice(0, 8).map(({ endpoint }) => endpoint)).toEqual(recommendations.map(({ endpoint }) => endpoint));
    expect(steps).toContainEqual({
      ...{ signal: "verify", label: "Verification Status", gain: 3.75, scoreAfter: expect.any(Number) },
      action: "Prove the agent's account on GitHub",
      endpoint: "POST /api/v2/agent/0/verify/github",
    });
    expect((await api.get("/api/v2/agent/77/cred/advice")).status).toBe(404);
  });

  it("is asked for by wallet too, and knows no others", async () => {
    const byId = await report(0);
    expect((await report(byId.agent["agentAddress" as never] as string)).agent).toEqual(byId.agent);
    expect((await api.get("/api/v2/agent/77/cred-report")).status).toBe(404);
    expect((await api.get("/api/v2/agent/x1/cred-report")).status).toBe(400);
  });

  it("is not sold without a key to sign with", async () => {
    const unsigned = await apiForTest({ now: () => NOW });
    await plantAgents(unsigned.pool, [{ name: "Zero", score: 60 }]);
    expect((await unsigned.get("/api/v2/agent/0/cred-report")).status).toBe(503);
  });
});

describe("the receipt", () => {
  it("is checked offline with nothing but itself", async () => {
    const { receipt, ...shown } = await report(0);
    const { domain, types, primaryType, message, signature, signer, payload } = receipt as never as Parameters<
      typeof recoverTypedDataAddress
    >[0] & { signer: string; payload: string };
    expect(await recoverTypedDataAddress({ domain, types, primaryType, message, signature } as never)).toBe(signer);
    expect(signer).toBe(privateKeyToAddress(KEY));
    expect(JSON.parse(payload)).toEqual(shown);
  });

  it("is checked by the example, whose signer discovery tells", async () => {
    const file = join(folderOfTest("receipt"), "report.json");
    const example = (text: string, signer: string) => {
      writeFileSync(file, text);
      return spawnSync(process.execPath, ["examples/check-receipt.ts", file, signer], { encoding: "utf8" });
    };
    const { signer } = (await api.read<{ receipts: { signer: string } }>("/api/v2")).receipts;
    const genuine = JSON.stringify(await report(0));
    expect(example(genuine, signer)).toMatchObject({ status: 0, stdout: "valid: agent 0 had 60 points\n" });
    expect(example(genuine, privateKeyToAddress(FORMER)).status).toBe(1);
    expect(example(genuine.replace('"score":60', '"score":99'), signer).status).toBe(1);
  });

  it("is checked by the service: its own, a former signer's, no one else's", async () => {
    const { receipt, ...shown } = await report(0);
    expect((await check({ payload: receipt.payload, signature: receipt.signature })).body).toEqual({
      valid: true,
      report: shown,
    });
    const old = (await report(0, former)).receipt;
    expect((await check(old)).status).toBe(400);
    expect((await check({ payload: old.payload, signature: old.signature })).body).toMatchObject({ valid: true });
    const own = { payload: receipt.payload, signature: receipt.signature };
    expect((await check(own, former)).body).toEqual({ valid: false, report: null });
  });

  it("is broken by any change", async () => {
    const { receipt } = await report(0);
    const { payload, signature } = receipt;
    const changed = [
      { payload: payload.replace('"score":60', '"score":61'), signature },
      { payload: `${payload} `, signature },
      { payload: payload.replace(/"rank":\d+/, '"rank":1'), signature },
      { payload: "{}", signature },
      { payload: "not json", signature },
      { payload: "null", signature },
      { payload, signature: `${signature.slice(0, 20)}${signature[20] === "0" ? "1" : "0"}${signature.slice(21)}` },
      { payload, signature: `0x${"00".repeat(65)}` },
    ];
    for (const forged of changed) expect((await check(forged)).body).toEqual({ valid: false, report: null });
  });
});
