/** The trait that goes with a proof, on a real chain: mined once, taken back and mined again with its block, never for a proof that is gone. */
import { encodeFunctionData } from "viem";
import { expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { recordProof } from "../../db/agents/social-proofs.ts";
import { mintById } from "../../db/mints/mints.ts";
import { queueRepeatable } from "../../db/transactions/transaction-outbox.ts";
import { until } from "../../harness/until.ts";
import { perFile, perTest } from "../support/started.ts";
import { startSending } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());

const minted = () => desk.minted();
const record = (tokenId: number) => {
  const proof = { tokenId, platform: "x" as const, accountId: "1", handle: "ada", username: null, evidence: {} };
  return recordProof(desk.db, proof, null, new Date());
};
const queue = (tokenId: number) =>
  queueRepeatable(desk.db, {
    free: null,
    intentKey: `proof:${tokenId}:x`,
    to: on.identity,
    data: encodeFunctionData({
      abi: identityAbi,
      functionName: "addTrait",
      args: [BigInt(tokenId), "x-verified", "verification"],
    }),
  });
const proof = async () => (await desk.db.query("select status, tx_hash from offchain.proof")).rows[0];
const traitsOf = async (tokenId: number) => {
  const args = [BigInt(tokenId)] as const;
  const traits = await on.evm.readContract({ address: on.identity, abi: identityAbi, functionName: "getTraits", args });
  return traits.map(({ name }) => name);
};

it("tells the record its transaction; a reorganisation takes it back until it is mined again", async () => {
  const { tokenId } = await minted();
  await record(tokenId);
  await queue(tokenId);
  const first = desk.send();
  const hash = await until("the trait is mined", async () => (await proof()).tx_hash);
  await first.stop();
  expect(await traitsOf(tokenId)).toEqual(["x-verified"]);

  await on.evm.setAutomine(false);
  await on.reorg(1);
  desk.send();
  await until("the record knows that it is gone", async () => (await proof()).tx_hash === null);
  await on.evm.setAutomine(true);
  await until("it is mined again", async () => {
    await on.evm.mine({ blocks: 1 });
    return (await proof()).tx_hash === hash;
  });
  expect(await traitsOf(tokenId)).toEqual(["x-verified"]);
  expect(await proof()).toMatchObject({ status: "verified" });
});

it("is not given for a proof that is gone, and can be asked for again", async () => {
  const { tokenId } = await minted();
  await queue(tokenId);
  desk.send();
  const key = `proof:${tokenId}:x`;
  await until("it is refused", async () => (await desk.intent(key)).state === "failed");
  expect((await desk.intent(key)).error).toBe("the proof does not stand any more");
  await record(tokenId);
  expect(await queue(tokenId)).toEqual({ intentKey: key, queued: true });
  await until("the trait is mined", async () => (await proof()).tx_hash);
  expect(await traitsOf(tokenId)).toEqual(["x-verified"]);
});

it("a registration that is undone takes the proofs of its number with it", async () => {
  const { mintId, tokenId } = await minted();
  const block = (await mintById(desk.db, mintId))!.block;
  await record(tokenId);
  await on.reorg(1);
  desk.send();
  await until("it is registered again", async () => {
    await on.evm.mine({ blocks: 1 });
    const again = (await mintById(desk.db, mintId))!;
    return again.state === "minted" && again.block !== block;
  });
  expect(await proof()).toBeUndefined();
});
