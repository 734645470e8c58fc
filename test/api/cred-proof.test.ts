/** Cred proofs over the API: verified by OpenZeppelin's own tree; epochs in the past, in history and in reports. */
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { type CredLeaf, LEAF_TYPES, leafValues } from "../../core/cred/tree/leaf.ts";
import { epochReopened, pruneEpochs } from "../../db/cred/store-cred-epoch.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { IDENTITY } from "../../harness/stub-chain.ts";
import { publishTestEpoch, storeTestEpoch } from "../support/cred-epochs.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";

const CONTRACT = "0x00000000000000000000000000000000000c0de0" as const;
const SIGNER_KEY = `0x${"5a".repeat(32)}`;
const T0 = Date.parse("2026-05-01T00:00:00Z");
const hour = (n: number) => new Date(T0 + n * 3_600_000);

const api = apiForFile({ env: { RECEIPT_SIGNER_PRIVATE_KEY: SIGNER_KEY } }, { provoked: true });
beforeAll(() => plantAgents(api.pool, [{ name: "Zero", score: 62 }, { name: "One", score: 30 }, { name: "Late" }]));

const proof = (tokenId: number, query = "") => api.get(`/api/v2/agent/${tokenId}/cred/proof${query}`);
const refusal = async (tokenId: number, query = "") => {
  const { status, body } = await proof(tokenId, query);
  return [status, body.code];
};
const epoch = (number: number, scores: [number, number], computedAt = hour(number)) =>
  storeTestEpoch(api.pool, {
    epoch: number,
    registry: IDENTITY as Address,
    contract: CONTRACT,
    computedAt,
    scores: scores.map((score, tokenId) => ({ tokenId, score })),
  });
const report = async (tokenId: number) => (await api.get(`/api/v2/agent/${tokenId}/cred-report`)).body;
const verify = ({ payload, signature }: { payload: string; signature: string }) =>
  api.write("POST", "/api/v2/cred-report/verify-receipt", { payload, signature });

describe("in the order of its epochs", () => {
  let early: { payload: string; signature: string };

  it("before the first, there is no proof, and a report names no epoch", async () => {
    expect(await refusal(0)).toEqual([404, "no_epoch"]);
    expect(await refusal(0, "?epoch=1")).toEqual([404, "no_epoch"]);
    const body = await report(0);
    expect(body).not.toHaveProperty("onchain");
    early = body.receipt as unknown as typeof early;
    expect(JSON.parse(early.payload)).not.toHaveProperty("onchain");
  });

  it("one that is not on chain yet does not count", async () => {
    await epoch(1, [50, 30]);
    expect(await refusal(0)).toEqual([404, "no_epoch"]);
    expect(await refusal(0, "?epoch=1")).toEqual([404, "no_epoch"]);
    expect(await report(0)).not.toHaveProperty("onchain");
  });

  it("a published one proves each of its agents, as OpenZeppelin's tree verifies", async () => {
    await publishTestEpoch(api.pool, 1, { at: hour(1) });
    const { root } = await epoch(2, [62, 30]);
    await publishTestEpoch(api.pool, 2, { at: hour(2) });
    const { status, body } = await proof(0);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tokenId: 0,
      epoch: 2,
      chainId: 8453,
      contract: "0x00000000000000000000000000000000000c0De0",
      transaction: `0x${"2".padStart(64, "0")}`,
      registry: "0x2e3B541C59D38b84E3Bc54e977200230A204Fe60",
      root,
      leaf: { tokenId: 0, score: 62, tier: 2, computedAt: 1_790_000_000, block: 900 },
      leafTypes: LEAF_TYPES,
      latestEpoch: 2,
      publishedAt: hour(2).toISOString(),
    });
    for (const answer of [body, (await proof(1)).body, (await proof(1, "?epoch=1")).body]) {
      const values = [...leafValues(answer.leaf as unknown as CredLeaf)];
      const said = answer as unknown as { root: string; proof: string[]; leafHash: string };
      expect(StandardMerkleTree.verify(said.root, [...LEAF_TYPES], values, said.proof)).toBe(true);
      expect(StandardMerkleTree.of([values], [...LEAF_TYPES]).root).toBe(said.leafHash);
    }
    expect((await proof(0, "?epoch=1")).body).toMatchObject({ epoch: 1, leaf: { score: 50 }, latestEpoch: 2 });
  });

  it("why there is no proof is told apart", async () => {
    expect(await refusal(2)).toEqual([404, "not_in_epoch"]);
    expect(await refusal(2, "?epoch=1")).toEqual([404, "not_in_epoch"]);
    expect(await refusal(0, "?epoch=3")).toEqual([404, "no_epoch"]);
    expect((await proof(0, "?epoch=3")).body).toMatchObject({ hint: "The latest epoch is 2." });
    for (const bad of ["0", "-1", "1e3", "latest", "9007199254740992"])
      expect(await refusal(0, `?epoch=${bad}`)).toEqual([400, "invalid_input"]);
  });

  it("a report names the latest one in what its receipt signs, and an earlier report stays valid", async () => {
    const body = await report(0);
    const onchain = { epoch: 2, chainId: 8453, score: 62, contract: "0x00000000000000000000000000000000000c0De0" };
    expect(body.onchain).toMatchObject(onchain);
    const receipt = body.receipt as unknown as { payload: string; signature: string };
    expect(JSON.parse(receipt.payload).onchain).toEqual(body.onchain);
    expect((await verify(receipt)).body).toMatchObject({ valid: true, report: { onchain } });
    const forged = receipt.payload.replace('"epoch":2', '"epoch":1');
    expect(forged).not.toBe(receipt.payload);
    expect((await verify({ ...receipt, payload: forged })).body).toMatchObject({ valid: false });
    expect((await verify(early)).body).toMatchObject({ valid: true });
    expect(await report(2)).not.toHaveProperty("onchain");
  });

  it("the past and the history name the epoch that proves each score", async () => {
    const points: [number, Date][] = [
      [50, hour(0.5)],
      [55, hour(1.2)],
      [62, hour(1.5)],
      [61, hour(2.5)],
    ];
    for (const [score, at] of points) await api.plant("cred_history", { token_id: 0, score, at });
    const { body } = await api.get("/api/v2/agent/0/cred/history?days=3650");
    expect((body.points as unknown as { epoch: number }[]).map((point) => point.epoch)).toEqual([1, null, 2, null]);
    const at = async (n: number) => (await api.get(`/api/v2/agent/0/cred?at=${hour(n).toISOString()}`)).body;
    expect((await at(0.6)).onchain).toEqual({ epoch: 1, proof: "/api/v2/agent/0/cred/proof?epoch=1" });
    expect((await at(1.3)).onchain).toBeNull();
    expect((await at(2)).onchain).toMatchObject({ epoch: 2 });
    // The snapshot of epoch 2 was taken at this very moment, before the score was committed.
    await api.sql("update offchain.cred_history set score = 63 where score = 62");
    expect(await at(2)).toMatchObject({ credScore: 63, onchain: null });
  });

  it("a pruned one says so; what proves the latest stays", async () => {
    await transaction(api.pool, (tx) => pruneEpochs(tx, { keep: 1, finalBlock: 0 }));
    expect(await refusal(0, "?epoch=1")).toEqual([404, "epoch_pruned"]);
    expect(await refusal(2, "?epoch=1")).toEqual([404, "epoch_pruned"]);
    expect((await proof(0)).status).toBe(200);
    const { body } = await api.get(`/api/v2/agent/0/cred?at=${hour(0.6).toISOString()}`);
    expect(body.onchain).toEqual({ epoch: 1, proof: null });
  });

  it("a reorganisation that takes its transaction back takes it out of every answer", async () => {
    await epochReopened(api.pool, { intentKey: "root:2" });
    expect(await refusal(0, "?epoch=2")).toEqual([404, "no_epoch"]);
    expect(await refusal(0)).toEqual([404, "epoch_pruned"]);
    expect(await report(0)).not.toHaveProperty("onchain");
  });
});
