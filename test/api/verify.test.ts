/** POST /agent/{id}/verify and /coinbase-verify: who may, what counts, what is told to the contract, and how often. */
import { encodeFunctionData, encodeFunctionResult } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { attestationIndexerAbi } from "../../abis/attestation-indexer.ts";
import { easAbi } from "../../abis/eas.ts";
import { identityAbi } from "../../abis/identity.ts";
import { fail } from "../../core/errors.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { refreshAttested } from "../../db/cred/cred-passes.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { until } from "../../harness/until.ts";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile, refusal } from "./support/api.ts";
import { ATTESTER, plantAttestation, plantAward, SCHEMA } from "./support/plants.ts";
import { decide, intentsIn, mineQueued } from "./support/play-sender.ts";
import { lower, newWallet } from "./support/wallets.ts";

type Lower = `0x${string}`;
const [owner, own, stranger] = [newWallet(), newWallet(), newWallet()];
const chain = healthyChain();
const TRUE: Lower = `0x${"1".padStart(64, "0")}`;
const uid = (n: number): Lower => `0x${n.toString(16).padStart(64, "a")}`;
/** What the chain says of the owner's newest attestation; null = it has none, "away" = it cannot be asked. */
let onChain: Partial<ReturnType<typeof attestation>> | null | "away" = null;
/** The wallet the contract names as the agent's now; null = it cannot be asked. */
let namedOnChain: Lower | null = null;
/** When the first indexed block was made; the attestation on the chain is a second older. */
let firstAt = 0;
/** Whether the identity contract keeps the mark. */
let flagged = true;

const agentAnswer = (agentAddress: Lower): { ok: true; data: Lower } => ({
  ok: true,
  data: encodeFunctionResult({
    abi: identityAbi,
    functionName: "getAgent",
    result: {
      agentAddress,
      name: "Agent 0",
      framework: "custom",
      mintedAt: 1n,
      verified: false,
      soulbound: false,
      origin: 1,
      generation: 0,
      parentId: 0n,
      mutationCount: 0,
      currentVersion: "1.0",
    },
  }),
});
const attestation = () => ({
  uid: uid(99),
  schema: SCHEMA as Lower,
  time: 1_790_000_000n,
  expirationTime: 0n,
  revocationTime: 0n,
  refUID: uid(0),
  recipient: lower(owner),
  attester: ATTESTER as Lower,
  revocable: true,
  data: TRUE,
});

const api = apiForFile(() => {
  const selector = (data: Lower) => data.slice(0, 10);
  const UID_OF = selector(
    encodeFunctionData({ abi: attestationIndexerAbi, functionName: "getAttestationUid", args: [lower(owner), SCHEMA] }),
  );
  const GET_AGENT = selector(encodeFunctionData({ abi: identityAbi, functionName: "getAgent", args: [0n] }));
  const GET = selector(encodeFunctionData({ abi: easAbi, functionName: "getAttestation", args: [uid(1)] }));
  chain.call = async ({ data }) => {
    if (selector(data) === "0x978b2afc")
      return flagged ? { ok: true, data: `0x${"0".repeat(64)}` } : { ok: false, data: "0x", reason: "reverted" };
    if (selector(data) === GET_AGENT)
      return namedOnChain ? agentAnswer(namedOnChain) : fail("upstream_unavailable", "Away.");
    if (onChain === "away") return fail("upstream_unavailable", "The chain cannot be reached at the moment.");
    if (selector(data) === UID_OF)
      return { ok: true, data: onChain ? (onChain.uid ?? uid(99)) : `0x${"0".repeat(64)}` };
    if (selector(data) !== GET) throw new Error(`unexpected call ${data}`);
    const result = { ...attestation(), ...(onChain as object) };
    return { ok: true, data: encodeFunctionResult({ abi: easAbi, functionName: "getAttestation", result }) };
  };
  chain.block = async () => ({
    ...{ number: 0, hash: "0x0", parentHash: "0x0", baseFeePerGasWei: 0n },
    timestamp: firstAt,
  });
  chain.headBlock = async () => 1002;
  return { chain };
});
beforeEach(async () => {
  await plantCheckpoint(api.pool);
  await api.deps.index.refresh();
  onChain = null;
  firstAt = 1_790_000_001;
  namedOnChain = null;
  flagged = true;
  await api.sql(`truncate offchain.chain_write, offchain.transaction_outbox, offchain.transaction_attempt, offchain.exchange_verification, offchain.cred,
       offchain.cred_history, offchain.idempotency, offchain.sender_state cascade;
     truncate onchain.agent; truncate onchain.attestation; truncate onchain.points_award`);
  await plantAgents(api.pool, [{ tokenId: 0, owner: lower(owner), agentAddress: lower(own), soulbound: false }]);
});

const post = async (what: string, { by = own, id = "0", headers = {} as Record<string, string>, body = "" } = {}) =>
  api.send("POST", `/api/v2/agent/${id}/${what}`, {
    headers: { authorization: await by.siwa(), ...headers },
    ...(body && { body }),
  });
const attested = (over: object = {}) => plantAttestation(api.pool, lower(owner), { uid: uid(1), ...over });
const score = async () => {
  const rows = await api.sql("select score, verify, coinbase from offchain.cred where token_id = 0");
  return rows[0];
};

describe("verify", () => {
  it("is the agent's wallet's alone, not its owner's", async () => {
    expect(await post("verify", { by: owner })).toMatchObject(refusal(403, "forbidden"));
    expect(await post("verify", { by: stranger })).toMatchObject({ status: 403 });
    expect((await api.send("POST", "/api/v2/agent/0/verify")).status).toBe(401);
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("is the wallet's that the contract names now, whatever the index still says", async () => {
    namedOnChain = lower(stranger);
    expect(await post("verify", { by: own })).toMatchObject({ status: 403 });
    expect(await api.sql("select * from offchain.chain_write")).toEqual([]);
    const answer = post("verify", { by: stranger });
    await mineQueued(api.pool, 1);
    expect((await answer).status).toBe(200);
    // The same for what both controllers may do.
    expect((await post("crossreg", { by: own })).status).toBe(403);
    expect((await post("crossreg", { by: stranger })).status).toBe(200);
    expect((await post("crossreg", { by: owner })).status).toBe(200);
  });

  it("finds the agent by its wallet in the path too", async () => {
    const answer = post("verify", { id: own.address });
    await mineQueued(api.pool, 1);
    expect((await answer).body).toMatchObject({ tokenId: 0, verified: true });
  });

  it("is one transaction, whoever asks how often; an empty JSON body is none", async () => {
    const answer = post("verify", { headers: { "content-type": "application/json" } });
    const { intents, hashes } = await mineQueued(api.pool, 1, { block: 1003 });
    await plantCheckpoint(api.pool, { block: 1003 });
    expect(intents).toMatchObject([{ key: "verify:0", functionName: "verify", args: [0n] }]);
    const first = await answer;
    expect(first).toMatchObject(
      answering(200, { success: true, tokenId: 0, verified: true, txHash: hashes[0], block: 1003 }),
    );
    expect(await post("verify")).toMatchObject({ status: 200, text: first.text });
    // As the index brings it back.
    await api.sql("update onchain.agent set verified = true");
    await plantAward(api.pool, 0, "verified", { block: 1003, txHash: hashes[0] });
    expect(await post("verify")).toMatchObject({ status: 200, text: first.text });
    expect((await intentsIn(api.pool, "mined")).length).toBe(1);
  });

  it("of an agent that the contract's owner has verified tells that transaction", async () => {
    await api.sql("update onchain.agent set verified = true");
    const txHash = `0x${"9".repeat(64)}`;
    await plantAward(api.pool, 0, "verified", { block: 77, txHash });
    expect(await post("verify")).toMatchObject({ status: 200, body: { txHash, block: 77 } });
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("is 202 while the chain is slow, 409 when it refuses, and a revert is followed by a new intent", async () => {
    const slow = await api.impatiently(() => post("verify", { headers: { "idempotency-key": "v" } }));
    expect(slow).toMatchObject({ status: 202, body: { status: "pending", tokenId: 0, txHashes: [] } });
    const refused = post("verify", { headers: { "idempotency-key": "v" } });
    await until("the request waits", async () => {
      const rows = await api.sql(`select 1 from pg_stat_activity where application_name = 'notifications'
         and datname = current_database() and query ilike 'listen%transaction_outcome%'`);
      return rows.length === 1;
    });
    await decide(api.pool, "verify:0", { reverted: "reverted" });
    expect(await refused).toMatchObject(refusal(409, "conflict"));
    const again = post("verify", { headers: { "idempotency-key": "w" } });
    const { intents, hashes } = await mineQueued(api.pool, 1);
    expect(intents).toMatchObject([{ key: "verify:0#2" }]);
    expect(await again).toMatchObject({ status: 200, body: { txHash: hashes[0] } });
  });

  it.each([
    ["7", 404],
    ["-1", 400],
    ["9007199254740993", 400],
  ])("of agent %s is %i", async (id, status) => expect((await post("verify", { id })).status).toBe(status));

  it("queues nothing that cannot be paid for", async () => {
    await api.plant("sender_state", {});
    expect(await post("verify")).toMatchObject(refusal(503, "out_of_funds"));
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });
});

describe("coinbase-verify", () => {
  const verified = async (by = owner) => {
    const answer = post("coinbase-verify", { by });
    const { hashes } = await mineQueued(api.pool, 1);
    return { answer: await answer, hash: hashes[0]! };
  };

  it("is worth exactly 15 points of score while the attestation stands, and lost by itself", async () => {
    await attested();
    await post("coinbase-verify", { by: stranger });
    const recompute = (now = new Date()) =>
      recomputeCred(api.pool, { tokenIds: [0] }, { now, cause: "attestation.revoked" });
    await recompute();
    const before = await score();
    const { answer, hash } = await verified();
    expect(answer).toMatchObject(
      answering(200, {
        success: true,
        tokenId: 0,
        coinbaseVerified: true,
        attestationUid: uid(1),
        attester: "0x357458739F90461b99789350868CD7CF330Dd7EE",
        txHash: hash,
        block: 1000,
      }),
    );
    expect(await score()).toMatchObject({ score: before.score + 15, coinbase: 100 });
    expect(await post("coinbase-verify", { by: own })).toMatchObject({ status: 200, body: { txHash: hash } });
    expect(await intentsIn(api.pool, "mined")).toHaveLength(1);
    // Revoked on chain: the index' event recomputes, nobody calls.
    await api.sql("update onchain.attestation set revoked_at = 1790000100");
    await recompute();
    expect(await score()).toEqual(before);
    expect(await post("coinbase-verify", { by: owner })).toMatchObject(refusal(410, "gone"));
    // A new one takes its place, and the contract is told no second time.
    await attested({ uid: uid(2), attestedAt: 1_790_000_200 });
    await recompute();
    expect(await score()).toMatchObject({ score: before.score + 15 });
    expect(await post("coinbase-verify", { by: owner })).toMatchObject(
      answering(200, { attestationUid: uid(2), txHash: hash }),
    );
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
    // Sold: the attestation names somebody else now.
    await api.sql("update onchain.agent set owner = $1", lower(stranger));
    await recompute();
    expect(await score()).toEqual(before);
    expect(await post("coinbase-verify", { by: stranger })).toMatchObject({ status: 404 });
    expect(await post("coinbase-verify", { by: owner })).toMatchObject({ status: 403 });
    // And back: what was told to the contract need not be told again.
    await api.sql("update onchain.agent set owner = $1", lower(owner));
    expect(await post("coinbase-verify", { by: owner })).toMatchObject({ status: 200 });
    expect(await score()).toMatchObject({ score: before.score + 15 });
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("ends with the attestation's expiry, which no event announces", async () => {
    const seconds = Math.floor(Date.now() / 1000);
    await attested({ expiresAt: seconds + 60 });
    await verified();
    const before = (await score()).score;
    expect(await refreshAttested(api.pool, new Date((seconds + 59) * 1000))).toBe(0);
    expect(await refreshAttested(api.pool, new Date((seconds + 61) * 1000))).toBe(1);
    expect(await score()).toMatchObject({ score: before - 15, coinbase: 0 });
    expect(await refreshAttested(api.pool, new Date((seconds + 62) * 1000))).toBe(0);
  });

  describe("of an owner with two attestations", () => {
    const set = async (n: number, change: string) => {
      await api.sql(`update onchain.attestation set ${change} where uid = $1`, uid(n));
      await recomputeCred(api.pool, { tokenIds: [0] }, { now: new Date(), cause: "attestation.revoked" });
      return (await score()).coinbase;
    };
    const revoke = (n: number) => set(n, "revoked_at = 1790000300");
    const evidence = async () => (await loadFacts(api.pool, [0]))[0]!.exchange?.attestationUid;
    beforeEach(async () => {
      await attested();
      await attested({ uid: uid(2), attestedAt: 1_790_000_200, block: 901 });
      expect((await verified()).answer).toMatchObject({ status: 200 });
    });

    it.each([
      [1, 2],
      [2, 1],
    ])("counts until the last of them is revoked: %i, then %i; and again with the next one", async (first, last) => {
      expect(await revoke(first)).toBe(100);
      expect(await evidence()).toBe(uid(last));
      expect((await api.get("/api/v2/agent/0")).body).toMatchObject({ coinbaseVerified: true });
      expect(await revoke(last)).toBe(0);
      expect((await api.get("/api/v2/agent/0")).body).toMatchObject({ coinbaseVerified: false });
      // The block of the last revocation is taken back.
      expect(await set(last, "revoked_at = 0")).toBe(100);
      expect(await revoke(last)).toBe(0);
      await attested({ uid: uid(3), attestedAt: 1_790_000_400, block: 902 });
      expect(await set(3, "revoked_at = 0")).toBe(100);
      expect(await evidence()).toBe(uid(3));
    });

    it("counts until the last of them expires", async () => {
      const seconds = Math.floor(Date.now() / 1000);
      await set(1, `expires_at = ${seconds + 120}`);
      await set(2, `expires_at = ${seconds + 60}`);
      expect(await evidence()).toBe(uid(1));
      expect(await refreshAttested(api.pool, new Date((seconds + 61) * 1000))).toBe(0);
      expect(await refreshAttested(api.pool, new Date((seconds + 121) * 1000))).toBe(1);
      expect(await score()).toMatchObject({ coinbase: 0 });
    });

    it("counts for each owner that verified it, whenever the token is its own", async () => {
      const sell = async (to: typeof owner) => {
        await api.sql("update onchain.agent set owner = $1", lower(to));
        return set(1, "revoked_at = 0");
      };
      expect(await sell(stranger)).toBe(0);
      await attested({ uid: uid(4), recipient: lower(stranger) });
      expect(await sell(stranger)).toBe(0);
      const pending = await api.impatiently(() => post("coinbase-verify", { by: stranger }));
      expect(pending.status).toBe(202);
      expect(await score()).toMatchObject({ coinbase: 100 });
      expect(await sell(owner)).toBe(100);
      expect(await revoke(1)).toBe(100);
    });
  });

  it("prefers the chain's newest attestation to the index, and its word on a revocation", async () => {
    await attested();
    onChain = {};
    firstAt = 1_789_999_000;
    expect((await verified()).answer).toMatchObject({ status: 200, body: { attestationUid: uid(99) } });
    onChain = { uid: uid(1), revocationTime: 5n };
    expect(await post("coinbase-verify", { by: owner })).toMatchObject({ status: 410 });
    onChain = "away";
    expect(await post("coinbase-verify", { by: owner })).toMatchObject(answering(200, { attestationUid: uid(1) }));
  });

  const planted: [string, object, number][] = [
    ["another attester", { attester: lower(stranger) }, 404],
    ["another schema", { schema: uid(5) }, 404],
    ["the agent's wallet instead of its owner", { recipient: lower(own) }, 404],
    ["a revoked one", { revokedAt: 1 }, 410],
    ["an expired one", { expiresAt: 1_790_000_001 }, 410],
    ["one that says false", { data: `0x${"0".repeat(64)}` }, 404],
    ["one that says nothing", { data: "0x" }, 404],
  ];
  it.each(planted)("by an indexed attestation of %s is refused", async (_, over, status) => {
    await attested(over);
    expect((await post("coinbase-verify", { by: owner })).status).toBe(status);
    expect(await api.sql("select * from offchain.exchange_verification")).toEqual([]);
  });

  it("finds one that is older than the index", async () => {
    onChain = {};
    const { answer } = await verified();
    expect(answer).toMatchObject({ status: 200, body: { attestationUid: uid(99) } });
    expect(await score()).toMatchObject({ coinbase: 100 });
    // Its revocation is indexed although its making is not.
    await attested({ uid: uid(99), revokedAt: 1_790_000_300 });
    await recomputeCred(api.pool, { tokenIds: [0] }, { now: new Date(), cause: "attestation.revoked" });
    expect(await score()).toMatchObject({ coinbase: 0 });
  });

  it("finds one that the index has not come to, and forgets it when the index has passed it without", async () => {
    onChain = {};
    firstAt = 1_789_999_000;
    expect((await verified()).answer).toMatchObject({ status: 200, body: { attestationUid: uid(99) } });
    expect(await score()).toMatchObject({ coinbase: 100 });
    expect(await refreshAttested(api.pool, new Date())).toBe(0);
    await plantCheckpoint(api.pool, { block: 1002, finalized: 900 });
    expect((await api.get("/api/v2/agent/0")).body).toMatchObject({ coinbaseVerified: false });
    expect(await refreshAttested(api.pool, new Date())).toBe(1);
    expect(await score()).toMatchObject({ coinbase: 0 });
  });

  it("is lost with the attestation when a reorganisation takes it back", async () => {
    await attested();
    await verified();
    expect(await score()).toMatchObject({ coinbase: 100 });
    await api.sql("delete from onchain.attestation");
    expect((await api.get("/api/v2/agent/0")).body).toMatchObject({ coinbaseVerified: false });
    // Told of by the event that is taken back.
    await recomputeCred(api.pool, { tokenIds: [0] }, { now: new Date(), cause: "attestation.made" });
    expect(await score()).toMatchObject({ coinbase: 0 });
    expect((await post("coinbase-verify", { by: owner })).status).toBe(404);
  });

  const told: [string, typeof onChain, number][] = [
    ["nothing", null, 404],
    ["an outage", "away", 503],
    ["a revoked one", { revocationTime: 5n }, 410],
    ["an expired one", { expirationTime: 1_790_000_001n }, 410],
    ["another attester's", { attester: `0x${"66".repeat(20)}` }, 404],
    ["another recipient's", { recipient: `0x${"77".repeat(20)}` }, 404],
    ["another schema's", { schema: uid(6) }, 404],
  ];
  it.each(told)("when the chain tells of %s is refused", async (_, says, status) => {
    onChain = says;
    expect((await post("coinbase-verify", { by: owner })).status).toBe(status);
    expect(await api.sql("select * from offchain.exchange_verification")).toEqual([]);
  });

  it("has no transaction where the contract keeps no mark", async () => {
    flagged = false;
    await attested();
    expect(await post("coinbase-verify", { by: own })).toMatchObject({ status: 200, body: { txHash: null } });
    expect(await score()).toMatchObject({ coinbase: 100 });
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("keeps who may and what exists", async () => {
    await attested();
    expect((await post("coinbase-verify", { by: stranger })).status).toBe(403);
    expect((await post("coinbase-verify", { by: owner, id: "5" })).status).toBe(404);
    expect((await api.send("POST", "/api/v2/agent/0/coinbase-verify")).status).toBe(401);
  });
});
